"""Files of random kernels: for gpucc, for gcc, and the scene."""
import random

import scalars
import shrink
from function_files import HEADERS, prototypes
from kernel_printer import KernelPrinter
from kernel_tree import is_race_free
from kernels import KernelGrower
from lockstep import Lockstep

_CONTRACT_OFF = "#pragma STDC FP_CONTRACT OFF"
_EACH = """/* Thread T of a block, among those of a mask; lane L of the warp that begins with thread w. */
#define EACH(mask) for (unsigned T = 0; T < THREADS; T++) if (mask[T])
#define LANES(mask) for (unsigned L = w; L < w + 32 && L < THREADS; L++) if (mask[L])
"""


class Kernels:
    """Random kernels with barriers, shared memory, warp and atomic operations."""

    name, options, shrinks = "kernels", [], True
    plays = False
    levels = {"checked": ["-O1", "-fsanitize=address,race,uninitialized,undefined"]}  # nothing is to be found, nor changed
    reference_options = []

    def __init__(self, tools):
        self.tools = tools

    def grow(self, seed, index):
        kernel = KernelGrower(random.Random(f"{seed} kernel {index}"), f"k{index}").kernel()
        kernel.data_seed = f"{seed} data {index}"
        return kernel

    def source(self, kernels):
        text = HEADERS
        for k in kernels:
            pragmas = [] if k.contracts else [_CONTRACT_OFF]
            text += KernelPrinter(k).kernel_text(pragmas, ["    BEGIN()"]) + "\n"
        return text

    def reference(self, kernels):
        return '#include "plain_c.h"\n' + prototypes() + _EACH + "".join(Lockstep(k).kernel_text() for k in kernels)

    def scene(self, kernel):
        rng = random.Random(kernel.data_seed)
        dynamic = sum(v.size * v.type.size for v in kernel.shared if v.space == "dynamic")
        numbers = " ".join(map(str, (*kernel.grid, *kernel.block, dynamic, len(kernel.values) + len(kernel.arrays))))
        lines, data = [f"kernel {kernel.name} {numbers}"], b""
        for v in kernel.values:
            lines.append(f"value {v.type.size}")
            data += scalars.element(rng, v.type)
        for v in kernel.arrays:
            lines.append(f"array {v.type.code} {v.size}")
            is_sum = v.space == "total" and v.type.is_float
            data += bytes(v.size * v.type.size) if is_sum else scalars.elements(rng, v.type, v.size)
        return "\n".join(lines) + "\n", data

    def is_valid(self, kernel):
        return shrink.is_kernel_valid(kernel) and is_race_free(kernel)
