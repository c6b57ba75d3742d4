"""Random CUDA functions with references, on the CPU by gpucc, and by a C++ compiler, which has references of its own.

    references.py GPUCC [--count=N] [--seed=S] [--keep=FOLDER]

Program I of seed S is the same in every run.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile

WORDS = 16  # that a kernel writes
HOST = """
#include <cstdio>
int main()
{
    unsigned out[%d] = {};
    program(out);
    for (unsigned word : out)
        printf("%%u\\n", word);
}
""" % WORDS
RUN = ["zeros:%d:uint32" % WORDS, "--grid=1", "--block=1", "--device=cpu"]


class Function:
    """`parameters` are pairs of a name and a kind: value, reference, const, pair (a struct by reference) or row (an array)."""

    TYPES = {"value": "unsigned %s", "reference": "unsigned &%s", "const": "const unsigned &%s", "pair": "pair &%s",
             "row": "unsigned (&%s)[3]"}

    def __init__(self, rng, name):
        self.name = name
        names = rng.sample("abcdexyz", rng.randrange(1, 5))
        self.parameters = [(n, rng.choice(list(self.TYPES))) for n in names]

    def head(self, rng):
        declared = (self.TYPES[kind] % name for name, kind in self.parameters)
        return f"__device__ {rng.choice(['', '__noinline__ '])}unsigned {self.name}({', '.join(declared)})"


class Body:
    """Statements over what is in scope: names with their kinds, each a list that ends with its block."""

    def __init__(self, rng, functions, scope):
        self.rng, self.functions, self.scope, self.steps = rng, functions, dict(scope), 0

    def objects(self, writable=True):
        found = []
        for name, kind in self.scope.items():
            if kind == "pair":
                found += [f"{name}.u", f"{name}.v"]
            elif kind == "row":
                found += [f"{name}[{self.rng.randrange(3)}]", f"*({name} + 1)"]
            elif kind != "const" or not writable:
                found.append(name)
        return found

    def value(self, depth=0):
        rng = self.rng
        choice = rng.randrange(5)
        if choice == 0 or depth > 2:
            return f"{rng.randrange(100)}u"
        if choice < 4:
            return rng.choice(self.objects(False) or ["1u"])
        return f"({self.value(depth + 1)} {rng.choice('+-*&^|')} {self.value(depth + 1)})"

    def argument(self, kind):
        whole = [name for name, its in self.scope.items() if its == kind]
        if kind in ("pair", "row"):
            return self.rng.choice(whole) if whole else None
        if kind == "reference":
            objects = self.objects()
            return self.rng.choice(objects) if objects else None
        return self.value()

    def call(self):
        """A whole expression: what is computed before it in a larger one is open.  Null where there is nothing to pass."""
        function = self.rng.choice(self.functions)
        arguments = [self.argument(kind) for _, kind in function.parameters]
        return None if None in arguments else f"{function.name}({', '.join(arguments)})"

    def block(self, indent, depth=0):
        outer, rng = dict(self.scope), self.rng
        lines = []
        for _ in range(rng.randrange(1, 5)):
            lines += self.statement(indent, depth)
        self.scope = outer
        return lines

    def statement(self, indent, depth):
        rng, objects = self.rng, self.objects()
        choice = rng.randrange(9)
        fresh = rng.choice("abcdexyzrst")
        self.steps += 1
        if choice == 0 and depth < 2:
            return [f"{indent}{{", *self.block(indent + "    ", depth + 1), f"{indent}}}"]
        if choice == 1 and depth < 2:
            return [f"{indent}if ({self.value()} & 1) {{", *self.block(indent + "    ", depth + 1), f"{indent}}}"]
        if choice == 2 and depth < 2:
            outer = dict(self.scope)
            self.scope[fresh] = "const"
            lines = self.block(indent + "    ", depth + 1)
            self.scope = outer
            return [f"{indent}for (unsigned {fresh} = 0; {fresh} < 3; {fresh}++) {{", *lines, f"{indent}}}"]
        if choice == 3 and depth:
            source = self.value()
            if fresh in source:
                return []
            self.scope[fresh] = "value"
            return [f"{indent}unsigned {fresh} = {source};"] if self.new(fresh) else []
        if choice == 4 and objects:
            source, name = rng.choice(objects), f"ref{self.steps}"
            self.scope[name] = "reference"
            return [f"{indent}{rng.choice(['unsigned', 'auto'])} &{name} = {source};"]
        if choice == 5:
            source, name = self.value(), f"ref{self.steps}"
            self.scope[name] = "const"
            return [f"{indent}const unsigned &{name} = {source};"]
        if choice == 6 and self.functions and (call := self.call()):
            return [f"{indent}{rng.choice(objects) + ' = ' if objects and rng.randrange(2) else ''}{call};"]
        if objects:
            return [f"{indent}{rng.choice(objects)} {rng.choice(['=', '+=', '^=', '-='])} {self.value()};"]
        return []

    def new(self, name):
        """Whether this block has not declared the name before: each is declared once in a function."""
        self.declared = getattr(self, "declared", set())
        before = name in self.declared
        self.declared.add(name)
        return not before


def program(rng):
    """Returns the text of the program's header and of its source."""
    functions, lines = [], ["struct pair { unsigned u, v; };"]
    in_header = 0
    for i in range(rng.randrange(1, 5)):
        function = Function(rng, f"f{i}")
        body = Body(rng, list(functions), function.parameters)
        lines += [function.head(rng), "{", *body.block("    "), f"    return {body.value()};", "}"]
        functions.append(function)
        if rng.randrange(3) == 0:
            in_header = len(lines)
    scope = {"m": "pair", "n": "pair", "row": "row", "w": "value"}
    body = Body(rng, functions, scope)
    lines += ["__global__ void program(unsigned *out)", "{",
              "    pair m = {1, 2}, n = {3, 4};", "    unsigned row[3] = {5, 6, 7}, w = 8;"]
    for _ in range(6):
        lines += [f"    {call};" for call in [body.call()] if call]
        lines += body.statement("    ", 0)
    kept = ["m.u", "m.v", "n.u", "n.v", *(f"row[{i}]" for i in range(3)), "w"]
    lines += [f"    out[{i}] = {name};" for i, name in enumerate(kept)]
    return "\n".join([*lines[:in_header], ""]), "\n".join([*lines[in_header:], "}", ""])


