#!/usr/bin/env python3
"""Plays PTX in place of native code: programs of the GPU suite on the stand-in for libcuda, two at a time.

  tests/ptx_player/run.py BUILD [RESULTS.xml]        `ninja -C BUILD gpu-suite ptx_opcodes` comes before

First it lists the opcodes that the player does not know, among those of the samples, of tests/compile and of the suite.
Prints a line for each program, and writes a JUnit file.  Exit status 1 where there is such an opcode, or a program fails
or takes too long."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import shares

# The program, its tests (all where there are none), seconds that it may take on one core, the most elements of an array
# and the device's multiprocessors, from which the sizes of reductions follow (0: as they are).
PROGRAMS = [
    ("math", [], 240, 0, 64),
    ("random", ["functions", "kernels", "accesses"], 120, 0, 64),
    ("random", ["gufuncs"], 120, 0, 64),
    ("random", ["csmith"], 60, 0, 64),
    ("loading", [], 180, 0, 64),
    ("launches", [], 120, 0, 64),
    ("clusters", [], 60, 0, 64),
    ("hopper", [], 60, 0, 64),
    ("kernels", ["places", "automatic_grid", "three_dimensions", "type_variables", "struct", "fixed_array",
                 "constant_memory", "shared_memory", "reduction", "histogram", "float_atomics", "matrix_product",
                 "long_loop"], 60, 0, 64),
    ("blocks", [], 60, 0, 64),
    ("linked", [], 60, 0, 64),
    ("arithmetic", [], 60, 10000, 1),
    ("casts", [], 60, 1000, 1),
    ("complex", [], 60, 10000, 1),
    ("cuda", [], 60, 0, 64),
    ("debugger", [], 60, 0, 64),
    ("gufuncs", [], 60, 40000, 1),
    ("interchange", [], 60, 10000, 1),
    ("intrinsics", [], 60, 0, 64),
    ("memory", [], 60, 2000, 1),
    ("methods", [], 60, 1000, 1),
    ("reductions", [], 60, 40000, 1),
    ("shapes", [], 60, 10000, 1),
    ("textures", [], 60, 300, 64),
    ("types", [], 60, 10000, 1),
]
# Not here: `occupancy`, `programs`, `runtime` and `split` have no kernel that another program lacks.
SETTINGS = {"GPUCC_SUITE_DIRECT": "10000"}
# Programs and tests that copy values which nothing wrote to global memory: padding, and the manual's wrong kernel.
UNDEFINED = [("random", ["csmith"]), ("debugger", [])]


def sources():
    """This run's share of the samples and of the compiler's tests."""
    samples = [file for file in ROOT.glob("samples/*.c") if not file.stem.endswith("_host")]
    return sorted(samples) + shares.selected(shares.compiled_alone())


def compile(build, source, ptx):
    text = source.read_text(errors="replace")
    options = re.findall(r"RUN:.* (-std=[a-z0-9]+)", text)[:1]
    target = "sm_90" if re.search(r"cluster|gpucc/tma\.h", text) or len(source.name) % 2 else "sm_75"
    if "gpucc/wgmma.h" in text:
        target = "sm_90a"
    return subprocess.run([build / "bin/gpucc", "-w", *options, f"--arch={target}", source, "-o", ptx], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def unknown_opcodes(build):
    """Returns the opcodes that the player does not know, as lines."""
    files, lines = sorted((build / "gpu-suite/tests").glob("**/*.ptx")), []
    with tempfile.TemporaryDirectory() as folder:
        for number, source in enumerate(sources()):
            ptx = pathlib.Path(folder, f"{number}-{source.stem}.ptx")
            done = compile(build, source, ptx)
            if done.returncode:
                lines += [f"{source}: {done.stdout}"]
            else:
                files.append(ptx)
        done = subprocess.run([build / "bin/ptx_opcodes", *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
    lines += done.stdout.splitlines()
    return lines, len(files)


def run(build, name, tests, limit, most, multiprocessors):
    """The program's failure, or "", with its last line."""
    environment = dict(os.environ, GPUCC_LIBCUDA=str(build / "lib/libcuda-fake.so"), GPUCC_SUITE_MOST=str(most),
                       GPUCC_FAKE_SMS=str(multiprocessors), **SETTINGS)
    environment["GPUCC_FAKE_PTX"] = "2" if (name, tests) in UNDEFINED else "1"
    begin = time.monotonic()
    try:
        done = subprocess.run([build / f"gpu-suite/tests/gpu_{name}", *tests], env=environment, timeout=limit,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return False, f"{name}: more than {limit} s"
    lines = done.stdout.splitlines() or [""]
    wrong = [line for line in lines if line.startswith(("FAILED", "fake libcuda"))]
    passed = done.returncode == 0 and " passed, 0 failed, " in lines[-1]
    passed &= not lines[-1].startswith("0 ") or tests == ["csmith"] # which is not installed everywhere
    text = lines[-1] if passed else "\n  ".join([f"status {done.returncode}"] + (wrong or lines[-5:]))
    return passed, f"{name}: {text} ({time.monotonic() - begin:.0f} s)"


def write_results(path, outcomes):
    """A JUnit file of (name, whether it passed, text)."""
    suite = ElementTree.Element("testsuite", name="ptx-player")
    for name, passed, text in outcomes:
        case = ElementTree.SubElement(suite, "testcase", name=name)
        if not passed:
            ElementTree.SubElement(case, "failure").text = text
    ElementTree.ElementTree(suite).write(path, encoding="unicode")


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    unknown, count = unknown_opcodes(build)
    for line in unknown:
        print("FAILED opcodes:", line)
    if not unknown:
        print(f"passed opcodes: all of {count} files", flush=True)
    outcomes = [("opcodes", not unknown, "\n".join(unknown))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for program, (passed, text) in zip(PROGRAMS, pool.map(lambda program: run(build, *program), PROGRAMS)):
            print("passed" if passed else "FAILED", text, flush=True)
            outcomes.append((" ".join([program[0], *program[1]]), passed, text))
    if len(sys.argv) > 2:
        write_results(sys.argv[2], outcomes)
    return not all(passed for _, passed, _ in outcomes)


if __name__ == "__main__":
    sys.exit(main())
