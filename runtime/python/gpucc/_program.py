"""Programs: artefacts of the compiler as objects whose attributes are their functions, known by their content."""
from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import struct
import tempfile
import threading
import weakref
import zlib
from ctypes import byref, c_size_t, c_void_p
from functools import cached_property
from pathlib import Path
from typing import Any

from . import _errors, _ufunc
from ._array import Array
from ._context import Context, Devices, context
from ._kernel import Kernel
from ._record_ufunc import RecordUfunc
from ._library import ProgramImage, check, library

_dlclose = ctypes.CDLL(None).dlclose
_dlclose.restype, _dlclose.argtypes = ctypes.c_int, [c_void_p]
_by_key: weakref.WeakValueDictionary[str, Program] = weakref.WeakValueDictionary()
_opened: dict[str, str] = {}  # the keys of libraries, by the paths from which they have been opened
_lock = threading.RLock()


def _forked() -> None:
    """The thread that holds the lock may be the parent's."""
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_forked)


class Program:
    """A compiled program: its ufuncs, gufuncs and kernels are attributes.

    `load()` and `compile()` give it.  Two loads of the same bytes are the same object, and so is what a pickle brings, in
    which the program travels as its bytes.  A program is unloaded when it and its functions are no longer referenced.

    >>> import gpucc, pickle
    >>> program = gpucc.compile('''
    ... #include <gpucc.h>
    ... /* Twice as much. */
    ... vectorize(float32(float32))
    ... float twice(float x) { return 2 * x; }
    ... ''', name="sizes")
    >>> program
    <gpucc program 'sizes': twice>
    >>> program.twice.doc
    'Twice as much.'
    >>> pickle.loads(pickle.dumps(program.twice)) is program.twice
    True
    """

    def __init__(self, key: str, artefact: _Library | _Ptx, manifest: str) -> None:
        self.key: str = key
        self._artefact = artefact
        self._made_by: Any = None  #: the recipe of compile()
        weakref.finalize(self, artefact.close).atexit = False  # behind what contexts do when it goes
        #: the manifest, as docs/reference/manifest.md has it
        self.manifest: dict[str, Any] = json.loads(manifest)
        self.name: str = artefact.name or Path(self.manifest["source"]).stem
        #: the functions, by name
        self.functions: dict[str, Any] = {}
        for about in self.manifest["functions"]:
            if about["kind"] in ("ufunc", "gufunc"):
                made = RecordUfunc if any("fields" in p for p in about["parameters"]) else _ufunc.Ufunc
                self.functions[about["name"]] = made(self, about, artefact.natives)
            elif about["kind"] == "reduction":
                self.functions[about["name"]] = _ufunc.Reduction(self, about)
            elif about["kind"] == "kernel":
                self.functions[about["name"]] = Kernel(self, about)
        self.__dict__.update({name: f for name, f in self.functions.items() if not hasattr(self, name)})
        self.__doc__ = f"{self.name}: {', '.join(self.functions)}"

    def __repr__(self) -> str:
        return f"<gpucc program {self.name!r}: {', '.join(self.functions)}>"

    def __getitem__(self, name: str) -> Any:
        """A function by name, also one that is called as something of a program's own is."""
        return self.functions[name]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the program {self.name!r} has no {name!r}; it has {', '.join(self.functions)}")

    def __reduce__(self) -> Any:
        return _revive, (self.key.partition(":")[0], type(self._artefact).suffix, self._packed, self.name)

    @cached_property
    def _packed(self) -> tuple[bytes, ...]:
        """The files, of which PTX takes the most, as pickles have them."""
        return tuple([zlib.compress(file, 1) for file in self._artefact.files])

    @property
    def source(self) -> str:
        """The C of which `compile()` made the program.

        >>> import gpucc
        >>> program = gpucc.compile('#include <gpucc.h>\\nvectorize(int32(int32)) int32 same(int32 x) { return x; }')
        >>> program.source.splitlines()[1]
        'vectorize(int32(int32)) int32 same(int32 x) { return x; }'
        """
        text: bytes = self._recipe().text
        return text.decode()

    @property
    def header(self) -> str:
        """The header by which C calls the program's functions, as `-o FILE.h` writes it."""
        made: str = self._recipe().header()
        return made

    def _recipe(self) -> Any:
        if self._made_by is None:
            raise _errors.NotFound(f"the program {self.name!r} was loaded, and not compiled in this process: its source is "
                                   f"{self.manifest['source']}")
        return self._made_by

    def ptx(self, arch: str | None = None) -> str:
        """The PTX that a GPU of this architecture, "sm_90", runs, or without one the newest that the program has.

        >>> import gpucc
        >>> program = gpucc.compile('''
        ... #include <gpucc.h>
        ... vectorize(float32(float32)) float twice(float x) { return 2 * x; }
        ... ''')
        >>> ".target sm_" in program.ptx()
        True
        """
        found = self._artefact.ptx()
        if arch is None and found:
            return found[max(found)]
        number = re.fullmatch(r"sm_(\d+)[af]?", arch or "")
        if arch is not None and number is None:
            raise _errors.InvalidArgument(f"arch={arch!r}: expected an architecture such as 'sm_90'")
        least = [each for each in found if number and each <= int(number[1])]
        if not least:
            there_are = ", ".join(f"sm_{each}" for each in sorted(found))
            raise _errors.NotFound(f"the program {self.name!r} has no PTX for {arch or 'any GPU'}" +
                                   (f"; it has PTX for {there_are}" if found else ""))
        return found[max(least)]

    def cubin(self, device: str = "cuda") -> bytes:
        """The machine code that the driver compiles from the PTX for this GPU."""
        code, size = c_void_p(), c_size_t()
        check(library.gpucc_program_cubin(context(device).program(self), byref(code), byref(size)))
        return ctypes.string_at(code, size.value)

    def __dask_tokenize__(self) -> Any:
        return self.key

    def variable(self, name: str, device: str | Devices | None = None) -> Array:
        """A variable of the source as an array over its memory on that device."""
        where, made = context(device), c_void_p()
        check(library.gpucc_program_global(where.program(self), name.encode(), byref(made)))
        return Array._of(made.value, where, self)

    def _load_into(self, where: Context) -> int:
        made = c_void_p()
        check(self._artefact.load_into(where, made))
        return made.value or 0


