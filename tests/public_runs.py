"""public_runs.py [--only NAME]… [--table FILE] COLLECTIONS FOLDER: kernels of others, ready to be run and timed against
other compilers' code.

COLLECTIONS holds the public collections that tests/public_runs.txt names, each in a folder with its repository's name.
Each kernel of that table is cut out with what it uses, as by tests/public_kernels.py, and compiled into FOLDER by
GPUCC_BUILD's gpucc (default: build), by nvcc -O3, where there is one, and, with public_host.h in place of CUDA, by g++.
bench_public, which is copied there too, runs both sides of each on the same arrays and compares these:

  FOLDER/bench_public --cpu FOLDER    here: gpucc's native code, and g++'s
  ./bench_public .                    on a machine with a GPU, in a copy of FOLDER: gpucc's PTX, and nvcc's machine code

  --only NAME    this kernel alone; what FOLDER has of others stays
  --table FILE   another table

FOLDER holds nothing that bench_public does not need.  Exit status 1 where a kernel of the table cannot be prepared."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import public_kernels

HERE = pathlib.Path(__file__).resolve().parent
RUNNER = public_kernels.BUILD / "gpu-suite/bench/bench_public" # where it was built
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
ARCH = "sm_90"
CPLUSPLUS = ["g++", "-std=c++17", "-O2", "-w", "-fpermissive", "-fno-strict-aliasing", "-ffp-contract=off", "-shared", "-fPIC"]
DYNAMIC = re.compile(r"extern\s+__shared__\s+(?:__align__\(\d+\)\s*)?([\w\s]+?)\s*\b(\w+)\s*\[\s*\]\s*;")
WAITS = re.compile(r"__sync|__shfl|__ballot|__any|__all|cooperative_groups|\bcg::")
TYPES = {"char": "int8", "uchar": "uint8", "bool": "uint8", "short": "int16", "ushort": "uint16", "int": "int32",
         "uint": "uint32", "long": "int64", "ulong": "uint64", "float": "float", "double": "double"}
ARGUMENT = re.compile(r"(?:(?P<variable>\w+):)?(?P<type>\w+)(?:\[(?P<count>[^]]+)\](?P<fill>:\S+)?|=(?P<value>\S+))$")


class Case:
    """A line of the table: name | kind | file:kernel | sizes | grid | block | arguments | options."""

    def __init__(self, line):
        self.name, self.kind, where, sizes, self.grid, self.block, self.arguments, options = (
            field.strip() for field in line.split("|"))
        self.path, _, self.kernel = where.rpartition(":")
        self.sizes = [pair.split("=") for pair in sizes.split()]
        self.options = dict(option.split("=", 1) for option in options.split())

    def values(self, on_cpu):
        """The sizes, in whose expressions those before may stand."""
        known = {}
        for name, text in self.sizes:
            known[name] = self.number(text.split(";")[-1 if on_cpu else 0], known)
        return known

    def number(self, text, known):
        return eval(text, {"__builtins__": {}}, known) # the table is ours

    def extents(self, text, known):
        given = [int(self.number(part, known)) for part in text.split(",")]
        return given + [1] * (3 - len(given))

    def argument(self, text, known):
        found = ARGUMENT.match(text)
        if not found:
            sys.exit(f"{self.name}: {text}: no argument")
        variable, kind = found["variable"] or "-", TYPES[found["type"]]
        if found["value"]:
            return f"{kind} - 0 between {self.number(found['value'], known)} 0"
        fill, *numbers = (found["fill"] or ":between:0:1")[1:].split(":")
        if not re.match("[a-z]+$", fill) or fill in known:
            fill, numbers = "between", [fill, *(numbers or [fill])] # one number for all
        numbers = [self.number(number, known) for number in numbers] + [0]
        return f"{kind} {variable} {int(self.number(found['count'], known))} {fill} {numbers[0]} {numbers[1]}"

    def line(self, entry, on_cpu):
        """The line of cases.txt, as tests/bench/public_case.c reads it."""
        known = self.values(on_cpu)
        arguments = [self.argument(text, known) for text in self.arguments.split()]
        shared = int(self.number(self.options.get("shared", "0"), known))
        return " ".join(map(str, [self.name, self.kind, self.kernel, entry, *self.extents(self.grid, known),
                                  *self.extents(self.block, known), shared, self.options.get("tolerance", 1e-5),
                                  self.options.get("once", 0), len(arguments), *arguments]))


def cases(table):
    lines = [line for line in table.read_text().splitlines() if line and not line.startswith("#")]
    return [Case(line) for line in lines]


def text_of(case, collections):
    """The kernel with what it uses, and the namespaces that it is in."""
    top, _, path = case.path.partition("/")
    if top not in collections:
        return None, ""
    collection = collections[top]
    file = collection.folder / path
    number = int(case.options.get("which", 1)) # of several of that name in one file
    read = (collection.read(file, text) for text in public_kernels.texts_of(file))
    found = [(item, items) for items in read for item in items if item.kernel == case.kernel]
    if len(found) < number:
        return None, ""
    kernel, items = found[number - 1]
    defines = "".join(f"#define {name} {value}\n" for name, _, value in
                      (pair.partition(":") for pair in case.options.get("define", "").split(",")) if name)
    text = public_kernels.cut(kernel, items)
    end = text.index("\n", text.rindex("#include <")) + 1
    text = re.sub(r"static\s+__constant__", "__constant__", text[:end] + defines + text[end:]) # which hosts write
    return text, "".join(scope.split()[-1] + "::" for scope in kernel.scopes)


def for_host(text, scope, case):
    """The same for public_host.h."""
    text = DYNAMIC.sub(r"\1 *\2 = (\1 *)host_shared;", text)
    text = re.sub(r"static\s+__shared__|__shared__\s+static", "__shared__", text)
    text = re.sub(r"#include <(gpucc|cu[A-Zdr]|cooperative_groups|math_|vector_|device_).*", "", text)
    waits = "true" if WAITS.search(text) else "false"
    return f"""#include "public_host.h"
{text}
extern "C" void public_reference(const unsigned grid[3], const unsigned block[3], size_t shared, void **parameters)
{{
    host::launch({scope}{case.kernel}, grid, block, shared, parameters, {waits});
}}
"""


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if done.returncode == 0 else f"{pathlib.Path(command[0]).name}: {done.stdout[:500]}"


def prepare(case, collections, scratch, folder):
    """Compiles the case; gives what went wrong, and the kernel's name in nvcc's code."""
    text, scope = text_of(case, collections)
    if text is None:
        return f"there is no {case.path}:{case.kernel}", ""
    source, cuda, host = (scratch / f"{case.name}{suffix}" for suffix in (".c", ".cu", ".cpp"))
    stem = folder / case.name
    source.write_text(text)
    cuda.write_text(text.replace("#include <gpucc/cuda.h>", "#include <cuda_runtime.h>"))
    host.write_text(for_host(text, scope, case))
    said = run(public_kernels.GPUCC, "-w", f"--arch={ARCH}", source, "-o", f"{stem}.ptx", "-o", f"{stem}.so")
    said = said or run(*CPLUSPLUS, f"-I{HERE}", host, "-o", f"{stem}.reference.so")
    if said or not NVCC:
        return said, "-"
    ptx = scratch / f"{case.name}.nvcc.ptx"
    said = run(NVCC, "-O3", "-w", f"-arch={ARCH}", "-ptx", cuda, "-o", ptx)
    said = said or run(NVCC, "-O3", "-w", f"-arch={ARCH}", "-cubin", ptx, "-o", f"{stem}.cubin")
    return said, re.search(r"\.entry (\w+)", ptx.read_text()).group(1) if not said else "-"


def write_cases(path, lines, order):
    """Keeps those of an earlier run that were not chosen now."""
    kept = {line.split()[0]: line for line in path.read_text().splitlines()} if path.exists() else {}
    kept.update(lines)
    path.write_text("".join(kept[case.name] + "\n" for case in order if kept.get(case.name)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--table", type=pathlib.Path, default=HERE / "public_runs.txt")
    arguments = parser.parse_args()
    collections = {path.name: public_kernels.Collection(path) for path in arguments.collections.iterdir() if path.is_dir()}
    table = cases(arguments.table)
    chosen = [case for case in table if not arguments.only or case.name in arguments.only]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    scratch = pathlib.Path(tempfile.mkdtemp())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda case: prepare(case, collections, scratch, arguments.folder), chosen))
    for name, on_cpu in (("cases.txt", False), ("cases-cpu.txt", True)):
        write_cases(arguments.folder / name, {case.name: case.line(entry, on_cpu) if not said else ""
                                              for case, (said, entry) in zip(chosen, results)}, table)
    if RUNNER.exists():
        shutil.copy(RUNNER, arguments.folder)
    for case, (said, _) in zip(chosen, results):
        if said:
            print(f"{case.name}: {said}")
    print(f"{sum(not said for said, _ in results)} of {len(chosen)} kernels are in {arguments.folder}")
    shutil.rmtree(scratch)
    return int(any(said for said, _ in results))


if __name__ == "__main__":
    sys.exit(main())
