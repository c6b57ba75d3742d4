"""The C of functions of arrays, which is compiled, and cached, when a program first uses one."""
from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from . import _dtypes

if TYPE_CHECKING:
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
# Functions of <math.h>, by their own names: of one and two operands, and those with a meaning for complex numbers or integers.
MATH = frozenset("""acos acosh asin asinh atan atanh cos cosh sin sinh tan tanh exp expm1 log log1p log2 log10
                    floor ceil trunc rint isnan isinf isfinite""".split())
MATH_OF_TWO = frozenset("atan2 hypot copysign nextafter".split())
_OF_COMPLEX = frozenset("acos acosh asin asinh atan atanh cos cosh sin sinh tan tanh exp log".split())
OF_INTEGERS = {"floor": "x", "ceil": "x", "trunc": "x", "rint": "x", "isnan": "0", "isinf": "0", "isfinite": "1"}
_LOGICAL = {"logical_and": "x && y", "logical_or": "x || y", "logical_xor": "!x != !y", "logical_not": "!x"}
_BOOLEAN_RESULT = frozenset([*_COMPARISONS, *_LOGICAL, "isnan", "isinf", "isfinite"])
_UNARY = MATH | {"negative", "invert", "absolute", "square_root", "logical_not"}
_EXTREMA = {"minimum": "<", "maximum": ">"}
_REDUCES = {"add": " identity(0) reorderable", "multiply": " identity(1) reorderable", "minimum": " reorderable",
            "maximum": " reorderable", "logical_and": " identity(1) reorderable", "logical_or": " identity(0) reorderable"}

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


def _of_floating(name: str, is_complex: bool) -> str | None:
    own = (_COMPLEX if is_complex else _FLOATING).get(name)
    if own or name not in (_OF_COMPLEX if is_complex else MATH | MATH_OF_TWO):
        return own
    return f"{name}(x)" if is_complex else f"{name}((T)x)" if name in MATH else f"{name}((T)x, (T)y)"


def _expression(name: str, dtype: str) -> str | None:
    """The function's C for operands of that type; None where NumPy has none, either."""
    if dtype in _dtypes.LACKING and dtype != "bfloat16":
        return None
    kind = "f" if dtype == "bfloat16" else np.dtype({"boolean": "bool"}.get(dtype, dtype)).kind
    if name in _COMPARISONS:
        return None if kind == "c" and name not in ("equal", "not_equal") else f"x {_COMPARISONS[name]} y"
    if name in _LOGICAL or name == "where":
        return _LOGICAL.get(name, "condition ? x : y")
    if name in _EXTREMA:  # NaNs are handed on
        order = f"x {_EXTREMA[name]} y"
        return None if kind == "c" else f"{order} || x != x ? x : y" if kind == "f" else f"{order} ? x : y"
    if kind == "b":
        return f"x {_OF_BOOLEANS[name]} y" if name in _OF_BOOLEANS else {"invert": "!x", "absolute": "x"}.get(name)
    if name in _ARITHMETIC:
        return f"(T)((uint64)x {_ARITHMETIC[name]} (uint64)y)" if kind == "i" else f"x {_ARITHMETIC[name]} y"
    if kind in "fc":
        return _of_floating(name, kind == "c")
    if name in _BITS:
        return f"x {_BITS[name]} y"
    more = {"invert": "~x", "power": "powered(x, y)", **OF_INTEGERS}
    return more.get(name) or (_SIGNED if kind == "i" else _UNSIGNED).get(name)


def _source(name: str, dtype: str, expression: str) -> str:
    """T is the type of the computation: that of 16 bits and less is a float's, as in C and NumPy."""
    computed = "float" if dtype in ("float16", "bfloat16") else dtype
    result = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype) if name == "absolute" else dtype
    result = "boolean" if name in _BOOLEAN_RESULT else result
    parameters = f"{dtype} x" if name in _UNARY else f"{dtype} x, {dtype} y"
    parameters = f"boolean condition, {parameters}" if name == "where" else parameters
    reduces = _REDUCES.get(name, "") if result == dtype else ""
    helper = _FUNCTIONS.get(expression.partition("(")[0], "")
    return (f"#include <gpucc.h>\n#include <tgmath.h>\ntypedef {computed} T;\n{helper}"
            f"vectorize(){reduces} expect_low_occupancy {result} {c_name(name)}({parameters})\n"
            f"{{\n    return {expression};\n}}\n")


def c_name(name: str) -> str:
    """A name that no macro of <tgmath.h> has."""
    return "array_" + name if name in MATH or name in MATH_OF_TWO else name


@lru_cache(maxsize=None)
def element_function(name: str, dtype: str) -> Ufunc | None:
    from ._compile import compile
    expression = _expression(name, dtype)
    if expression is None:
        return None
    program = compile(_source(name, dtype, expression), name="operators")
    found: Ufunc = program[c_name(name)]
    return found


@lru_cache(maxsize=None)
def product_function(left: str, right: str) -> Ufunc:
    """The product of matrices of these types: of one, or of float8 types, whose products are float32."""
    from ._compile import compile
    result = "float32" if left.startswith("float8") else left
    source = (f"#include <gpucc.h>\nvectorize() {result} element({result} x)\n{{\n    return x;\n}}\n"
              f"fuse(matrix_product, element(matmul({left}(a), {right}(b))));\n")
    has_units = left in ("float16", "bfloat16") or left.startswith("float8")
    units = ["--arch=sm_75,sm_80,sm_90a"] if has_units else []  # which have matrix units
    found: Ufunc = compile(source, options=units, name="operators").matrix_product
    return found
