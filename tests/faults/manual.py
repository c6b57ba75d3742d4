"""manual.py GPUCC FOLDER PAGE.md…: holds pages of the manual to what they show.  Their C blocks that begin with a name are
written to the folder; there each block that begins with `$ gpucc …` must print the text below it."""
import pathlib
import re
import subprocess
import sys

gpucc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
page = "\n".join(pathlib.Path(path).read_text() for path in sys.argv[3:])
folder.mkdir(parents=True, exist_ok=True)
for name, text in re.findall(r"^```c\n/\* (\w+\.c) \*/\n(.*?)^```$", page, re.M | re.S):
    (folder / name).write_text(f"/* {name} */\n{text}")
shown = re.findall(r"^```\n\$ gpucc (.*?)\n(.*?)^```$", page, re.M | re.S)
wrong = 0
for command, text in shown:
    done = subprocess.run([gpucc, *command.split()], cwd=folder, capture_output=True, text=True, timeout=120)
    if done.stdout + done.stderr != text:
        wrong += 1
        print(f"$ gpucc {command}\n{done.stdout}{done.stderr}")
print(f"{len(shown)} examples, {wrong} give another text")
sys.exit(wrong > 0)
