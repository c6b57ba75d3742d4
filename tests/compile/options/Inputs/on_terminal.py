"""on_terminal.py COMMAND…: runs it with a terminal for standard error, and says whether it writes colours there."""
import os
import pty
import subprocess
import sys

master, slave = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stderr=slave, env={**os.environ, "TERM": "xterm"})
os.close(slave)
written = b""
while True:
    try:
        piece = os.read(master, 4096)
    except OSError:  # the other end is closed
        break
    if not piece:
        break
    written += piece
process.wait()
print("colours" if b"\x1b[" in written else "no colours", written)
