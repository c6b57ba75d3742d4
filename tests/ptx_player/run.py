#!/usr/bin/env python3
"""Plays PTX in place of native code: programs of the GPU suite on the stand-in for libcuda, two at a time.

  tests/ptx_player/run.py BUILD        `ninja -C BUILD gpu-suite` comes before

Prints a line for each program.  Exit status 1 where a program fails, or takes longer than its limit."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time

# The program, its tests (all where there are none), and seconds that it may take on one core.  Tests of large arrays,
# of textures and of matrix instructions are left out, and csmith's, which copy undefined padding to global memory.
PROGRAMS = [
    ("math", [], 240),
    ("random", ["functions", "kernels"], 120),
    ("loading", [], 180),
    ("launches", [], 120),
    ("clusters", [], 60),
    ("kernels", ["places", "automatic_grid", "three_dimensions", "type_variables", "struct", "fixed_array", "constant_memory",
                 "shared_memory", "reduction", "histogram", "float_atomics", "matrix_product", "long_loop"], 60),
    ("blocks", [], 60),
    ("linked", [], 60),
]
SETTINGS = {"GPUCC_FAKE_PTX": "1", "GPUCC_FAKE_SMS": "64", "GPUCC_SUITE_DIRECT": "10000"}


def run(build, name, tests, limit):
    """The program's failure, or "", with its last line."""
    environment = dict(os.environ, GPUCC_LIBCUDA=str(build / "lib/libcuda-fake.so"), **SETTINGS)
    begin = time.monotonic()
    try:
        done = subprocess.run([build / f"gpu-suite/tests/gpu_{name}", *tests], env=environment, timeout=limit,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return False, f"{name}: more than {limit} s"
    lines = done.stdout.splitlines() or [""]
    wrong = [line for line in lines if line.startswith(("FAILED", "fake libcuda"))]
    passed = done.returncode == 0 and " passed, 0 failed, " in lines[-1] and not lines[-1].startswith("0 ")
    text = lines[-1] if passed else "\n  ".join([f"status {done.returncode}"] + (wrong or lines[-5:]))
    return passed, f"{name}: {text} ({time.monotonic() - begin:.0f} s)"


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for passed, text in pool.map(lambda program: run(build, *program), PROGRAMS):
            print("passed" if passed else "FAILED", text, flush=True)
            failed += not passed
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
