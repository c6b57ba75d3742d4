"""Calls of converted operands on a device, beside those on the CPU."""
import pathlib
import sys

import gpucc
import numpy as np

source = pathlib.Path(sys.argv[1]).read_text()
program = gpucc.compile(source, options=["-O3", "-Wno-double-promotion"])
count = 0
for size in (1, 4, 37):
    whole, real = np.arange(size, dtype="i4"), np.linspace(-2, 3, size).astype("f4")
    short = np.arange(size, dtype="i2")
    for function, operands in ((program.series, (whole, real)), (program.steps, (short,))):
        device = function(*[gpucc.asarray(x, device="cuda") for x in operands]).to_numpy()
        assert device.tobytes() == function(*operands).tobytes(), (function, size)
        count += 1
print(count, "calls")
