"""The compiler's tests that sweeps compile, and shares of a long sweep.

GPUCC_SHARE="K/N" in the environment selects share K of N; without it a run does everything.  tests/run sets K from the
count of commits, so N runs in a row do every share.  GPUCC_SLOW selects a share of slow.txt and of what ptxas.py adds
in a sweep."""
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent

RECENT = 2 # commits whose files every share has

# Tests that expect diagnostics, make nothing, or are compiled with other files.
OTHERWISE = re.compile(r"RUN:.*(%exits [123]|not %gpucc|-fsyntax-only|%s %S/Inputs/\S+\.c\b)")


def compiled_alone():
    """The files of tests/compile that make PTX by themselves, sorted."""
    tests = [file for file in ROOT.glob("tests/compile/**/*.c") if not {"Inputs", "link"} & set(file.parts)]
    return sorted(file for file in tests if not OTHERWISE.search(file.read_text(errors="replace")))


def slow():
    """The paths of slow.txt."""
    lines = (ROOT / "tests/slow.txt").read_text().splitlines()
    return [ROOT / "tests" / line for line in lines if not line.startswith("#")]


def changed():
    """The files that differ from RECENT commits ago, committed or not; None where git does not know."""
    command = ["git", "diff", "--name-only", f"HEAD~{RECENT}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return None if done.returncode else {ROOT / name for name in done.stdout.splitlines()}


def selected(files, variable="GPUCC_SHARE"):
    """The share of the paths that the variable names, and every path that changed lately."""
    share = os.environ.get(variable)
    if not share:
        return list(files)
    index, count = map(int, share.split("/"))
    recent = changed()
    return [file for i, file in enumerate(files) if i % count == index or (recent and pathlib.Path(file) in recent)]
