"""peer_dask.py WORKERS [SIDE [AT_ONCE]]: the plate of samples/mpi/heat_host.c by Dask on CuPy's arrays, a worker for each
GPU, which has its rows as one chunk; map_overlap() exchanges AT_ONCE rows after as many steps (1).  The step is one kernel
that CuPy compiles.  Tells milliseconds a step, the median of seven stretches after one that is not counted, and with CHECK=1
in the environment the plate's heat and its bytes' CRC-32, which must not depend on the number of workers."""
import os
import sys
import time
import zlib

import numpy

WORKERS = int(sys.argv[1])
SIDE = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
AT_ONCE = int(sys.argv[3]) if len(sys.argv) > 3 else 1
STRETCHES, STEPS = 7, max(8, AT_ONCE)

SOURCE = r"""
extern "C" __global__ void heat(const float *now, float *next, long long rows, long long width)
{
    const long long x = blockIdx.x * (long long)blockDim.x + threadIdx.x, y = blockIdx.y * (long long)blockDim.y + threadIdx.y;
    if (x >= width || y >= rows)
        return;
    const float here = now[y * width + x];
    const float up = now[(y > 0 ? y - 1 : y) * width + x], down = now[(y + 1 < rows ? y + 1 : y) * width + x];
    const float left = now[y * width + (x > 0 ? x - 1 : x)], right = now[y * width + (x + 1 < width ? x + 1 : x)];
    next[y * width + x] = here + 0.2f * (up + down + left + right - 4 * here);
}
"""


def hot(block_info):
    import cupy
    (y0, y1), (x0, x1) = block_info[None]["array-location"]
    y, x = numpy.meshgrid(numpy.arange(y0, y1, dtype="u4"), numpy.arange(x0, x1, dtype="u4"), indexing="ij", sparse=True)
    state = (y // 90 * 1000 + x // 70) * numpy.uint32(1664525) + numpy.uint32(1013904223)
    spot = (state >> 8).astype("f4") / numpy.float32(16777216)
    return cupy.asarray(numpy.where(spot > numpy.float32(0.7), spot, numpy.float32(0)))


def spread(block):
    """A chunk with its border, AT_ONCE steps later: what is wrong at the border is cut off."""
    import cupy
    heat = cupy.RawKernel(SOURCE, "heat", ("--fmad=false",))
    now, later = cupy.ascontiguousarray(block), cupy.empty(block.shape, "f4")
    rows, width = block.shape
    for step in range(AT_ONCE):
        heat((-(-width // 32), -(-rows // 8)), (32, 8), (now, later, numpy.int64(rows), numpy.int64(width)))
        now, later = later, (cupy.empty(block.shape, "f4") if step == 0 and AT_ONCE > 1 else now)
    cupy.cuda.get_current_stream().synchronize()
    return now


def main():
    import dask
    import dask.array as da
    import distributed
    dask.config.set({"distributed.worker.memory.target": False, "distributed.worker.memory.spill": False,
                     "distributed.worker.memory.pause": False, "distributed.worker.memory.terminate": False})
    workers = {n: {"cls": distributed.Nanny, "options": {"nthreads": 1, "env": {"CUDA_VISIBLE_DEVICES": str(n)}}}
               for n in range(WORKERS)}
    scheduler = {"cls": distributed.Scheduler, "options": {"dashboard_address": None}}
    with distributed.SpecCluster(scheduler=scheduler, workers=workers) as cluster, distributed.Client(cluster):
        import cupy
        meta = cupy.empty((0, 0), "f4")
        sizes = (-(-SIDE // WORKERS), SIDE)
        field = da.map_blocks(hot, chunks=da.core.normalize_chunks(sizes, (SIDE, SIDE)), dtype="f4", meta=meta).persist()
        distributed.wait(field)
        times = []
        for _ in range(STRETCHES + 1):
            start = time.perf_counter()
            for _ in range(STEPS // AT_ONCE):
                field = field.map_overlap(spread, depth={0: AT_ONCE, 1: 0}, boundary="none", dtype="f4", meta=meta).persist()
            distributed.wait(field)
            times.append((time.perf_counter() - start) / (STEPS // AT_ONCE * AT_ONCE))
        steps = (STRETCHES + 1) * (STEPS // AT_ONCE) * AT_ONCE
        middle = sorted(times[1:])[STRETCHES // 2]
        print(f"Dask and CuPy on {WORKERS} GPUs, {AT_ONCE} steps an exchange: {1e3 * middle:.3f} ms a step", flush=True)
        if os.environ.get("CHECK"):
            plate = field.map_blocks(lambda x: x.get(), dtype="f4", meta=numpy.empty((0, 0), "f4")).compute()
            print(f"after {steps} steps the heat is {plate.sum(dtype='f8'):.9g}, the plate {zlib.crc32(plate.tobytes()):08x}")


if __name__ == "__main__":
    main()
