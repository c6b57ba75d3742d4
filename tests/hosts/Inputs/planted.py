"""planted.py TESTER LIBRARY PROGRAM DEVICES SEED COUNT: a tester, of a library that is wrong in some narrow case of it.

So the tester has to find it, to make it small, and to print a command that shows it again."""
import ctypes
import os
import runpy
import sys

import numpy as np

tester = sys.argv[1]
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(os.path.abspath(tester)))
import host  # which reads the command line
from bfloat16 import BFLOAT16

library = host.library
is_wrong = False  # what is read next


def dtype_of(array):
    return np.dtype(host.DTYPES[library.gpucc_array_dtype(array)])


def shape_of(array):
    return tuple(library.gpucc_array_shape(array)[: library.gpucc_array_ndim(array)])


def of(reference):
    """Returns the object behind a byref()."""
    return reference._obj


def reversed_under_a_mask(ufunc, inputs, outputs, options):
    return of(options).where and any(n >= 3 and s < 0 for x in inputs for n, s in zip(shape_of(x), host.strides_of(x)))


def given_by_a_signature(ufunc, inputs, outputs, options):
    return of(options).signature and any(dtype_of(x) == "f4" and len(shape_of(x)) >= 2 for x in inputs)


def of_several_axes(ufunc, array, out, options):
    return of(options).axis_count >= 2 and shape_of(array)[-1] >= 5


def of_many_rows(ufunc, array, out, options):
    return dtype_of(array) == BFLOAT16 and len(shape_of(array)) >= 2 and shape_of(array)[of(options).axis] >= 9


def of_scattered_indices(ufunc, array, indices, out, options):
    strides = host.strides_of(indices)
    return shape_of(indices)[0] >= 4 and strides[0] != dtype_of(indices).itemsize


def of_one_operand(ufunc, array, indices, operand, options):
    """Which ends the process."""
    if operand and np.prod(shape_of(operand), dtype=int) == 1 and np.prod(shape_of(indices), dtype=int) >= 3:
        os.abort()


def of_three(ufunc, inputs, out, options):
    return of(options).keepdims and of(options).initial and any(len(shape_of(x)) == 3 for x in inputs)


PLANTED = {
    "calls.py": ("ufunc_call", reversed_under_a_mask),
    "gufuncs.py": ("ufunc_call", given_by_a_signature),
    "reduce.py": ("ufunc_reduce", of_several_axes),
    "accumulate.py": ("ufunc_accumulate", of_many_rows),
    "reduceat.py": ("ufunc_reduceat", of_scattered_indices),
    "at.py": ("ufunc_at", of_one_operand),
    "fused.py": ("reduction_call", of_three),
}


def plant(name, applies):
    right, read = getattr(library, "gpucc_" + name), host.Device.read

    def wrong(*arguments):
        global is_wrong
        status = right(*arguments)
        is_wrong = status == host.OK and bool(applies(*arguments))
        return status

    def wrongly(device, array):
        global is_wrong
        out = read(device, array)
        if is_wrong and out.size:
            out.reshape(-1).view("u1")[-1] ^= 1
        is_wrong = False
        return out

    setattr(library, "gpucc_" + name, wrong)
    host.Device.read = wrongly


plant(*PLANTED[os.path.basename(tester)])
runpy.run_path(tester, run_name="__main__")
