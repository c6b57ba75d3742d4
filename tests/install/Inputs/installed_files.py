"""installed_files.py ROOT BUILD: what the installation of a configured build takes from there is built by the targets of
samples/run.  Exit status 1 where a file is not."""
import re
import subprocess
import sys
from pathlib import Path

root, build = map(Path, sys.argv[1:])
targets = re.search(r"^ *build build ([^#\n]*)", (root / "samples" / "run").read_text(encoding="utf-8"), re.M)[1].split()
commands = subprocess.run(["ninja", "-C", build, "-t", "commands", *targets], capture_output=True, text=True, check=True).stdout
built = {build / word for line in commands.splitlines() for word in line.split()}
wanted = {Path(file) for script in build.rglob("cmake_install.cmake")
          for file in re.findall(rf'"({re.escape(str(build))}/[^"]+)"', script.read_text(encoding="utf-8"))}
wanted = {file for file in wanted if file.suffix != ".cmake" and "$" not in file.name and not file.exists()}
lacking = [str(file) for file in sorted(wanted) if file not in built]
sys.exit("not built: " + ", ".join(lacking)) if lacking else print(len(wanted), "files")
