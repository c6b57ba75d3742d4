"""dlpack.py LIBRARY PROGRAM DEVICES SEED COUNT: random arrays of NumPy and of gpucc become one another by DLPack's capsules.

PROGRAM is calls.c as a shared object.  Each is written through one side and read through the other, is an operand of a
call, and is let go in random order; NumPy's count of references says whether its deleter was called, and how often."""
import ctypes
import gc
import sys

import numpy as np

from bfloat16 import BFLOAT16
from cases import run
from host import DTYPES, Refused, check, library, pointer, random_operand, random_values, same, whole

CPU, CUDA = 1, 2
EXCHANGED = [t for t in DTYPES if t not in ("?", BFLOAT16)]  # NumPy 1.24 has no booleans in DLPack
python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [pointer, ctypes.c_char_p, pointer]
python.PyCapsule_GetName.restype = ctypes.c_char_p
python.PyCapsule_GetPointer.restype = pointer
for name in ("GetName", "GetPointer", "SetName"):
    getattr(python, "PyCapsule_" + name).argtypes = [ctypes.py_object, ctypes.c_char_p][: 1 if name == "GetName" else 2]
library.gpucc_array_data.restype = pointer
library.gpucc_array_strides.restype = ctypes.POINTER(ctypes.c_int64)
for name in ("data", "strides"):
    getattr(library, "gpucc_array_" + name).argtypes = [pointer]
NAMES = {False: b"dltensor", True: b"dltensor_versioned"}
USED = {name: b"used_" + name for name in NAMES.values()}  # the capsules point to them


class Options(ctypes.Structure):
    """gpucc_export_options; gpucc_import_options are its first two."""
    _fields_ = [("size", ctypes.c_size_t), ("cuda_stream", pointer), ("copy", whole)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", pointer), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("dtype", ctypes.c_uint32),
                ("shape", pointer), ("strides", pointer), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("owner", pointer), ("deleter", ctypes.CFUNCTYPE(None, pointer))]


class ManagedVersioned(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 2), ("owner", pointer), ("deleter", ctypes.CFUNCTYPE(None, pointer)),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]


STRUCTS = {NAMES[False]: Managed, NAMES[True]: ManagedVersioned}


def end_capsule(capsule):
    """Acts as the capsule's destructor, which cannot call Python while an exception is raised."""
    name = python.PyCapsule_GetName(capsule)
    if name in STRUCTS:
        tensor = python.PyCapsule_GetPointer(capsule, name)
        ctypes.cast(tensor, ctypes.POINTER(STRUCTS[name])).contents.deleter(tensor)
        python.PyCapsule_SetName(capsule, USED[name])


class Array:
    """An array of gpucc, as Python's array API has them."""

    def __init__(self, handle):
        self.handle = handle

    def __del__(self):
        library.gpucc_array_release(self.handle)

    def __dlpack_device__(self):
        place = (ctypes.c_int32 * 2)()
        check(library.gpucc_array_dlpack_device(self.handle, ctypes.byref(place), ctypes.byref(place, 4)))
        return tuple(place)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        versioned, tensor = max_version is not None and max_version >= (1, 0), pointer()
        export = library.gpucc_array_to_dlpack if versioned else library.gpucc_array_to_dlpack_unversioned
        check(export(self.handle, ctypes.byref(Options(ctypes.sizeof(Options), stream, bool(copy))),
                     ctypes.byref(tensor)))
        self.capsule = python.PyCapsule_New(tensor, NAMES[versioned], None)
        return self.capsule

    def address(self):
        return library.gpucc_array_data(self.handle)


def from_dlpack(device, producer):
    try:
        capsule = producer.__dlpack__(max_version=(1, 1))
    except TypeError:  # it is older than versions
        capsule = producer.__dlpack__()
    name, handle = python.PyCapsule_GetName(capsule), pointer()
    take = library.gpucc_array_from_dlpack if name == NAMES[True] else library.gpucc_array_from_dlpack_unversioned
    check(take(device.context, pointer(python.PyCapsule_GetPointer(capsule, name)), None, ctypes.byref(handle)))
    python.PyCapsule_SetName(capsule, USED[name])
    return Array(handle)



