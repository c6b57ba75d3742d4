"""Shares of a long sweep.  GPUCC_SHARE="K/N" in the environment selects share K of N; without it a run does everything.
tests/run sets K from the count of commits, so N runs in a row do every share."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def changed(commits):
    """The files that differ from so many commits ago, committed or not; all where git does not know."""
    command = ["git", "diff", "--name-only", f"HEAD~{commits}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return None if done.returncode else {ROOT / name for name in done.stdout.splitlines()}


def selected(files):
    """This run's share of the paths, and every path that changed within the last N commits."""
    share = os.environ.get("GPUCC_SHARE")
    if not share:
        return list(files)
    index, count = map(int, share.split("/"))
    recent = changed(count)
    return [file for i, file in enumerate(files) if i % count == index or (recent and pathlib.Path(file) in recent)]
