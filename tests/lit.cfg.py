# lit's configuration for all tests that are files: `lit.py tests` with GPUCC_BUILD naming the build tree (default:
# build).  Substitutions:
#   %gpucc           the compiler            %exits N COMMAND…  fails unless COMMAND ends with status N
#   %cc %cxx         the host's compilers    %include           the repository's include folder
#   %lib             libgpucc.a and what it needs
#   %root            the repository          %version %llvm     gpucc's version and LLVM's
#   %random          how many random cases: GPUCC_RANDOM, or 300
#   %methods         how many of those that take a millisecond: five times as many, and %share
#   %share           :K/N, by which the testers of tests/hosts take share K of N in a sweep; empty without GPUCC_SHARE
#   %compiler        libgpucc-compiler.so
#   %dynamic         libgpucc.so             %fake          the stand-in for libcuda
#   %numpy           a Python that has NumPy  %numpy2        one whose NumPy is 2, where there is one
# FileCheck, not, llvm-nm and so on are those of that LLVM.
# Features: sweep (where GPUCC_RANDOM does not ask for less), numpy, fake-cuda, ptxas (assembles PTX; its path is
# %ptxas), nvcc (CUDA's compiler, %nvcc), elflint (checks ELF files, %elflint), libdevice (NVIDIA's math library,
# %nvidia-math), qemu (emulated processors), mpi (mpicc, mpirun), slurm (may run a cluster of its own), dask (that Python
# has dask.array and distributed), aarch64 (a cross compiler and an emulator), gdb (may run programs), sanitizers.
import os
import re
import shutil
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(root, "tests"))
import compile_only

build = os.path.abspath(os.environ.get("GPUCC_BUILD", os.path.join(root, "build")))
with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as file:
    text = file.read()
version = re.search(r"^project\(gpucc VERSION ([\d.]+)", text, re.M)[1]
llvm = re.search(r"^set\(GPUCC_LLVM_VERSION (\d+)\)$", text, re.M)[1]
path = os.pathsep.join([f"/usr/lib/llvm-{llvm}/bin", os.environ["PATH"]])


def tool(*names):
    return next(filter(None, (shutil.which(name, path=path) for name in names)), None)


def needed(*names):
    path = tool(*names)
    if not path:
        lit_config.fatal("none of these programs is installed: " + ", ".join(names))
    return path


def has_modules(python, names):
    command = [python, "-c", f"import {names}"]
    return python and os.path.exists(python) and subprocess.run(command, capture_output=True).returncode == 0


config.name = "gpucc"
config.suffixes = [".test"]
config.excludes = ["Inputs", "accuracy", "bench", "fake_cuda", "fuzz", "gpu", "unit"]
config.test_source_root = os.path.join(root, "tests")
config.test_exec_root = os.path.join(build, "tests", "lit")

gpucc = os.path.join(build, "bin", "gpucc")
if not os.access(gpucc, os.X_OK):
    lit_config.fatal("there is no " + gpucc + ": build it first, or set GPUCC_BUILD")
ptxas = tool("ptxas", "/usr/local/cuda/bin/ptxas")
libdevice = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "nvvm/libdevice/libdevice.10.bc")
config.test_format = compile_only.Format(gpucc, needed("FileCheck"), ptxas)
cflags = os.environ.get("GPUCC_CFLAGS", "")
is_shared = "GPUCC_SHARE" in os.environ and "GPUCC_RANDOM" not in os.environ
share = ":" + os.environ["GPUCC_SHARE"] if is_shared else ""

config.substitutions += [
    ("%gpucc", gpucc),
    ("%exits", "sh " + os.path.join(root, "tests", "exits.sh")),
    ("%include", os.path.join(root, "include")),
    ("%lib", os.path.join(build, "lib", "libgpucc.a") + " -lpthread -ldl -lm"),
    ("%root", root),
    (r"%version\b", version),
    (r"%llvm\b", llvm),
    (r"%cc\b", (needed("cc", "gcc", "clang") + " " + cflags).strip()),
    (r"%cxx\b", (needed("c++", "g++", "clang++") + " " + cflags).strip()),
    (r"%random\b", os.environ.get("GPUCC_RANDOM", "300")),
    (r"%methods\b", str(5 * int(os.environ.get("GPUCC_RANDOM", "300"))) + share),
    (r"%share\b", share),
    (r"%python\b", needed("python3")),
    (r"\bFileCheck\b", needed("FileCheck")),
    (r"\bnot\b", needed("not")),
]
if "GPUCC_RANDOM" not in os.environ:
    config.available_features.add("sweep")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append((r"%ptxas\b", ptxas))
elflint = tool("eu-elflint")
if elflint:
    config.available_features.add("elflint")
    config.substitutions.append((r"%elflint\b", elflint))
nvcc = tool("nvcc", "/usr/local/cuda/bin/nvcc")
if nvcc:
    config.available_features.add("nvcc")
    config.substitutions.append((r"%nvcc\b", nvcc))
if os.path.exists(libdevice):
    config.available_features.add("libdevice")
    config.substitutions.append(("%nvidia-math", libdevice))
# NumPy's rules are compared with those of NumPy 2, where tests/run has got it.
newest = os.path.join(build, "numpy", "bin", "python3")
pythons = shutil.which("python3"), "/usr/bin/python3"
python = next((python for python in pythons if has_modules(python, "numpy")), None)
if python:
    config.available_features.add("numpy")
    has_newest = has_modules(newest, "numpy")
    config.substitutions.append(("%numpy2", newest if has_newest else python)) # first: %numpy is in its name
    config.substitutions.append(("%numpy", python))
    if has_modules(newest, "nbclient, ipykernel, matplotlib"):
        config.available_features.add("notebook")
    if has_modules(python, "dask.array, distributed"):
        config.available_features.add("dask")
if shutil.which("mpicc") and shutil.which("mpirun"):
    config.available_features.add("mpi")
if all(tool(daemon) for daemon in ("munged", "slurmctld", "slurmd", "sbatch")):
    config.available_features.add("slurm")
if shutil.which("qemu-x86_64"):
    config.available_features.add("qemu")
if shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc"):
    config.available_features.add("aarch64")
fake = os.path.join(build, "lib", "libcuda-fake.so")
# It may be there and not be allowed to run anything, or not be able to call functions: gdb 13 is not on processors with
# AMX ("Couldn't write extended state status").
commands = ["set breakpoint pending on", "break exit", "run", "print (int)getpid() > 0", "kill"]
session = ["gdb", "-batch", "-nx"] + [word for command in commands for word in ("-ex", command)] + ["--args", "/bin/true"]
if tool("gdb") and tool("taskset") and "$1 = 1" in subprocess.run(session, capture_output=True, text=True).stdout:
    config.available_features.add("gdb")
if os.path.exists(fake):
    config.available_features.add("fake-cuda")
    config.substitutions.append(("%fake", os.path.realpath(fake)))
config.substitutions.append(("%compiler", os.path.join(build, "lib", "libgpucc-compiler.so")))
config.substitutions.append(("%dynamic", os.path.join(build, "lib", "libgpucc.so")))
if "sanitize" in cflags:
    config.available_features.add("sanitizers")
try:
    for end in os.openpty():
        os.close(end)
    config.available_features.add("terminal")
except OSError: # a root without /dev/pts
    pass

config.environment["PATH"] = path
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1" # not in the source tree
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "GPUCC_LIBCUDA"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
