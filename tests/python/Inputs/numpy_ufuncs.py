"""numpy_ufuncs.py PROGRAM: functions.c beside NumPy's own ufuncs, in the ways that NumPy's documents show."""
import inspect
import sys
import warnings

import numpy as np

import gpucc
from check import raises, refused_alike, same

program = gpucc.load(sys.argv[1], name="functions")
PAIRS = [(program.add, np.add), (program.subtract, np.subtract)]
count = 0


def expect(ours, theirs):
    global count
    assert type(ours) is type(theirs), f"{type(ours)} is not {type(theirs)}"
    for a, b in zip(ours, theirs) if isinstance(theirs, tuple) else [(ours, theirs)]:
        same(a, b)
    count += 1


def warned(f, *operands, **options):
    """Whether NumPy does, as it does from 2.4 on where elements stay undefined and nobody has said out=None."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        f(*operands, **options)
    return len(given)


def test_calls():
    x, y = np.arange(9.0).reshape(3, 3), np.arange(3.0)
    for ours, theirs in PAIRS:
        expect(ours(x, y), theirs(x, y))
        expect(ours(x, 1), theirs(x, 1))
        expect(ours(x.T[::-1], y[:, None]), theirs(x.T[::-1], y[:, None]))
        expect(ours(np.float32(1), np.float32(2)), theirs(np.float32(1), np.float32(2)))
        expect(ours([1.5, 2], [3, 4]), theirs([1.5, 2], [3, 4]))
        for out in (np.empty((3, 3)), np.empty((3, 3), "f4")):
            mine, his = out.copy(), out.copy()
            assert ours(x, y, out=mine) is mine and ours(x, y, mine) is mine and ours(x, y, out=(mine,)) is mine
            theirs(x, y, out=his)
            expect(mine, his)
        mine, his = np.zeros((3, 3)), np.zeros((3, 3))
        ours(x, y, out=mine, where=x > 3)
        theirs(x, y, out=his, where=x > 3)
        expect(mine, his)
        for out in ({}, {"out": None}):
            assert warned(ours, x, y, where=x > 3, **out) == warned(theirs, x, y, where=x > 3, **out), out
        expect(ours(x, y, dtype="f4", casting="same_kind"), theirs(x, y, dtype="f4", casting="same_kind"))
        expect(ours(x.astype(int), y.astype(int), casting="unsafe", dtype="f4"),
               theirs(x.astype(int), y.astype(int), casting="unsafe", dtype="f4"))
        assert ours(x, y, order="F").flags.f_contiguous
        refused_alike(lambda f=ours: f(x, np.ones(4)), lambda f=theirs: f(x, np.ones(4)))
        refused_alike(lambda f=ours: f(x, y, casting="no", dtype="f4"), lambda f=theirs: f(x, y, casting="no", dtype="f4"))
        refused_alike(lambda f=ours: f(x), lambda f=theirs: f(x))
    whole, part = program.split(np.array([1.5, -2.25]))
    expect((part, whole), np.modf(np.array([1.5, -2.25])))
    mine = np.empty(2)
    assert program.split(np.array([1.5, -2.25]), mine)[0] is mine and mine.tolist() == [1, -2]
    outs = np.empty(2), np.empty(2)
    assert program.split(np.array([1.5, -2.25]), out=outs)[1] is outs[1]


def test_methods():
    x = np.arange(8.0).reshape(2, 2, 2)
    for ours, theirs in PAIRS:
        for axis in (0, 1, 2, -1):
            expect(ours.reduce(x, axis), theirs.reduce(x, axis))
            expect(ours.reduce(x, axis=axis, keepdims=True, initial=3), theirs.reduce(x, axis=axis, keepdims=True, initial=3))
            expect(ours.accumulate(x, axis), theirs.accumulate(x, axis))
        expect(ours.reduceat(np.arange(8.0), [0, 4, 1, 5, 2, 6, 3, 7][::2]),
               theirs.reduceat(np.arange(8.0), [0, 4, 1, 5, 2, 6, 3, 7][::2]))
        expect(ours.outer(np.array([1.0, 2, 3]), np.array([4.0, 5, 6])), theirs.outer([1.0, 2, 3], [4.0, 5, 6]))
        mine, his = np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 4])
        ours.at(mine, [0, 1, 2, 2], 1)
        theirs.at(his, [0, 1, 2, 2], 1)
        expect(mine, his)
    mine = np.array([1.0, 2, 3, 4])
    program.negate.at(mine, [0, 1])
    expect(mine, np.array([-1.0, -2, 3, 4]))
    expect(program.add.reduce(x, axis=(0, 2)), np.add.reduce(x, axis=(0, 2)))
    expect(program.add.reduce(x, axis=None), np.add.reduce(x, axis=None))
    expect(program.add.reduce(x, axis=0, where=x > 2, initial=1), np.add.reduce(x, axis=0, where=x > 2, initial=1))
    expect(program.add.reduce(np.array([])), np.float64(0))
    expect(program.largest.reduce(np.array([])), np.float64(-np.inf))
    expect(program.add.reduce(np.ones(3, "f4"), dtype="f8"), np.float64(3))
    for small in ("?", "i1", "u2", "i4"):  # which of a function called add NumPy takes for int64
        y = np.arange(6).astype(small)
        expect(program.add.reduce(y), np.add.reduce(y, dtype="i4"))
        expect(program.add.accumulate(y), np.add.accumulate(y, dtype="i4"))
        expect(program.add.reduceat(y, [0, 2]), np.add.reduceat(y, [0, 2], dtype="i4"))
    expect(program.add.reduce([1, 2, 3]), np.float64(6))
    out = np.empty(2)
    assert program.add.reduce(x, axis=(0, 1), out=out) is out and out.tolist() == [12, 16]
    refused_alike(lambda: program.subtract.reduce(x, axis=(0, 1)), lambda: np.subtract.reduce(x, axis=(0, 1)))
    refused_alike(lambda: program.subtract.reduce(np.array([])), lambda: np.subtract.reduce(np.array([])))


def test_gufuncs():
    random = np.random.default_rng(1)
    a, b = random.integers(-9, 9, (5, 3, 4)).astype("f8"), random.integers(-9, 9, (5, 4, 2)).astype("f8")
    expect(program.matmul(a, b), np.matmul(a, b))
    expect(program.matmul(a[0], b), np.matmul(a[0], b))
    expect(program.matmul(a.transpose(1, 2, 0), b.transpose(1, 2, 0), axes=[(0, 1), (0, 1), (0, 1)]),
           np.matmul(a, b).transpose(1, 2, 0))
    out = np.empty((5, 3, 2))
    assert program.matmul(a, b, out=out) is out
    expect(out, np.matmul(a, b))
    expect(program.inner(a, a, axis=1), np.einsum("ijk,ijk->ik", a, a))
    expect(program.inner(a, a, axis=0, keepdims=True), np.einsum("ijk,ijk->jk", a, a)[None])
    expect(program.cross([[1.0, 0, 0], [0, 1, 0]], [0.0, 0, 1]), np.cross([[1.0, 0, 0], [0, 1, 0]], [0.0, 0, 1]))
    refused_alike(lambda: program.matmul(a, a), lambda: np.matmul(a, a))
    refused_alike(lambda: program.cross(np.ones(4), np.ones(4)), lambda: np.cross(np.ones(4), np.ones(4)))
    assert program.convolve.numpy is None  # its extent is none of NumPy's
    expect(program.convolve(np.arange(4.0), np.array([1.0, 1])), np.convolve(np.arange(4.0), [1.0, 1]))
    with raises(gpucc.BadShape, "convolve"):
        program.convolve(np.array([]), np.array([]))


def test_outputs_where_inputs_lie():
    """As if the inputs were copied first, also where NumPy takes an output that is just an input for none that overlaps."""
    x = np.arange(27.0).reshape(3, 3, 3)
    swapped = {"axes": [(1, 2), (1, 2), (0, 1)]}
    for call in (lambda x, out: program.matmul(x, x, out=out),
                 lambda x, out: program.matmul(x, np.eye(3)[::-1], out=out),
                 lambda x, out: program.matmul(x, x, out=out, **swapped),
                 lambda x, out: program.matmul(x[0], x, out=out),
                 lambda x, out: program.cross(x, x[::-1], out=out),
                 lambda x, out: program.cross(x, np.arange(3.0), out=out, axes=[0, 0, 2])):
        for place in (lambda x: x, lambda x: x.transpose(0, 2, 1), lambda x: x[::-1], lambda x: x.transpose(2, 1, 0)):
            mine, his = x.copy(), x.copy()
            made = call(mine, place(mine))
            expect(made, call(x, np.empty((3, 3, 3))))
            place(his)[...] = made
            expect(mine, his)
    large = np.arange(9.0 * 20000).reshape(20000, 3, 3) % 7
    mine = large.copy()
    expect(program.matmul(mine, mine, out=mine), program.matmul(large, large))  # on several cores


def test_around():
    """The attributes of a real ufunc."""
    assert type(program.add.numpy) is np.ufunc
    assert (program.add.nin, program.add.nout, program.add.nargs) == (2, 1, 3)
    assert program.add.types == ["ii->i", "ff->f", "dd->d"] == program.add.numpy.types and program.add.ntypes == 3
    assert program.add.identity == 0 and program.add.numpy.identity == 0 and program.subtract.numpy.identity is None
    assert program.matmul.signature == "(m,n),(n,p)->(m,p)" == program.matmul.numpy.signature
    assert "The sum of two numbers." in program.add.__doc__ and "The sum of two numbers." in program.add.numpy.__doc__
    assert list(inspect.signature(program.add).parameters)[:3] == ["x", "y", "out"]
    with np.errstate(divide="raise", invalid="ignore"):
        with raises(FloatingPointError):
            program.divide(np.ones(3), np.zeros(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with np.errstate(all="ignore"):
            expect(program.divide(np.ones(3), np.zeros(3)), np.full(3, np.inf))

    class Logged(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return "seen", ufunc, method
    logged = np.ones(2).view(Logged)
    assert program.add(logged, 1) == ("seen", program.add.numpy, "__call__")
    assert program.add.reduce(logged) == ("seen", program.add.numpy, "reduce")
    assert isinstance(program.add(np.ma.array([1.0, 2], mask=[0, 1]), 1), np.ma.MaskedArray)
    with raises(TypeError, "bfloat16"):
        program.twice(np.ones(3))


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
print(count, "comparisons")
