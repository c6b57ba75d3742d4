#!/usr/bin/env python3
"""planted.py BUILD: random programs find the faults of a compiler that has some, make them small, and the command that
they print shows them again.

As the compiler (GPUCC_PLANTED in the environment is the real one) it reads `^` as `|`, and `syncthreads()` as nothing.
With GPUCC_SHARE two kinds of programs take turns with the two others.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def compile_wrongly():
    for argument in sys.argv[1:]:
        if argument.endswith("programs.c"):
            with open(argument, encoding="utf-8") as file:
                text = file.read()
            wrong = text.replace(" ^ ", " | ").replace("syncthreads();", ";")
            with open(argument, "w", encoding="utf-8") as file:
                file.write(wrong)
    os.execv(os.environ["GPUCC_PLANTED"], [os.environ["GPUCC_PLANTED"], *sys.argv[1:]])


def run_command(command, environment):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    return done.returncode, done.stdout


def check(kind, count, build, keep):
    environment = dict(os.environ, GPUCC_PLANTED=os.path.join(build, "bin", "gpucc"))
    options = [f"--build={build}", f"--gpucc={os.path.abspath(__file__)}", f"--keep={keep}"]
    driver = [sys.executable, os.path.join(HERE, "random_programs.py"), kind]
    status, text = run_command([*driver, f"--count={count}", "--shrink=10", *options], environment)
    again = re.search(r"^again: .*random_programs.py (.*)$", text, flags=re.M)
    if status != 1 or not again:
        sys.exit(f"no fault was found among {kind}, status {status}:\n{text}")
    status, text = run_command([*driver[:-1], *again.group(1).split(), "--shrink=0", *options], environment)
    if status != 1:
        sys.exit(f"'{again.group(1)}' does not show it again, status {status}:\n{text}")


if __name__ == "__main__":
    if "GPUCC_PLANTED" in os.environ:
        compile_wrongly()
    with tempfile.TemporaryDirectory() as folder:
        # Few functions and gufuncs have a `^` that matters.
        kinds = ("functions", 20), ("kernels", 3), ("accesses", 3), ("gufuncs", 20)
        share = os.environ.get("GPUCC_SHARE")
        for name, count in kinds[int(share.split("/")[0]) % 2::2] if share else kinds:
            check(name, count, os.path.abspath(sys.argv[1]), folder)
