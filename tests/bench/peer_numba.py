"""Numba: ufuncs and kernels on the GPU (argument `gpu`), and target='parallel' on the CPU (`cpu`)."""
import math
import sys
import warnings

import measure
from measure import N, SMALL, gigabytes, row, section

measure.mend_numpy()
import numpy as np

warnings.filterwarnings("ignore")


def on_cpu():
    from numba import vectorize

    @vectorize(["float32(float32, float32)"], target="parallel")
    def add(x, y):
        return x + y

    @vectorize(["float32(float32)"], target="parallel")
    def trig(x):
        return math.cos(x) ** 2 + math.sin(x) ** 2

    random = np.random.default_rng(1)
    x = random.random(10**7, dtype=np.float32) * 20 - 10
    y, out = x.copy(), np.empty_like(x)
    row("cpu_add_1e7", "numba", measure.wall_ms(lambda: add(x, y, out=out), 15), "ms")
    row("cpu_trig_1e7", "numba", measure.wall_ms(lambda: trig(x, out=out), 15), "ms")


def on_gpu():
    from numba import cuda, float32, vectorize

    def device_us(call, repeats=20):
        return measure.device_us(call, cuda.event, cuda.event_elapsed_time, repeats)

    random = np.random.default_rng(1)
    host = random.random(N, dtype=np.float32) * 20 - 10
    x, y, out = cuda.to_device(host), cuda.to_device(host), cuda.device_array_like(host)

    @vectorize(["float32(float32)"], target="cuda")
    def trig(x):
        return math.cos(x) ** 2 + math.sin(x) ** 2

    @section
    def ufuncs():
        @vectorize(["float32(float32, float32)"], target="cuda")
        def add(x, y):
            return x + y

        @vectorize(["float32(float32)"], target="cuda")
        def selu(x):
            return float32(1.05) * (x if x > 0 else float32(1.67) * math.exp(x) - float32(1.67))

        row("add_1e8", "numba", gigabytes(12 * N, device_us(lambda: add(x, y, out=out))), "GB/s")
        row("trig_1e8", "numba", gigabytes(8 * N, device_us(lambda: trig(x, out=out))), "GB/s")
        row("selu_1e8", "numba", gigabytes(8 * N, device_us(lambda: selu(x, out=out))), "GB/s")
        small = [array[:SMALL] for array in (x, y, out)]
        row("call_1000", "numba", measure.host_us(lambda: add(small[0], small[1], out=small[2]), cuda.synchronize, 100), "us")

    @section
    def trig_small():
        source, result = x[:10**7], out[:10**7]
        row("trig_1e7", "numba", device_us(lambda: trig(source, out=result)), "us")

    @section
    def host_arrays():
        n = 10**7
        source, result = host[:n].copy(), np.empty(n, np.float32)
        row("host_trig_1e7", "numba", measure.wall_ms(lambda: trig(source, out=result)), "ms")

    @section
    def launch():
        @cuda.jit
        def add(x, y, out):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = x[i] + y[i]

        small = [array[:SMALL] for array in (x, y, out)]
        row("launch", "numba", measure.host_us(lambda: add[8, 128](*small), cuda.synchronize, 100), "us")

    @section
    def diffusion():
        for name, coalesced in (("diffusion_2000", False), ("diffusion_2000_direct", True)):
            row(name, "numba", diffusion_us(cuda, float32, coalesced), "us")

    @section
    def sgemm():
        row("sgemm_tile", "numba", sgemm_teraflops(cuda, float32), "TFLOP/s")


def sgemm_teraflops(cuda, float32):
    """10000 x 5000 by 5000 x 7000 through tiles of 16 x 16."""
    @cuda.jit
    def multiply(a, b, c):
        left = cuda.shared.array(shape=(16, 16), dtype=float32)
        right = cuda.shared.array(shape=(16, 16), dtype=float32)
        column, row = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        total = float32(0)
        for k in range(0, a.shape[1], 16):
            left[ty, tx] = a[row, k + tx] if row < a.shape[0] and k + tx < a.shape[1] else float32(0)
            right[ty, tx] = b[k + ty, column] if k + ty < b.shape[0] and column < b.shape[1] else float32(0)
            cuda.syncthreads()
            for i in range(16):
                total += left[ty, i] * right[i, tx]
            cuda.syncthreads()
        if row < c.shape[0] and column < c.shape[1]:
            c[row, column] = total

    m, k, n = 10000, 5000, 7000
    random = np.random.default_rng(1).random
    a, b = cuda.to_device(random((m, k), dtype=np.float32)), cuda.to_device(random((k, n), dtype=np.float32))
    c = cuda.device_array((m, n), np.float32)
    before, after = cuda.event(), cuda.event()
    for i in range(-1, 3):
        if i == 0:
            before.record()
        multiply[((n + 15) // 16, (m + 15) // 16), (16, 16)](a, b, c)
    after.record()
    after.synchronize()
    return 2 * m * k * n * 3 / cuda.event_elapsed_time(before, after) / 1e9


def diffusion_us(cuda, float32, coalesced):
    """A step through a shared tile of 8 x 8; rows along x as in Numba's documentation, or columns along x."""
    @cuda.jit
    def step(field, following, lapl, coefficient):
        tile = cuda.shared.array(shape=(10, 10), dtype=float32)
        a, b = cuda.grid(2)
        i, j = (b, a) if coalesced else (a, b)
        ti, tj = (cuda.threadIdx.y, cuda.threadIdx.x) if coalesced else (cuda.threadIdx.x, cuda.threadIdx.y)
        rows, columns = field.shape
        if i < rows and j < columns:
            if ti == 0:
                tile[0, tj + 1] = field[i - 1, j] if i > 0 else float32(0)
            if ti == 7:
                tile[9, tj + 1] = field[i + 1, j] if i + 1 < rows else float32(0)
            if tj == 0:
                tile[ti + 1, 0] = field[i, j - 1] if j > 0 else float32(0)
            if tj == 7:
                tile[ti + 1, 9] = field[i, j + 1] if j + 1 < columns else float32(0)
            tile[ti + 1, tj + 1] = field[i, j]
        cuda.syncthreads()
        if i < rows and j < columns:
            center = tile[ti + 1, tj + 1]
            value = float32(4) * center - tile[ti, tj + 1] - tile[ti + 2, tj + 1] - tile[ti + 1, tj] - tile[ti + 1, tj + 2]
            lapl[i, j] = value
            following[i, j] = center - value * coefficient

    start = np.random.default_rng(1).random((2000, 2000), dtype=np.float32)
    fields = [cuda.to_device(start), cuda.to_device(start)]
    lapl, steps, coefficient = cuda.device_array_like(start), 1000, np.float32(0.25)
    before, after = cuda.event(), cuda.event()
    for i in range(-20, steps):
        if i == 0:
            before.record()
        step[(250, 250), (8, 8)](fields[i & 1], fields[~i & 1], lapl, coefficient)
    after.record()
    after.synchronize()
    return cuda.event_elapsed_time(before, after) * 1e3 / steps


section(on_cpu if sys.argv[1:] == ["cpu"] else on_gpu)
