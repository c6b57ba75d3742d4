"""Heat spreading over a plate whose parts lie on several workers: heat_before.png and heat_after.png.

    python3 diffusion_dask.py [cpu | cuda | cuda:N | auto] [CHUNK, a multiple of 4]

The kernel is diffusion.c's.  Dask gives each chunk a border of its neighbours' cells, as wide as the steps that the chunk
then takes alone: what is wrong in the border wanders inwards by a cell a step, and is cut off.  The plate has the same bits
however it is cut.
"""
import sys
import zlib
from functools import partial

from workers import DEVICE, cluster, device_of_worker, samples, write_png

import dask.array as da
import gpucc
import numpy
from distributed import progress

N, STEPS, AT_ONCE = 2000, 24, 8


def hot_spots(block_info):
    """The chunk's cells: jagged noise of several cell sizes, cut off where it is low."""
    (y0, y1), (x0, x1) = block_info[None]["array-location"]
    y, x = numpy.meshgrid(numpy.arange(y0, y1, dtype="u4"), numpy.arange(x0, x1, dtype="u4"), indexing="ij")
    noise = numpy.zeros(y.shape, "f4")
    for level in range(3, 9):
        h = ((y >> level) + numpy.uint32(level)) * numpy.uint32(0x9E3779B1)
        h ^= ((x >> level) * numpy.uint32(7)) * numpy.uint32(0x85EBCA77)
        h = (h ^ h >> 15) * numpy.uint32(0x2C1B3C6D)
        noise += ((h ^ h >> 13) >> 8).astype("f4") / numpy.float32(6 << 24)
    return numpy.where(noise > 0.55, numpy.minimum((noise - numpy.float32(0.5)) * 4, 1), 0).astype("f4")


def spread(diffuse, device, block):
    """A chunk, AT_ONCE steps later."""
    rows, columns = block.shape
    now = gpucc.asarray(numpy.ascontiguousarray(block), device=device_of_worker(device), copy=True)
    later, change = (gpucc.empty(block.shape, "f4", now.device) for _ in range(2))
    for _ in range(AT_ONCE):
        diffuse(rows, columns, now, later, change, 0.2, threads=(-(-columns // 4), -(-rows // 4)), block=(32, 4))
        now, later = later, now
    return now.to_numpy()


def main():
    chunk = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    diffuse = gpucc.compile(samples / "diffusion.c").diffuse_strips
    with cluster():
        sizes = da.core.normalize_chunks(chunk, (N, N))
        field = da.map_blocks(hot_spots, chunks=sizes, dtype="f4", meta=numpy.empty((0, 0), "f4"))
        before = field.compute()
        for _ in range(STEPS // AT_ONCE):
            field = field.map_overlap(partial(spread, diffuse, DEVICE), depth=AT_ONCE, boundary="none", dtype="f4",
                                      meta=numpy.empty((0, 0), "f4"))
        field = field.persist()
        progress(field, notebook=False)
        after = field.compute()
    for name, plate in ("heat_before.png", before), ("heat_after.png", after):
        write_png(name, plate * 255)
    heat = before.sum(dtype="f8"), after.sum(dtype="f8")
    assert abs(heat[1] - heat[0]) < 1e-4 * heat[0]  # it moves; none comes or goes
    print(f"\nheat before {heat[0]:.6g}, after {STEPS} steps {heat[1]:.6g}; checksum {zlib.crc32(after.tobytes()):08x}")


if __name__ == "__main__":
    main()
