"""Devices: a context of the runtime for each, or for several, made at its first use and kept, and what each holds of
programs."""
from __future__ import annotations

import contextlib
import ctypes
import logging
import operator
import os
import threading
import weakref
from collections.abc import Callable, Generator, Iterator
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any

from . import _errors
from ._library import (INTERRUPT, LOG, MEMORY_DEVICE, PROGRESS, ContextOptions, DeviceInfo, ExportOptions, WrapOptions, check,
                       extents, failure, interruptions, library, native)

_logger = logging.getLogger("gpucc")
_LEVELS = (logging.INFO, logging.WARNING, logging.ERROR)


def _log(_data: int, level: int, message: bytes) -> None:
    _logger.log(_LEVELS[level], "%s", message.decode(errors="replace"))


_LOG = LOG(_log)


def _run_signal_handlers() -> Generator[int, object, None]:
    """Each step runs the handlers of signals, as Python does between its own steps, and says whether one raised.  A
    function's first step is outside any `try`; a generator's next one is not."""
    raised = 0
    while True:
        try:
            yield raised
            raised = 0
        except GeneratorExit:
            raise
        except BaseException as error:  # KeyboardInterrupt
            interruptions.append(error)
            raised = 1


class View:
    """Memory of somebody else's that is an array: what wrapping it takes."""
    __slots__ = ("pointer", "shape", "strides", "code", "read_only")

    def __init__(self, pointer: int, shape: tuple[int, ...], strides: tuple[int, ...] | None, code: int,
                 read_only: bool) -> None:
        self.pointer: int = pointer
        self.shape: tuple[int, ...] = shape
        self.strides: tuple[int, ...] | None = strides
        self.code: int = code
        self.read_only: bool = read_only


class Wrapped:
    """A runtime's array over memory of somebody else's, which goes with the last call that uses it."""
    __slots__ = ("handle",)

    def __init__(self, handle: int) -> None:
        self.handle: int = handle

    def __del__(self, release: Any = library.gpucc_array_release) -> None:
        release(self.handle)


