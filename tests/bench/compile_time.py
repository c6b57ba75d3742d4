"""How long compiling takes, process to process: `gpucc trig.c -o trig.ptx` against `nvcc --ptx trig.cu`, and what the math
library costs a file that uses three functions of it."""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from measure import row, section

HERE = pathlib.Path(__file__).resolve().parent
CUDA_SOURCE = """extern "C" __global__ void trig(const float *x, float *out, unsigned long n)
{
    unsigned long i = blockIdx.x * (unsigned long)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = cosf(x[i]) * cosf(x[i]) + sinf(x[i]) * sinf(x[i]);
}
"""
UFUNC = """#include <gpucc.h>
#include <math.h>

vectorize(float32(float32))
float work(float x)
{
    return %s;
}
"""
THREE, ARITHMETIC = UFUNC % "sinf(x) + expf(x) * logf(x)", UFUNC % "(x + 1) + (x + 2) * (x + 3)"


def find(program, *places):
    return next((str(place) for place in places if os.access(place, os.X_OK)), shutil.which(program))


def process_cost(command, folder):
    """Seconds of wall time and MiB of memory of the largest process in it."""
    start = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(child, 0)
    took = time.perf_counter() - start
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return took, usage.ru_maxrss / 1024


def measure(name, peer, command, folder, times):
    costs = [process_cost(command, folder) for _ in range(times + 1)][1:]
    row(name, peer, statistics.median(cost[0] for cost in costs) * 1e3, "ms")
    row(name.replace("compile", "memory"), peer, statistics.median(cost[1] for cost in costs), "MiB")


def stage_time(command, stage, times):
    """Median milliseconds of a stage, as -v tells it."""
    texts = [subprocess.run([*command, "-v"], stderr=subprocess.PIPE, check=True, text=True).stderr for _ in range(times)]
    return statistics.median(float(re.search(rf"^gpucc: {stage} +([0-9.]+) ms", text, re.MULTILINE)[1]) for text in texts)


def main():
    gpucc = find("gpucc", *sys.argv[1:], HERE.parents[1] / "bin/gpucc")
    nvcc = find("nvcc", "/usr/local/cuda/bin/nvcc")
    source = next((p for p in (HERE / "trig.c", HERE.parents[1] / "samples/trig.c") if p.exists()), None)
    with tempfile.TemporaryDirectory() as folder:
        cuda = pathlib.Path(folder, "trig.cu")
        cuda.write_text(CUDA_SOURCE)
        ptx = f"{folder}/trig.ptx"
        everything = [word for kind in ("ptx", "json", "h", "o") for word in ("-o", f"{folder}/all.{kind}")]

        @section
        def with_gpucc():
            if not gpucc:
                print("compile_time: no gpucc here", file=sys.stderr)
                return
            measure("compile_trig", "gpucc", [gpucc, str(source), "-o", ptx], folder, 20)
            measure("compile_trig_all", "gpucc", [gpucc, str(source), *everything], folder, 20)

        @section
        def math_library():
            for name, text in (("three", THREE), ("arithmetic", ARITHMETIC)):
                path = pathlib.Path(folder, f"{name}.c")
                path.write_text(text)
                measure(f"compile_{name}", "gpucc", [gpucc, str(path), "-o", ptx], folder, 20)
            lowering = [stage_time([gpucc, f"{folder}/{name}.c", "-o", ptx], "lower", 20) for name in ("three", "arithmetic")]
            row("library_three", "gpucc", lowering[0] - lowering[1], "ms")

        @section
        def with_nvcc():
            if not nvcc:
                print("compile_time: no nvcc here", file=sys.stderr)
                return
            measure("compile_trig", "nvcc", [nvcc, "--ptx", "-arch=sm_75", str(cuda), "-o", ptx], folder, 5)


main()