class _Library:
    """A shared object of what `-o FILE.o` made."""
    suffix = ".so"

    def __init__(self, path: Path | None, data: bytes, name: str | None) -> None:
        self.files: tuple[bytes] = (data,)
        called = str(path or "the program")
        if _is_cut_short(data):
            raise _errors.BadProgram(f"{called}: the end of the file is missing")
        place = _place(path, data)
        try:
            self._dll = ctypes.CDLL(str(place))
        except OSError as error:
            raise _errors.BadProgram(f"{called} is not a shared object made by gpucc: {error}") from None
        symbol = self._find(called, data, name)
        self.name: str = symbol.removeprefix("gpucc_program_")
        self.image: ProgramImage = ProgramImage.in_dll(self._dll, symbol)
        self.natives: dict[str, int] = _natives(self.image)

    def close(self) -> None:
        """Unloads the code, which nobody calls any more."""
        _dlclose(self._dll._handle)

    def _find(self, called: str, data: bytes, name: str | None) -> str:
        """The symbol of its descriptor."""
        found: set[str] = {s.decode() for s in re.findall(rb"(?<=\0)gpucc_program_\w+(?=\0)", data)}
        found = {s for s in found if not hasattr(library, s) and hasattr(self._dll, s)}
        if name is not None:
            found &= {"gpucc_program_" + name}
        if len(found) == 1:
            return found.pop()
        names = ", ".join(sorted(s.removeprefix("gpucc_program_") for s in found))
        raise _errors.BadProgram(f"{called} has several programs, {names}: choose one with name=" if found else
                                 f"{called} has no program" + (f" {name!r}" if name else ""))

    def manifest(self) -> str:
        return ctypes.string_at(self.image.manifest, self.image.manifest_size).decode()

    def ptx(self) -> dict[int, str]:
        """The texts, by architecture."""
        images = [self.image.images[i] for i in range(self.image.image_count)]
        return {image.arch: ctypes.string_at(image.text, image.size).decode() for image in images}

    def load_into(self, where: Context, made: c_void_p) -> int:
        """Returns the runtime's status."""
        return int(library.gpucc_program_load(where.handle, byref(self.image), byref(made)))


def _natives(image: ProgramImage) -> dict[str, int]:
    """The functions of its native code that is best on this machine; none where the machine runs none of it."""
    code = library.gpucc_cpu_code(byref(image)) if image.version >= 3 else ctypes.pointer(image)
    return {n.name.decode(): n.function for n in code.contents.natives[:code.contents.native_count]} if code else {}


def _is_cut_short(data: bytes) -> bool:
    """Whether an ELF file ends before its table of sections does.  The linker, which does not look, would be killed."""
    if len(data) < 64 or not data.startswith(b"\x7fELF"):
        return False
    table, size, count = *struct.unpack_from("Q", data, 40), *struct.unpack_from("HH", data, 58)
    return bool(len(data) < table + size * count)


