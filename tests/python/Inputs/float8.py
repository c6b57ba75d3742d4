"""float8.py DEVICE [OPTION…]: 8-bit floating-point numbers, beside tables of their values."""
import sys

import numpy as np

import gpucc
from check import raises

device = sys.argv[1]
try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
rng = np.random.default_rng(8)

SOURCE = """
#include <gpucc.h>
vectorize() float8_e4m3fn quantise(float x, float scale) { return float8_e4m3fn_from(x * scale); }
vectorize() float8_e5m2 quantise5(float x, float scale) { return float8_e5m2_from(x * scale); }
vectorize() float value(float8_e4m3fn x) { return float_from_float8(x); }
vectorize() float value5(float8_e5m2 x) { return float_from_float8(x); }
vectorize() float8_e4m3fn keep(float8_e4m3fn x) { return x; }
vectorize() float8_e5m2 keep5(float8_e5m2 x) { return x; }
vectorize() float8_e4m3fn pick(boolean c, float8_e4m3fn x, float8_e4m3fn y) { return c ? x : y; }
vectorize() float twice(float x) { return 2 * x; }
kernel void scaled(size_t n, const float8_e4m3fn x[n], float8_e5m2 y[n], float by)
{
    const size_t i = grid(1);
    if (i < n)
        y[i] = float8_e5m2_from(float_from_float8(x[i]) * by);
}
vectorize() float8_e4m3fn once(double x) { return float8_e4m3fn_from(x); }
vectorize() float8_e5m2 once5(int64 x) { return float8_e5m2_from(x); }
kernel void given(float y[3], float8_e4m3fn a, float8_e5m2 b, bfloat16 c)
{
    y[0] = float_from_float8(a), y[1] = float_from_float8(b), y[2] = (float)c;
}
vectorize() float8_e4m3fn largest(float8_e4m3fn x, float8_e4m3fn y)
{
    return float_from_float8(x) > float_from_float8(y) ? x : y;
}
"""


def table(places):
    """The values of all codes."""
    code = np.arange(256)
    magnitude, bias = code & 0x7f, 7 if places == 3 else 15
    exponent, fraction = magnitude >> places, magnitude & (1 << places) - 1
    value = np.where(exponent, np.ldexp((1 << places) + fraction, exponent - bias - places),
                     np.ldexp(fraction.astype(float), 1 - bias - places))
    if places == 3:
        value[magnitude == 0x7f] = np.nan
    else:
        value[magnitude == 0x7c], value[magnitude > 0x7c] = np.inf, np.nan
    return np.where(code & 0x80, -value, value)


E4M3, E5M2 = table(3), table(2)
MOST = {"float8_e4m3fn": 0x7e, "float8_e5m2": 0x7b}
VALUES = {"float8_e4m3fn": E4M3, "float8_e5m2": E5M2}


def nearest(x, name):
    """Codes of float64 numbers: rounded to nearest, ties to even, saturating, NaN as 0x7f."""
    values = VALUES[name][:MOST[name] + 1]
    with np.errstate(invalid="ignore"):
        x = np.asarray(x, "f8")
    size = np.minimum(np.where(np.isnan(x), 0, abs(x)), values[-1])
    low = np.clip(np.searchsorted(values, size, "right") - 1, 0, MOST[name] - 1)
    below, above = size - values[low], values[low + 1] - size
    code = np.where(below < above, low, np.where(below > above, low + 1, low + (low & 1)))
    return np.where(np.isnan(x), 0x7f, code | np.signbit(x) << 7).astype("u1")


def array(codes, name):
    """An array of the type, by way of a ufunc, so that NumPy need not have it."""
    return gpucc.asarray(np.asarray(VALUES[name][codes], "f4"), device=device, copy=True).astype(name)


def codes(x):
    return x.to_numpy().view("u1")


def test_conversions():
    bits = rng.integers(0, 2**32, 1 << 18, dtype="u8").astype("u4")
    near = np.concatenate([E4M3, E5M2, (E4M3[:-1] + E4M3[1:]) / 2, (E5M2[:-1] + E5M2[1:]) / 2]).astype("f4")
    near = np.concatenate([near, np.nextafter(near, np.float32(0)), np.nextafter(near, np.float32(np.inf))])
    with np.errstate(invalid="ignore"):
        given = np.concatenate([near, np.ldexp(rng.standard_normal(1 << 16), rng.integers(-20, 20, 1 << 16)).astype("f4"),
                                bits.view("f4")])
    x = gpucc.asarray(given, device=device, copy=True)
    for name, quantise, value, keep in (("float8_e4m3fn", program.quantise, program.value, program.keep),
                                        ("float8_e5m2", program.quantise5, program.value5, program.keep5)):
        expected = nearest(given, name)
        made = quantise(x, np.float32(1))
        assert str(made.dtype) in (name, "|V1") and (codes(made) == expected).all()
        assert (codes(x.astype(name)) == expected).all(), "the runtime converts as C does"
        assert (codes(x.astype("f8").astype(name)) == expected).all()
        assert (codes(x[::3].astype(name)) == expected[::3]).all()
        every = gpucc.asarray(np.arange(256, dtype="f4"), device=device, copy=True)
        back = value(made).to_numpy()
        assert np.array_equal(back, VALUES[name][expected].astype("f4"), equal_nan=True)
        assert np.array_equal(made.astype("f4").to_numpy(), back, equal_nan=True)
        assert np.array_equal(made.astype("f8").to_numpy(), back.astype("f8"), equal_nan=True)
        assert (codes(keep(made)) == expected).all()
        small = made[:1000].astype("i4").to_numpy()
        wanted = np.nan_to_num(np.trunc(VALUES[name][expected[:1000]]), nan=0)
        assert (small == wanted).all()
        assert (codes(every.astype("i4").astype(name)) == nearest(np.arange(256), name)).all()
        doubled = program.twice(made).to_numpy()  # converts on the way in
        assert np.array_equal(doubled, 2 * back, equal_nan=True)
        out = gpucc.asarray(np.zeros(given.size, "V1"), name, device=device, copy=True)
        program.twice(x, out=out)  # and out
        with np.errstate(over="ignore", invalid="ignore"):
            assert (codes(out) == nearest(2 * given, name)).all()
    a, b = array(rng.integers(0, 0x7f, 1000), "float8_e4m3fn"), array(rng.integers(0, 0x7f, 1000), "float8_e4m3fn")
    c = gpucc.asarray(rng.integers(0, 2, 1000) == 1, device=device, copy=True)
    assert (codes(program.pick(c, a, b)) == np.where(c.to_numpy(), codes(a), codes(b))).all()


