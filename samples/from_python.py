"""Ufuncs, a gufunc and a kernel from Python: on NumPy's arrays, and on those of a device.

    python3 from_python.py [cpu | cuda | cuda:N | auto]

The sources are those of the samples trig, batched and matmul.  Results of the device are compared with the CPU's, of which
they have the very bits, and matmul's with NumPy's.
"""
import sys
from pathlib import Path

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit()

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "runtime" / "python"))  # where it is not installed
import gpucc  # noqa: E402

device = sys.argv[1] if len(sys.argv) > 1 else "auto"
random = numpy.random.default_rng(1)

trig = gpucc.compile(here / "trig.c").trig
x = numpy.linspace(-100, 100, 1_000_000, dtype="f4")
y = trig(x)  # NumPy's ufunc around native code
assert trig(gpucc.asarray(x, device=device)).to_numpy().tobytes() == y.tobytes()
print(f"{trig!r}: {y.min()} … {y.max()}; numpy.ufunc: {isinstance(trig.numpy, numpy.ufunc)}")

batched = gpucc.compile(here / "batched.c")
matrices, vectors = random.random((150, 100), "f4"), random.random((10, 100), "f4")
by_vectors = batched.apply_matrix(gpucc.asarray(matrices, device=device), gpucc.asarray(vectors, device=device))
assert by_vectors.to_numpy().tobytes() == batched.apply_matrix(matrices, vectors).tobytes()
print(f"{batched.apply_matrix!r} {batched.apply_matrix.signature}: {by_vectors.shape}")

matmul = gpucc.compile(here / "matmul.c").matmul_tiled
m, n, p = 100, 200, 300
a, b = random.random((m, n), "f4"), random.random((n, p), "f4")
c = gpucc.empty((m, p), "f4", device)
matmul[((p + 15) // 16, (m + 15) // 16), (16, 16)](m, n, p, gpucc.asarray(a, device=device), gpucc.asarray(b, device=device), c)
assert numpy.allclose(c.to_numpy(), a @ b, rtol=1e-5)
print(f"{matmul!r}: right on {c.device}")
