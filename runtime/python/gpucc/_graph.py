"""Graphs: calls that are recorded once and launched as one."""
from __future__ import annotations

import contextlib
import ctypes
from ctypes import byref, c_void_p
from typing import Any

import numpy as np

from . import _errors
from ._array import Array, empty
from ._context import Context, Devices, context, driver_stream
from ._interchange import Kind, Place, kind_of
from ._library import check, library, native
from ._recording import RECORDING
from ._ufunc import Operands


class _Call:
    """A recorded call: its operands by number, and of a launch the kernel and its arguments."""
    __slots__ = ("place", "operands", "kernel", "arguments", "replaced")

    def __init__(self, place: Place, operands: list[Any], kernel: Any, arguments: tuple[Any, ...]) -> None:
        self.place, self.operands, self.kernel, self.arguments = place, operands, kernel, list(arguments)
        self.replaced: dict[int, Any] = {}  # operands of updates, and what they hold


class Graph:
    """Calls that are recorded in a `with` block and launched as one: on a GPU a CUDA graph, on the CPU a list of calls.

    Calls of the block's thread are recorded and do not run.  Arrays that they create are undefined until a launch, and
    results without dimensions are arrays.

    >>> import gpucc, numpy
    >>> program = gpucc.compile('''
    ... #include <gpucc.h>
    ... vectorize(float64(float64, float64)) identity(0) reorderable
    ... double add(double x, double y) { return x + y; }
    ... ''')
    >>> x, y = numpy.arange(3.0), numpy.ones(3)
    >>> with gpucc.graph("cpu") as g:
    ...     z = program.add(x, y)
    ...     total = program.add.reduce(z)
    >>> g.launch()
    >>> z, total
    (array([1., 2., 3.]), array(6.))
    >>> x[:] = 10       # the same memory
    >>> g.update(0, 1, numpy.full(3, 5.0))
    >>> g.launch()
    >>> z, total
    (array([15., 15., 15.]), array(45.))
    """

    def __init__(self, device: str | Devices | None = None) -> None:
        self.context: Context = context(device)
        self._handle = c_void_p()
        self._calls: list[_Call] = []
        self.programs: set[Any] = set()  #: which live as long as the graph
        self._streams: dict[Kind, Any] = {}  # an array of each library, whose current stream launches are ordered with

    def __enter__(self) -> Graph:
        if self._handle or self._calls:
            raise _errors.InvalidArgument("the graph is recorded already")
        check(library.gpucc_graph_begin(self.context.handle))
        RECORDING.graph = self
        if native:
            native.record(1)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        RECORDING.graph = None
        if native:
            native.record(-1)
        if kind is None:
            check(library.gpucc_graph_end(self.context.handle, byref(self._handle)))
        else:
            library.gpucc_graph_end(self.context.handle, None)
            self._calls.clear()

    def __del__(self, release: Any = library.gpucc_graph_release) -> None:
        release(self._handle)

    def __len__(self) -> int:
        """The number of recorded calls."""
        return len(self._calls)

    def __repr__(self) -> str:
        return f"<gpucc graph of {len(self)} calls on {self.context.name}>"

    def note(self, place: Place, operands: list[Any], kernel: Any, arguments: tuple[Any, ...]) -> None:
        """Notes a call that has been recorded."""
        self._calls.append(_Call(place, operands, kernel, arguments))
        for x in [*operands, *arguments]:
            if kind_of(x).device(x) == self.context.name and not isinstance(x, Array):
                self._streams.setdefault(kind_of(x), x)

    def example(self) -> Array:
        """An array of the kind that calls without arrays return."""
        return empty((), device=self.context.name)

    def launch(self, stream: Any = None) -> None:
        """Enqueues all calls.  Without `stream`, the launch keeps order with the current streams of the libraries whose
        arrays it uses; a CUstream or a library's stream keeps order with that one."""
        if not self._handle:
            raise _errors.InvalidArgument("the graph is not recorded: use it in a with block")
        with contextlib.ExitStack() as streams:
            if stream is not None:
                if not self.context.is_cuda:
                    raise _errors.InvalidArgument("stream= is supported on GPUs only, and the graph is on the CPU")
                streams.enter_context(Place(self.context, driver_stream(stream), kind_of(None)))
            elif self.context.is_cuda:
                for kind, x in self._streams.items():
                    streams.enter_context(Place(self.context, kind.stream(x), kind))
            check(library.gpucc_graph_launch(self._handle, None))

    def update(self, call: int, operand: int | str, value: Any) -> None:
        """Replaces an operand of a call in later launches.  Calls are numbered in the order of recording, operands as the
        call lists them, inputs before outputs; those of kernels have names, too.  An array has the dtype and shape of
        the recorded one."""
        if not self._handle or not -len(self) <= call < len(self):
            raise IndexError(f"call {call} of {self!r}")
        number = call % len(self)
        noted = self._calls[number]
        if noted.kernel is not None:
            self._update_launch(number, noted, operand, value)
            return
        if isinstance(operand, str):
            raise TypeError("operands of ufuncs have numbers, not names")
        with Operands(noted.place) as taken:
            is_hosts = isinstance(value, np.ndarray) and value.ndim > 0  # itself, as an output is written to
            handle = taken.output(value) if is_hosts else taken.input(value)
            check(library.gpucc_graph_update(self._handle, number, operand, handle))
            noted.replaced[operand] = (value, taken.keepalive)

    def _update_launch(self, number: int, noted: _Call, operand: int | str, value: Any) -> None:
        kernel, keepalive = noted.kernel, []  # type: ignore[var-annotated]
        names = [p.name for p in kernel._parameters]
        if isinstance(operand, str):
            if operand not in names:
                raise TypeError(f"{kernel!r} has no parameter {operand!r}")
            operand = names.index(operand)
        if not 0 <= operand < len(names):
            raise IndexError(f"parameter {operand} of {kernel!r}")
        arguments = [*noted.arguments]
        arguments[operand] = value
        made = kernel._values(tuple(arguments), keepalive)[operand]
        check(library.gpucc_graph_update_parameter(self._handle, number, operand, ctypes.addressof(made),
                                                   ctypes.sizeof(made)))
        noted.arguments[operand] = value
        noted.replaced[operand] = (value, keepalive)


def graph(device: str | Devices | None = None) -> Graph:
    """A graph on a device, by default a GPU where there is one, which a `with` block records."""
    return Graph(device)