def scribble(random, view):
    view[...] = random_values(random, view.dtype, view.size).reshape(view.shape)


def from_numpy(random, device, dtype, shape):
    base, view = random_operand(random, dtype, shape)
    held = sys.getrefcount(view)
    ours = from_dlpack(device, view)
    assert sys.getrefcount(view) == held + 1
    assert not view.size or ours.address() == view.ctypes.data
    assert same(device.read(ours.handle), view)
    scribble(random, view)
    assert same(device.read(ours.handle), view)
    new = random_values(random, dtype, view.size).reshape(view.shape)
    if 0 not in view.strides:
        check(library.gpucc_array_write(ours.handle, new.ctypes.data_as(pointer), ctypes.c_size_t(new.nbytes)))
        assert same(view, new)
    part = device.view(ours.handle, view, view)  # keeps it
    del ours
    assert sys.getrefcount(view) == held + 1
    assert same(device.read(part), view)
    library.gpucc_array_release(part)
    assert sys.getrefcount(view) == held, "NumPy's deleter has not been called"


def to_numpy(random, device, dtype, shape):
    base, view = random_operand(random, dtype, shape)
    whole_array, handle = device.array(base, view)
    ours = Array(handle)
    library.gpucc_array_release(whole_array)
    if ours.__dlpack_device__()[0] == CUDA:
        try:
            np.from_dlpack(ours)
        except (RuntimeError, BufferError):
            end_capsule(ours.capsule)
            return
        raise AssertionError("NumPy has taken a GPU's memory")
    theirs = np.from_dlpack(ours)
    assert same(theirs, view)
    assert not view.size or theirs.ctypes.data == ours.address()
    assert all(a == b for n, a, b in zip(view.shape, theirs.strides, view.strides) if n > 1 and view.size)
    if theirs.flags.writeable and view.size:
        scribble(random, theirs)
        assert same(device.read(ours.handle), theirs)
    if random.number(2):
        again = from_dlpack(device, ours)  # of this library, and versioned
        assert again.address() == ours.address() or not view.size
        del ours
        assert same(device.read(again.handle), theirs)
    else:
        del ours
    kept = theirs.copy()
    gc.collect()
    assert same(theirs, kept)


def call_in_place(random, device, shape):
    """The arrays of NumPy are a call's operands, and its output."""
    x, y, out = (random_operand(random, "f4", shape)[1] for _ in range(3))
    expected = x + y
    operands = [from_dlpack(device, a) for a in (x, y, out)]
    inputs, output = (pointer * 2)(operands[0].handle, operands[1].handle), pointer(operands[2].handle.value)
    check(library.gpucc_ufunc_call(device.ufunc("add"), inputs, ctypes.byref(output), None))
    assert same(out, expected)
    library.gpucc_array_set_read_only(operands[2].handle)
    try:
        check(library.gpucc_ufunc_call(device.ufunc("add"), inputs, ctypes.byref(output), None))
    except Refused as reason:
        assert "output 0 is read-only" in str(reason)
    else:
        raise AssertionError("a read-only output was taken")


def random_case(random, devices):
    device = random.choice(devices)
    least = 0 if random.one_in(8) else 1
    shape = tuple(least + d.number(6 - least) for d in random.parts(random.number(5)))
    dtype, kind = random.choice(EXCHANGED), random.number(3)
    if kind == 0:
        from_numpy(random, device, dtype, shape)
    elif kind == 1:
        to_numpy(random, device, dtype, shape)
    else:
        call_in_place(random, device, shape)


library.gpucc_array_set_read_only.argtypes = [pointer]
library.gpucc_array_set_read_only.restype = None
library.gpucc_array_write.argtypes = [pointer, pointer, ctypes.c_size_t]
run(random_case)
