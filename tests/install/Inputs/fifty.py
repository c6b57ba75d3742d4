"""fifty.py FOLDER PREFIX NVCC: in FOLDER, a project of fifty sources is built from nothing by the CMake package under
PREFIX, and some of the same kernels by `nvcc --ptx`, two at once both: how often the one's time fits into
the other's.  The sources begin with gpucc's headers, for nvcc with its names as macros."""
import pathlib
import resource
import shutil
import subprocess
import sys

FOLDER, PREFIX, NVCC = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
COUNT, BY_NVCC, AT_LEAST = 50, 4, 3.5
FOR_GPUCC = """#include <gpucc.h>
#include <math.h>
"""
FOR_NVCC = """#define kernel extern "C" __global__
#define shared __shared__
#define syncthreads __syncthreads
"""
KERNELS = """
kernel void scale{i}(float *out, const float *x, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = cosf(x[i]) * {i}.0f + sqrtf(fabsf(x[i]));
}}

kernel void sum{i}(float *out, const float *x, int n)
{{
    shared float part[256];
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        sum += x[i] + {i};
    part[threadIdx.x] = sum;
    syncthreads();
    for (int half = 128; half > 0; half /= 2) {{
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        syncthreads();
    }}
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}}
"""
PROJECT = """cmake_minimum_required(VERSION 3.21)
project(fifty LANGUAGES C)
find_package(gpucc REQUIRED)
foreach(i RANGE 1 {count})
    gpucc_compile_ptx(ptx${{i}} SOURCES source${{i}}.c OUTPUT ${{CMAKE_BINARY_DIR}}/source${{i}}.ptx ARCHITECTURES 80 ALL)
endforeach()
"""


def seconds(run):
    """Returns processor time, which other work on the machine lengthens less than wall time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_cmake():
    shutil.rmtree(FOLDER / "build", ignore_errors=True)
    for words in (["-S", FOLDER, "-B", FOLDER / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={PREFIX}"],
                  ["--build", FOLDER / "build", "-j2"]):
        subprocess.run(["cmake", *words], check=True, stdout=subprocess.DEVNULL)


def by_nvcc():
    for first in range(1, BY_NVCC + 1, 2):
        both = [subprocess.Popen([NVCC, "--ptx", "-arch=sm_80", FOLDER / f"source{i}.cu", "-o", FOLDER / f"{i}.ptx"])
                for i in (first, first + 1)]
        assert not any([child.wait() for child in both])


shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
(FOLDER / "CMakeLists.txt").write_text(PROJECT.format(count=COUNT))
for i in range(1, COUNT + 1):
    for head, suffix in ((FOR_GPUCC, "c"), (FOR_NVCC, "cu")):
        (FOLDER / f"source{i}.{suffix}").write_text(head + KERNELS.format(i=i))
pairs = [(seconds(by_cmake), seconds(by_nvcc) * COUNT / BY_NVCC) for _ in range(2)]
ours, theirs = map(min, zip(*pairs))
made = list((FOLDER / "build").glob("*.ptx"))
assert len(made) == COUNT and all("scale" in path.read_text() for path in made)
print(f"gpucc {ours:.1f} s, nvcc {theirs:.1f} s: {theirs / ours:.1f} times as long")
assert theirs >= AT_LEAST * ours
