"""Ufuncs of NumPy's own, around native loops, by NumPy's C interface."""
from __future__ import annotations

import ctypes
import gc
import importlib
import re
from ctypes import POINTER, c_byte, c_char_p, c_int, c_size_t, c_uint32, c_void_p
from typing import Any, NamedTuple

import numpy as np

from ._library import SharedLoop, run_shared

NUMPY = int(np.__version__.partition(".")[0])
_multiarray_umath: Any = importlib.import_module(f"numpy.{'_core' if NUMPY >= 2 else 'core'}._multiarray_umath")

_FROM_FUNC_AND_DATA = 42  # PyUFunc_FromFuncAndDataAndSignatureAndIdentity, in NumPy's table since 1.16
MOST_OPERANDS = 64 if NUMPY >= 2 else 32  #: of a numpy.ufunc
_NO_IDENTITY, _REORDERABLE, _IDENTITY_VALUE = -1, -2, -3

_python = ctypes.PyDLL(None, handle=ctypes.pythonapi._handle)  # others declare ctypes.pythonapi's functions, too
_get_pointer = _python.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
_table = ctypes.cast(_get_pointer(_multiarray_umath._UFUNC_API, None), ctypes.POINTER(c_void_p))
_make = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_void_p, c_void_p, c_int, c_int, c_int, c_int, c_char_p, c_char_p,
                          c_int, c_char_p, ctypes.py_object)(_table[_FROM_FUNC_AND_DATA])
_increase = _python.Py_IncRef
_increase.restype, _increase.argtypes = None, [ctypes.py_object]
_track = _python.PyObject_GC_Track
_track.restype, _track.argtypes = None, [ctypes.py_object]
_OBJECT = 1  # of a ufunc's objects, the one to which it holds a reference


class _Owned(NamedTuple):
    """The references of a numpy.ufunc of ours, which go with it."""
    owner: Any  # the gpucc.Ufunc
    memory: tuple[Any, ...]


# Flags of NumPy's iterator (NPY_ITER_…) for outputs of gufuncs unless a ufunc sets others, without
# OVERLAP_ASSUME_ELEMENTWISE.  By that an output that is just an input is taken for one that needs no copy.
_WRITEONLY, _ALIGNED, _UPDATEIFCOPY, _ALLOCATE, _NO_SUBTYPE, _NO_BROADCAST = (1 << bit for bit in (18, 20, 23, 24, 25, 27))
_CORE_OUTPUT = _WRITEONLY | _ALIGNED | _UPDATEIFCOPY | _ALLOCATE | _NO_SUBTYPE | _NO_BROADCAST


class _UfuncObject(ctypes.Structure):
    """The beginning of NumPy's PyUFuncObject."""
    _fields_ = [("head", c_byte * object.__basicsize__), ("counts", c_int * 4), ("loops", c_void_p * 2), ("flags", c_int * 2),
                ("texts", c_void_p * 3), ("objects", c_void_p * 3), ("core_enabled", c_int), ("core_sizes", c_int),
                ("core", c_void_p * 4), ("hooks", c_void_p * 4), ("operand_flags", POINTER(c_uint32))]


class NativeLoop(NamedTuple):
    """A loop of a program, by its types and the addresses of its functions."""
    operands: list[np.dtype[Any]]
    run: int
    flags: int | None  #: returns the loop's exceptions
    reduce: int | None  #: the tree of a reorderable function


def _shared(loop: NativeLoop, inputs: int, layout: str | None) -> SharedLoop:
    """A loop that the runtime shares out to all cores."""
    operands = loop.operands
    sizes = (c_size_t * len(operands))(*[t.itemsize for t in operands])
    return SharedLoop(run=loop.run, sizes=sizes, inputs=inputs, operands=len(operands),
                      core_dims=len(set(re.findall(r"\w+", layout or ""))), flags=loop.flags, reduce=loop.reduce)


def make_ufunc(name: str, doc: str, inputs: int, outputs: int, loops: list[NativeLoop], identity: Any,
               reorderable: bool, layout: str | None, owner: Any) -> np.ufunc:
    """A numpy.ufunc of `loops`.

    NumPy takes what has an identity for reorderable, and begins with it.  What is folded from the left begins with its
    first element, so that it has none for NumPy."""
    shared = [_shared(loop, inputs, layout) for loop in loops]
    functions = (c_void_p * len(loops))(*[run_shared.value] * len(loops))
    data = (c_void_p * len(loops))(*[ctypes.addressof(each) for each in shared])
    types = ctypes.create_string_buffer(bytes(t.num for loop in loops for t in loop.operands))
    texts = name.encode(), doc.encode(), layout.encode() if layout else None
    says = _NO_IDENTITY if not reorderable else _REORDERABLE if identity is None else _IDENTITY_VALUE
    made: np.ufunc = _make(ctypes.addressof(functions), ctypes.addressof(data), ctypes.addressof(types), len(loops), inputs,
                           outputs, says, texts[0], texts[1], 0, texts[2], identity)
    about = _UfuncObject.from_address(id(made))
    owned = _Owned(owner, (functions, data, types, texts, shared))
    _increase(owned)  # by the ufunc, which gives it back
    about.objects[_OBJECT] = id(owned)
    if not gc.is_tracked(made):  # as numpy.frompyfunc() does
        _track(made)
    for k in range(inputs, inputs + outputs if made.signature else 0):
        about.operand_flags[k] = _CORE_OUTPUT  # as numpy.matmul has it
    return made


def owner_of(ufunc: np.ufunc) -> Any:
    """The gpucc.Ufunc of a numpy.ufunc that make_ufunc() made; None of others."""
    address = _UfuncObject.from_address(id(ufunc)).objects[_OBJECT]
    owned = ctypes.cast(address, ctypes.py_object).value if address else None
    return owned.owner if isinstance(owned, _Owned) else None
