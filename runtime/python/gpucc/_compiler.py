"""The compiler: libgpucc-compiler in this process where that is found, else the gpucc command."""
from __future__ import annotations

import ctypes
import os
import platform
import shutil
import subprocess
import tempfile
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_size_t, c_uint, c_void_p
from pathlib import Path
from typing import Any, NamedTuple, Sequence

from . import _errors
from ._library import BUILDS, HERE, Sized, path_of_library

LIBRARY = "libgpucc-compiler.so.0"
HEADER, SHARED = 2, 4  # GPUCC_ARTEFACT_…
_SUFFIXES = {HEADER: "h", SHARED: "so"}


class Source(NamedTuple):
    name: str         # what messages call it
    text: bytes
    path: str | None  # where it is read from; None: it is a text


class Made(NamedTuple):
    data: bytes       # a shared object
    said: str         # warnings
    read: list[str]   # the files that were included
    missing: list[str] = []  # where there was none, as far as that is told


# ---- the library ----

class File(Structure):
    _fields_ = [("name", c_char_p), ("text", c_char_p), ("size", c_size_t)]


class CompileInput(Sized):
    _fields_ = [("size", c_size_t), ("sources", POINTER(File)), ("source_count", c_size_t), ("headers", POINTER(File)),
                ("header_count", c_size_t), ("options", POINTER(c_char_p)), ("option_count", c_size_t),
                ("artefacts", c_uint)]


# As _library.FUNCTIONS.
FUNCTIONS = {
    "gpucc_compile": (c_int, [c_void_p, c_void_p]),
    "gpucc_compilation_free": (None, [c_void_p]),
    "gpucc_compilation_log": (c_char_p, [c_void_p]),
    "gpucc_compilation_artefact": (c_void_p, [c_void_p, c_int, c_void_p]),
    "gpucc_compilation_file": (c_char_p, [c_void_p, c_size_t]),
    "gpucc_compilation_missing": (c_char_p, [c_void_p, c_size_t]),
}


class Library:
    """It is opened when something is compiled, as LLVM comes with it."""

    def __init__(self, path: str) -> None:
        self.path, self.files = path, [path]
        self._functions: ctypes.CDLL | None = None

    def _open(self) -> ctypes.CDLL:
        if self._functions is None:
            try:
                opened = ctypes.CDLL(self.path)
            except OSError as error:
                raise _errors.CompileError(f"libgpucc-compiler cannot be opened: {error}") from None
            for name, (result, arguments) in FUNCTIONS.items():
                function = getattr(opened, name)
                function.restype, function.argtypes = result, arguments
            self._functions = opened
        return self._functions

    def make(self, source: Source, options: Sequence[str], artefact: int = SHARED) -> Made:
        library = self._open()
        words = [os.fsencode(word) for word in (*options, *([] if source.path else ["-I."]))]
        file = File(os.fsencode(source.path or source.name + ".c"), None if source.path else source.text,
                    0 if source.path else len(source.text))
        given = CompileInput(sources=ctypes.pointer(file), source_count=1, options=(c_char_p * len(words))(*words),
                             option_count=len(words), artefacts=1 << artefact)
        made = c_void_p()
        status = library.gpucc_compile(byref(given), byref(made))
        try:
            said = (library.gpucc_compilation_log(made) or b"").decode(errors="replace").rstrip()
            if status:
                raise _errors.CompileError("\n" + said if said else "out of memory")
            size = c_size_t()
            data = ctypes.string_at(library.gpucc_compilation_artefact(made, artefact, byref(size)), size.value)
            return Made(data, said, _paths(library.gpucc_compilation_file, made),
                        _paths(library.gpucc_compilation_missing, made))
        finally:
            library.gpucc_compilation_free(made)


def _paths(function: Any, made: c_void_p) -> list[str]:
    paths: list[str] = []
    while path := function(made, len(paths)):
        paths.append(os.fsdecode(path))
    return paths


# ---- the command ----

class Command:
    def __init__(self, path: str) -> None:
        self.path, self.files = path, [path]
        inner = Path(path).resolve().parent.parent / "libexec" / "gpucc" / "gpucc-compile"  # which it starts
        if inner.exists():
            self.files.append(str(inner))

    def make(self, source: Source, options: Sequence[str], artefact: int = SHARED) -> Made:
        with tempfile.TemporaryDirectory(prefix="gpucc-") as folder:
            unit = source.path
            if unit is None:
                unit = os.path.join(folder, source.name + ".c")
                Path(unit).write_bytes(source.text)
            made, rule = os.path.join(folder, f"made.{_SUFFIXES[artefact]}"), os.path.join(folder, "made.d")
            here = [] if source.path else ["-I."]
            said = self._run([self.path, *options, *here, unit, "-o", made, "-MD", "-MF", rule], folder)
            read = _prerequisites(os.fsdecode(Path(rule).read_bytes()))
            return Made(Path(made).read_bytes(), said, [path for path in read if path != unit])

    def _run(self, words: list[str], folder: str) -> str:
        """Returns the command's output, without the temporary folder in its paths."""
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8", errors="replace")
        said = done.stdout.replace(folder + os.sep, "").rstrip()
        if done.returncode:
            raise _errors.CompileError("\n" + said if said else f"{self.path} ended with status {done.returncode}")
        return said


def _prerequisites(rule: str) -> list[str]:
    """The files that a Make rule names behind its colon."""
    words = rule.replace("\\\n", " ").replace("\\ ", "\0").partition(": ")[2].split()
    return [word.replace("\0", " ").replace("$$", "$").replace("\\#", "#") for word in words]


# ---- which ----

_opened: dict[str, Library] = {}


def compiler() -> Library | Command:
    """The command that GPUCC names; or the library, which GPUCC_LIBCOMPILER names, or which lies beside this package, in
    the tree's build, or beside libgpucc; or the command, beside this package, in the tree's build, or on PATH; or the
    system's library."""
    library, command = os.environ.get("GPUCC_LIBCOMPILER"), os.environ.get("GPUCC")
    if not library and not command:
        folders = [HERE, *(build / "lib" for build in BUILDS), Path(path_of_library()).parent]
        library = next((str(folder / LIBRARY) for folder in folders if (folder / LIBRARY).exists()), None)
    if library and not command:
        return _opened.setdefault(library, Library(library))
    beside = [str(folder / "gpucc") for folder in (HERE / "bin", *(build / "bin" for build in BUILDS))]
    places = [command] if command else [*beside, "gpucc"]
    found = next((path for place in places if (path := shutil.which(place))), None)
    if not found and not command and (library := _system_library()):
        return _opened.setdefault(library, Library(library))
    if not found:
        machine = platform.machine()
        here = "" if machine == "x86_64" else (
            f" On {machine} gpucc has the runtime alone: compile on x86-64 with `gpucc --target={machine}-linux-gnu -o x.so`, "
            "and load() the result.")
        raise _errors.CompileError(f"there is no compiler: neither {LIBRARY} (GPUCC_LIBCOMPILER may name it) nor a gpucc "
                                   f"command ({', '.join(places)}): put it on PATH, or set GPUCC to its path.{here}")
    return Command(found)


def _system_library() -> str | None:
    """Returns the path of the library that the dynamic linker finds, or None."""
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        return None
    return path_of_library(LIBRARY) or None
