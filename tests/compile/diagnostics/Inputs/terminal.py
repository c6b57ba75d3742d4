"""Runs a command with a terminal of 80 columns as its standard error, and prints what it wrote there."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
process = subprocess.Popen(sys.argv[1:], stderr=slave, env=dict(os.environ, TERM="xterm"))
os.close(slave)
while True:
    try:
        data = os.read(master, 65536)
    except OSError:  # the other end is closed
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
process.wait()
