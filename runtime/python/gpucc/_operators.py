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


def _expression(name: str, dtype: str) -> str | None:
    """The function's C for operands of that type; None where NumPy has none, either."""
    kind = "V" if dtype == "bfloat16" else np.dtype({"boolean": "bool"}.get(dtype, dtype)).kind
    if name in _COMPARISONS:
        return None if kind == "c" and name not in ("equal", "not_equal") else f"x {_COMPARISONS[name]} y"
    if kind == "b":
        return f"x {_OF_BOOLEANS[name]} y" if name in _OF_BOOLEANS else "!x" if name == "invert" else None
    if name in _ARITHMETIC:  # C leaves the overflow of signed integers undefined, and NumPy wraps
        return f"({dtype})((uint64)x {_ARITHMETIC[name]} (uint64)y)" if kind == "i" else f"x {_ARITHMETIC[name]} y"
    if name in _BITS or name == "invert":
        return (f"x {_BITS[name]} y" if name in _BITS else "~x") if kind in "iu" else None
    if name == "negative":
        return f"({dtype})(0 - (uint64)x)" if kind == "i" else f"({dtype})-x"
    return "x / y" if name == "divide" and kind in "fcV" else None


@lru_cache(maxsize=None)
def _function(name: str, dtype: str) -> Ufunc | None:
    from ._compile import compile
    expression = _expression(name, dtype)
    if expression is None:
        return None
    result = "boolean" if name in _COMPARISONS else dtype
    parameters = f"{dtype} x" if name in ("negative", "invert") else f"{dtype} x, {dtype} y"
    program = compile(f"#include <gpucc.h>\nvectorize() {result} {name}({parameters})\n{{\n    return {expression};\n}}\n",
                      name="operators")
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


def operate(name: str, *operands: Any, out: Array | None = None) -> Any:
    """The result of an operator; NotImplemented for operands that gpucc does not know, which may know arrays."""
    from ._array import Array
    if not all(isinstance(x, (Array, bool, int, float, complex, np.generic)) for x in operands):
        return NotImplemented
    function = _function(name, _common(name, operands))
    if function is None:
        types = ", ".join(str(getattr(x, "dtype", type(x).__name__)) for x in operands)
        raise TypeError(f"{name} is not supported for operands of {types}")
    return function(*operands) if out is None else function(*operands, out=out)
