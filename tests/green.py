"""Remembers what has passed, so that it is not done again.

The folder that GPUCC_GREEN names has an empty file for each success, whose name is a hash of all that the outcome follows
from.  Without that variable nothing is remembered.  Failures never are.

  green.py PROGRAM ARGUMENT…    runs the program unless it has passed before, with these arguments and these libraries
"""
import functools
import hashlib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = os.environ.get("GPUCC_GREEN")
HEADERS = {".h", ".hpp", ".cuh", ".def", ".inc"}


@functools.cache
def file_hash(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


@functools.cache
def program_hash(program):
    """A program's, with the shared libraries that it loads."""
    loaded = subprocess.run(["ldd", str(program)], capture_output=True, text=True).stdout
    return key(*map(file_hash, [program, *re.findall(r"(/\S+) \(0x", loaded)]))


@functools.cache
def compiler_hash(gpucc):
    """The command gpucc and the program that compiles, which holds gpucc's headers and libraries."""
    return key(program_hash(gpucc), program_hash(pathlib.Path(gpucc).parent.parent / "libexec/gpucc/gpucc-compile"))


@functools.cache
def _folder_hash(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return key(*(f"{path.relative_to(folder)} {file_hash(path)}" for path in files))


@functools.cache
def _included_hash():
    headers = sorted(path for path in (ROOT / "tests").rglob("*") if path.suffix in HEADERS)
    return key(_folder_hash(ROOT / "samples"), *map(file_hash, headers))


def source_hash(source):
    """A source with all that it may include: its folder, the samples, and every header of the tests."""
    source = pathlib.Path(source)
    return key(source.name, _folder_hash(source.parent), _included_hash())


def key(*parts):
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()


def is_known(key):
    if not FOLDER:
        return False
    try:
        os.utime(os.path.join(FOLDER, key)) # tests/run removes what was not asked for in a month
    except OSError:
        return False
    return True


def remember(key):
    if FOLDER:
        os.makedirs(FOLDER, exist_ok=True)
        pathlib.Path(FOLDER, key).touch()


def main(command):
    name = key(program_hash(command[0]), *command[1:]) if FOLDER else None
    if is_known(name):
        print("It has passed before.")
        return 0
    status = subprocess.run(command).returncode
    if status == 0 and FOLDER:
        remember(name)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
