"""sanitizers.py GPUCC [JOBS]: what compute-sanitizer finds on a GPU in the kernels of this folder, and in their mended twins.

Prints a row for each file: its kernels, how many of them each tool reports, how many any tool does, and how many end
only by being killed; and below, the twins of which a tool tells anything.  Needs a GPU and CUDA's compute-sanitizer."""
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys

from collection import kernels

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SECONDS, FOUND, KILLED = 25, 99, -9

gpucc, jobs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8
folder = pathlib.Path(__file__).resolve().parent


def status(case):
    path, name, arguments, tool, options = case
    command = ["timeout", "-s", "KILL", str(SECONDS), "compute-sanitizer", "--tool", tool, "--error-exitcode", str(FOUND),
               gpucc, "run", path.name, name, *arguments, "--device=cuda", *options]
    return subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode


def without_checks(arguments):
    return [word for word in arguments if not re.match(r"--(check|schedules|seed)\b", word)]


cases = [(path, kernel.name, without_checks(kernel.arguments), tool, options) for path in sorted(folder.glob("*.c"))
         for kernel in kernels(path) for tool in TOOLS for options in ((), ("-DMENDED",))]
with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
    statuses = list(pool.map(status, cases))

counts, reports, twins = collections.defaultdict(collections.Counter), collections.defaultdict(set), []
for (path, name, _, tool, options), code in zip(cases, statuses):
    if options and code:
        twins.append(f"{path.name}: {name}, mended: {tool}: status {code}")
    elif not options:
        counts[path.name][tool] += code == FOUND
        reports[path.name, name].add(code)
for (file, _), codes in reports.items():
    counts[file].update(kernels=1, any=FOUND in codes, killed=FOUND not in codes and KILLED in codes)
columns = ("kernels", *TOOLS, "any", "killed")
print(f"{'':14}", *(f"{column:>9}" for column in columns))
for file, row in [*counts.items(), ("all", sum(counts.values(), collections.Counter()))]:
    print(f"{file:14}", *(f"{row[column]:9}" for column in columns))
print("\n".join(twins) or "nothing on the mended twins")
