"""Operands that are more than their elements: those that handle ufuncs themselves, by NumPy's `__array_ufunc__` (labels of
pandas and xarray, units of pint and astropy), and masked arrays."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ._interchange import called

if TYPE_CHECKING:
    from ._context import Devices
    from ._ufunc import Ufunc

_masks: Any = np.ma  # whose functions have no types
NO_MASKS = "masked arrays are not supported: pass x.filled(value)"


class _Deferred:
    """A function as `__array_ufunc__` receives it: with the attributes of a numpy.ufunc, and calls that run on the device
    which the caller asked for."""

    def __init__(self, ufunc: Ufunc, device: str | Devices | None) -> None:
        options: dict[str, Any] = {} if device is None else {"device": device}
        self.ufunc, self.options = ufunc, options
        self.__name__, self.__doc__ = numpy_name(ufunc.__name__), ufunc.__doc__
        self.nin, self.nout, self.nargs, self.ntypes, self.types = ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes, ufunc.types
        self.identity, self.signature = ufunc.identity, ufunc.signature
        for method in ("reduce", "accumulate", "reduceat", "outer", "at"):
            setattr(self, method, partial(getattr(ufunc, method), **options))

    def __call__(self, *operands: Any, **options: Any) -> Any:
        return self.ufunc(*operands, **self.options, **options)

    def __repr__(self) -> str:
        return f"<ufunc {self.__name__!r}>"


def numpy_name(name: str) -> str:
    """The name of a function as a numpy.ufunc: libraries treat a ufunc called "add" as NumPy's own."""
    return f"gpucc.{name}"


class Handlers:
    """Returned for the place of a call whose operands handle ufuncs themselves: the call is theirs."""

    def __init__(self, handlers: list[Any], operands: list[Any], device: str | Devices | None, on_host: bool) -> None:
        self.handlers, self.operands, self.device = handlers, operands, device
        #: no operand is on a device, and the call asks for none: NumPy's own dispatch does the same
        self.is_numpys = on_host and device is None

    def call(self, ufunc: Ufunc, method: str, inputs: tuple[Any, ...], out: Any, options: dict[str, Any]) -> Any:
        """NumPy's protocol: the first operand that implements the call returns its result."""
        outs = out if isinstance(out, tuple) else (out,)
        if any(x is not None and x is not ... for x in outs):
            options = {**options, "out": outs}
        deferred = _Deferred(ufunc, self.device)
        for x in _in_order(self.handlers):
            handle = type(x).__array_ufunc__
            if handle is None:
                raise TypeError(f"operand '{called(x)}' does not support ufuncs (__array_ufunc__=None)")
            made = handle(x, deferred, method, *inputs, **options)
            if made is not NotImplemented:
                return made
        raise TypeError(f"operand type(s) all returned NotImplemented from __array_ufunc__({deferred!r}, {method!r}, …): "
                        + ", ".join(called(x) for x in self.operands if x is not None and x is not True))

    def refuse(self, name: str) -> NoReturn:
        raise TypeError(f"{name}: {called(self.handlers[0])} overrides NumPy's ufuncs, but this is a different function: pass "
                        "numpy.asarray(x)")


def _in_order(handlers: list[Any]) -> list[Any]:
    """One of each type, subclasses before their bases, else from left to right."""
    found: list[Any] = []
    for x in handlers:
        if all(type(x) is not type(y) for y in found):
            found.insert(next((i for i, y in enumerate(found) if isinstance(x, type(y))), len(found)), x)
    return found


# Types whose elements a kernel takes: labels are checked, while units would be dropped.
_LABELLED = {("pandas", "Series"), ("pandas", "DataFrame"), ("pandas", "Index"), ("xarray", "DataArray")}


def is_labelled(x: Any) -> bool:
    """Whether it is an array with labels of pandas or xarray."""
    return any((base.__module__.partition(".")[0], base.__name__) in _LABELLED for base in type(x).__mro__)


def check_labels(name: str, arrays: list[Any]) -> None:
    """A kernel goes by positions: labelled arrays of one length must have the same labels."""
    seen: dict[Any, Any] = {}
    for x in arrays:
        for key, labels in _labels(x) if hasattr(x, "__array_ufunc__") and is_labelled(x) else ():
            before = seen.setdefault((key, len(labels)), labels)
            if before is not labels and not before.equals(labels):
                raise TypeError(f"{name}: arrays of pandas or xarray have different labels: align them, or pass x.to_numpy()")


def _labels(x: Any) -> Iterable[tuple[Any, Any]]:
    """The labels of each dimension, an index of pandas, by what dimensions of other arrays share."""
    if hasattr(x, "indexes"):
        return list(x.indexes.items())
    return [(None, labels) for labels in getattr(x, "axes", ())]


def is_masked(x: Any) -> bool:
    return isinstance(x, np.ma.MaskedArray)


def refuse_mask(x: Any) -> None:
    if is_masked(x):
        raise TypeError(NO_MASKS)


def call_masked(call: Callable[[tuple[Any, ...]], Any], operands: tuple[Any, ...]) -> Any:
    """A call by elements of masked arrays, as numpy.ma has it: masked where an operand is."""
    mask = reduce(np.logical_or, [_masks.getmaskarray(x) for x in operands if is_masked(x)])
    made = call(tuple([x.data if is_masked(x) else x for x in operands]))
    if not isinstance(made, tuple):
        return _masked(made, mask)
    return tuple([_masked(x, mask) for x in made])


def _masked(values: Any, mask: Any) -> Any:
    return _masks.array(values, mask=np.broadcast_to(mask, np.shape(values)))[()]
