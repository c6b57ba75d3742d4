"""K groups among points that were thrown around K places, of which there are more than a worker has memory: groups.png.

    python3 kmeans_dask.py [cpu | cuda | cuda:N | auto] [POINTS]

The kernel is kmeans.c's `assign`, which sums up the points of a chunk by their nearest centers; the chunks' sums are added,
and the centers move to the means.
"""
import sys
import tempfile
from functools import partial

from workers import DEVICE, MEMORY, cluster, device_of_worker, samples, show_bar, with_bar, write_png

import dask.array as da
import gpucc
import numpy

D, K, STEPS, CHUNK = 12, 8, 3, 200_000
PLACES = numpy.random.default_rng(1).random((K, D), "f4")


def scattered(block_info):
    """Point i lies within 0.1 of place i % K."""
    begin, end = block_info[None]["array-location"][0]
    noise = numpy.random.default_rng(begin).random((end - begin, D), "f4")
    return PLACES[numpy.arange(begin, end) % K] + numpy.float32(0.2) * noise - numpy.float32(0.1)


def sums_of_chunk(assign, device, points, centers):
    """For each center the sum of the points that it is nearest to, and how many there are.  Structs go as bytes."""
    count, points = len(points), gpucc.asarray(points.view("u1"), device=device_of_worker(device))
    clusters = gpucc.asarray(numpy.zeros((K, 4 * (D + 1)), "u1"), device=points.device)
    assign(count, points, gpucc.asarray(centers, device=points.device), clusters, grid=64, block=128)
    return clusters.to_numpy().view("f4")[None].astype("f8")


def find(assign, points, centers):
    for _ in with_bar(range(STEPS), "k-means"):
        parts = points.map_blocks(partial(sums_of_chunk, assign, DEVICE), centers=centers, new_axis=2,
                                  chunks=((1,) * points.numblocks[0], (K,), (D + 1,)), dtype="f8",
                                  meta=numpy.empty((0, 0, 0)))
        total = parts.sum(axis=0).compute()
        centers = (total[:, :D] / numpy.maximum(total[:, D:], 1)).astype("f4")
    return centers


def picture(points, centers, size=600):
    """Two coordinates of some points, in their groups' colours, and the centers."""
    colours = numpy.array([[230, 25, 75], [60, 180, 75], [255, 225, 25], [0, 130, 200], [245, 130, 48], [145, 30, 180],
                           [70, 240, 240], [240, 50, 230]])
    pixels = numpy.full((size, size, 3), 16, "u1")

    def places(at):
        return tuple(((at[:, k] + 0.15) / 1.3 * size).astype(int).clip(3, size - 4) for k in (1, 0))
    nearest = ((points[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    pixels[places(points)] = colours[nearest]
    for row, column in zip(*places(centers)):
        pixels[row - 3:row + 4, column - 3:column + 4] = 255
    write_png("groups.png", pixels)


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 5_000_000
    assign = gpucc.compile(samples / "kmeans.c").assign
    with tempfile.TemporaryDirectory(dir=".", prefix="points-") as folder, cluster() as client:
        show_bar(0, 1, f"writing {count} points")
        sizes = da.core.normalize_chunks((CHUNK, D), (count, D))
        da.to_npy_stack(folder, da.map_blocks(scattered, chunks=sizes, dtype="f4", meta=numpy.empty((0, 0), "f4")))
        show_bar(1, 1, f"writing {count} points")
        points = da.from_npy_stack(folder)
        some = points[:20_000].compute()
        centers = find(assign, points, some[:K])
        workers = len(client.scheduler_info()["workers"])
    picture(some, centers)
    worst = abs(centers - PLACES).max()
    print(f"{count} points of {points.nbytes >> 20} MiB, {workers} workers of {MEMORY >> 20} MiB each, {STEPS} steps; "
          f"centers found to within {worst:.4f}")
    assert worst < 0.01


if __name__ == "__main__":
    main()
