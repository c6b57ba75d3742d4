"""arrays.py PROGRAM DEVICE: functions.c on arrays of a device, beside NumPy."""
import ctypes
import gc
import operator
import sys
import threading
import weakref

import numpy as np

import gpucc
from check import raises, same

program, device = gpucc.load(sys.argv[1], name="functions"), sys.argv[2]
on_gpu = device == "cuda"
count = 0


def array(values, dtype=None):
    return gpucc.asarray(np.asarray(values, dtype), device=device, copy=True)


def expect(ours, theirs):
    global count
    assert isinstance(ours, gpucc.Array) and ours.device == ("cuda:0" if on_gpu else "cpu")
    same(ours, theirs)
    count += 1


def test_calls():
    x, y = np.arange(12.0).reshape(3, 4), np.arange(4.0)
    a, b = array(x), array(y)
    expect(program.add(a, a), x + x)
    expect(program.add(a, b), x + y)
    expect(program.add(a.T, 1), x.T + 1)
    expect(program.add(1, a), 1 + x)
    expect(program.add(array(x, "f4"), 0.5), x.astype("f4") + np.float32(0.5))  # numbers of Python have no type
    expect(program.add(array(x, "f4"), np.float64(0.5)), x + 0.5)
    expect(program.add(array(x, "i4"), 2), x.astype("i4") + np.int32(2))
    expect(program.add(a, np.array(3.0)), x + 3)
    expect(program.add(a, b, dtype="f4", casting="same_kind"), np.add(x, y, dtype="f4", casting="same_kind"))
    assert program.add(a, a, order="F").strides == (8, 24)
    out = gpucc.empty((3, 4), device=device)
    assert program.add(a, a, out) is out and program.add(a, a, out=(out,)) is out and program.add(a, 5, out=out) is out
    expect(out, x + 5)
    program.add(a, b, out=out, where=array(x > 3))
    expect(out, np.where(x > 3, x + y, x + 5))
    program.add(a, a, out=a[::-1])  # as if the inputs were copied first
    expect(a, (x + x)[::-1])
    whole, part = program.split(array([1.5, -2.25]))
    expect(whole, np.array([1.0, -2]))
    expect(part, np.array([0.5, -0.25]))
    mine = gpucc.empty(2, device=device)
    assert program.split(array([1.5, -2.25]), out=(None, mine))[1] is mine
    twice = program.twice(gpucc.asarray([1, 2], "bfloat16", device))
    assert repr(twice).startswith("gpucc.Array of bfloat16 (2,)") and twice.to_numpy().itemsize == 2
    if not on_gpu:
        plain = program.twice(np.array([b"\x80\x3f", b"\x40\x40"], "V2"))  # 1 and 3 in the two bytes that NumPy knows
        assert np.asarray(plain).tobytes() == b"\x00\x40\xc0\x40"
    expect(program.add.outer(array(y), array(y[:2])), np.add.outer(y, y[:2]))


