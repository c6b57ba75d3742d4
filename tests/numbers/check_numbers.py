"""check_numbers.py GPUCC FOLDER SUITE [--seed=N] [--levels=O0,O3+x86-64-v4…] [--ptxas=FILE]: compiles a suite's functions at
several levels, as far as this machine runs their code, calls them for many elements at once and for one after the other,
and compares with c_numbers.py's exact values.  FOLDER is for what is made.  The PTX is assembled where ptxas is named.
A suite is a module SUITE.py with functions(random), which gives Functions."""
import argparse
import concurrent.futures
import ctypes
import importlib
import math
import os
import random
import subprocess
import sys

sys.dont_write_bytecode = True # not in the source tree
from c_numbers import packed, samples, unpacked

COUNT = 97 # elements: some vectors, and a few behind them
CHUNK = 40 # functions in a file


def codes(types):
    return "".join({"boolean": "b1", "bfloat16": "bf16"}.get(type.name) or
                   type.name[0] + "".join(c for c in type.name if c.isdigit()) for type in types)


def ran(library, name, function, columns, step):
    """The output columns' values, with `step` elements to a call of the loop."""
    count, types = len(columns[0]), function.inputs + function.outputs
    sizes = [max(type.bits // 8, 1) for type in types]
    buffers = [ctypes.create_string_buffer(packed(column, type), count * size)
               for column, type, size in zip(columns, types, sizes)]
    buffers += [ctypes.create_string_buffer(count * size) for size in sizes[len(columns):]]
    for first in range(0, count, step):
        pointers = [ctypes.c_void_p(ctypes.addressof(buffer) + first * size) for buffer, size in zip(buffers, sizes)]
        if function.is_ufunc:
            library[f"{name}_{codes(function.inputs)}_{codes(function.outputs)}_loop"](
                (ctypes.c_void_p * len(sizes))(*pointers), (ctypes.c_ssize_t * 1)(min(step, count - first)),
                (ctypes.c_ssize_t * len(sizes))(*sizes), None)
        else:
            library[f"{name}_loop"](ctypes.c_int64(min(step, count - first)), *pointers)
    return [unpacked(buffer.raw, type) for buffer, type in zip(buffers[len(columns):], function.outputs)]


def same(a, b):
    return a == b and math.copysign(1, a) == math.copysign(1, b) or a != a and b != b


class Suite:
    def __init__(self, arguments, functions):
        self.arguments, self.functions, self.wrong = arguments, functions, 0
        self.names = [f"f{i}" for i in range(len(functions))]

    def path(self, chunk, suffix):
        return f"{self.arguments.folder}/{self.arguments.suite}{chunk}{suffix}"

    def run(self, *command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode or done.stderr:
            sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")

    def build(self, chunk, level):
        options = level.split("+")
        source, name = self.path(chunk, ".c"), self.path(chunk, f".{level}")
        self.run(self.arguments.gpucc, "-w", f"-{options[0]}", *[f"-march={cpu}" for cpu in options[1:]], source, "-o",
                 name + ".o")
        self.run("cc", "-shared", name + ".o", "-o", name + ".so")

    def assemble(self, chunk):
        self.run(self.arguments.gpucc, "-w", self.path(chunk, ".c"), "-o", self.path(chunk, ".ptx"))
        self.run(self.arguments.ptxas, "-arch=sm_75", "-O0", self.path(chunk, ".ptx"), "-o", "/dev/null")

    def check(self, name, function, level, columns, expected, results):
        for output, column in enumerate(results):
            for i, (got, wanted) in enumerate(zip(column, expected[output])):
                if not same(got, wanted):
                    self.wrong += 1
                    if self.wrong <= 20:
                        print(f"{level}: output {output} of ({', '.join(str(c[i]) for c in columns)}) is {got}, not "
                              f"{wanted}:\n{function.text(name)}")
                    break

    def main(self):
        os.makedirs(self.arguments.folder, exist_ok=True)
        chunks = [range(first, min(first + CHUNK, len(self.functions)))
                  for first in range(0, len(self.functions), CHUNK)]
        for chunk, members in enumerate(chunks):
            with open(self.path(chunk, ".c"), "w") as file:
                file.write("#include <gpucc.h>\n#include <math.h>\n")
                file.writelines(self.functions[i].program(self.names[i]) for i in members)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(self.build, chunk, level) for chunk in range(len(chunks))
                    for level in self.arguments.levels]
            jobs += [pool.submit(self.assemble, chunk) for chunk in range(len(chunks)) if self.arguments.ptxas]
            for job in jobs:
                job.result()
        for chunk, members in enumerate(chunks):
            libraries = [(level, ctypes.CDLL(self.path(chunk, f".{level}.so"))) for level in self.arguments.levels]
            for i in members:
                self.compare(self.names[i], self.functions[i], libraries)
        print(f"{len(self.functions)} functions at {' '.join(self.arguments.levels)}, {self.wrong} wrong outputs")
        return 1 if self.wrong else 0

    def compare(self, name, function, libraries):
        columns = [samples(type, random.Random(f"{name} {i}"), COUNT) for i, type in enumerate(function.inputs)]
        for i, column in enumerate(columns):
            random.Random(i).shuffle(column)
        expected = function.expected and list(zip(*[function.expected(*row) for row in zip(*columns)]))
        for level, library in libraries:
            single = ran(library, name, function, columns, 1)
            expected = expected or single
            self.check(name, function, f"{level}, one by one", columns, expected, single)
            self.check(name, function, level, columns, expected, ran(library, name, function, columns, COUNT))


def runs_here(level):
    with open("/proc/cpuinfo") as file:
        return "x86-64-v4" not in level or " avx512vl " in file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("gpucc", "folder", "suite"):
        parser.add_argument(name)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--levels", type=lambda text: list(filter(runs_here, text.split(","))),
                        default="O0,O1,O3,O3+x86-64-v4")
    parser.add_argument("--ptxas")
    arguments = parser.parse_args()
    functions = list(importlib.import_module(arguments.suite).functions(random.Random(arguments.seed)))
    return Suite(arguments, functions).main()


if __name__ == "__main__":
    sys.exit(main())
