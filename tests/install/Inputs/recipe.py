"""recipe.py ROOT SECTION: does in this folder what docs/howto/build-cmake.md (CMake), or a section of build-others.md, tells:
writes the files that it shows, whose names are their first lines, beside the former's trig.c and host.c, and runs its
commands."""
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
NAME = re.compile(r"(?:#|//|/\*) ([\w./]+\.?\w*)(?: \*/)?\n")


def write_files(text, wanted=lambda name: True):
    for language, body in BLOCK.findall(text):
        name = NAME.match(body)
        if language != "sh" and name and wanted(name[1]):
            path = pathlib.Path(name[1])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body, encoding="utf-8")


root, section = pathlib.Path(sys.argv[1]), sys.argv[2]
text = first = (root / "docs/howto/build-cmake.md").read_text(encoding="utf-8")
if section != "CMake":
    page = (root / "docs/howto/build-others.md").read_text(encoding="utf-8")
    text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", page, re.M | re.S)[1]
write_files(first, lambda name: name in ("trig.c", "host.c"))
write_files(text)
commands = "".join(body for language, body in BLOCK.findall(text) if language == "sh")
sys.exit(subprocess.run(["sh", "-ex"], input=commands, text=True).returncode)
