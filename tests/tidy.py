#!/usr/bin/env python3
"""tidy.py CLANG-TIDY BUILD: the compiler and the runtime through clang-tidy, by the list in .clang-tidy.

GPUCC_SHARE selects a share of the files (shares.py).  Exit status 1 where a file does not pass."""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys

import shares

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = (str(ROOT / "compiler") + "/", str(ROOT / "runtime") + "/")


def check(file):
    done = subprocess.run([sys.argv[1], "-p", sys.argv[2], "--quiet", file], capture_output=True, text=True)
    return done.returncode, done.stdout


def main():
    if not shutil.which(sys.argv[1]):
        print(f"skipped: no {sys.argv[1]}\n0 passed, 0 failed, 1 skipped")
        return 0
    with open(os.path.join(sys.argv[2], "compile_commands.json"), encoding="utf-8") as commands:
        files = sorted({command["file"] for command in json.load(commands) if command["file"].startswith(FOLDERS)})
    files = shares.selected(files)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for status, text in pool.map(check, files):
            failed += status != 0
            print(text, end="")
    print(f"{len(files) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
