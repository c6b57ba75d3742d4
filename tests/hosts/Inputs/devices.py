"""devices.py LIBRARY PROGRAM DEVICE SEED COUNT: each call of the driver fails in turn that a reduction in parts makes, by parts
that are runs of elements and by parts that are outputs.

PROGRAM is devices.c as a shared object, the stand-in for libcuda is loaded."""
import ctypes
import sys

import numpy as np

from host import Device, Refused, check, library, pointer, whole

fake = ctypes.CDLL(None)
fake.fake_cuda_failed.restype = ctypes.c_char_p
fake.fake_cuda_fail_nth.argtypes = [ctypes.c_long, ctypes.c_char_p]
fake.fake_cuda_leaks.restype = ctypes.c_long
library.gpucc_context_destroy.argtypes = [pointer]


class ReduceOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("stream", pointer), ("axes", ctypes.POINTER(whole)), ("axis_count", whole),
                ("keepdims", whole), ("initial", pointer), ("dtype", ctypes.POINTER(whole))]


def reduce(device, x, axis):
    out, (_, array) = pointer(), device.array(x, x)
    options = ReduceOptions(ctypes.sizeof(ReduceOptions), None, ctypes.pointer(whole(axis)), 1)
    check(library.gpucc_ufunc_reduce(device.ufunc("add"), array, ctypes.byref(out), ctypes.byref(options)))
    return device.read(out)


def fail(n, x, axis, expected):
    """False once there is no nth call."""
    device = Device("+" + sys.argv[3])
    fake.fake_cuda_fail_nth(n, None)
    try:
        result, message = reduce(device, x, axis), None
    except Refused as error:
        message = str(error)
    failed = fake.fake_cuda_failed()
    fake.fake_cuda_fail_nth(0, None)
    if message is None and not np.array_equal(result, expected):
        sys.exit(f"call {n}, {failed}, failed: {result} is not {expected}")
    if message is not None and not failed:
        sys.exit(f"call {n}: no call failed: {message}")
    if message is not None and failed.decode() not in message and b"Error" not in failed:
        sys.exit(f"call {n}, {failed}: {message}")
    library.gpucc_context_destroy(device.context)
    if fake.fake_cuda_leaks():
        sys.exit(f"call {n}, {failed}: {fake.fake_cuda_leaks()} objects of the driver leaked")
    return failed is not None


x = np.arange(6000, dtype="i8").reshape(300, 20)
count = 0
for axis in (0, 1):
    n = 1
    while fail(n, x, axis, x.sum(axis)):
        n += 1
    count += n - 1
print(f"{count} failures, nothing left behind")
