"""nvcc: the ten kernels of ten_kernels.c as it compiles them for this machine's GPU, beside gpucc's."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"

with tempfile.TemporaryDirectory() as folder:
    cubin = f"{folder}/ten_kernels.cubin"
    try:
        subprocess.run([NVCC, "-O3", "-arch=native", "-cubin", "-x", "cu", HERE / "ten_kernels.c", "-o", cubin], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"nvcc: {error}")
    sys.exit(subprocess.run([HERE / "bench_nvcc", HERE / "ten_kernels.ptx", cubin]).returncode)
