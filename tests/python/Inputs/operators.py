"""operators.py PROGRAM DEVICE: what arrays of the package have of NumPy's, beside NumPy."""
import copy
import operator
import pickle
import sys
import warnings

import numpy as np

import gpucc
from check import raises, same

device = sys.argv[2]
count = 0


def array(values, dtype=None):
    return gpucc.asarray(np.asarray(values, dtype), device=device, copy=True)


def expect(ours, theirs):
    global count
    assert isinstance(ours, gpucc.Array) and ours.device.startswith(device)
    if theirs.dtype.kind in "fc" and np.isnan(theirs).any():  # of any sign
        assert ours.dtype == theirs.dtype and np.array_equal(ours.to_numpy(), theirs, equal_nan=True), f"{ours} {theirs}"
    else:
        same(ours, theirs)
    count += 1


def test_operators():
    """Types and bits are NumPy's."""
    a, b = np.array([3, -7, 120, 0], "i1"), np.array([2, 3, 100, 5], "i1")
    c, t = np.array([1 + 2j, 0, 3j, -1], "c8"), np.array([True, False, True, True])
    f = np.array([0.5, -2.0, np.nan, np.inf], "f4")
    every = (operator.add, operator.sub, operator.mul, operator.truediv, operator.eq, operator.lt, operator.and_)
    cases = [(a, b, every), (a, f, (operator.add, operator.ge)), (c, f, (operator.mul, operator.ne)),
             (t, t, (operator.add, operator.sub, operator.xor)), (f, f[::-1], (operator.truediv, operator.or_))]
    for x, y, operators in cases:
        for each in operators:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    wanted = each(x, y)
            except TypeError:
                with raises(TypeError, "is not supported"):
                    each(array(x), array(y))
                continue
            expect(each(array(x), array(y)), wanted)
    x = array(f)
    expect(2 * x - 1, 2 * f - 1)
    expect(1 / array([1.0, 4.0]), np.array([1, 0.25]))
    expect(-array(b), -b)
    expect(~array(b), ~b)
    expect(array(b) > 2, b > 2)
    held = x
    x += 1
    assert x is held
    expect(x, f + np.float32(1))
    with raises(gpucc.BadType, "casting"):
        y = array(b)
        y /= 2
    assert (array([1, 2]) == "text") is False and (array([1, 2]) != None) is True  # noqa: E711
    with raises(TypeError, "unsupported operand"):
        array([1]) + [1]
    assert bool(array([3]) == 3) and not array([0])
    with raises(ValueError, "ambiguous"):
        bool(array([1, 2]))


def test_divisions():
    """Quotients rounded down, remainders, powers and absolute values have NumPy's types, signs and results."""
    generator = np.random.default_rng(5)
    for dtype in ("i8", "u1", "f4"):
        special = {"i": [0, 1, -1, 7, -7, -2**63, 2**63 - 1],
                   "u": [0, 1, 7, 200], "f": [0.0, -0.0, 1, -1, 0.5, 7.25, -7.25, np.inf, -np.inf, np.nan]}[dtype[0]]
        x, y = (a.ravel() for a in np.meshgrid(np.array(special, dtype), np.array(special, dtype)))
        if dtype[0] == "f":
            x, y = (np.concatenate([a, generator.standard_normal(1000).astype(dtype)]) for a in (x, y))
        with np.errstate(all="ignore"):
            for each in (operator.floordiv, operator.mod):
                wanted, made = each(x, y), each(array(x), array(y))
                expect(made, wanted)
                assert dtype[0] != "f" or np.array_equal(np.signbit(made.to_numpy()), np.signbit(wanted)) or \
                    np.isnan(wanted).any()
            expect(abs(array(x)), abs(x))
            for exponent in (2, 3):
                if dtype[0] in "iu" or exponent == 2:
                    expect(array(x) ** exponent, x ** exponent)
            if dtype[0] == "f":
                expect(array(x) ** 0.5, x ** 0.5)
                assert np.allclose((array(x) ** array(y)).to_numpy(), x ** y, equal_nan=True)
            else:
                positive = np.arange(x.size, dtype=dtype) % 9
                expect(array(x) ** array(positive), x ** positive)
    z = np.array([3 + 4j, -1, 0], "c8")
    expect(abs(array(z)), abs(z))
    assert np.allclose((array(z) ** 2).to_numpy(), z ** 2)
    with raises(ValueError, "negative integer powers"):
        array([1, 2]) ** array([1, -1])
    with raises(ValueError, "negative integer powers"):
        array([1, 2]) ** -1
    x = array([7, 8])
    x //= 2
    x **= 2
    x %= 5
    expect(x, np.array([4, 1]))
    expect(7 // array([2, 3]), np.array([3, 2]))
    expect(7 % array([2, 4]), np.array([1, 3]))
    expect(2 ** array([2, 4]), np.array([4, 16]))


def test_assignment():
    x, y = np.arange(12.0).reshape(3, 4), array(np.arange(12.0).reshape(3, 4))
    for index, value in [(0, 5), ((slice(None), 1), [7, 8, 9]), ((slice(None, None, 2), slice(1, 3)), np.float32(0.5)),
                         ((1, ...), np.arange(4, dtype="i4")), ((2, 3), True)]:
        x[index] = value
        y[index] = value
        expect(y, x)
    x[:, 0], y[:, 0] = x[0, :3], y[0, :3]
    x[:, 1:], y[:, 1:] = x[:, :-1].copy(), y[:, :-1]  # shares memory
    expect(y, x)
    z = array(np.zeros((3, 4)), "i4")
    z[...] = y  # converted
    expect(z, x.astype("i4"))
    with raises(gpucc.BadShape, "broadcast"):
        y[0] = array([1.0, 2.0])
    with raises(ValueError):
        y[0] = [1, 2]
    y.fill(3)
    expect(y, np.full((3, 4), 3.0))


def test_shapes_and_types():
    x = np.arange(24, dtype="f4").reshape(2, 3, 4)
    y = array(x)
    expect(y.reshape(6, 4), x.reshape(6, 4))
    expect(y.reshape((4, -1)), x.reshape(4, -1))
    expect(y.transpose(2, 0, 1).reshape(-1), x.transpose(2, 0, 1).reshape(-1))
    view = y.reshape(24)
    view[3] = 100
    assert y[0, 0, 3].item() == 100
    x[0, 0, 3] = 100
    expect(y.astype("i8"), x.astype("i8"))
    assert y.astype("f4", copy=False) is y
    other = y.copy()
    other[0] = 0
    expect(y, x)
    expect(copy.copy(y.T), x.T)
    expect(copy.deepcopy(y), x)
    expect(pickle.loads(pickle.dumps(y[:, ::2])), x[:, ::2])
    halves = gpucc.full(3, 1.5, "bfloat16", device)
    assert pickle.loads(pickle.dumps(halves)).to_numpy().tobytes() == halves.to_numpy().tobytes()
    with raises(ValueError, "cannot reshape"):
        y.reshape(5, 5)


def test_makers():
    expect(gpucc.zeros((2, 3), device=device), np.zeros((2, 3)))
    expect(gpucc.ones(4, "i2", device), np.ones(4, "i2"))
    expect(gpucc.full((2, 2), 7, device=device), np.full((2, 2), 7))
    expect(gpucc.full(0, 1.5, device=device), np.full(0, 1.5))


COMPILED = "test_operators", "test_divisions"  # without emulation
for name, test in list(globals().items()):
    if name.startswith("test_") and not (device == "cuda" and name in COMPILED):
        test()
print(f"{count} comparisons")
