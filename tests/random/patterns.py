#!/usr/bin/env python3
"""patterns.py GPUCC [--count=N] [--seed=S]: random kernels whose accesses are known by construction, thread by thread: how
many sectors of global memory a warp moves, how many words of one bank of shared memory it asks for, and whether an
atomic operation is on one address.  -Wperformance is to warn of those that are slow, with these numbers, of no others,
and of nothing of those whose indices nobody can know.

Exit status 1 where it says what is not so.  What it is silent about is counted."""
import argparse
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

WARP, SECTOR, BANKS, WORD = 32, 32, 32, 4
TYPES = {"char": 1, "short": 2, "int": 4, "float": 4, "double": 8}


class Index:
    """An expression in C of a warp's lanes, and what it is in each, but for `common`, which all have in common.  With
    `laneid` any operation is known; of threadIdx.x, which is a multiple of 32 more than that, those are that a multiple
    of 32 does not change."""

    def __init__(self, draw):
        self.draw, self.free = draw, draw.random() < 0.5
        self.text, self.lanes = "laneid" if self.free else "threadIdx.x", list(range(WARP))
        self.grain = 0 if self.free else WARP  # what is common is a multiple of it; 0: it is nothing
        for _ in range(draw.randrange(4)):
            self.extend()
        self.common = draw.random() < 0.5
        if self.common:
            self.text = f"({self.text}) + {draw.choice(['blockIdx.x * 256', 'k * 64', 'gridDim.x * 32'])}"

    def extend(self):
        kind = self.draw.choice("+*/%&^>")
        number = 1 << self.draw.randrange(1, 5) if not self.free or kind in "&^" else self.draw.randrange(1, 12)
        if kind == "+":
            self.apply(f"({self.text} + {number})", lambda lane: lane + number)
            self.grain = math.gcd(self.grain, number) if self.grain else 0
        elif kind == "*":
            self.apply(f"({self.text} * {number})", lambda lane: lane * number)
            self.grain *= number
        elif kind == "/" and not self.grain % number:
            self.apply(f"({self.text} / {number})", lambda lane: lane // number)
            self.grain //= number
        elif kind == ">" and not self.grain % number:
            self.apply(f"({self.text} >> {number.bit_length() - 1})", lambda lane: lane >> number.bit_length() - 1)
            self.grain //= 1 << number.bit_length() - 1
        elif kind == "%" and not self.grain % number:
            self.apply(f"({self.text} % {number})", lambda lane: lane % number)
            self.grain = 0
        elif kind == "&" and not self.grain % number:
            self.apply(f"({self.text} & {number - 1})", lambda lane: lane & number - 1)
            self.grain = 0
        elif kind == "^" and self.free:
            self.apply(f"({self.text} ^ {number - 1})", lambda lane: lane ^ number - 1)

    def apply(self, text, function):
        self.text, self.lanes = text, [function(lane) for lane in self.lanes]


def sectors(lanes, size):
    """Bytes that are used, and bytes that move."""
    least = min(lanes)
    used = {(lane - least) * size + byte for lane in lanes for byte in range(size)}
    return len(used), SECTOR * len({byte // SECTOR for byte in used})


def passes(lanes, size):
    """Returns the most words in one bank, among lanes that access together."""
    at_a_time, most = WARP if size <= 4 else WARP // 2, 0
    for first in range(0, WARP, at_a_time):
        words = {(lane * size + byte) // WORD for lane in lanes[first:first + at_a_time] for byte in range(size)}
        most = max(most, *(sum(word % BANKS == bank for word in words) for bank in range(BANKS)))
    return most


def global_access(draw):
    index, (name, size) = Index(draw), draw.choice(list(TYPES.items()))
    used, moved = sectors(index.lanes, size)
    expected = None
    if len(set(index.lanes)) > 1 and moved >= 2 * used:
        expected = f"a warp moves {moved} bytes of global memory to use {used}, {moved / used:.1f} for each"
    store = draw.random() < 0.5
    access = f"x[{index.text}] = ({name})k;" if store else f"y[threadIdx.x] = ({name})(x[{index.text}] + k);"
    return f"{name} *x, {name} *y, unsigned k", [access], 0, expected


def shared_access(draw):
    index, (name, size) = Index(draw), draw.choice([("int", 4), ("float", 4), ("double", 8)])
    ways = passes(index.lanes, size)
    expected = f"access {ways} different words of one bank of shared memory here" if ways > 1 else None
    lines = [f"shared {name} tile[{max(index.lanes) + 1 + 2048}];", f"tile[{index.text}] = ({name})k;",
             "syncthreads();", f"x[threadIdx.x] = tile[threadIdx.x];"]
    return f"{name} *x, unsigned k", lines, 1, expected


def atomic_access(draw):
    index = Index(draw)
    alike = len(set(index.lanes)) == 1
    expected = "do this atomic operation on one address, which serializes them" if alike else None
    return "int *x, unsigned k", [f"atomic_add(&x[{index.text}], 1);"], 0, expected


def unknown_access(draw):
    """An index loaded from memory causes no warning."""
    index = Index(draw)
    return "float *x, const int *at, unsigned k", [f"x[at[threadIdx.x] + {index.text}] = k;"], 0, None


class File:
    def __init__(self, draw, count):
        self.lines, self.expected = ["#include <gpucc.h>", ""], {}
        kinds = [global_access] * 4 + [shared_access] * 4 + [atomic_access, unknown_access]
        for number in range(count):
            parameters, lines, at, expected = draw.choice(kinds)(draw)
            self.lines += [f"kernel void k{number}({parameters})", "{"]
            self.expected[len(self.lines) + 1 + at] = expected
            self.lines += ["    " + line for line in lines] + ["}", ""]

    def judge(self, gpucc, folder):
        """Lines of which something else is said, with both, and whether nothing is."""
        path = pathlib.Path(folder, "patterns.c")
        path.write_text("\n".join(self.lines), encoding="utf-8")
        done = subprocess.run([gpucc, "-Wperformance", path.name, "-o", "patterns.ptx"], cwd=folder, capture_output=True,
                              text=True)
        told = {}
        for line, text in re.findall(r"^patterns\.c:(\d+):\d+: warning: (.*) \[-Wperformance\]$", done.stderr, re.M):
            told.setdefault(int(line), []).append(text)
        if done.returncode:
            yield f"status {done.returncode}\n{done.stderr}", False
        for line in sorted(self.expected.keys() | told.keys()):
            said, expected = told.get(line, []), self.expected.get(line)
            if expected is None and said or expected is not None and not (len(said) == 1 and expected in said[0]):
                yield f"{self.lines[line - 1].strip()}\n    expected: {expected}\n    told: {said}", not said


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gpucc")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", default="patterns")
    options = parser.parse_args()
    slow, wrong, silent, at_a_time = 0, 0, 0, 50
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, options.count, at_a_time):
            file = File(random.Random(f"{options.seed} {first}"), min(at_a_time, options.count - first))
            slow += sum(expected is not None for expected in file.expected.values())
            for fault, is_silent in file.judge(pathlib.Path(options.gpucc).resolve(), folder):
                wrong, silent = wrong + (not is_silent), silent + is_silent
                print(f"seed {options.seed}, from {first} on: {fault}")
    print(f"{options.count} kernels, {slow} of them slow, {silent} not told, {wrong} told wrongly")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
