"""CuPy: ElementwiseKernel and its own ufuncs."""
import cupy
import numpy

import measure
from measure import N, SIDE, SMALL, gigabytes, row, section

x = cupy.asarray(numpy.random.default_rng(1).random(N, dtype=numpy.float32) * 20 - 10)
y, out = x.copy(), cupy.empty_like(x)
trig = cupy.ElementwiseKernel("float32 x", "float32 z", "float c = cosf(x), s = sinf(x); z = c * c + s * s", "trig")
add = cupy.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x + y", "add")
selu = cupy.ElementwiseKernel("float32 x", "float32 z", "z = 1.05f * (x > 0 ? x : 1.67f * expf(x) - 1.67f)", "selu")


def device_us(call):
    return measure.device_us(call, cupy.cuda.Event, cupy.cuda.get_elapsed_time)


@section
def copy():
    work = lambda: cupy.cuda.runtime.memcpyAsync(out.data.ptr, x.data.ptr, x.nbytes, 3, 0)
    row("copy_1e8", "cupy", gigabytes(8 * N, device_us(work)), "GB/s")


@section
def large():
    row("add_1e8", "cupy", gigabytes(12 * N, device_us(lambda: cupy.add(x, y, out=out))), "GB/s")
    row("trig_1e8", "cupy", gigabytes(8 * N, device_us(lambda: trig(x, out))), "GB/s")
    row("selu_1e8", "cupy", gigabytes(8 * N, device_us(lambda: selu(x, out))), "GB/s")
    source, result = x[:10**7], out[:10**7]
    row("trig_1e7", "cupy", device_us(lambda: trig(source, result)), "us")


@section
def broadcast():
    a, b, o = (array.reshape(SIDE, SIDE) for array in (x, y, out))
    row("row_1e8", "cupy", gigabytes(8 * N, device_us(lambda: cupy.add(a, b[:1], out=o))), "GB/s")
    row("column_1e8", "cupy", gigabytes(8 * N, device_us(lambda: cupy.add(a, b[:, :1], out=o))), "GB/s")
    row("transposed_1e8", "cupy", gigabytes(12 * N, device_us(lambda: cupy.add(a.T, b, out=o))), "GB/s")


@section
def reductions():
    for name, (shape, axis) in measure.SUMS.items():
        a = x.reshape(shape)
        row(name, "cupy", gigabytes(4 * N, device_us(lambda: a.sum(axis=axis))), "GB/s")
    row("cumsum_1e8", "cupy", gigabytes(8 * N, device_us(lambda: cupy.cumsum(x, out=out))), "GB/s")
    whole, sums = (x * 100).astype("i4"), out.view("i4")
    row("cumsum_int32", "cupy", gigabytes(8 * N, device_us(lambda: cupy.cumsum(whole, dtype="i4", out=sums))), "GB/s")


@section
def scatter():
    indices = (cupy.arange(N, dtype="u4") * cupy.uint32(2654435769) * (10**6 * 2.0**-32)).astype("i4")
    for dtype in ("int32", "float32"):
        cells, operand = cupy.zeros(10**6, dtype), y.astype(dtype)
        row("at_" + dtype, "cupy", device_us(lambda: cupy.add.at(cells, indices, operand)) / 1e3, "ms")


@section
def calls():
    small = [array[:SMALL] for array in (x, y, out)]
    row("call_1000", "cupy", measure.host_us(lambda: add(*small), cupy.cuda.Device().synchronize), "us")
    kernel = cupy.RawKernel('extern "C" __global__ void add(const float *x, const float *y, float *z, int n)'
                            "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) z[i] = x[i] + y[i]; }", "add")
    arguments = (*small, numpy.int32(SMALL))
    row("launch", "cupy", measure.host_us(lambda: kernel((8,), (128,), arguments), cupy.cuda.Device().synchronize), "us")


@section
def host_arrays():
    source = cupy.asnumpy(x[:10**7])
    row("host_trig_1e7", "cupy", measure.wall_ms(lambda: cupy.asnumpy(trig(cupy.asarray(source)))), "ms")


@section
def sgemm():
    m, k, n = 10000, 5000, 7000
    a, b, c = x[:m * k].reshape(m, k), y[:k * n].reshape(k, n), out[:m * n].reshape(m, n)
    row("sgemm", "cupy", 2 * m * k * n / device_us(lambda: cupy.matmul(a, b, out=c)) / 1e6, "TFLOP/s")


@section
def kmeans():
    points, k = cupy.random.default_rng(1).random((2_000_000, 12), dtype=numpy.float32), 8
    centers = points[:k].copy()

    def step():
        distances = (points * points).sum(1)[:, None] - 2 * points @ centers.T + (centers * centers).sum(1)
        nearest = distances.argmin(1)
        sums = cupy.zeros_like(centers)
        cupy.add.at(sums, nearest, points)
        return sums / cupy.bincount(nearest, minlength=k)[:, None]

    row("kmeans_step", "cupy", device_us(step) / 1e3, "ms")
