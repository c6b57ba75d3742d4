"""planted_faults.py short|gone: what the package never does, for a sanitizer to find."""
import sys

import numpy as np

import gpucc
from gpucc._library import library

x = gpucc.asarray(np.arange(1000.0), device="cuda")
if sys.argv[1] == "short":  # NumPy's memory ends before what is said to be there does
    library.gpucc_array_write(x._handle, np.zeros(10).ctypes.data, 8000)
else:
    y = np.zeros(100000)
    gone = gpucc.asarray(y, device="cpu")
    gone._base = None
    del y
    gone.write(np.zeros(100000))
