"""Ridge regression by LSMR of a matrix that is larger than a worker's memory: weights.png.

    python3 ridge_dask.py [cpu | auto] [ROWS] [CHUNK]

As in ridge_host.c, products and lengths are the fused reductions of ridge.c; here they make graphs of Dask's.  They go along
the fixed tree, so the weights have the same bits however the matrix is cut.
"""
import sys
import tempfile
from math import hypot, sqrt

from workers import MEMORY, cluster, samples, show_bar, write_png

import dask
import dask.array as da
import gpucc
import numpy

COLUMNS, MOST_STEPS, DAMPING, TOLERANCE = 40, 100, 3.0, 1e-12


def random_rows(block_info):
    """Each row has its own numbers, however the rows are cut."""
    begin, end = block_info[None]["array-location"][0]
    bits = numpy.random.PCG64(1).advance(begin * COLUMNS)
    return numpy.random.Generator(bits).random((end - begin, COLUMNS)) - 0.5


def length(ridge, x):
    return sqrt(ridge.square(x))


def normalized(ridge, x):
    was = length(ridge, x)
    return x * (1 / was), was


def lsmr(ridge, A, b):
    """The x for which |A x - b|^2 + DAMPING^2 |x|^2 is least, and the steps that it took.  The names are those of Fong and
    Saunders (2011).  u is an array of Dask's, as A and b are; the vectors of COLUMNS are NumPy's."""
    u, beta = normalized_u(ridge, b)
    v, alpha = normalized(ridge, ridge.product(A, u[:, None], axis=0).compute())
    h, hbar, x = v, numpy.zeros(COLUMNS), numpy.zeros(COLUMNS)
    zetabar, alphabar, rho, rhobar, cbar, sbar = alpha * beta, alpha, 1.0, 1.0, 1.0, 0.0
    first = zetabar
    for step in range(1, MOST_STEPS):
        u, beta = normalized_u(ridge, ridge.blend(1.0, ridge.product(A, v, axis=1), -alpha, u))
        v, alpha = normalized(ridge, ridge.blend(1.0, ridge.product(A, u[:, None], axis=0).compute(), -beta, v))

        alphahat, rhoold, rhobarold = hypot(alphabar, DAMPING), rho, rhobar
        rho = hypot(alphahat, beta)
        c, s = alphahat / rho, beta / rho
        thetanew, alphabar = s * alpha, c * alpha
        thetabar, rhotemp = sbar * rho, cbar * rho
        rhobar = hypot(rhotemp, thetanew)
        cbar, sbar = rhotemp / rhobar, thetanew / rhobar
        zeta, zetabar = cbar * zetabar, -sbar * zetabar

        hbar = ridge.blend(1.0, h, -thetabar * rho / (rhoold * rhobarold), hbar)
        x = ridge.blend(zeta / (rho * rhobar), hbar, 1.0, x)
        h = ridge.blend(1.0, v, -thetanew / rho, h)
        show_bar(step, MOST_STEPS, "LSMR")
        if abs(zetabar) <= TOLERANCE * first:
            break
    print(file=sys.stderr)
    return x, step


def normalized_u(ridge, u):
    """The same for a vector of the workers', which stays with them."""
    u = u.persist()
    was = sqrt(ridge.square(u).compute())
    return (u * (1 / was)).persist(), was


def gradient(ridge, A, b, x):
    """The length of A' (b - A x) - DAMPING^2 x, which is 0 at the least."""
    residual = ridge.blend(1.0, b, -1.0, ridge.product(A, x, axis=1))
    slope = ridge.product(A, residual[:, None], axis=0).compute()
    return length(ridge, ridge.blend(1.0, slope, -DAMPING ** 2, x))


def picture(weights):
    """A bar for each weight."""
    pixels = numpy.full((420, 10 * COLUMNS), 255, "u1")
    for k, weight in enumerate(weights):
        pixels[420 - int(100 * max(weight, 0)):, 10 * k + 1:10 * k + 9] = 60
    write_png("weights.png", pixels)


def main():
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 750_000
    chunk = int(sys.argv[3]) if len(sys.argv) > 3 else 30_000
    ridge = gpucc.compile(samples / "ridge.c")
    with tempfile.TemporaryDirectory(dir=".", prefix="matrix-") as folder, cluster():
        sizes = da.core.normalize_chunks((chunk, COLUMNS), (rows, COLUMNS))
        da.to_npy_stack(folder, da.map_blocks(random_rows, chunks=sizes, dtype="f8", meta=numpy.empty((0, 0))))
        A = da.from_npy_stack(folder)
        # Column k weighs k / 10, as far as noise lets one see.
        noise = 0.1 * A[:, 0] * A[:, 1]
        b = ridge.blend(1.0, ridge.product(A, numpy.arange(COLUMNS) / 10, axis=1), 1.0, noise).persist()
        before = gradient(ridge, A, b, numpy.zeros(COLUMNS))
        x, steps = lsmr(ridge, A, b)
        after = gradient(ridge, A, b, x)
    picture(x)
    assert numpy.allclose(x, numpy.arange(COLUMNS) / 10, atol=0.05) and after < 1e-9 * before
    print(f"a matrix of {A.nbytes >> 20} MiB, workers of {MEMORY >> 20} MiB each, {steps} steps; "
          f"the first weights {float(x[0]).hex()} {float(x[1]).hex()}")


if __name__ == "__main__":
    main()