class _Ptx:
    """PTX and its manifest, for CUDA devices alone."""
    suffix = ".ptx"
    name: str | None = None
    natives: dict[str, int] = {}

    def __init__(self, ptx: bytes, manifest: bytes) -> None:
        self.files: tuple[bytes, bytes] = (ptx, manifest)

    def manifest(self) -> str:
        return self.files[1].decode()

    def ptx(self) -> dict[int, str]:
        """The text, by its architecture."""
        text = self.files[0].decode()
        target = re.search(r"^\.target sm_(\d+)", text, re.M)
        return {int(target[1]): text} if target else {}

    def close(self) -> None:
        """Texts go by themselves."""

    def load_into(self, where: Context, made: c_void_p) -> int:
        """Returns the runtime's status."""
        ptx, manifest = self.files
        return int(library.gpucc_program_load_memory(where.handle, ptx, len(ptx), manifest, len(manifest), byref(made)))


def load(path: str | os.PathLike[str], manifest: str | os.PathLike[str] | None = None, *,
         name: str | None = None) -> Program:
    """The program of a shared object (`cc -shared trig.o -o trig.so`), or of PTX and its manifest.

    `path` ends in .so, .ptx or .json; of the latter two the other lies beside it unless `manifest` says where.  `name` is
    that of the program, its first source's, where a shared object has several."""
    path = Path(path)
    if path.suffix in (".ptx", ".json"):
        ptx, manifest = path.with_suffix(".ptx"), Path(manifest or path.with_suffix(".json"))
        return _of_content(".ptx", (_read(ptx), _read(manifest)), name, None)
    return _of_content(".so", (_read(path),), name, path.resolve())


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _errors.FileError(error.errno, error.strerror, str(path)) from None


# Exceptions of reading an invalid manifest.
_DAMAGED = (AttributeError, LookupError, RecursionError, StopIteration, TypeError, ValueError)


def _of_content(suffix: str, files: tuple[bytes, ...], name: str | None, path: Path | None) -> Program:
    digest = hashlib.sha256()
    for file in files:
        digest.update(b"%d\n" % len(file) + file)
    key = digest.hexdigest() + suffix + (f":{name}" if name else "")
    with _lock:
        found = _by_key.get(key)
        if found is None:
            artefact: _Library | _Ptx = _Ptx(*files) if suffix == ".ptx" else _Library(path, files[0], name)
            try:
                found = Program(key, artefact, artefact.manifest())
            except _DAMAGED as error:
                raise _errors.BadProgram(f"{path or 'the program'}: its manifest is damaged: {error!r}") from None
            _by_key[key] = _by_key[key.partition(":")[0] + f":{found.name}"] = found
    return found


def _revive(key: str, suffix: str, packed: tuple[bytes, ...], name: str) -> Program:
    """Restores a program from a pickle: its files are read only where the process lacks it."""
    found = _by_key.get(f"{key}:{name}")
    if found is not None:
        return found
    return _of_content(suffix, tuple([zlib.decompress(file) for file in packed]), None if suffix == ".ptx" else name, None)


# ---- the cache ----

def cache_folder() -> Path:
    """Returns the folder of programs that come from no file: `programs` in GPUCC_CACHE_DIR, or in the user's cache if that
    is not the user's own.  GPUCC_CACHE, the older name, is the folder itself."""
    given, alone = os.environ.get("GPUCC_CACHE_DIR"), os.environ.get("GPUCC_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    own = [Path(home) / "gpucc" / "programs", Path(tempfile.gettempdir()) / f"gpucc-{os.getuid()}"]
    for folder in [Path(given) / "programs", *own] if given else [Path(alone)] if alone else own:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK) and folder.stat().st_uid == os.getuid():
            return folder
    raise _errors.FileError("there is no writable cache folder that you own: set GPUCC_CACHE_DIR")


def store(name: str, data: bytes) -> Path:
    """A file of the cache that holds just this; it appears whole."""
    path = cache_folder() / name
    try:
        if not path.exists() or path.read_bytes() != data:
            with tempfile.TemporaryDirectory(dir=path.parent) as folder:
                Path(folder, name).write_bytes(data)
                os.replace(Path(folder, name), path)
    except OSError as error:
        raise _errors.FileError(f"cannot write {path} to the cache: {error.strerror}") from None
    return path


def _place(path: Path | None, data: bytes) -> Path:
    """A path from which the linker opens just these bytes.  It opens a path once: what has changed there since, and what
    comes without a path, lies in the cache under its hash."""
    digest = hashlib.sha256(data).hexdigest()
    if path is None or _opened.setdefault(str(path), digest) != digest:
        path = store(digest + ".so", data)
    return path
