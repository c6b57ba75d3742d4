"""Sources in C become programs, by the gpucc command, and are kept in the cache."""
from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path
from typing import Sequence

from . import _errors
from ._library import CHECKOUT, HERE
from ._program import Program, cache_folder, keep, load


class CompileWarning(UserWarning):
    """What the compiler warns of."""


def compiler() -> str:
    """The gpucc command: GPUCC, or beside this package, or in the tree's build, or on PATH."""
    beside = [str(folder / "gpucc") for folder in (HERE / "bin", CHECKOUT / "build" / "bin")]
    places = [os.environ["GPUCC"]] if os.environ.get("GPUCC") else [*beside, "gpucc"]
    found = next(filter(None, map(shutil.which, places)), None)
    if not found:
        raise _errors.CompileError(f"there is no gpucc command ({', '.join(places)}): put it on PATH, or set GPUCC to its path")
    return found


def compile(source: str | os.PathLike[str], *, options: Sequence[str] = (), name: str = "program") -> Program:
    """The program of a source: a text, or a file as a pathlib.Path.

    `options` are the command's, such as ["--arch=sm_90", "-DN=3"]; `name` is what a text is called in messages.  What has
    been compiled before, of the same files and options, comes from the cache.

    >>> import gpucc
    >>> program = gpucc.compile('''
    ... #include <gpucc.h>
    ... vectorize(int64(int64, int64)) int64 both(int64 a, int64 b) { return a & b; }
    ... ''')
    >>> int(program.both(12, 6))
    4
    """
    return load(artefact(source, options=options, name=name))


def artefact(source: str | os.PathLike[str], *, options: Sequence[str] = (), name: str = "program") -> Path:
    """The shared object, which `load()` takes."""
    if isinstance(options, str):
        raise TypeError(f"options are a list, such as ['--arch=sm_90'], not {options!r}")
    command, path = [compiler(), *map(os.fspath, options)], None
    if isinstance(source, os.PathLike):
        path = os.fspath(source)
        name, text = Path(path).stem, _content(Path(path))
    elif not isinstance(source, str) or source.endswith(".c"):
        raise TypeError("a source is a text; a file is given as pathlib.Path(\"trig.c\")")
    elif name.isidentifier():
        text = source.encode()
    else:
        raise ValueError(f"name={name!r} is no identifier of C")
    key = _key(command, text, path or name)
    return _cached(key) or _build(command, text, path, name, key)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _errors.CompileError(f"{path}: {error}") from None


def _key(command: list[str], text: bytes, name: str) -> str:
    """Of all that a compilation depends on, but for the headers that it reads."""
    about = os.stat(command[0])
    where = [about.st_size, about.st_mtime_ns, os.getcwd(), os.environ.get("CPATH"), os.environ.get("C_INCLUDE_PATH")]
    return hashlib.sha256(json.dumps([command, where, name]).encode() + text).hexdigest()


def _digest(path: str | Path) -> str | None:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


def _cached(key: str) -> Path | None:
    """The library, where it is there as it was made, and no header has changed since."""
    try:
        about = json.loads((cache_folder() / f"{key}.json").read_bytes())
        library = cache_folder() / about["library"]
        if _digest(library) == library.stem and all(_digest(path) == digest for path, digest in about["headers"].items()):
            return library
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # none, or a damaged one
        pass
    return None


def _build(command: list[str], text: bytes, path: str | None, name: str, key: str) -> Path:
    with tempfile.TemporaryDirectory(prefix="gpucc-") as folder:
        unit = path
        if unit is None:
            unit = os.path.join(folder, name + ".c")
            Path(unit).write_bytes(text)
        made, headers = os.path.join(folder, "made.so"), os.path.join(folder, "made.d")
        said = _run([*command, *([] if path else ["-I."]), unit, "-o", made, "-MD", "-MF", headers], folder)
        if said:
            warnings.warn("\n" + said, CompileWarning, stacklevel=4)
        data = Path(made).read_bytes()
        library = keep(hashlib.sha256(data).hexdigest() + ".so", data)
        read = [p for p in _prerequisites(os.fsdecode(Path(headers).read_bytes())) if p != unit]
    about = {"library": library.name, "headers": {os.path.abspath(p): _digest(p) for p in read}}
    keep(f"{key}.json", json.dumps(about).encode())
    return library


def _run(command: list[str], folder: str) -> str:
    """What it says, without the folder that is gone when somebody reads it."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace")
    said = done.stdout.replace(folder + os.sep, "").rstrip()
    if done.returncode:
        raise _errors.CompileError("\n" + said if said else f"{command[0]} ended with status {done.returncode}")
    return said


def _prerequisites(rule: str) -> list[str]:
    """The files that a Make rule names behind its colon."""
    words = rule.replace("\\\n", " ").replace("\\ ", "\0").partition(": ")[2].split()
    return [word.replace("\0", " ").replace("$$", "$").replace("\\#", "#") for word in words]
