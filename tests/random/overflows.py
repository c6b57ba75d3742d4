#!/usr/bin/env python3
"""overflows.py GPUCC [--count=N] [--seed=S]: random kernels of sums, differences, products and negatives of signed numbers, in
branches, loops and between barriers, of which some overflow.  With each list of checks gpucc run is to tell of every
place where one does, how often, and with operands that it has had there, and to leave what wraps round.

Exit status 1 where it does not."""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

THREADS, BLOCKS = 48, 2
CHECKS = ("--check=undefined", "--check=address,undefined", "--check", "--check=undefined,float",
          "--check=undefined -g -O0")
TYPES = {"int": 32, "long long": 64}
EDGES = (0, 1, -1, 2, 3, 7, 1000, 46341, 1 << 30, (1 << 31) - 1, -(1 << 31))


def wrapped(value, bits):
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


class Kernel:
    """Statements as (C, what it does to a thread's variables); a statement's line is where it is told."""

    def __init__(self, draw):
        self.draw, self.lines, self.types, self.told = draw, [], {"t": "int", "p": "int", "q": "long long"}, {}
        self.steps = [step for _ in range(draw.randint(10, 24)) for step in self.statement(1)]

    def write(self, depth, text):
        self.lines.append("    " * depth + text)
        return len(self.lines) + 5  # lines stand before the body

    def any(self, kind=None):
        return self.draw.choice([name for name, own in self.types.items() if kind in (None, own)])

    def operation(self, depth):
        kind = self.draw.choice(list(TYPES))
        a, b = self.any(kind), self.any(kind)
        sign = self.draw.choice("+-*+-*n")
        name, bits = f"v{len(self.types)}", TYPES[kind]
        line = self.write(depth, f"{name} = {'-' + a if sign == 'n' else f'{a} {sign} {b}'};")
        self.types[name] = kind

        def do(v):
            exact = {"+": v[a] + v[b], "-": v[a] - v[b], "*": v[a] * v[b], "n": -v[a]}[sign]
            if exact != wrapped(exact, bits):
                self.told.setdefault(line, []).append(str(v[a]) if sign == "n" else f"{v[a]} {sign} {v[b]}")
            v[name] = wrapped(exact, bits)
        return [do]

    def constant(self, depth):
        kind, value = self.draw.choice(list(TYPES)), self.draw.choice(EDGES)
        name = f"v{len(self.types)}"
        self.write(depth, f"{name} = ({kind}){value}ll;")
        self.types[name] = kind
        return [lambda v: v.__setitem__(name, value)]

    def element(self, depth):
        a, name = self.any("int"), f"v{len(self.types)}"
        self.write(depth, f"{name} = x[(unsigned){a} % 64u];")
        self.types[name] = "int"
        return [lambda v: v.__setitem__(name, v["x"][v[a] % (1 << 32) % 64])]

    def branch(self, depth):
        a, b = self.any("int"), self.any("int")
        self.write(depth, f"if ({a} < {b}) {{")
        inner = [step for _ in range(self.draw.randint(1, 3)) for step in self.statement(depth + 1)]
        self.write(depth, "}")
        return [lambda v: [step(v) for step in inner] if v[a] < v[b] else None]

    def loop(self, depth):
        most = self.draw.choice(["3", "n", "t % 4"])
        self.write(depth, f"for (int i{depth} = 0; i{depth} < {most}; i{depth}++) {{")
        inner = [step for _ in range(self.draw.randint(1, 3)) for step in self.statement(depth + 1)]
        self.write(depth, "}")
        return [lambda v: [step(v) for _ in range({"3": 3, "n": 5}.get(most, v["t"] % 4)) for step in inner]]

    def barrier(self, depth):
        if depth == 1:
            self.write(depth, "syncthreads();")
        return []

    def statement(self, depth):
        kinds = [self.operation] * 6 + [self.constant] * 2 + [self.element, self.barrier]
        return self.draw.choice(kinds + [self.branch, self.loop] * (depth < 3))(depth)

    def source(self):
        names = [name for name in self.types if name not in "tpq"]
        head = ["#include <gpucc.h>", "kernel void k(int p, long long q, int n, const int *x, unsigned *out)", "{",
                "    const int t = (int)grid(1);",
                "    " + "".join(f"{self.types[name]} {name} = 0; " for name in names)]
        return "\n".join(head + self.lines + [f"    out[t] = (unsigned)(0 {''.join(f'^ {n} ' for n in names)});", "}", ""])

    def run(self, p, q, x):
        for t in range(THREADS * BLOCKS):
            v = {name: 0 for name in self.types} | {"t": t, "p": p, "q": q, "x": x}
            for step in self.steps:
                step(v)
            value = 0
            for name in self.types:
                value ^= 0 if name in "tpq" else v[name]
            yield value % (1 << 32)


def reported_operands(text):
    """Returns, for each line, the operands of its report and how often it was repeated."""
    pattern = r":(\d+):\d+: error: signed integer overflow: (.*?) cannot .*?(?:\((\d+) times\))?$"
    return {int(line): (operands.removeprefix("the negative of "), int(count or 1))
            for line, operands, count in re.findall(pattern, text, re.M)}


def wrong(command, path, kernel, expected, checks):
    done = subprocess.run([*command, f"--save=out={path}.npy", "-w", "--device=cpu", *checks.split()],
                          capture_output=True, text=True, timeout=120)
    found = {line: (operands in kernel.told.get(line, ()), count)
             for line, (operands, count) in reported_operands(done.stderr).items()}
    wanted = {line: (True, len(all_operands)) for line, all_operands in kernel.told.items()}
    if found != wanted:
        return f"{checks}: places, whether with operands of theirs, and counts are {found}, not {wanted}\n{done.stderr}"
    if done.returncode != bool(wanted):
        return f"{checks}: exit status {done.returncode}\n{done.stderr}"
    if not wanted:
        values = pathlib.Path(f"{path}.npy").read_bytes()[-4 * THREADS * BLOCKS:]
        if values != b"".join(value.to_bytes(4, "little") for value in expected):
            return f"{checks}: other values"
    return ""


def save(path, numbers):
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(numbers)},), }}"
    data = b"".join(number.to_bytes(4, "little", signed=True) for number in numbers)
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117).encode() + b"\n" + data)


def failures_of(kernel, draw, gpucc, folder):
    """Returns the wrong reports with each list of checks."""
    path, p, q = f"{folder}/k.c", draw.choice(EDGES), draw.choice(EDGES) * draw.choice((1, 1 << 32))
    x = [draw.choice(EDGES) if draw.random() < 0.1 else draw.randint(-100, 100) for _ in range(64)]
    pathlib.Path(path).write_text(kernel.source())
    save(f"{folder}/x.npy", x)
    expected = list(kernel.run(p, q, x))
    command = [gpucc, "run", path, "k", str(p), str(q), "5", f"{folder}/x.npy", f"zeros:{THREADS * BLOCKS}:uint32",
               f"--grid={BLOCKS}", f"--block={THREADS}"]
    return [what for checks in CHECKS if (what := wrong(command, path, kernel, expected, checks))]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gpucc")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", default="overflows")
    options = parser.parse_args()
    failures = faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for index in range(options.count):
            draw = random.Random(f"{options.seed} {index}")
            kernel = Kernel(draw)
            for what in failures_of(kernel, draw, options.gpucc, folder):
                failures += 1
                print(f"kernel {index} of seed {options.seed}: {what}\n{kernel.source()}")
            faults += len(kernel.told)
    print(f"{options.count} kernels, {faults} places that overflow, {failures} times told wrongly")
    return failures > 0


sys.exit(main())
