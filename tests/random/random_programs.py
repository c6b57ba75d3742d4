#!/usr/bin/env python3
"""Random programs, compiled in several ways and compared.

  random_programs.py functions|kernels|accesses|gufuncs|csmith [options]

  functions  random C functions, as ufuncs and in kernels, against gcc
  kernels    random kernels with barriers, shared memory, warp and atomic operations, against an interpreter in C
  accesses   random accesses to structs, unions and vectors in all memories, against gcc
  gufuncs    random gufuncs with loops that threads may share, against gcc
  csmith     programs of Debian's csmith, against gcc

Native code at -O0, -O1 and -O3, for x86-64-v3 and where the machine can for x86-64-v4, runs on the CPU; ptxas, where
there is one, assembles the PTX.  What differs is made smaller, printed, and left in the folder --keep with the files
that show it.  Exit status 0 where nothing differs, 1 where something does, 2 for a wrong option, 77 where what is
needed is not installed.
"""
import argparse
import os
import shutil
import sys
import time

import shrink
from access_files import Accesses
from check import ARCHITECTURES, Checker
from csmith_files import Csmith
from function_files import Functions
from gufunc_files import Gufuncs
from kernel_files import Kernels
from toolchain import NotInstalled, Tools

KINDS = {kind.name: kind for kind in (Functions, Kernels, Accesses, Gufuncs, Csmith)}
MOST_SHRUNK = 5  # where everything fails, a few small programs are enough
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--count", type=int, default=300, help="programs (300)")
    parser.add_argument("--seed", default="1", help="any text (1)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first program (0)")
    parser.add_argument("--together", type=int, default=25, help="programs in a file (25)")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="where gpucc was built (build)")
    parser.add_argument("--gpucc", help="another compiler than the build's")
    parser.add_argument("--keep", help="a folder for what fails (random-failures, in the build)")
    parser.add_argument("--shrink", type=float, default=60, metavar="SECONDS", help="to make a failure smaller (60)")
    parser.add_argument("--stages", type=lambda text: text.split(","), metavar="NAME,...",
                        help="levels of native code, and ptx (all), for long sweeps")
    parser.add_argument("--turn", type=int, help="besides O3 and ptx every second level, the others at the next turn")
    parser.add_argument("--export", metavar="FOLDER", help="write PTX, inputs and results there, for a GPU")
    arguments = parser.parse_args()
    arguments.keep = arguments.keep or os.path.join(arguments.build, "random-failures")
    return arguments


class Session:
    def __init__(self, arguments):
        self.arguments = arguments
        self.tools = Tools(ROOT, os.path.abspath(arguments.build))
        self.tools.gpucc = arguments.gpucc or self.tools.gpucc
        self.kind = KINDS[arguments.kind](self.tools)
        self.tools.levels.update(self.kind.levels)
        self.checker = Checker(self.tools, self.kind)
        self.stages = ["O3", "ptx"] if arguments.export else arguments.stages  # exported ones are for a GPU
        for stage in self.stages or []:
            if stage not in [*self.tools.levels, "ptx"]:
                print(f"unknown stage '{stage}': stages are {', '.join(self.tools.levels)} and ptx", file=sys.stderr)
                sys.exit(2)
        self.failures = 0

    def stages_of(self, number):
        """The stages of a batch: all of them, or those of its turn."""
        if self.stages or self.arguments.turn is None:
            return self.stages
        others = [level for level in self.tools.levels if level != "O3"]
        return ["O3", "ptx", *others[(self.arguments.turn + number) % 2::2]]

    def batch(self, number, indices):
        """How many were tested: those whose reference does not come to its end are not."""
        arch = ARCHITECTURES[number % len(ARCHITECTURES)]
        programs = [self.kind.grow(self.arguments.seed, i) for i in indices]
        self.checker.endless.clear()
        failures = self.checker.check(programs, arch, self.stages_of(number))
        endless = len(self.checker.endless)
        if self.arguments.export:
            wrong = {f.name for f in failures} | self.checker.endless
            self.export([p for p in programs if p.name not in wrong], number, arch, bool(wrong))
        for failure in failures:
            self.failures += 1
            index, program = next((i, p) for i, p in zip(indices, programs) if p.name == failure.name)
            self.report(index, program, failure, arch)
        return len(programs) - endless

    def export(self, programs, number, arch, again):
        """Writes programs for the GPU suite into its folder.  Wrong ones are left out, and the rest
        is made again."""
        a, stem = self.arguments, f"{self.kind.name}-{self.arguments.seed}-{self.arguments.first}-{number}"
        if not programs or (again and self.checker.check(programs, arch, self.stages)):
            return
        os.makedirs(a.export, exist_ok=True)
        for suffix in (".scene", ".data", ".expected", ".ptx", ".json"):
            shutil.copy(self.tools.path("programs" + suffix), os.path.join(a.export, stem + suffix))

    def report(self, index, program, failure, arch):
        a = self.arguments
        print(f"{failure.message}\nagain: {sys.argv[0]} {a.kind} --seed={a.seed} --first={index} --count=1", flush=True)
        stages = [failure.stage] if failure.stage != "reference" else None

        def fails(smaller):
            return any(f.is_like(failure) for f in self.checker.check([smaller], arch, stages))

        if self.kind.shrinks and a.shrink > 0 and self.failures <= MOST_SHRUNK:
            shrink.shrink(program, fails, lambda p: self.kind.source([p]), a.shrink, self.kind.is_valid)
        smaller = self.checker.check([program], arch, stages)
        folder = os.path.join(a.keep, f"{a.kind}-{a.seed}-{index}")
        os.makedirs(folder, exist_ok=True)
        for name in ("programs.c", "reference.c", "programs.scene", "programs.data"):
            shutil.copy(self.tools.path(name), folder)
        messages = "".join(f"{f.message}\n" for f in smaller)
        print(f"{self.kind.source([program])}\n{messages}in {folder}\n", flush=True)


def main():
    arguments = options()
    try:
        session = Session(arguments)
    except NotInstalled as missing:
        print(f"skipped: {missing} is not installed")
        return 77
    for text in session.tools.skipped():
        print("skipped:", text)
    start, number, first, tested = time.monotonic(), 0, arguments.first, 0
    try:
        while tested < arguments.count:
            end = first + min(arguments.together, arguments.count - tested)
            tested += session.batch(number, range(first, end))
            number, first = number + 1, end
    finally:
        session.tools.close()
    print(f"{arguments.kind} of seed {arguments.seed}, up to number {first - 1}: {time.monotonic() - start:.0f} s")
    print(f"{tested} programs, of which {session.failures} differ")
    return 1 if session.failures else 0


if __name__ == "__main__":
    sys.exit(main())
