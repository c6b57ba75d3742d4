"""split_failures.py LIBRARY PROGRAM DEVICES SEED COUNT: a reduction of a split array, in which each call of the driver fails in
turn: the sums are right, or it is said what failed, and nothing is left behind."""
import ctypes
import sys

import numpy as np

from host import Device, Refused, check, library, pointer

fake = ctypes.CDLL(None)
fake.fake_cuda_failed.restype = ctypes.c_char_p
fake.fake_cuda_leaks.restype = ctypes.c_long
library.gpucc_ufunc_reduce.argtypes = [pointer] * 4
library.gpucc_context_destroy.argtypes = [pointer]
library.gpucc_context_destroy.restype = None


def sums(device, values):
    array, view = device.array(values.reshape(-1), values)
    out = pointer()
    try:
        check(library.gpucc_ufunc_reduce(device.ufunc("add"), view, ctypes.byref(out), None))
        return device.read(out)
    finally:
        for made in (out, view, array):
            library.gpucc_array_release(made)


def main():
    values = np.random.default_rng(int(sys.argv[4])).standard_normal((5000, 9))
    device = Device("cuda")
    expected = sums(device, values)
    library.gpucc_context_destroy(device.context)
    for n in range(1, 10**6):
        device = Device(sys.argv[3])
        fake.fake_cuda_fail_nth(ctypes.c_long(n), None)
        try:
            result, said = sums(device, values), None
        except Refused as refusal:
            result, said = None, str(refusal)
        failed = fake.fake_cuda_failed()
        fake.fake_cuda_fail_nth(ctypes.c_long(0), None)
        library.gpucc_context_destroy(device.context)
        if result is not None and result.tobytes() != expected.tobytes():
            sys.exit(f"call {n}, {failed}: {result}\nis not\n{expected}")
        if said is not None and (not failed or not said):
            sys.exit(f"call {n}, {failed}: {said!r}")
        if fake.fake_cuda_leaks():
            sys.exit(f"call {n}, {failed}: {fake.fake_cuda_leaks()} objects leaked")
        if not failed:
            print(f"{n - 1} calls failed in turn")
            return


main()
