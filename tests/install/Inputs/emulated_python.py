"""emulated_python.py SITE PROGRAM.so: runs the package in the folder SITE by Debian's Python for AArch64, under qemu-user.
Skipped without mmdebstrap, or where the packages cannot be had."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

from bare_systems import mirror

SITE, PROGRAM = (pathlib.Path(path).resolve() for path in sys.argv[1:])
RELEASE, PYTHON = "trixie", "python3.13"
CHECKED = f"""
import platform, numpy, gpucc
from gpucc._library import native
print(platform.machine(), native and native.__file__)
trig = gpucc.load("{PROGRAM}").trig
assert (abs(trig(numpy.linspace(-9, 9, 1001, dtype="f4")) - 1) < 1e-6).all()
try:
    gpucc.compile("int x;")
    raise SystemExit("it compiles")
except gpucc.CompileError as error:
    assert "On aarch64 gpucc has the runtime alone" in str(error), error
"""


def main():
    if not shutil.which("mmdebstrap"):
        return "skipped: this needs mmdebstrap"
    with tempfile.TemporaryDirectory() as base:
        root = pathlib.Path(base, "root")
        made = subprocess.run(["mmdebstrap", "--quiet", "--variant=extract", "--architectures=arm64", "--include=python3-numpy",
                               RELEASE, root, f"deb {mirror()} {RELEASE} main"], capture_output=True, text=True, check=False)
        if made.returncode:
            return f"skipped: {made.stderr.strip().splitlines()[-1]}"
        if not (root / "lib").exists():
            (root / "lib").symlink_to("usr/lib")
        libraries = root / "usr" / "lib" / "aarch64-linux-gnu"
        variables = {"PYTHONHOME": root / "usr", "PYTHONPATH": f"{SITE}:{root}/usr/lib/python3/dist-packages",
                     "LD_LIBRARY_PATH": f"{libraries}/blas:{libraries}/lapack"}
        settings = [word for name, value in variables.items() for word in ("-E", f"{name}={value}")]
        done = subprocess.run(["qemu-aarch64", "-L", root, *settings, root / "usr" / "bin" / PYTHON, "-c", CHECKED],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.stdout if done.returncode == 0 else f"FAILED: {done.stdout}"


print(main())
