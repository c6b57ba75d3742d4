"""Sources in C become programs, and are kept in the cache."""
from __future__ import annotations

import hashlib
import json
import os
import warnings
from pathlib import Path
from typing import NamedTuple, Sequence

from . import _errors
from ._compiler import HEADER, Made, Source, compiler
from ._library import library
from ._program import Program, cache_folder, store, load


class CompileWarning(UserWarning):
    """A warning of the compiler."""


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
    recipe = _recipe(source, options, name)
    made = load(recipe.artefact())
    made._made_by = recipe
    return made


def artefact(source: str | os.PathLike[str], *, options: Sequence[str] = (), name: str = "program") -> Path:
    """The shared object, which `load()` takes."""
    return _recipe(source, options, name).artefact()


class _Recipe(NamedTuple):
    """A source and the options with which it is compiled."""
    name: str
    text: bytes
    path: str | None
    words: list[str]

    def artefact(self) -> Path:
        """The shared object, from the cache if it is there."""
        by = compiler()
        key = _key(by.files, self.words, self.text, self.path or self.name)
        return _cached(key) or _build(by.make(self._unit(), self.words), key)

    def header(self) -> str:
        return compiler().make(self._unit(), self.words, HEADER).data.decode()

    def _unit(self) -> Source:
        return Source(self.name, self.text, self.path)


def _recipe(source: str | os.PathLike[str], options: Sequence[str], name: str) -> _Recipe:
    if isinstance(options, str):
        raise TypeError(f"options must be a list, such as ['--arch=sm_90'], not {options!r}")
    words = [*_target(), *(os.fspath(word) for word in options)]
    if isinstance(source, os.PathLike):
        return _Recipe(Path(source).stem, _content(Path(source)), os.fspath(source), words)
    if not isinstance(source, str) or source.endswith(".c"):
        raise TypeError("a source must be a str; for a file pass pathlib.Path(\"trig.c\")")
    if not name.isidentifier():
        raise ValueError(f"name={name!r} is not a C identifier")
    return _Recipe(name, source.encode(), None, words)


def _target() -> list[str]:
    """Returns the option for this machine's processor, if it does not run the command's default code."""
    target = library.gpucc_native_target()
    return [f"--target={target.decode()}"] if target not in (None, b"x86-64-v3", b"x86-64-v4") else []


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _errors.CompileError(f"{path}: {error}") from None


def _key(compiler: list[str], words: list[str], text: bytes, name: str) -> str:
    """Hashes all inputs of a compilation except the headers that it reads; `compiler` lists the compiler's own
    files."""
    try:
        about = [(path, os.stat(path).st_size, os.stat(path).st_mtime_ns) for path in compiler]
    except OSError as error:
        raise _errors.CompileError(f"there is no compiler: {error}") from None
    where = [os.getcwd(), os.environ.get("CPATH"), os.environ.get("C_INCLUDE_PATH")]  # libclang reads them in a library
    return hashlib.sha256(json.dumps([about, words, where, name]).encode() + text).hexdigest()


def _digest(path: str | Path) -> str | None:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


def _cached(key: str) -> Path | None:
    """The library, where it is there as it was made, and no header has changed or appeared since."""
    try:
        about = json.loads((cache_folder() / f"{key}.json").read_bytes())
        library: Path = cache_folder() / about["library"]
        if (_digest(library) == library.stem and not any(map(os.path.exists, about["missing"]))
                and all(_digest(path) == digest for path, digest in about["headers"].items())):
            return library
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # none, or a damaged one
        pass
    return None


def _build(made: Made, key: str) -> Path:
    if made.said:
        warnings.warn("\n" + made.said, CompileWarning, stacklevel=4)
    library = store(hashlib.sha256(made.data).hexdigest() + ".so", made.data)
    about = {"library": library.name, "missing": [os.path.abspath(path) for path in made.missing],
             "headers": {os.path.abspath(path): _digest(path) for path in made.read}}
    store(f"{key}.json", json.dumps(about).encode())
    return library