def outcome(command, **options):
    run = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    return run.stdout if run.returncode == 0 else None, run.stderr


def write(folder, name, header, text):
    """The program as gpucc reads it, its header beside it."""
    own = name + "h"
    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
        file.write(f'#include "{own}"\n' + text)
    with open(os.path.join(folder, own), "w", encoding="ascii") as file:
        file.write("#pragma once\n#include <cuda_runtime.h>\n" + header)


def compare(gpucc, compiler, header, text, folder):
    """Null where both have the same numbers, or C++ does not take the program; else what is wrong."""
    source, host, kept = (os.path.join(folder, name) for name in ("program.cu", "program.cpp", "out.npy"))
    with open(host, "w", encoding="ascii") as file:
        file.write("#define __device__\n#define __global__\n#define __noinline__\n" + header + text + HOST)
    write(folder, "program.cu", header, text)
    if outcome([compiler, "-w", "-O1", host, "-o", host + ".out"])[0] is None:
        return "skipped"
    expected = [int(word) for word in outcome([host + ".out"])[0].split()]
    printed, errors = outcome([gpucc, "run", source, "program", *RUN, "-o", kept])
    if printed is None:
        return errors
    with open(kept, "rb") as file:
        words = memoryview(file.read()[-4 * WORDS:]).cast("I").tolist()
    return None if words == expected else f"{words}, not {expected}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpucc")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    compiler, wrong, skipped = shutil.which("c++"), 0, 0
    if not compiler:
        sys.exit("there is no C++ compiler")
    for i in range(arguments.count):
        parts = program(random.Random(arguments.seed * 1000003 + i))
        with tempfile.TemporaryDirectory() as folder:
            result = compare(arguments.gpucc, compiler, *parts, folder)
        if result == "skipped":
            skipped += 1
        elif result:
            wrong += 1
            print(f"program {i} of seed {arguments.seed}: {result}")
            if arguments.keep:
                write(arguments.keep, f"{arguments.seed}-{i}.cu", *parts)
    print(f"{arguments.count - skipped} programs, {wrong} wrong, {skipped} that are no C++")
    sys.exit(wrong > 0)


main()
