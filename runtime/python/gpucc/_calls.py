"""The base types of `Array`, `Ufunc` and `Kernel`: the extension's, whose common calls execute no Python code, or the same in
Python without the extension."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import byref, c_void_p
from typing import Any, SupportsIndex, Union

import numpy as np

from ._context import Context, Devices, context
from ._dtypes import DTYPES, code_of
from ._interchange import leave_capsules
from ._library import check, failure, library, native
from ._recording import RECORDING


UNSAID: Any = type("_Unsaid", (), {"__repr__": lambda self: "<no value>"})()


class Held:
    """An array of the runtime's, which goes with it."""
    __slots__ = ("_handle", "_context", "_base", "_capsules")
    _handle: int | None
    _context: Context
    _base: object
    _capsules: list[Any] | None

    def __del__(self, release: Any = library.gpucc_array_release, leave: Any = leave_capsules) -> None:
        if self._capsules:
            leave(self._capsules)
        release(self._handle)


class Calls:
    """A function of arrays, with a shorter way for NumPy's arrays and ours alone."""
    nin: int
    nout: int
    _host: Any  # what NumPy's arrays are given to, or None
    _has_wide_first: int  # _host has numbers as _with_types() makes them; 2: as NumPy 1 needs them
    _by_element: bool  # and not of whole arrays

    def __call__(self: Any, *operands: Any, **options: Any) -> Any:
        if options.keys() <= _OUT and len(operands) == self.nin and self.nout == 1 and RECORDING.graph is None:
            out = options.get("out")
            kinds = set(map(type, operands if out is None else (*operands, out)))
            if kinds == _NUMPYS and self._host is not None and self._has_wide_first < 2:
                return self._host(*operands) if out is None else self._host(*operands, out)
            if kinds == _OURS and len({x._context for x in (operands if out is None else (*operands, out))}) == 1:
                return self._call_on_ours(operands, out)
        return self._anywhere(*operands, **options)

    # ---- methods ----

    def reduce(self: Any, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False,
               initial: Any = UNSAID, where: Any = True, *, device: str | Devices | None = None) -> Any:
        """Combines the elements along axes.  On a device what is reorderable goes by the fixed tree, whose bits are the
        same on every device; NumPy goes from the left, by runs of elements."""
        return self._reduce(array, axis, dtype, out, keepdims, initial, where, device=device)

    def accumulate(self: Any, array: Any, axis: int = 0, dtype: Any = None, out: Any = None, *,
                   device: str | Devices | None = None) -> Any:
        """Every partial result along an axis."""
        return self._accumulate(array, axis, dtype, out, device=device)

    def reduceat(self: Any, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None, *,
                 device: str | Devices | None = None) -> Any:
        """Reductions of the slices that indices say."""
        return self._reduceat(array, indices, axis, dtype, out, device=device)

    def outer(self: Any, *operands: Any, out: Any = None, **options: Any) -> Any:
        """Every combination of the operands' elements."""
        return self._outer(*operands, out=out, **options)

    def at(self: Any, array: Any, indices: Any, operand: Any = None, /, *, device: str | Devices | None = None) -> None:
        """In place, on the elements that indices name, one after another: whatever NumPy indexes with."""
        self._at(array, indices, operand, device=device)

    def _call_on_ours(self: Any, operands: tuple[Any, ...], out: Any) -> Any:
        where = operands[0]._context
        inputs, made = (c_void_p * self.nin)(*[x._handle for x in operands]), c_void_p(None if out is None else out._handle)
        check(library.gpucc_ufunc_call(self._handle(where), inputs, byref(made), None))
        return type(operands[0])._of(made.value, where) if out is None else out


class Fused:
    """A fused reduction, with a shorter way for arrays of one library."""
    nin: int
    _is_fused: bool

    def __call__(self: Any, *inputs: Any, **options: Any) -> Any:
        return self._anywhere(*inputs, **options)


Sizes = Union[SupportsIndex, Sequence[SupportsIndex]]  #: of a grid, a block or threads: a number or up to three


class Launches:
    """A kernel, with a shorter way for scalars and arrays that need no conversion."""

    def __getitem__(self: Any, sizes: tuple[Any, ...]) -> Callable[..., None]:
        """[grid, block], [grid, block, stream] or [grid, block, stream, shared]; each a number or up to three."""
        launcher: Callable[..., None] = self._launcher(sizes)
        return launcher

    def __call__(self: Any, *arguments: Any, threads: Sizes | None = None, grid: Sizes | None = None,
                 block: Sizes | None = None, shared: int = 0, stream: Any = None, device: str | None = None,
                 **named: Any) -> None:
        """Launches blocks for so many `threads`, or a `grid` of them; without `block` its size suits the kernel.

        `device` runs a kernel whose arguments name none: scalars and addresses."""
        self._anywhere(*arguments, threads=threads, grid=grid, block=block, shared=shared, stream=stream, device=device,
                       **named)

    def _set_parameters(self, parameters: tuple[Any, ...]) -> None:
        """Sets the parameters that the extension reads."""


_OUT = {"out"}
_NUMPYS: set[type] = {np.ndarray}
_OURS: set[type] = set()

if native:
    Held, Calls = native.Held, native.Calls  # type: ignore[misc]
    Fused, Launches = native.Fused, native.Launches  # type: ignore[misc]


def begin(array: type) -> None:
    """Tells of the type of our arrays, and the extension of what it asks."""
    _OURS.add(array)
    if native:
        native.begin(np.ndarray, array, failure, context, leave_capsules, np.generic, code_of,
                     tuple([dtype.type for dtype in DTYPES]))