def test_methods():
    x = np.arange(24.0).reshape(2, 3, 4)
    a = array(x)
    for axis in (0, 1, -1, (0, 2), None, (2, 1, 0)):
        expect(program.add.reduce(a, axis=axis), np.add.reduce(x, axis=axis))
        expect(program.add.reduce(a, axis, keepdims=True, initial=7), np.add.reduce(x, axis, keepdims=True, initial=7))
    expect(program.subtract.reduce(a, 1), np.subtract.reduce(x, 1))
    expect(program.add.reduce(array(x, "f4"), dtype="f8"), np.add.reduce(x))
    expect(program.add.reduce(array(np.zeros((0, 3)))), np.zeros(3))
    expect(program.add.accumulate(a, axis=1), np.add.accumulate(x, axis=1))
    expect(program.add.reduceat(a, [0, 2, 1], axis=2), np.add.reduceat(x, [0, 2, 1], axis=2))
    expect(program.add.reduceat(a, array([0, 1]), 1), np.add.reduceat(x, [0, 1], 1))
    out = gpucc.empty((3, 4), device=device)
    assert program.add.reduce(a, out=out) is out
    expect(out, x.sum(0))
    program.add.at(a, [0, 0, 1], 10)
    np.add.at(x, [0, 0, 1], 10)
    expect(a, x)
    program.negate.at(a, array([1]))
    expect(a, np.stack([x[0], -x[1]]))
    for indices in (slice(None, None, -1), [True, False], np.array([False, True]), ([1, 1],), np.zeros(0), -1):
        b, y = array(x), x.copy()
        program.add.at(b, indices, 10)
        np.add.at(y, np.zeros(0, int) if np.size(indices) == 0 else indices, 10)
        expect(b, y)
    if on_gpu:
        with raises(TypeError, "to_numpy() copies it"):
            program.add.at(a, (array([0]), 1), 10)
    assert operator.index(array(3)) == 3
    with raises(TypeError, "without dimensions"):
        operator.index(array([3]))
    with raises(IndexError, "boolean index of shape (3,)"):
        program.add.at(a, [True, False, True], 10)
    with raises(gpucc.Error, "pass the indices at which the mask is true"):
        program.add.at(a, array([True, False]), 10)
    expect(program.add.reduce(a, initial=None), np.add.reduce(a.to_numpy()))
    for call in (lambda: program.add.reduce(array(np.zeros((0, 3))), initial=None),
                 lambda: program.add.reduce(array(np.zeros((3, 0))), axis=(0, 1), initial=None),
                 lambda: program.add.reduce(a, initial=None, where=array([True, False, True, True]))):
        with raises(ValueError, "initial=None"):
            call()
    big = np.random.default_rng(1).standard_normal(100001).astype("f4")
    tree = big
    while len(tree) > 1:
        pairs = tree[: len(tree) // 2 * 2]
        tree = np.concatenate([pairs[::2] + pairs[1::2], tree[len(pairs):]])
    expect(program.add.reduce(array(big)), tree[0])  # to the bit
    for call in (lambda: program.subtract.reduce(a, axis=(0, 1)),
                 lambda: program.largest.reduce(array([]), initial=None, axis=5)):
        with raises(gpucc.Error):
            call()
    mask = np.arange(4) % 3 == 0
    expect(program.add.reduce(a, axis=1, where=array(mask)), np.add.reduce(np.asarray(a.to_numpy()), axis=1, where=mask))
    with raises(gpucc.Error, "identity"):
        program.subtract.reduce(a, where=array(mask))



def test_signature():
    x = np.array([1.5, -2.5, 300.25])
    whole, single = x.astype("i4"), x.astype("f4")
    for values in (x, whole, single):
        for how in ({"signature": "dd->d"}, {"signature": "ff->f"}, {"sig": "ff->f"}, {"signature": ("f4", "f4", "f4")},
                    {"signature": (None, None, "f8")}, {"signature": ("f8", None, None)},
                    {"signature": "ii->i", "casting": "unsafe"},
                    {"signature": ("i4", None, np.int32), "casting": "unsafe"}, {"signature": "ff->f", "where": x > 0}):
            if how.get("signature") == "ff->f" and values is whole and "where" in how:
                how = {**how, "casting": "unsafe"}
            given = {**how, "where": array(x > 0)} if "where" in how else how
            theirs = np.add(values, values, out=np.zeros(3), **how)
            out = array(np.zeros(3))
            assert program.add(array(values), array(values), out=out, **given) is out
            expect(out, theirs)
            if "where" not in how:
                expect(program.add(array(values), 1, **how), np.add(values, 1, **how))
    expect(program.add.outer(array(x), array(x), signature="ff->f"), np.add.outer(x, x, signature="ff->f"))
    expect(program.split(array(x), signature="f->ff")[0], np.trunc(x).astype("f4"))
    expect(program.inner(array(x), array(x), signature="ff->f"), np.float32(single @ single))
    for kind, texts, how in ((gpucc.BadType, ["signature", "same_kind"], {"signature": "ii->i"}),
                             (gpucc.BadType, ["signature"], {"signature": ("f4", "f8", "f4")}),
                             (TypeError, ["one of"], {"signature": "ff->f", "dtype": "f4"}),
                             (TypeError, ["one of"], {"signature": "ff->f", "sig": "ff->f"}),
                             (ValueError, ["'ff'"], {"signature": "ff"}), (ValueError, ["2 inputs"], {"signature": "f->f"}),
                             (ValueError, ["2 types"], {"signature": ("f4", "f4")}), (TypeError, [], {"signature": 3}),
                             (TypeError, [], {"signature": "zz->z"})):
        with raises(kind, *texts):
            program.add(array(x), array(x), **how)


def test_axes_and_indices():
    """Missing axes and indices raise NumPy's exceptions, too."""
    x, AxisError = array(np.ones((2, 3))), getattr(np, "exceptions", np).AxisError
    for call in (lambda: program.add.reduce(x, 2), lambda: program.add.reduce(x, (0, -3)), lambda: program.add.accumulate(x, 2),
                 lambda: program.add.reduceat(x, [0], -3), lambda: program.inner(x, x, axis=2),
                 lambda: program.add.reduce(x, 2**40), lambda: program.dot(x, x, axis=5)):
        for kind in (gpucc.BadAxis, gpucc.BadShape, AxisError, IndexError, ValueError):
            with raises(kind, "ax"):
                call()
    for call in (lambda: program.add.at(x, [2], 1), lambda: program.add.at(x, array([-3]), 1),
                 lambda: program.add.reduceat(x, [2]), lambda: program.add.at(x, [True], 1)):
        for kind in (gpucc.BadIndex, gpucc.BadShape, IndexError):
            with raises(kind):
                call()
    for call in (lambda: program.add(x, array(np.ones(2))), lambda: program.add.reduce(x, (0, 0))):
        try:
            call()
        except gpucc.BadShape as error:
            assert not isinstance(error, IndexError)
        else:
            raise AssertionError("not refused")


def test_reduced_types():
    """Types asked for, and those of out, count as in NumPy, which converts by any rule; values whose sums are the same in any
    order."""
    x = np.array([[1.5, 2.5, -3.75], [-1, 100, 300]])
    here = array(x)
    for dtype in ("i4", "f4", "f8"):
        for axis in (0, 1, (0, 1), None):
            expect(program.add.reduce(here, axis, dtype), np.add.reduce(x, axis, dtype))
        mask = x < 50
        expect(program.add.reduce(here, 1, dtype, where=array(mask)), np.add.reduce(x, 1, dtype, where=mask))
        expect(program.add.reduceat(here, [0, 2], 1, dtype), np.add.reduceat(x, [0, 2], 1, dtype))
        expect(program.add.accumulate(here, 1, dtype), np.add.accumulate(x, 1, dtype))
        for kind in ("i4", "f4", "f8"):
            for asked in (None, dtype):
                for values in (x, x.astype("i4"), x.astype("f4")):
                    out, theirs = array(np.zeros(2, kind)), np.zeros(2, kind)
                    assert program.add.reduce(array(values), 1, asked, out) is out
                    expect(out, np.add.reduce(values, 1, asked, theirs))
    large, out = np.array([2**31 - 1, 1], "i4"), array(np.zeros((), "f8"))
    expect(program.add.reduce(array(large), out=out), np.add.reduce(large, out=np.zeros((), "f8")))
    whole, out = array(np.arange(4, dtype="i4")), array(np.zeros((), "?"))  # no loop makes it of both
    program.add.reduce(whole, out=out)
    assert out.item() is True

def test_fused():
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(4.0)
    mask = np.arange(3)[:, None] != 1
    for axis in (0, -1, (0, 2), None):
        expect(program.dot(array(x), array(y), axis=axis), np.add.reduce(x * y, axis=axis))
        expect(program.dot(array(x), 2, axis=axis, keepdims=True, initial=5, where=array(mask)),
               np.add.reduce(x * 2, axis=axis, keepdims=True, initial=5, where=mask))
    out = gpucc.empty((3, 4), device=device)
    assert program.dot(array(x), array(y), out=out) is out
    expect(out, (x * y).sum(0))
    expect(program.dot(array(x, "f4"), array(y, "f4"), dtype="f8"), (x * y).sum(0))
    assert np.array_equal(program.dot(x, y), (x * y).sum(0))  # NumPy's
    assert program.dot.by == "add" and program.dot.parameters == ["x", "y"] and "products" in program.dot.doc
    with raises(TypeError, "2 inputs"):
        program.dot(array(x))


def test_gufuncs():
    random = np.random.default_rng(2)
    x, y = random.integers(-9, 9, (5, 3, 4)).astype("f8"), random.integers(-9, 9, (4, 2)).astype("f8")
    a, b = array(x), array(y)
    expect(program.matmul(a, b), np.matmul(x, y))
    expect(program.matmul(a.transpose(1, 2, 0), b, axes=[(0, 1), (0, 1), (0, 1)]),
           np.einsum("ijk,jl->ilk", x.transpose(1, 2, 0), y))
    expect(program.inner(a, a, axis=1), np.einsum("ijk,ijk->ik", x, x))
    expect(program.inner(a, a, axis=0, keepdims=True), np.einsum("ijk,ijk->jk", x, x)[None])
    expect(program.convolve(array([1.0, 2, 3]), array([1.0, 1])), np.convolve([1.0, 2, 3], [1.0, 1]))
    with raises(gpucc.BadShape, "matmul"):
        program.matmul(a, a)


def test_kernels():
    x = array(np.arange(6), "f4")
    program.scale_f32[2, 4](6, 2, x)
    expect(x, np.arange(6, dtype="f4") * 2)
    program.scale_f32(np.int64(6), np.float32(0.5), x, threads=6)
    expect(x, np.arange(6, dtype="f4"))
    program.scale_f32(3, 10.0, x, grid=1, block=(32,))
    expect(x, np.array([0, 10, 20, 3, 4, 5], "f4"))
    program.reverse[1, 6, None, 24](6, x)
    expect(x, np.array([5, 4, 3, 20, 10, 0], "f4"))
    random = np.random.default_rng(3)
    a, b = random.integers(-9, 9, (5, 3)).astype("f4"), random.integers(-9, 9, (3, 7)).astype("f4")
    c = gpucc.empty((5, 7), "f4", device)
    program.product(5, 3, 7, array(a), array(b), c, threads=(7, 5))
    expect(c, a @ b)
    program.product[(1, 1), (8, 8)](5, 3, 7, array(a), array(b), c)
    expect(c, a @ b)

    class Line(ctypes.Structure):
        _fields_ = [("slope", ctypes.c_double), ("offset", ctypes.c_double)]
    y = gpucc.empty(4, device=device)
    weights = program.variable("weights", device)
    expect(weights, np.array([1, 2, 4], "f4"))
    for offset, line in ((1, Line(2, 1)), (3, np.array((2, 3), [("slope", "f8"), ("offset", "f8")])[()])):
        program.map(line, 4, array(np.arange(4.0)), y, threads=4)
        expect(y, 2 * np.arange(4.0) + 2 * offset)
    weights.write([0, 5, 0])
    program.map(Line(0, 1), 4, array(np.arange(4.0)), y, threads=4)
    expect(y, np.full(4, 5.0))
    weights.write([1, 2, 4])


def test_refused_launches():
    x = array(np.arange(6), "f4")
    refused = [
        (TypeError, "takes 3 arguments but 2", (6, x), {}), (gpucc.BadType, "float32", (6, 1, array([1.0])), {}),
        (gpucc.BadType, "expected an array or an address", (6, 1, 5), {}),
        (gpucc.BadType, "expected an integer", (1.5, 1, x), {}),
        (OverflowError, "is out of range", (-1, 1, x), {}), (gpucc.BadType, "not 'x'", (6, "x", x), {}),
        (gpucc.BadShape, "C order", (3, 1, x[::2]), {}), (gpucc.BadShape, "takes 7 elements", (7, 1, x), {}),
        (gpucc.BadLaunch, "threads", (6, 1, x), {"block": 2000}), (gpucc.BadLaunch, "grid", (6, 1, x), {"grid": 1.5}),
        (gpucc.BadLaunch, "grid=0: expected one to three integers, from 1 on", (6, 1, x), {"grid": 0}),
    ]
    for kind, text, arguments, options in refused:
        with raises(kind, text):
            program.scale_f32(*arguments, **(options if "grid" in options else {"threads": 6, **options}))
    with raises(TypeError, "threads="):
        program.scale_f32(6, 1, x)
    with raises(gpucc.BadLaunch, "dynamic shared memory"):
        program.reverse[1, 6](6, x)
    with raises(gpucc.BadShape, "expected (3, 7), got (7, 3)"):
        program.product(5, 3, 7, array(np.ones((5, 3)), "f4"), array(np.ones((7, 3)), "f4"), gpucc.empty((5, 7), "f4", device),
                        threads=(7, 5))
    with raises(gpucc.BadType, "16 bytes"):
        program.map(b"1234", 4, x, x, threads=4)
    if not on_gpu:
        with raises(gpucc.InvalidArgument, "stream"):
            program.scale_f32[1, 6, 7](6, 1, x)
        choose = gpucc.compile("#include <gpucc.h>\nkernel void choose(_Bool which, float x[1]) { x[0] = which; }").choose
        for given in ("False", None, 0.5, [1]):
            with raises(gpucc.BadType, "_Bool which"):
                choose[1, 1](given, x)
        for given in (True, np.True_, 1):
            choose[1, 1](given, x[1:])
        assert x[1].item() == 1
    expect(x, np.arange(6, dtype="f4"))


def test_views():
    x = np.arange(24).reshape(2, 3, 4)
    a = array(x)
    for key in (0, -1, (1, 2, 3), slice(None, None, -1), (slice(1), Ellipsis, slice(3, None, -2)), (None, 0), (Ellipsis, 1),
                (slice(2, 2),), ()):
        expect(a[key], x[key])
        assert a[key].strides == x[key].strides or not x[key].size
    expect(a.T, x.T)
    expect(a.transpose(1, 0, 2)[2], x.transpose(1, 0, 2)[2])
    a[0].write(7)
    x[0] = 7
    expect(a, x)
    part = a[1]
    del a
    gc.collect()
    expect(part, x[1])
    with raises(TypeError, "asarray"):
        gpucc.Array()
    for key in ("x", [0, 1], (0, 0, 0, 0), 5, True, (0, False)):  # a bool would be a mask
        with raises((TypeError, IndexError)):
            part[key]
    for axes in ((1, 2), (-3, 0), (0,), (0, 0), (0.0, 1)):
        with raises((TypeError, ValueError)):
            part.transpose(*axes)
    expect(part.transpose((1, 0)), x[1].T)
    expect(part.transpose(-1, np.int8(0)), x[1].T)
    expect(part[0, 0].transpose(), x[1, 0, 0])
    assert [row.to_numpy().tolist() for row in part] == x[1].tolist()
    with raises(TypeError):
        iter(part[0, 0])
    assert len(part) == 3 and part.size == 12 and part.nbytes == 96 and part.ndim == 2 and part[0, 0].item() == 12


def test_memory():
    host = np.arange(5.0)
    if not on_gpu:
        shared = gpucc.asarray(host, device="cpu")
        shared.write(3)
        assert host.tolist() == [3] * 5 and np.asarray(shared).ctypes.data == host.ctypes.data
        fixed = np.ones(3)
        fixed.flags.writeable = False
        with raises(gpucc.InvalidArgument, "read-only"):
            program.negate(gpucc.asarray(fixed, device="cpu"), out=gpucc.asarray(fixed, device="cpu"))
        with raises(gpucc.InvalidArgument, "read-only"):
            program.scale_f64(3, 1.0, fixed, threads=3)
        kept = np.asarray(program.add(shared, 1))
        del shared
        gc.collect()
        assert kept.tolist() == [4] * 5
        assert np.from_dlpack(array([1.0, 2])).tolist() == [1, 2]
        assert np.asarray(array([1.0, 2]), "f4").dtype == np.float32
        assert program.add(array([1.0, 2]), host[:2]).device == "cpu"  # both on the host
        assert program.add.numpy(array([1.0]), 1).to_numpy() == [2]
    else:
        a = array(host)
        with raises(TypeError, "to_numpy()"):
            np.asarray(a)
        with raises(TypeError, "numpy.ndarray is on the host", "gpucc.Array on cuda:0", 'gpucc.asarray(x, device="cuda:0")'):
            program.add(a, host)
        with raises(TypeError, "cpu", "cuda:0"):
            program.add(a, gpucc.asarray(host, device="cpu"))
        with raises(TypeError, "an output on cuda:0"):
            program.split(a, out=(3, None))
        assert gpucc.asarray(a, device="cpu").device == "cpu" and gpucc.asarray(a) is a
        about = a.__cuda_array_interface__
        assert about["shape"] == (5,) and about["typestr"] == "<f8" and about["version"] == 3
        assert program.add.numpy(a, 1).device == "cuda:0"  # NumPy's side leads here
    with raises(TypeError):
        np.add(array(host), array(host))
    for kind, call in ((gpucc.BadShape, lambda: program.add(array([1.0, 2]), array([1.0, 2, 3]))),
                       (gpucc.BadType, lambda: program.add(array([1j]), array([1j]))),
                       (gpucc.NotFound, lambda: program.variable("heights", device)),
                       (TypeError, lambda: program.add(array([1.0]), 1, sauce=2)),
                       (ValueError, lambda: program.add(array([1.0]), 1, casting="loose")),
                       (ValueError, lambda: program.add(array([1.0]), 1, out=(None, None))),
                       (OverflowError, lambda: program.add(array([1], "i4"), 2**70))):
        with raises(kind):
            call()


def test_conversions():
    """Elements are converted rightly or not at all, and `copy=False` is kept to."""
    host = np.arange(3.0)
    for given, dtype in ((host, "f4"), (host.astype(">f8"), None), ([1.0, 2], None), (host, "bfloat16")):
        with raises((ValueError, gpucc.BadType), "copy"):
            gpucc.asarray(given, dtype, device="cpu", copy=False)
    for given in (host, host[:0], host[::-1]):
        assert gpucc.asarray(given, "f8", device="cpu", copy=False).size == given.size
    half = gpucc.empty(2, "bfloat16", device)
    half.write([1.5, -2])
    expect(gpucc.asarray(np.array([1.5, -2]), "bfloat16", device), half.to_numpy())
    assert half.to_numpy().tobytes() == b"\xc0\x3f\x00\xc0"
    assert float(half[0]) == 1.5 and half[1].item() == -2 and not gpucc.zeros(1, "bfloat16", device)
    for many in (2**64 + 1, (1, 2**63), -2**63 - 1):
        with raises(gpucc.BadShape):
            gpucc.empty(many, device=device)
    a = array([[1.0, 2]])
    for call in (program.add.reduce, program.add.accumulate, lambda a, axis: program.add.reduceat(a, [0], axis=axis),
                 lambda a, axis: program.inner(a, a, axis=axis), lambda a, axis: program.inner(a, a, axes=[axis, axis, ()])):
        with raises(gpucc.BadShape, "axes"):
            call(a, axis=2**32)


def test_loans():
    """Memory that is not the runtime's lives as long as the tensors over it, in whatever order all of it goes."""
    if on_gpu:
        return  # foreign.py has arrays of others there
    host = np.full(1000000, 7.0)
    owner, ours = weakref.ref(host), gpucc.asarray(host, device="cpu")
    taken, unread = np.from_dlpack(ours[1:]), ours.__dlpack__()
    del host, ours
    gc.collect()
    assert owner() is not None and taken[0] == 7 and taken.size == 999999
    del taken
    gpucc.asarray(np.ones(1), device="cpu").__dlpack__()
    assert owner() is not None
    del unread
    for _ in range(2):
        gpucc.asarray(np.ones(1), device="cpu").__dlpack__()
    assert owner() is None
    assert np.from_dlpack(gpucc.asarray(np.full(1000000, 7.0), device="cpu")).sum() == 7000000


def test_many_operands():
    if "sums" not in program.functions:  # it is compiled with FEW_OPERANDS
        return
    inputs = [np.arange(6.0).reshape(2, 3) + k if k % 3 else np.arange(3.0) * k for k in range(62)]
    whole, last = sum(inputs[:61]), inputs[60] - inputs[61]
    for ours, theirs in zip(program.sums(*[array(x) for x in inputs]), (whole, np.broadcast_to(last, (2, 3)))):
        expect(ours, theirs)
    assert (program.sums.numpy is None) == (np.__version__ < "2")
    if not on_gpu:
        same(program.sums(*inputs)[0], whole)
        same(program.sums(*inputs, out=(None, np.zeros((2, 3))))[1], np.broadcast_to(last, (2, 3)))


def test_threads():
    a, wrong = array(np.arange(1000.0)), []

    def work(k):
        for _ in range(50):
            if program.add(a, k).to_numpy()[-1] != 999 + k:
                wrong.append(k)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
gpucc.synchronize()
print(count, "comparisons")
