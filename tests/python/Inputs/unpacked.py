"""unpacked.py FOLDER VERSION: the only wheel of the folder, unpacked, is the package of this version with its library."""
import os
import sys
import zipfile
from pathlib import Path

[wheel] = Path(sys.argv[1]).iterdir()
assert wheel.name.startswith(f"gpucc-{sys.argv[2]}-py3-none-linux_"), wheel.name
zipfile.ZipFile(wheel).extractall("unpacked")
os.environ.pop("GPUCC_LIBRARY")
sys.path.insert(0, os.path.abspath("unpacked"))
import gpucc  # noqa: E402

with open("/proc/self/maps", encoding="utf-8") as file:
    opened = {line.split()[-1] for line in file if "libgpucc" in line}
assert opened == {os.path.abspath("unpacked/gpucc/libgpucc.so")}, opened
assert gpucc.__version__ == sys.argv[2]
assert gpucc.compile("#include <gpucc.h>\nvectorize(int64(int64)) int64 next_of(int64 x) { return x + 1; }").next_of(41) == 42