class Context:
    """A device, or several, which share the work on host arrays and on arrays that are split between them.
    `context("cuda:0,1")` gives it."""

    MOST_WRAPPED = 512

    def __init__(self, ordinals: tuple[int, ...], memory_limit: int = 0, reports: bool = False) -> None:
        """`ordinals` are those of GPUs, none the CPU's; only a context with `reports` has reporting()."""
        self.name: str = _name_of(ordinals)
        self.is_cuda: bool = bool(ordinals)
        self.ordinals: tuple[int, ...] = ordinals
        self._reporting = threading.Lock()
        self._progress: Callable[[int, int], object] = _nobody
        self._raised: list[BaseException] = []
        self._progress_callback = PROGRESS(self._report_progress) if reports else PROGRESS(0)
        self._programs: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._wrapped: dict[tuple[Any, ...], Wrapped] = {}
        self._lock = threading.Lock()
        handlers = _run_signal_handlers()
        next(handlers)
        self._interrupt_callback = INTERRUPT(handlers.send)
        handle = c_void_p()
        options = ContextOptions(device=self.name.encode(), log=_LOG, memory_limit=memory_limit,
                                 progress=self._progress_callback, interrupt=self._interrupt_callback)
        check(library.gpucc_context_create(byref(options), byref(handle)))
        self.handle: int | None = handle.value
        self._gate = c_void_p()
        if self.is_cuda:
            status = library.gpucc_array_create(self.handle, 0, 0, extents(()), byref(self._gate))
            if status:
                error = failure(status)
                library.gpucc_context_destroy(handle)
                raise error

    def __repr__(self) -> str:
        return f"<gpucc device {self.name}>"

    @property
    def devices(self) -> tuple[str, ...]:
        """Each by itself."""
        return tuple([f"cuda:{n}" for n in self.ordinals]) or ("cpu",)

    @property
    def gate(self) -> int | None:
        """An element of the context's own, by which streams of others are ordered."""
        return self._gate.value

    def program(self, program: Any) -> int:
        """The runtime's program, loaded at its first use."""
        found = self._programs.get(program)
        if found is None:
            with self._lock:
                found = self._programs.get(program)
                if found is None:
                    found = self._programs[program] = program._load_into(self)
                    weakref.finalize(program, library.gpucc_program_release, found).atexit = False
        return found

    def wrapped(self, key: tuple[Any, ...]) -> Wrapped | None:
        """An array of the runtime's over memory of somebody else's that looks as `key` says: a call in a loop finds what
        the one before has made."""
        found = self._wrapped.pop(key, None)
        if found is not None:
            self._wrapped[key] = found  # at the end: what has not been used longest goes first
        return found

    def wrap(self, key: tuple[Any, ...], view: View) -> Wrapped:
        """Makes it."""
        made = self._wrapped[key] = Wrapped(self.wrap_new(view))
        if len(self._wrapped) > self.MOST_WRAPPED:
            for old in list(self._wrapped)[: self.MOST_WRAPPED // 2]:
                self._wrapped.pop(old, None)
        return made

    def wrap_new(self, view: View, where: int = MEMORY_DEVICE, **more: Any) -> int:
        """An array over that memory, without a copy and without owning it, which the caller releases; `more` are
        fields of WrapOptions."""
        handle = c_void_p()
        options = byref(WrapOptions(read_only=view.read_only, **more)) if view.read_only or more else None
        check(library.gpucc_array_wrap_with(
            self.handle, view.code, len(view.shape), extents(view.shape),
            None if view.strides is None else extents(view.strides), view.pointer, where, options, byref(handle)))
        return handle.value or 0

    def find(self, find: Any, program: Any, name: str) -> int:
        """Looks a program's function up by name: `find` is gpucc_program_ufunc or _kernel."""
        found = c_void_p()
        check(find(self.program(program), name.encode(), byref(found)))
        return found.value or 0

    # ---- progress ----

    def _report_progress(self, _data: int, done: int, parts: int) -> None:
        """Called by whichever of the runtime's threads has done a part; one at a time."""
        if self._raised:
            return
        try:
            self._progress(done, parts)
        except BaseException as error:  # for the call to raise, as C has no exceptions
            self._raised.append(error)

    @contextlib.contextmanager
    def reporting(self, progress: Callable[[int, int], object]) -> Iterator[None]:
        """In this block `progress` gets the progress of the only running call."""
        with self._reporting:
            self._progress, self._raised = progress, []
            try:
                yield
            finally:
                self._progress, raised = _nobody, self._raised
            if raised:
                raise raised[0]

    # ---- streams of others ----

    def follow(self, stream: int) -> None:
        """Orders later work after the work of another CUstream.  CUDA's legacy default stream is ordered with ours
        implicitly."""
        if stream > 1:
            made = c_void_p()
            check(library.gpucc_array_wrap_with(
                self.handle, 0, 0, extents(()), None, library.gpucc_array_data(self._gate), MEMORY_DEVICE,
                byref(WrapOptions(cuda_stream=stream)), byref(made)))
            library.gpucc_array_release(made)

    def lead(self, stream: int) -> None:
        """Orders later work of that stream after all work enqueued here."""
        if stream > 1:
            from ._interchange import delete_tensor
            tensor = c_void_p()
            check(library.gpucc_array_to_dlpack(self._gate, byref(ExportOptions(cuda_stream=stream)),
                                                byref(tensor)))
            delete_tensor(tensor.value or 0, True)


@dataclass(frozen=True)
class Devices:
    """Which devices work on NumPy's arrays, and how: what `device=` of a call takes in place of a text.

    Arrays that exceed `memory_limit` bytes of each GPU's memory go there in parts; None: what GPUCC_MEMORY_LIMIT says, or
    half of the memory that is free.  `progress(done, parts)` is called after each part, by whichever thread has done it;
    it must not call gpucc, and what it raises the call raises when it has ended.

    >>> import gpucc
    >>> gpucc.Devices("cuda:all", memory_limit=2 ** 30)
    Devices(device='cuda:all', memory_limit=1073741824, progress=None)
    """
    device: str
    memory_limit: int | None = None
    progress: Callable[[int, int], object] | None = None

    def __post_init__(self) -> None:
        if self.memory_limit is not None and not 0 < operator.index(self.memory_limit) < 2**64:
            raise _errors.InvalidArgument(f"memory_limit={self.memory_limit!r}: expected a number of bytes")
        if self.progress is not None and not callable(self.progress):
            raise TypeError(f"progress={self.progress!r}: expected a callable that takes two numbers")


def _nobody(done: int, parts: int) -> None:
    """Ignores progress."""


# By the names of devices, as they are spelled, and those of calls with settings by name, limit and progress.
_contexts: dict[Any, Context] = {}
_making = threading.Lock()


def _forked() -> None:
    """A child makes contexts of its own: those of its parent cannot be used."""
    global _making
    _making = threading.Lock()
    _contexts.clear()
    if native:
        native.forget()


os.register_at_fork(after_in_child=_forked)


def context(device: str | Devices | None = None) -> Context:
    """The context of a device, "cpu", "cuda", "cuda:1", of several, "cuda:0,1", "cuda:all", or of "auto", which None means
    too."""
    if isinstance(device, Devices):
        device = device.device
    found = _contexts.get(device)
    if found is not None:
        return found
    if device is not None and not isinstance(device, str):
        raise TypeError(f"a device must be a str such as 'cpu' or 'cuda:0', not {device!r}")
    ordinals = _resolve(device)
    made = _cached_context(_name_of(ordinals), ordinals)
    if device is not None and device != "auto":
        _contexts[device] = made
    return made


def context_of_call(device: str | Devices) -> Context:
    """The same for one call's host arrays, with the settings that come with it."""
    where = context(device)
    if not isinstance(device, Devices) or device.memory_limit is None and device.progress is None:
        return where
    limit, reports = device.memory_limit or 0, device.progress is not None
    return _cached_context((where.name, limit, reports), where.ordinals, limit, reports)


def _cached_context(key: Any, *settings: Any) -> Context:
    with _making:
        found = _contexts.get(key)
        if found is None:
            found = _contexts[key] = Context(*settings)
        return found


def _name_of(ordinals: tuple[int, ...]) -> str:
    return "cuda:" + ",".join(map(str, ordinals)) if ordinals else "cpu"


def _resolve(device: str | None) -> tuple[int, ...]:
    """The ordinals of the GPUs that a text means; none: the CPU."""
    if device is None or device == "auto":
        device = os.environ.get("GPUCC_DEVICE") or "auto"
    info = DeviceInfo()
    check(library.gpucc_device_query(device.encode(), byref(info)))
    if not info.kind:
        return ()
    if device == "cuda:all":
        return tuple(range(device_count()))
    if "," in device:
        return tuple(map(int, device.removeprefix("cuda:").split(",")))
    return (info.ordinal,)


def device_count() -> int:
    """How many CUDA devices there are; 0 where there is no driver."""
    count = ctypes.c_int()
    check(library.gpucc_device_count(byref(count)))
    return count.value


def device_info(device: str | Devices | None = None) -> dict[str, Any]:
    """Describes a device, or the first of several: name, memory, multiprocessors …"""
    info = DeviceInfo()
    check(library.gpucc_context_info(context(device).handle, byref(info)))
    known = {field[0]: getattr(info, field[0]) for field in DeviceInfo._fields_[3:]}  # behind size, kind and ordinal
    return {"device": context(device).name, **known, "name": info.name.decode()}


def synchronize(device: str | Devices | None = None) -> None:
    """Waits for all work of a device, or without one of every device that has been used, and reports its errors."""
    used = [context(device)] if device is not None else list({id(c): c for c in _contexts.values()}.values())
    for each in used:
        check(library.gpucc_context_synchronize(each.handle))


def driver_stream(stream: Any) -> int:
    """The CUstream of what libraries call a stream: a number, or an object of CuPy's, PyTorch's, Numba's or another's that
    returns its own by __cuda_stream__()."""
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    handle = getattr(stream, "handle", None)
    if handle is not None:
        return int(getattr(handle, "value", handle) or 0)
    raise _errors.InvalidArgument(f"not a stream: {stream!r}")
