"""namespace.py: the functions of the array API standard that arrays support, beside NumPy's."""
import numpy as np

import gpucc

generator = np.random.default_rng(3)
count = 0


def array(x):
    return gpucc.asarray(x, device="cpu", copy=True)


def expect(ours, theirs, bits=True):
    global count
    theirs = np.asarray(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, (ours, theirs.dtype, theirs.shape)
    made = ours.to_numpy()
    assert np.array_equal(made, theirs, equal_nan=theirs.dtype.kind in "fc") if bits else \
        np.allclose(made, theirs, rtol=1e-6, atol=1e-6, equal_nan=True), (made, theirs)
    count += 1


x, y = generator.uniform(0.1, 0.9, (3, 4)).astype("f4"), generator.standard_normal((3, 4)).astype("f4")
y[0, 0] = np.nan
i = generator.integers(-5, 5, (3, 4), "i4")
xp = array(x).__array_namespace__()

NAMES = {"acos": "arccos", "atan2": "arctan2", "round": "rint", "abs": "absolute"}


def numpys(name):
    return getattr(np, NAMES.get(name, name))


for name in "acos exp log1p log2 sqrt round isnan logical_not abs square".split():
    expect(getattr(xp, name)(array(x)), numpys(name)(x), bits=False)
for name in "atan2 minimum less logical_and remainder".split():
    expect(getattr(xp, name)(array(x), array(y)), numpys(name)(x, y), bits=False)
expect(xp.sin(array(i)), np.sin(i.astype("f8")), bits=False)
expect(xp.floor(array(i)), i)
expect(xp.maximum(array(i), 2), np.maximum(i, np.int32(2)))
expect(xp.where(array(x < 0.5), array(x), array(y)), np.where(x < 0.5, x, y))
expect(xp.where(array(x < 0.5), array(x), 0), np.where(x < 0.5, x, np.float32(0)))
for axis in (None, 0, 1, (0, 1)):
    for name in "sum prod mean std".split():
        expect(getattr(xp, name)(array(x), axis=axis), getattr(np, name)(x, axis=axis), bits=False)
    for name in "min max any all".split():
        expect(getattr(xp, name)(array(y), axis=axis), getattr(np, name)(y, axis=axis))
expect(xp.sum(array(i), axis=1, keepdims=True), i.sum(1, keepdims=True))
expect(xp.sum(array(i % 2 == 0)), (i % 2 == 0).sum())
expect(array(x) @ array(x.T), x @ x.T, bits=False)
expect(array(i) @ array(i.T), i @ i.T)
expect(xp.matmul(array(x[0]), array(y[1])), x[0] @ y[1], bits=False)
expect(xp.concat([array(x), array(y)], axis=1), np.concatenate([x, y], 1))
expect(xp.concat([array(i), array(x)], axis=None), np.concatenate([i, x], None))
expect(xp.stack([array(x), array(y)], axis=1), np.stack([x, y], 1))
expect(xp.flip(array(i), axis=1), np.flip(i, 1))
expect(xp.expand_dims(array(i), axis=-1), np.expand_dims(i, -1))
expect(xp.squeeze(array(i[None]), axis=0), i)
expect(xp.broadcast_to(array(i[0]), (2, 4)), np.broadcast_to(i[0], (2, 4)))
expect(xp.permute_dims(array(i), (1, 0)), i.T)
expect(xp.matrix_transpose(array(i)), i.T)
expect(xp.arange(3, 7, device="cpu"), np.arange(3, 7))
expect(xp.linspace(0, 1, 5, device="cpu"), np.linspace(0, 1, 5))
expect(xp.eye(3, k=1, device="cpu"), np.eye(3, k=1))
expect(xp.zeros_like(array(i)), np.zeros_like(i))
expect(xp.full_like(array(i), 7), np.full_like(i, 7))
assert float(array(np.float32(2.5))) == 2.5 and int(array(np.int8(3))) == 3 and [5, 6][array(np.int64(1))] == 6
assert xp.result_type(array(i), xp.float32) == np.float64 and xp.can_cast(array(i), xp.int64)
print(count, "comparisons")
