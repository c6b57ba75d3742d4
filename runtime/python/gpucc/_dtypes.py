"""The runtime's element types and NumPy's."""
from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _errors
from ._library import library

NAMES: list[str] = []
while (_name := library.gpucc_dtype_name(len(NAMES)).decode()) != "?":
    NAMES.append(_name)
SIZES = [library.gpucc_dtype_size(code) for code in range(len(NAMES))]
CODES = {name: code for code, name in enumerate(NAMES)}
BFLOAT16 = CODES["bfloat16"]

# NumPy has no bfloat16: ml_dtypes' where that is loaded, else two plain bytes.
DTYPES = [np.dtype({"boolean": "bool", "bfloat16": "V2"}.get(name, name)) for name in NAMES]
_CODE_OF = {dtype: code for code, dtype in enumerate(DTYPES) if code != BFLOAT16}
# As __cuda_array_interface__ and __array_interface__ spell them.
TYPESTRS = {dtype.str: code for dtype, code in _CODE_OF.items()}


def is_bfloat16(dtype: np.dtype[Any]) -> bool:
    return dtype.name == "bfloat16" or dtype == DTYPES[BFLOAT16]


def code_of(dtype: np.dtype[Any]) -> int:
    """The runtime's number of an element type; of one that it has not, BadType."""
    code = _CODE_OF.get(dtype)
    if code is not None:
        return code
    if is_bfloat16(dtype):
        return BFLOAT16
    raise _errors.BadType(f"unknown dtype {dtype}; gpucc supports {', '.join(NAMES)}")


def code_of_request(dtype: Any) -> int:
    """The same of what a caller means by `dtype=`: also a name such as "bfloat16"."""
    if isinstance(dtype, str) and dtype in CODES:
        return CODES[dtype]
    is_class = isinstance(dtype, type) and issubclass(dtype, np.dtype)  # numpy.dtypes.Float64DType
    return code_of(np.dtype(dtype() if is_class else dtype).newbyteorder("="))


def dtype_of(code: int) -> np.dtype[Any]:
    if code == BFLOAT16 and "ml_dtypes" in sys.modules:
        bfloat16: np.dtype[Any] = np.dtype(sys.modules["ml_dtypes"].bfloat16)
        return bfloat16
    return DTYPES[code]


def converted(values: Any, code: int) -> NDArray[Any]:
    """Host data as elements of that type, copied only where it has another."""
    if code != BFLOAT16:
        return np.asarray(values, dtype_of(code))
    data, wanted = np.asarray(values), dtype_of(code)
    if is_bfloat16(data.dtype):
        return data.view(wanted)
    if wanted == DTYPES[BFLOAT16]:
        raise _errors.BadType("NumPy casts to bfloat16 only if ml_dtypes is imported")
    return data.astype(wanted)
