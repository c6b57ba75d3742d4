"""The array namespace of gpucc.Array: functions of the array API standard, by its names, as far as arrays support them.

>>> import gpucc
>>> x = gpucc.asarray([[1.0, 4.0], [9.0, 16.0]], device="cpu")
>>> xp = x.__array_namespace__()
>>> xp.sum(xp.sqrt(x), axis=0).to_numpy()
array([4., 6.])
"""
from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._array import Array, asarray, empty, full, ones, zeros
from ._interchange import from_dlpack as from_dlpack
from ._operators import matmul as matmul
from ._operators import operate, raise_power, reducer

bool = np.dtype(np.bool_)
int8, int16, int32, int64 = (np.dtype(f"i{n}") for n in (1, 2, 4, 8))
uint8, uint16, uint32, uint64 = (np.dtype(f"u{n}") for n in (1, 2, 4, 8))
float32, float64, complex64, complex128 = (np.dtype(name) for name in ("f4", "f8", "c8", "c16"))
e, pi, inf, nan, newaxis = np.e, np.pi, np.inf, np.nan, None
finfo, iinfo = np.finfo, np.iinfo

# ---- of each element ----


def _element(name: str) -> Callable[..., Array]:
    def function(*operands: Any) -> Array:
        made: Array = operate(name, *operands)
        return made
    function.__name__ = name
    return function


add, subtract, multiply, divide, floor_divide, remainder = map(
    _element, ("add", "subtract", "multiply", "divide", "floor_divide", "mod"))
equal, not_equal, less, less_equal, greater, greater_equal = map(
    _element, ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))
bitwise_and, bitwise_or, bitwise_xor, bitwise_invert = map(
    _element, ("bitwise_and", "bitwise_or", "bitwise_xor", "invert"))
negative, abs, sqrt, minimum, maximum = map(_element, ("negative", "absolute", "square_root", "minimum", "maximum"))
acos, acosh, asin, asinh, atan, atanh = map(_element, ("acos", "acosh", "asin", "asinh", "atan", "atanh"))
cos, cosh, sin, sinh, tan, tanh = map(_element, ("cos", "cosh", "sin", "sinh", "tan", "tanh"))
exp, expm1, log, log1p, log2, log10 = map(_element, ("exp", "expm1", "log", "log1p", "log2", "log10"))
floor, ceil, trunc, round = map(_element, ("floor", "ceil", "trunc", "rint"))
atan2, hypot, copysign, nextafter = map(_element, ("atan2", "hypot", "copysign", "nextafter"))
isnan, isinf, isfinite = map(_element, ("isnan", "isinf", "isfinite"))
logical_and, logical_or, logical_xor, logical_not = map(
    _element, ("logical_and", "logical_or", "logical_xor", "logical_not"))
pow = raise_power


def square(x: Array) -> Array:
    return multiply(x, x)


def where(condition: Array, x: Any, y: Any) -> Array:
    """x where the condition is true, y elsewhere."""
    made: Array = operate("where", condition, x, y)
    return made


def astype(x: Array, dtype: Any, copy: builtins.bool = True) -> Array:
    return x.astype(dtype, copy=copy)


# ---- of many elements ----


def _reduce(name: str, x: Array, axis: Any, keepdims: builtins.bool, dtype: Any = None) -> Array:
    values = x if dtype is None else x.astype(dtype, copy=False)
    made: Array = reducer(name, values).reduce(values, axis=axis, keepdims=keepdims)
    return made


def _sum_type(x: Array, dtype: Any) -> Any:
    """The standard's: small integers are added as int64 or uint64."""
    if dtype is not None or x.dtype.kind not in "biu" or x.dtype.itemsize == 8:
        return dtype
    return uint64 if x.dtype.kind == "u" else int64


def sum(x: Array, axis: Any = None, dtype: Any = None, keepdims: builtins.bool = False) -> Array:
    return _reduce("add", x, axis, keepdims, _sum_type(x, dtype))


def prod(x: Array, axis: Any = None, dtype: Any = None, keepdims: builtins.bool = False) -> Array:
    return _reduce("multiply", x, axis, keepdims, _sum_type(x, dtype))


def min(x: Array, axis: Any = None, keepdims: builtins.bool = False) -> Array:
    return _reduce("minimum", x, axis, keepdims)


def max(x: Array, axis: Any = None, keepdims: builtins.bool = False) -> Array:
    return _reduce("maximum", x, axis, keepdims)


