#!/usr/bin/env python3
"""races.py GPUCC [--count=N] [--seed=S]: kernels that are free of races by construction, of which gpucc run tells nothing
with --check, --check=address and --check=race, and gives what it gives without; and in each of which one access is
moved to another thread's element, and --check finds that in every one of them.

Exit status 1 where it does not."""
import argparse
import re
import subprocess
import sys
import tempfile

from kernel_files import Kernels
from kernel_tree import Barrier

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("gpucc")
parser.add_argument("--count", type=int, default=20)
parser.add_argument("--seed", default="races")


def moved(kernels, kernel):
    """The source with an access more behind a barrier that all threads come to: of the next thread's element."""
    shared = next((v for v in kernel.shared if v.size == kernel.threads and not v.width), None)
    at = next((i for i, s in enumerate(kernel.body) if isinstance(s, Barrier)), None)
    if kernel.threads == 1 or shared is None or at is None:
        return None
    text = kernels.source([kernel])
    own, other = f"{shared.name}[t]", f"{shared.name}[(t + 1) % {kernel.threads}u]"
    head, tail = text.split("    syncthreads();\n", 1)  # the one behind the values that shared arrays begin with
    return f"{head}    syncthreads();\n    {own} = ({shared.type.name})t;\n    {other} = ({shared.type.name})t;\n{tail}"


def arguments(kernel):
    for v in kernel.values:
        yield "1"
    for v in kernel.arrays:
        yield f"ones:{v.size}:{v.type.name}"
    yield "--grid=" + "x".join(map(str, kernel.grid))
    yield "--block=" + "x".join(map(str, kernel.block))
    dynamic = sum(v.size * v.type.size for v in kernel.shared if v.space == "dynamic")
    if dynamic:
        yield f"--shared={dynamic}"


def run(options, path, kernel, *checks):
    return subprocess.run([options.gpucc, "run", path, kernel.name, *arguments(kernel), *checks, "-w", "--device=cpu",
                           "-DGPUCC_RANDOM_NATIVE"], capture_output=True, text=True)


def told_wrongly(options, kernels, kernel, path):
    """How many of the kinds of check change what the kernel does, or find something in it."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text := kernels.source([kernel]))
    unchecked, wrong = run(options, path, kernel), 0
    for check in ("--check", "--check=address", "--check=race", "--check=address,undefined"):
        done = run(options, path, kernel, check)
        if (done.returncode, done.stdout, done.stderr) != (0, unchecked.stdout, unchecked.stderr):
            wrong += 1
            print(f"{kernel.name} of seed {options.seed} {check}: status {done.returncode}\n{done.stderr}\n{text}")
    return wrong


def main():
    options = parser.parse_args()
    kernels, index, tried, missed, wrong = Kernels(None), 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while tried < options.count:
            kernel = kernels.grow(options.seed, index)
            index += 1
            text = moved(kernels, kernel)
            if text is None:
                continue
            tried += 1
            path = f"{folder}/{kernel.name}.c"
            wrong += told_wrongly(options, kernels, kernel, path)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = run(options, path, kernel, "--check")
            if done.returncode != 1 or not re.search(r"error: race on ", done.stderr):
                missed += 1
                print(f"{kernel.name} of seed {options.seed}: status {done.returncode}\n{done.stderr}\n{text}")
    print(f"{tried} kernels, {wrong} times told wrongly; with an access moved, {missed} not found")
    return 1 if missed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
