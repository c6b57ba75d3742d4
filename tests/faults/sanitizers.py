"""sanitizers.py [OPTION…]: what compute-sanitizer finds on a GPU in the kernels of the
folder that this lies in, which cases.py has filled, and in their mended twins.

Prints a line for each kernel, with the tools that report it, as they are done.  Then a row for each file: its kernels,
how many of them each tool reports, how many any tool does, and how many end only by being killed; and below, the twins
of which a tool tells anything.  Needs a GPU, CUDA's compute-sanitizer, and launch_scene beside this.

  --only NAME…    these kernels, or all of these files
  --since CASES   those that an earlier folder's cases.txt does not name
  --jobs=N        so many at once (8)
  --tool=PATH     compute-sanitizer, where it is not found by its name
"""
import sys

sys.path.pop(0)  # this folder: Python would import its case types.so for its own module `types`
import argparse
import collections
import concurrent.futures
import pathlib
import subprocess

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SECONDS, FOUND, KILLED = 25, 99, -9
HERE = pathlib.Path(__file__).resolve().parent


class Case:
    def __init__(self, line):
        self.file, self.kernel, *self.sets = line.split()
        self.codes, self.mended = {}, {} # exit statuses by tool

    def run(self, sanitizer, tool, program):
        command = ["timeout", "-s", "KILL", str(SECONDS), sanitizer, "--tool", tool, "--error-exitcode", str(FOUND),
                   HERE / "launch_scene", HERE / program, HERE / f"{self.file}.{self.kernel}", *self.sets]
        return subprocess.run(command, cwd=HERE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode

    def try_tools(self, sanitizer):
        for tool in TOOLS:
            self.codes[tool] = self.run(sanitizer, tool, self.file)
            self.mended[tool] = self.run(sanitizer, tool, f"{self.file}.mended")
        return self

    def found_by(self):
        return [tool for tool in TOOLS if self.codes[tool] == FOUND]

    def is_killed(self):
        return not self.found_by() and KILLED in self.codes.values()


def read_cases(path):
    return [Case(line) for line in path.read_text().splitlines()]


def chosen(arguments):
    known = {(c.file, c.kernel) for c in read_cases(arguments.since)} if arguments.since else set()
    only = arguments.only
    return [case for case in read_cases(HERE / "cases.txt") if (case.file, case.kernel) not in known and
            (not only or case.kernel in only or case.file in only or f"{case.file}.c" in only)]


def print_table(cases):
    counts = collections.defaultdict(collections.Counter)
    for case in cases:
        found = case.found_by()
        for file in (f"{case.file}.c", "all"):
            counts[file].update(found, kernels=1, any=bool(found), killed=case.is_killed())
    columns = ("kernels", *TOOLS, "any", "killed")
    print(f"{'':14}", *(f"{column:>9}" for column in columns))
    for file in [file for file in counts if file != "all"] + ["all"]:
        print(f"{file:14}", *(f"{counts[file][column]:9}" for column in columns))


def print_twins(cases):
    twins = [f"{case.file}.c: {case.kernel}, mended: {tool}: status {code}" for case in cases
             for tool, code in sorted(case.mended.items()) if code]
    print("\n".join(twins) or "nothing on the mended twins")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--since", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--tool", default="compute-sanitizer")
    arguments = parser.parse_args()
    cases = chosen(arguments)
    if not cases:
        sys.exit("there are no such kernels")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for case in pool.map(lambda case: case.try_tools(arguments.tool), cases):
            found = case.found_by() or (["killed"] if case.is_killed() else ["-"])
            print(f"{case.file}.c {case.kernel}:", *found, flush=True)
    print_table(cases)
    print_twins(cases)


if __name__ == "__main__":
    main()
