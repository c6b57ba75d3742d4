"""Operators of arrays, and their functions of the array namespace."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _dtypes
from ._array_functions import MATH, MATH_OF_TWO, OF_INTEGERS, element_function, product_function
from ._library import library

if TYPE_CHECKING:
    from ._array import Array
    from ._ufunc import Ufunc

# Integers are converted to float64 before these.
_OF_FLOATING = (MATH | MATH_OF_TWO | {"divide", "square_root"}) - OF_INTEGERS.keys()


def _float8_name(x: Any) -> str:
    """The float8 type of an array of ours, or ""; NumPy may have it as plain bytes."""
    from ._array import Array
    name: str = _dtypes.NAMES[library.gpucc_array_dtype(x._handle)] if isinstance(x, Array) else ""
    return name if name.startswith("float8") else ""


def _common(name: str, operands: tuple[Any, ...]) -> str:
    """The type in which the operands are combined, by NumPy's rules."""
    own = [x.dtype for x in operands if hasattr(x, "dtype")]
    if any(_dtypes.is_bfloat16(dtype) for dtype in own):
        return "bfloat16"
    eights = [eight for x in operands if (eight := _float8_name(x))]
    if eights:
        return eights[0]
    values = operands[1:] if name == "where" else operands
    common = np.result_type(*[x.dtype if hasattr(x, "dtype") else x for x in values])
    if common.kind in "biu" and name in _OF_FLOATING:
        common = np.dtype(float)
    return "boolean" if common.kind == "b" else common.name


def _check_exponent(exponent: Any, dtype: str) -> None:
    """As NumPy does."""
    minimum = element_function("minimum", dtype)
    assert minimum
    least = exponent if not hasattr(exponent, "shape") or not exponent.shape else \
        minimum.reduce(exponent.astype(dtype, copy=False), axis=None, initial=0).item()
    if least < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")


def raise_power(base: Any, exponent: Any, out: Array | None = None) -> Any:
    """The operator **, which has NumPy's short ways for exponents that are Python's numbers."""
    floating = hasattr(base, "dtype") and (_dtypes.is_bfloat16(base.dtype) or base.dtype.kind in "fc")
    if isinstance(exponent, (int, float)) and exponent == 2 and (floating or isinstance(exponent, int)):
        return operate("multiply", base, base, out=out)
    if isinstance(exponent, (int, float)) and floating and exponent in (0.5, -1):
        return operate("square_root", base, out=out) if exponent == 0.5 else operate("divide", 1, base, out=out)
    return operate("power", base, exponent, out=out)


def operate(name: str, *operands: Any, out: Array | None = None) -> Any:
    """The result of an operator; NotImplemented for operands that gpucc does not know, which may know arrays."""
    from ._array import Array
    if not all(isinstance(x, (Array, bool, int, float, complex, np.generic)) for x in operands):
        return NotImplemented
    dtype = _common(name, operands)
    if name == "power" and dtype in ("int8", "int16", "int32", "int64"):
        _check_exponent(operands[1], dtype)
    function = element_function(name, dtype)
    if function is None:
        types = ", ".join(str(getattr(x, "dtype", type(x).__name__)) for x in operands)
        raise TypeError(f"{name} is not supported for operands of {types}")
    return function(*operands) if out is None else function(*operands, out=out)


def reducer(name: str, x: Array) -> Ufunc:
    """The function whose `reduce` takes arrays of that type."""
    function = element_function(name, _common(name, (x,)))
    if function is None:
        raise TypeError(f"{name} is not supported for operands of {x.dtype}")
    return function


def matmul(a: Any, b: Any) -> Any:
    """The product of matrices, of NumPy's types and shapes."""
    from ._array import Array
    if not isinstance(a, Array) or not isinstance(b, Array):
        return NotImplemented
    left, right = _float8_name(a), _float8_name(b)
    if left and right:
        return product_function(left, right)(a, b)
    dtype = _common("matmul", (a, b))
    if dtype == "boolean" or dtype.startswith("complex"):
        raise TypeError(f"matmul is not supported for operands of {a.dtype}, {b.dtype}")
    return product_function(dtype, dtype)(a, b)