def test_casting():
    """Safe casts are those to types that have all numbers."""
    x = array(np.arange(16), "float8_e5m2")
    try:
        program.keep(x)
    except TypeError:
        pass
    else:
        raise AssertionError("float8_e5m2 became float8_e4m3fn")


def test_methods():
    """Methods that combine elements need arithmetic."""
    x = gpucc.asarray(np.arange(4.0), "float8_e4m3fn", device=device)
    for call in (lambda: program.largest.reduce(x), lambda: program.largest.accumulate(x),
                 lambda: program.largest.reduceat(x, [0, 2])):
        with raises(gpucc.BadType, "float8_e4m3fn has none"):
            call()


def test_kernel():
    x = array(np.arange(0x7f), "float8_e4m3fn")
    y = gpucc.empty(0x7f, "float8_e5m2", device=device)
    program.scaled[4, 32](x.size, x, y, 3.0)
    assert (codes(y) == nearest(E4M3[:0x7f] * 3, "float8_e5m2")).all()


def test_given():
    """Kernels' own numbers of these types are converted, not taken for their bits."""
    y = gpucc.empty(3, "float32", device=device)
    for x in (1.5, 3, True, np.float16(1.5), np.float32(1.5), np.int8(3), np.uint8(3), np.int16(3), np.array(1.5)):
        program.given[1, 1](y, x, x, x)
        assert (y.to_numpy() == float(x)).all(), (x, y.to_numpy())
    program.given[1, 1](y, 1000, 1e9, 1.5)
    assert (y.to_numpy() == [448, 57344, 1.5]).all()
    program.given[1, 1](y, b"\x3c", np.void(b"\x3e"), b"\xc0\x3f")
    assert (y.to_numpy() == 1.5).all()
    wrong = [np.complex64(1), np.zeros(1), np.datetime64(3, "s"), "1.5"]
    if ml_dtypes:
        program.given[1, 1](y, ml_dtypes.float8_e4m3fn(1.5), ml_dtypes.float8_e5m2(1.5), ml_dtypes.bfloat16(1.5))
        assert (y.to_numpy() == 1.5).all()
        wrong += [ml_dtypes.float8_e5m2(1.5), ml_dtypes.bfloat16(1.5)]
    for x in wrong:
        try:
            program.given[1, 1](y, x, 1, 1)
        except TypeError:
            pass
        else:
            raise AssertionError(f"{x!r} became float8_e4m3fn")


def test_once():
    """Numbers that a float cannot hold are not rounded to one first."""
    x = gpucc.asarray(np.array([1.0625 + 2.**-40, 1.0625, -1e300, np.nan]), device=device, copy=True)
    assert (codes(program.once(x)) == nearest(x.to_numpy(), "float8_e4m3fn")).all()
    x = gpucc.asarray(np.array([36864 + 1, 36864, -9 * 2**40, 2**62]), device=device, copy=True)
    assert (codes(program.once5(x)) == nearest(x.to_numpy(), "float8_e5m2")).all()


def test_exchange():
    x = array(np.arange(0x7f), "float8_e4m3fn")
    if ml_dtypes:
        there = x.to_numpy()
        assert there.dtype == ml_dtypes.float8_e4m3fn
        again = gpucc.asarray(there, device=device, copy=True)
        assert (codes(again) == codes(x)).all()
        host = np.arange(-8, 8).astype(ml_dtypes.float8_e5m2)
        assert np.array_equal(program.value5(host, device=device), host.astype("f4"))
        try:
            gpucc.asarray(np.zeros(3, ml_dtypes.float8_e4m3), device=device, copy=True)
        except TypeError:
            pass
        else:
            raise AssertionError("the variant with infinities is another type")
    else:
        assert x.to_numpy().dtype == np.dtype("V1")
    plain = codes(x).view("V1")
    assert (codes(gpucc.asarray(plain, "float8_e4m3fn", device=device, copy=True)) == codes(x)).all()
    try:
        gpucc.asarray(plain, device=device, copy=True)
    except TypeError:
        pass
    else:
        raise AssertionError("a plain byte is neither type")


if __name__ == "__main__":
    program = gpucc.compile(SOURCE, options=sys.argv[2:])
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
    print(len(tests), "tests")
