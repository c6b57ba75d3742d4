"""unpacked.py FOLDER VERSION COMPILER: the only wheel of the folder, unpacked, is the package of this version with its
library and a tag that fits its extension, and compiles by the command or, without, by the compiler's library that the system
has."""
import os
import subprocess
import sys
import zipfile
from pathlib import Path

[wheel] = Path(sys.argv[1]).iterdir()
zipfile.ZipFile(wheel).extractall("unpacked")
[extension, *_] = [*Path("unpacked/gpucc").glob("_native*"), None]
own = "cp{0}{1}-cp{0}{1}".format(*sys.version_info)  # an extension that is for the Python alone which built it
tag = "py3-none" if extension is None else "cp312-abi3" if extension.name.endswith(".abi3.so") else own
assert wheel.name.startswith(f"gpucc-{sys.argv[2]}-{tag}-linux_"), (wheel.name, extension)
os.environ.pop("GPUCC_LIBRARY")
sys.path.insert(0, os.path.abspath("unpacked"))
import gpucc  # noqa: E402

with open("/proc/self/maps", encoding="utf-8") as file:
    opened = {line.split()[-1] for line in file if "libgpucc" in line}
assert opened == {os.path.abspath("unpacked/gpucc/libgpucc.so")}, opened
assert gpucc.__version__ == sys.argv[2]
COMPILING = """
import gpucc
f = gpucc.compile("#include <gpucc.h>\\nvectorize(int64(int64)) int64 next_of(int64 x) { return x + 1; }").next_of
assert f(41) == 42
"""
exec(COMPILING)


def elsewhere(**environment):
    """The same where there is no command."""
    known = {"PATH": "/usr/bin:/bin", "PYTHONPATH": "unpacked", "GPUCC_CACHE": "cache", **environment}
    return subprocess.run([sys.executable, "-c", COMPILING], env=known, capture_output=True, text=True)


said = elsewhere(LD_LIBRARY_PATH=os.path.dirname(sys.argv[3]))
assert said.returncode == 0, said.stderr
said = elsewhere()
wanted = f"nor a gpucc command ({os.path.abspath('unpacked/gpucc/bin/gpucc')}, gpucc): put it on PATH"
assert wanted in said.stderr, said.stderr
