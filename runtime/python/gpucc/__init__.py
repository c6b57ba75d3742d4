"""Ufuncs, gufuncs and kernels written in C, on NumPy's arrays and on a GPU's.

>>> import gpucc, numpy
>>> program = gpucc.compile('''
... #include <gpucc.h>
... #include <math.h>
... vectorize(float32(float32))
... float trig(float x) { return cosf(x) * cosf(x) + sinf(x) * sinf(x); }
... ''')
>>> program.trig(numpy.zeros(3, "f4"))
array([1., 1., 1.], dtype=float32)

`load()` takes what the gpucc command made, `compile()` a source, and `import_from()` a folder of them.  Functions of a
program are its attributes.
"""
from . import random
from ._array import Array, asarray, empty, full, ones, zeros
from ._compile import CompileWarning, compile
from ._context import Devices, device_count, device_info, synchronize
from ._decorators import guvectorize, kernel, vectorize
from ._errors import (BadAxis, BadIndex, BadLaunch, BadMethod, BadNumber, BadProgram, BadShape, BadType, CompileError,
                      DeviceError, Error, FileError, Interrupted, InvalidArgument, NoDevice, NoDriver, NotFound, OutOfMemory,
                      Unsupported)
from ._graph import Graph, graph
from ._import import import_from
from ._interchange import from_dlpack
from ._jax import jax
from ._kernel import Kernel
from ._notebook import load_ipython_extension
from ._pinned import Pinned, pinned
from ._program import Program, load
from ._torch import torch
from ._ufunc import Reduction, Ufunc
from ._version import VERSION as __version__

__all__ = [
    "Array", "BadAxis", "BadIndex", "BadLaunch", "BadMethod", "BadNumber", "BadProgram", "BadShape", "BadType",
    "CompileError", "CompileWarning", "DeviceError", "Devices", "Error", "FileError", "Graph", "Interrupted",
    "InvalidArgument", "Kernel", "NoDevice", "NoDriver", "NotFound", "OutOfMemory", "Pinned", "Program", "Reduction", "Ufunc",
    "Unsupported", "asarray", "compile", "device_count", "device_info", "empty", "from_dlpack", "full", "graph",
    "guvectorize", "import_from", "jax", "kernel", "load", "load_ipython_extension", "ones", "pinned", "random",
    "synchronize", "torch", "vectorize", "zeros",
]
