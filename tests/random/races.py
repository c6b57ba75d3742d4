#!/usr/bin/env python3
"""races.py GPUCC [--count=N] [--seed=S]: kernels that are free of races by construction, of which gpucc run tells nothing
with --check, --check=address and --check=race, and gives what it gives without; and in each of which one access is
moved to another thread's element, and --check finds that in every one of them; in each also a variable of a thread is
written in one way or another, and the same with one of the ways left out is found.

Exit status 1 where it does not."""
import argparse
import re
import subprocess
import sys
import tempfile
from random import Random

from kernel_files import Kernels
from kernel_tree import Barrier

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("gpucc")
parser.add_argument("--count", type=int, default=20)
parser.add_argument("--seed", default="races")


def parted(text):
    """Before and behind the barrier after the values that shared arrays begin with."""
    functions, body = text.split("\nkernel", 1)
    head, tail = body.split("    syncthreads();\n", 1)
    return f"{functions}\nkernel{head}", tail


def moved(kernels, kernel):
    """The source with an access more behind a barrier that all threads come to: of the next thread's element."""
    shared = next((v for v in kernel.shared if v.size == kernel.threads and not v.width), None)
    at = next((i for i, s in enumerate(kernel.body) if isinstance(s, Barrier)), None)
    if kernel.threads == 1 or shared is None or at is None:
        return None
    text = kernels.source([kernel])
    own, other = f"{shared.name}[t]", f"{shared.name}[(t + 1) % {kernel.threads}u]"
    head, tail = parted(text)
    return f"{head}    syncthreads();\n    {own} = ({shared.type.name})t;\n    {other} = ({shared.type.name})t;\n{tail}"


WAYS = (("    if ({odd})\n        {kept} = 1;\n", "    if (!({odd}))\n        {kept} = 2;\n"),
        ("    for (unsigned k = 0; k < t % 3; k++)\n        {kept} = (int)k;\n", "    if (t % 3 == 0)\n        {kept} = 5;\n"),
        ("    if ({odd})\n        put_{id}(&{kept}, 3);\n", "    if (!({odd}))\n        memset(&{kept}, 1, 4);\n"))


def written_by_halves(kernels, kernel, random, left_out):
    """The source with a variable that every thread writes in one of two ways, or of which one way is left out."""
    text, name = kernels.source([kernel]), kernel.name
    kept, odd = random.choice((("kept", "t & 1"), ("pair.low", "t % 3 == 0"), ("own[1]", "t > 0")))
    declared = "    int kept, own[3];\n    struct { int high, low; } pair;\n"
    ways = [way.format(odd=odd, kept=kept, id=name) for way in random.choice(WAYS)]
    if left_out is not None:
        ways[left_out] = ""
    use = f"    if ({kept} == 77)\n        return;\n"
    head, tail = parted(text)
    put = f"#include <string.h>\nstatic void put_{name}(int *to, int x) {{ *to = x; }}\n"
    return f"{put}{head}{declared}{''.join(ways)}{use}    syncthreads();\n{tail}"


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


def reported_wrongly(options, kernels, kernel, path):
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


def values_missed(options, kernels, kernel, path, random):
    """How many of three variables are told wrongly: written by all threads, or not by some."""
    missed = 0
    for left_out in (None, 0, 1):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text := written_by_halves(kernels, kernel, random, left_out))
        done = run(options, path, kernel, "--check")
        found = [line for line in done.stderr.splitlines() if ": error: " in line]
        if all("which is uninitialized" in line for line in found) and bool(found) == (left_out is not None):
            continue
        missed += 1
        print(f"{kernel.name} of seed {options.seed}, way {left_out}: status {done.returncode}\n{done.stderr}\n{text}")
    return missed


def main():
    options = parser.parse_args()
    kernels, index, tried, missed, wrong, values = Kernels(None), 0, 0, 0, 0, 0
    random = Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        while tried < options.count:
            kernel = kernels.grow(options.seed, index)
            index += 1
            text = moved(kernels, kernel)
            if text is None:
                continue
            tried += 1
            path = f"{folder}/{kernel.name}.c"
            wrong += reported_wrongly(options, kernels, kernel, path)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            values += values_missed(options, kernels, kernel, f"{path}.values.c", random)
            done = run(options, path, kernel, "--check")
            if done.returncode != 1 or not re.search(r"error: race on ", done.stderr):
                missed += 1
                print(f"{kernel.name} of seed {options.seed}: status {done.returncode}\n{done.stderr}\n{text}")
    print(f"{tried} kernels, {wrong} times told wrongly; with an access moved, {missed} not found; of variables, {values}")
    return 1 if missed or wrong or values else 0


if __name__ == "__main__":
    sys.exit(main())
