"""Operators of arrays: functions of C that are compiled, and cached, when a program first uses one."""
from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _dtypes

if TYPE_CHECKING:
    from ._array import Array
    from ._ufunc import Ufunc

_ARITHMETIC = {"add": "+", "subtract": "-", "multiply": "*"}
_COMPARISONS = {"equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}
_BITS = {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}
_OF_BOOLEANS = {"add": "|", "multiply": "&", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "!="}


# Python's division of integers rounds down, and NumPy's by 0 gives 0.  C leaves the overflow of signed integers undefined,
# where NumPy wraps: hence products and negatives of integers without sign.
_SIGNED = {
    "floor_divide": "y == 0 ? 0 : y == -1 ? (T)(0 - (uint64)x) : (T)(x / y - (x % y != 0 && (x < 0) != (y < 0)))",
    "mod": "y == 0 || y == -1 ? 0 : (T)(x % y + (x % y != 0 && (x < 0) != (y < 0) ? y : 0))",
    "absolute": "(T)(x < 0 ? 0 - (uint64)x : (uint64)x)",
    "negative": "(T)(0 - (uint64)x)",
}
_UNSIGNED = {"floor_divide": "y ? x / y : 0", "mod": "y ? x % y : 0", "absolute": "x", "negative": "(T)-x"}
_FLOATING = {"floor_divide": "floored((T)x, (T)y)", "mod": "modulo((T)x, (T)y)", "absolute": "fabs((T)x)",
             "negative": "-x", "divide": "x / y", "power": "pow((T)x, (T)y)", "square_root": "sqrt((T)x)"}
_COMPLEX = {"absolute": "fabs(x)", "negative": "-x", "divide": "x / y", "power": "pow(x, y)", "square_root": "sqrt(x)"}
_UNARY = "negative", "invert", "absolute", "square_root"

# NumPy's algorithms: the remainder has the divisor's sign, and a quotient that is nearly whole becomes so.
_FUNCTIONS = {
    "floored": """static inline T floored(T x, T y)
{
    if (y == 0)
        return x / y;
    const T rest = fmod(x, y), quotient = (x - rest) / y - (rest != 0 && (y < 0) != (rest < 0));
    const T whole = floor(quotient);
    return quotient == 0 ? copysign(0, x / y) : quotient - whole > (T)0.5 ? whole + 1 : whole;
}
""",
    "modulo": """static inline T modulo(T x, T y)
{
    const T rest = fmod(x, y);
    return y == 0 ? rest : rest == 0 ? copysign(0, y) : (y < 0) != (rest < 0) ? rest + y : rest;
}
""",
    "powered": """static inline T powered(T x, T y)
{
    uint64 product = 1, square = (uint64)x;
    for (uint64 n = (uint64)y; n; n >>= 1, square *= square)
        product *= n & 1 ? square : 1;
    return (T)product;
}
""",
}


def _expression(name: str, dtype: str) -> str | None:
    """The function's C for operands of that type; None where NumPy has none, either."""
    kind = "f" if dtype == "bfloat16" else np.dtype({"boolean": "bool"}.get(dtype, dtype)).kind
    if name in _COMPARISONS:
        return None if kind == "c" and name not in ("equal", "not_equal") else f"x {_COMPARISONS[name]} y"
    if kind == "b":
        return f"x {_OF_BOOLEANS[name]} y" if name in _OF_BOOLEANS else {"invert": "!x", "absolute": "x"}.get(name)
    if name in _ARITHMETIC:
        return f"(T)((uint64)x {_ARITHMETIC[name]} (uint64)y)" if kind == "i" else f"x {_ARITHMETIC[name]} y"
    if kind in "fc":
        return (_FLOATING if kind == "f" else _COMPLEX).get(name)
    if name in _BITS:
        return f"x {_BITS[name]} y"
    more = {"invert": "~x", "power": "powered(x, y)", "minimum": "x < y ? x : y"}
    return more.get(name) or (_SIGNED if kind == "i" else _UNSIGNED).get(name)


def _source(name: str, dtype: str, expression: str) -> str:
    """T is the type of the computation: that of 16 bits and less is a float's, as in C and NumPy."""
    computed = "float" if dtype in ("float16", "bfloat16") else dtype
    result = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype) if name == "absolute" else dtype
    result = "boolean" if name in _COMPARISONS else result
    parameters = f"{dtype} x" if name in _UNARY else f"{dtype} x, {dtype} y"
    helper = _FUNCTIONS.get(expression.partition("(")[0], "")
    reduces = " reorderable" if name == "minimum" else ""
    return (f"#include <gpucc.h>\n#include <tgmath.h>\ntypedef {computed} T;\n{helper}"
            f"vectorize(){reduces} {result} {name}({parameters})\n{{\n    return {expression};\n}}\n")


@lru_cache(maxsize=None)
def _function(name: str, dtype: str) -> Ufunc | None:
    from ._compile import compile
    expression = _expression(name, dtype)
    if expression is None:
        return None
    program = compile(_source(name, dtype, expression), name="operators")
    found: Ufunc = program[name]
    return found


def _common(name: str, operands: tuple[Any, ...]) -> str:
    """The type in which the operands are combined, by NumPy's rules."""
    own = [x.dtype for x in operands if hasattr(x, "dtype")]
    if any(_dtypes.is_bfloat16(dtype) for dtype in own):
        return "bfloat16"
    common = np.result_type(*[x.dtype if hasattr(x, "dtype") else x for x in operands])
    if name == "divide" and common.kind in "biu":
        common = np.dtype(float)
    return "boolean" if common.kind == "b" else common.name


def _check_exponent(exponent: Any, dtype: str) -> None:
    """As NumPy does."""
    minimum = _function("minimum", dtype)
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
    function = _function(name, dtype)
    if function is None:
        types = ", ".join(str(getattr(x, "dtype", type(x).__name__)) for x in operands)
        raise TypeError(f"{name} is not supported for operands of {types}")
    return function(*operands) if out is None else function(*operands, out=out)
