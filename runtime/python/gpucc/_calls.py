"""The base types of `Array` and `Ufunc`: the extension's, whose common calls execute no Python code, or the same in Python
without the extension."""
from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any

import numpy as np

from ._context import Context, context
from ._interchange import leave_capsules
from ._library import check, failure, library, native


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
    _by_element: bool  # and not of whole arrays

    def __call__(self: Any, *operands: Any, **options: Any) -> Any:
        if options.keys() <= _OUT and len(operands) == self.nin and self.nout == 1:
            out = options.get("out")
            kinds = set(map(type, operands if out is None else (*operands, out)))
            if kinds == _NUMPYS and self._host is not None:
                return self._host(*operands) if out is None else self._host(*operands, out)
            if kinds == _OURS and len({x._context for x in (operands if out is None else (*operands, out))}) == 1:
                return self._call_on_ours(operands, out)
        return self._anywhere(*operands, **options)

    def _call_on_ours(self: Any, operands: tuple[Any, ...], out: Any) -> Any:
        where = operands[0]._context
        inputs, made = (c_void_p * self.nin)(*[x._handle for x in operands]), c_void_p(None if out is None else out._handle)
        check(library.gpucc_ufunc_call(self._handle(where), inputs, byref(made), None))
        return type(operands[0])._of(made.value, where) if out is None else out


_OUT = {"out"}
_NUMPYS: set[type] = {np.ndarray}
_OURS: set[type] = set()

if native:
    Held, Calls = native.Held, native.Calls  # type: ignore[misc]


def begin(array: type) -> None:
    """Tells of the type of our arrays, and the extension of what it asks."""
    _OURS.add(array)
    if native:
        native.begin(np.ndarray, array, failure, context, leave_capsules)