def any(x: Array, axis: Any = None, keepdims: builtins.bool = False) -> Array:
    return _reduce("logical_or", x, axis, keepdims, bool)


def all(x: Array, axis: Any = None, keepdims: builtins.bool = False) -> Array:
    return _reduce("logical_and", x, axis, keepdims, bool)


def mean(x: Array, axis: Any = None, keepdims: builtins.bool = False) -> Array:
    total = sum(x, axis=axis, keepdims=keepdims)
    return divide(total, x.size // builtins.max(total.size, 1))


def var(x: Array, axis: Any = None, correction: float = 0.0, keepdims: builtins.bool = False) -> Array:
    squares = sum(square(subtract(x, mean(x, axis=axis, keepdims=True))), axis=axis, keepdims=keepdims)
    return divide(squares, x.size // builtins.max(squares.size, 1) - correction)


def std(x: Array, axis: Any = None, correction: float = 0.0, keepdims: builtins.bool = False) -> Array:
    return sqrt(var(x, axis, correction, keepdims))


# ---- new arrays ----


def _like(make: Callable[..., Array]) -> Callable[..., Array]:
    def function(x: Array, *value: Any, dtype: Any = None, device: Any = None) -> Array:
        return make(x.shape, *value, dtype=x.dtype if dtype is None else dtype,
                    device=x.device if device is None else device)
    return function


empty_like, zeros_like, ones_like, full_like = _like(empty), _like(zeros), _like(ones), _like(full)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, device: Any = None) -> Array:
    first, end = (0, start) if stop is None else (start, stop)
    return asarray(np.arange(first, end, step, dtype=dtype), device=device)


def linspace(start: Any, stop: Any, num: int, dtype: Any = None, device: Any = None,
             endpoint: builtins.bool = True) -> Array:
    return asarray(np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype), device=device)


def eye(rows: int, columns: int | None = None, k: int = 0, dtype: Any = float64, device: Any = None) -> Array:
    return asarray(np.eye(rows, columns, k=k, dtype=dtype), device=device)


# ---- the same elements in other shapes ----


def reshape(x: Array, shape: Sequence[int], copy: builtins.bool | None = None) -> Array:
    return (x.copy() if copy else x).reshape(shape)


def permute_dims(x: Array, axes: Sequence[int]) -> Array:
    return x.transpose(tuple(axes))


def matrix_transpose(x: Array) -> Array:
    return x.mT


def expand_dims(x: Array, axis: int = 0) -> Array:
    index = axis + x.ndim + 1 if axis < 0 else axis
    if not 0 <= index <= x.ndim:
        raise IndexError(f"axis {axis} is out of bounds for array of dimension {x.ndim + 1}")
    return x[(slice(None),) * index + (None,)]


def squeeze(x: Array, axis: int | Sequence[int]) -> Array:
    part = x._shadow().squeeze(axis=axis if isinstance(axis, int) else tuple(axis))
    return x._view(part.shape, part.strides)


def flip(x: Array, axis: int | Sequence[int] | None = None) -> Array:
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    index = [slice(None)] * x.ndim
    for i in axes:
        index[i] = slice(None, None, -1)
    return x[tuple(index)]


def broadcast_to(x: Array, shape: Sequence[int]) -> Array:
    part = np.broadcast_to(x._shadow(), tuple(shape))
    return x._view(part.shape, part.strides)


def concat(arrays: Sequence[Array], axis: int | None = 0) -> Array:
    parts = [x.reshape(-1) for x in arrays] if axis is None else list(arrays)
    place = axis or 0
    shape = list(parts[0].shape)
    shape[place] = builtins.sum(x.shape[place] for x in parts)
    made = empty(shape, result_type(*parts), parts[0].device)
    start = 0
    for x in parts:
        target = [slice(None)] * made.ndim
        target[place] = slice(start, start + x.shape[place])
        made[tuple(target)] = x
        start += x.shape[place]
    return made


def stack(arrays: Sequence[Array], axis: int = 0) -> Array:
    return concat([expand_dims(x, axis) for x in arrays], axis=axis)


# ---- types ----


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    return np.result_type(*(x.dtype if isinstance(x, Array) else x for x in arrays_and_dtypes))


def can_cast(from_: Any, to: Any) -> builtins.bool:
    return np.can_cast(from_.dtype if isinstance(from_, Array) else from_, to)
