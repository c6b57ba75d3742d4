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

# NumPy lacks these: they are ml_dtypes' where that is loaded, else plain bytes.
LACKING = {"bfloat16": "V2", "float8_e4m3fn": "V1", "float8_e5m2": "V1"}
LACKING_CODES = {CODES[name] for name in LACKING}
LETTERS = {"bfloat16": "E", "float8_e4m3fn": "4", "float8_e5m2": "5"}  # ml_dtypes'
NAME_OF_LETTER = {letter: name for name, letter in LETTERS.items()}
DTYPES = [np.dtype({"boolean": "bool", **LACKING}.get(name, name)) for name in NAMES]
_CODE_OF = {dtype: code for code, dtype in enumerate(DTYPES) if code not in LACKING_CODES}
# As __cuda_array_interface__ and __array_interface__ spell them.
TYPESTRS = {dtype.str: code for dtype, code in _CODE_OF.items()}


def is_bfloat16(dtype: np.dtype[Any]) -> bool:
    return dtype.name == "bfloat16" or dtype == DTYPES[BFLOAT16]


def is_derivable(name: str) -> bool:
    """Whether derivatives by operands of that type exist."""
    return name.startswith(("float", "bfloat")) and not name.startswith("float8")


def lacking_code(dtype: np.dtype[Any]) -> int | None:
    """The number of a type that NumPy lacks.  One plain byte may be either float8 type: it is none."""
    return BFLOAT16 if is_bfloat16(dtype) else CODES[dtype.name] if dtype.name in LACKING else None


def code_of(dtype: np.dtype[Any]) -> int:
    """The runtime's number of an element type; of one that it has not, BadType."""
    code = _CODE_OF.get(dtype)
    if code is not None:
        return code
    lacking = lacking_code(dtype)
    if lacking is not None:
        return lacking
    raise _errors.BadType(f"unknown dtype {dtype}; gpucc supports {', '.join(NAMES)}")


def code_of_request(dtype: Any) -> int:
    """The same of what a caller means by `dtype=`: also a name such as "bfloat16"."""
    if isinstance(dtype, str) and dtype in CODES:
        return CODES[dtype]
    is_class = isinstance(dtype, type) and issubclass(dtype, np.dtype)  # numpy.dtypes.Float64DType
    return code_of(np.dtype(dtype() if is_class else dtype).newbyteorder("="))


def dtype_of(code: int) -> np.dtype[Any]:
    if code in LACKING_CODES and "ml_dtypes" in sys.modules:
        found: np.dtype[Any] = np.dtype(getattr(sys.modules["ml_dtypes"], NAMES[code]))
        return found
    return DTYPES[code]


def converted(values: Any, code: int) -> NDArray[Any]:
    """Host data as elements of that type, copied only where it has another.  The runtime casts to those that NumPy lacks,
    so that they are the same everywhere: ml_dtypes rounds float64 twice, and does not saturate."""
    if code not in LACKING_CODES:
        return np.asarray(values, dtype_of(code))
    data, wanted = np.asarray(values), dtype_of(code)
    if lacking_code(data.dtype) == code or (data.dtype == DTYPES[code] and wanted != data.dtype):
        return data.view(wanted)
    if data.dtype == wanted:
        return data
    from ._array import asarray  # which needs this module
    return asarray(data, device="cpu").astype(NAMES[code]).to_numpy()
