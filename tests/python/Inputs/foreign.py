"""foreign.py PROGRAM: functions.c on arrays that are not the package's.  The stand-in works as late as it may, and on streams
that nothing orders newest first, so that a missing order shows."""
import collections
import ctypes
import gc
import os
import sys
import threading
import types
import weakref
from ctypes import byref, c_void_p

import numpy as np

import gpucc
from check import raises, same
from exchange import publish
from gpucc._dtypes import code_of
from gpucc._interchange import kind_of
from gpucc._library import native

program = gpucc.load(sys.argv[1], name="functions")
cuda = ctypes.CDLL(os.environ["GPUCC_LIBCUDA"])


def driver(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    assert status == 0, f"{name}: {status}"


device, current = ctypes.c_int(), c_void_p()
driver("cuInit", 0)
driver("cuDeviceGet", byref(device), 0)
driver("cuDevicePrimaryCtxRetain", byref(current), device)
driver("cuCtxSetCurrent", current)
NON_BLOCKING = 1  # with the legacy default stream


class Stream:
    def __init__(self):
        self.handle = c_void_p()
        driver("cuStreamCreate", byref(self.handle), NON_BLOCKING)
        self.ptr = self.handle.value

    def __cuda_stream__(self):
        return 0, self.ptr


class Foreign:
    """Device memory, filled and read in a stream of its owner's, without waiting in between."""

    def __init__(self, values, stream, read_only=False, strides=None):
        self.host, self.stream = np.asarray(values, order="C"), stream
        self.memory = gpucc.empty(self.host.shape, self.host.dtype, "cuda")
        gpucc.synchronize("cuda")
        self.pointer = self.memory.__cuda_array_interface__["data"][0]
        self.read_only, self.strides = read_only, strides
        self.fill(values)

    def fill(self, values):
        self.host = np.asarray(values, self.host.dtype, order="C")
        driver("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(self.pointer), c_void_p(self.host.ctypes.data),
               ctypes.c_size_t(self.host.nbytes), self.stream.handle)

    def read(self):
        made = np.empty_like(self.host)
        driver("cuMemcpyDtoHAsync_v2", c_void_p(made.ctypes.data), ctypes.c_uint64(self.pointer), ctypes.c_size_t(made.nbytes),
               self.stream.handle)
        driver("cuStreamSynchronize", self.stream.handle)
        return made


class Interface(Foreign):
    @property
    def __cuda_array_interface__(self):
        return {"shape": self.host.shape, "typestr": self.host.dtype.str, "data": (self.pointer, self.read_only), "version": 3,
                "strides": self.strides, "stream": self.stream.ptr}


class Tensor(Foreign):
    """An object with DLPack alone."""

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None, **options):
        assert stream is not None and stream > 2  # ours, for which it waits here
        driver("cuStreamSynchronize", self.stream.handle)
        return self.memory.__dlpack__(stream=stream, **options)


def test_order():
    for stream in (Stream(), Stream()):
        x, y, out = Interface(np.arange(5.0), stream), Interface(np.ones(5), stream), Interface(np.zeros(5), stream)
        for k in range(3):
            x.fill(np.arange(5.0) + k)
            assert program.add(x, y, out=out) is out
            x.fill(np.full(5, -1.0))  # comes after the call, in the caller's stream
            same(out.read(), np.arange(5.0) + k + 1)
        program.scale_f64(5, 10.0, out, threads=5)
        same(out.read(), (np.arange(5.0) + 3) * 10)
        program.scale_f64[1, 32, stream](5, 0.5, out)
        same(out.read(), (np.arange(5.0) + 3) * 5)
        program.add.at(out, [0, 0], 1)
        assert out.read()[0] == 17


def test_results():
    stream = Stream()
    x = Interface(np.arange(6.0).reshape(2, 3), stream)
    made = program.add(x, 1)
    assert isinstance(made, gpucc.Array) and made.device == "cuda:0"
    same(made, np.arange(6.0).reshape(2, 3) + 1)
    same(program.add.reduce(x, axis=1), np.array([3.0, 12]))
    same(program.matmul(x, program.add(x, 0).T), np.array([[5.0, 14], [14, 50]]))
    turned = Interface(np.arange(6.0).reshape(2, 3), stream, strides=(8, 16))
    same(program.add(turned, 0), np.array([[0.0, 2, 4], [1, 3, 5]]))
    ours = gpucc.asarray(x)  # the same memory
    x.fill(np.full((2, 3), 7.0))
    driver("cuStreamSynchronize", stream.handle)
    same(ours, np.full((2, 3), 7.0))
    kept, memory = program.add(ours, 1), sys.getrefcount(x)
    del ours
    gc.collect()
    assert sys.getrefcount(x) == memory - 1
    same(kept, np.full((2, 3), 8.0))
    owner, tensor = weakref.ref(x), gpucc.from_dlpack(gpucc.asarray(x)[1])  # of a view that is gone
    del x
    gc.collect()
    assert owner() is not None
    same(tensor, np.full(3, 7.0))
    del tensor
    gpucc.synchronize()
    gpucc.asarray(turned)
    assert owner() is None


def test_dlpack():
    stream = Stream()
    x, out = Tensor(np.arange(4.0), stream), Tensor(np.zeros(4), stream)
    same(program.add(x, 2), np.arange(4.0) + 2)
    assert program.add(x, x, out=out) is out
    same(gpucc.from_dlpack(out), np.arange(4.0) * 2)
    same(gpucc.asarray(x), np.arange(4.0))
    program.scale_f64(4, 3.0, out, threads=4)
    same(gpucc.from_dlpack(out), np.arange(4.0) * 6)
    with raises(BufferError, "on cuda:0"):
        gpucc.asarray(x).__dlpack__(dl_device=(1, 0))
    ours = gpucc.asarray([1.0], device="cuda")
    held = ours.__dlpack__()
    for _ in range(5):  # capsules that nobody takes give their tensors back
        ours.__dlpack__(max_version=(1, 0))
        gpucc.from_dlpack(ours)
    assert len(ours._capsules) == 2 and ours._capsules[0] is held


def test_libraries():
    """A library that is known by name gives its own kind of array back, in its current stream."""
    stream = Stream()
    cupy = types.ModuleType("cupy")

    class ndarray(Interface):
        device = types.SimpleNamespace(id=0)

        def __init__(self, values, like=None):
            super().__init__(values, stream)

        data = property(lambda self: types.SimpleNamespace(ptr=self.pointer, device_id=0))
        shape = property(lambda self: self.host.shape)
        dtype = property(lambda self: self.host.dtype)

        @property
        def strides(self):
            looked.append(self)
            return self.turned or self.host.strides

        @strides.setter
        def strides(self, strides):
            self.turned = strides
    ndarray.__module__ = "cupy"
    looked, rooms = [], []

    def empty(shape, dtype):
        rooms.append(ndarray(np.full(shape, 99, dtype)))
        return rooms[-1]
    cupy.empty, cupy.empty_like = empty, lambda like, dtype: empty(like.shape, dtype)
    cupy.ndarray, cupy.cuda = ndarray, types.SimpleNamespace(get_current_stream=lambda: stream)
    given = []

    def from_dlpack(array):
        given.append(array.__dlpack__(stream=stream.ptr))
        made = object.__new__(ndarray)
        made.memory, made.stream, made.read_only, made.strides = array, stream, False, None
        made.pointer, made.host = array.__cuda_array_interface__["data"][0], np.empty(array.shape, array.dtype)
        return made
    cupy.from_dlpack = from_dlpack
    sys.modules["cupy"] = cupy
    x = cupy.ndarray(np.arange(3.0))
    made = program.add(x, 1)
    assert type(made) is ndarray and len(given) == 1
    same(made.read(), np.arange(3.0) + 1)
    assert type(program.add(gpucc.asarray(np.ones(3), device="cuda"), x)) is ndarray  # of ours and theirs
    whole, part = program.split(x)
    assert type(whole) is type(part) is ndarray
    with raises(TypeError, "cupy.ndarray", "cupy.asarray(x)", "numpy.ndarray is on the host"):
        program.add(x, np.ones(3))
    check_folds(cupy.ndarray, stream, rooms)
    for number in (1, 2.5, 2.5, -3, 10**6):  # each call's own, whatever the last one's was
        count = len(rooms)
        same(program.add(x, number).read(), x.read() + number)
        same(program.subtract(x, number).read(), x.read() - number)
        assert not native or len(rooms) == count + 2 or number in (1, 2.5)  # whose types are new
    same(program.add(x, 2**70).read(), x.read() + 2.0**70)
    out, count = cupy.ndarray(np.zeros(3)), len(looked)
    assert program.add(x, 1.5, out=out) is out
    same(out.read(), x.read() + 1.5)
    for k in range(3):
        x.fill(np.full(3, float(k)))
        assert program.add(x, x, out=out) is out
        program.scale_f64[1, 4](3, 3.0, out)
        same(out.read(), np.full(3, 6.0 * k))
    if native:
        assert len(looked) > count  # by the attributes, and not by __cuda_array_interface__
    del sys.modules["cupy"]


def check_folds(kind, stream, rooms):
    """Reductions and accumulations of a library's arrays, whose results have room in arrays of it once their types are
    known."""
    x, y = kind(np.arange(6.0).reshape(2, 3)), kind(np.ones((2, 3)))
    total, row = kind(np.zeros(())), kind(np.zeros(3))
    for k in range(3):
        values = np.arange(6.0).reshape(2, 3) + k
        x.fill(values)
        count = len(rooms)
        for made, expected in ((program.add.reduce(x), values.sum(0)), (program.add.reduce(x, 1), values.sum(1)),
                               (program.add.reduce(x, axis=-1), values.sum(1)),
                               (program.add.reduce(x, axis=None), values.sum()),
                               (program.add.accumulate(x), values.cumsum(0)),
                               (program.add.accumulate(x, 1), values.cumsum(1)),
                               (program.dot(x, y), values.sum(0)), (program.dot(x, y, axis=None), values.sum()),
                               (program.add.reduce(x, keepdims=True), values.sum(0, keepdims=True))):
            assert type(made) is kind
            same(made.read(), np.asarray(expected))
        assert not native or k == 0 or len(rooms) - count == (8 if tensors_are_read(kind) else 0)
        assert program.add.reduce(x, axis=None, out=total) is total and program.add.reduce(x, out=row) is row
        same(total.read(), np.asarray(values.sum()))
        same(row.read(), values.sum(0))
        assert program.dot(x, y, out=row) is row
        same(row.read(), values.sum(0))
    for axis in (2, -3):
        with raises(gpucc.BadAxis):
            program.add.reduce(x, axis)
    with raises(gpucc.BadShape):
        program.dot(x, row[:2] if hasattr(row, "__getitem__") else kind(np.ones((2, 2))))


def tensors_are_read(kind):
    """Whether the extension reads this type."""
    return kind.__module__ == "cupy" or hasattr(kind, "__dlpack_c_exchange_api__")


def check_torch(exchange):
    """PyTorch's tensors, which tell in attributes where they are, and since 2.10 by DLPack's C exchange interface too; a
    stand-in for as much of it as is asked."""
    stream = Stream()
    torch = types.ModuleType("torch")
    for name in ("float32", "float64", "bfloat16", "float8"):
        setattr(torch, name, "torch." + name)

    Device = collections.namedtuple("Device", "type index")

    class Tensor(Foreign):
        def __init__(self, values, dtype=torch.float64, **flags):
            super().__init__(values, stream)
            self.dtype, self.flags = dtype, flags
            self.requires_grad = flags.get("gradient", False)
            self.shape = self.host.shape
            if flags.get("kind") == "cpu":
                self.pointer = self.host.ctypes.data

        @property
        def device(self):
            return Device(self.flags.get("kind", "cuda"), 0)

        def stride(self):
            return tuple(s // self.host.itemsize for s in self.host.strides)

        def data_ptr(self):
            return self.pointer

        def is_conj(self):
            return self.flags.get("conjugated", False)

        def is_neg(self):
            return False

        def is_contiguous(self):
            return self.host.flags.c_contiguous

        def __array__(self, *_, **__):
            return np.array(self.host)
    Tensor.__module__ = "torch"

    def from_dlpack(array):
        if array.device == "cpu":
            return Tensor(array.to_numpy(), kind="cpu")
        made = object.__new__(Tensor)
        made.memory, made.capsule, made.stream = array, array.__dlpack__(stream=stream.ptr), stream
        made.pointer, made.host = array.__cuda_array_interface__["data"][0], np.empty(array.shape, array.dtype)
        made.dtype, made.flags = {"f8": torch.float64, "f4": torch.float32}.get(array.dtype.str[1:], torch.bfloat16), {}
        made.requires_grad, made.shape = False, array.shape
        return made
    rooms, looked = [], []

    def empty_like(x, *, dtype):
        kind = getattr(x, "flags", {}).get("kind", "cuda")
        values = np.full_like(x.host, 99, {torch.float64: "f8", torch.float32: "f4"}.get(dtype, "u2"))
        rooms.append(Tensor(values, dtype, kind=kind))
        return rooms[-1]

    def new_empty(self, size, *, dtype):
        return empty_like(types.SimpleNamespace(host=np.empty(size)), dtype=dtype)
    Tensor.new_empty = new_empty
    torch.Tensor, torch.from_dlpack, torch.empty_like = Tensor, from_dlpack, empty_like
    taken = []

    def take(pointer, shape, code, bits, owner):
        made = object.__new__(Tensor)
        made.memory, made.stream, made.pointer, made.shape = owner, stream, pointer, shape
        made.requires_grad, made.flags = False, {}
        made.host = np.empty(shape, {32: "f4", 64: "f8", 16: "u2"}[bits])
        made.dtype = {32: torch.float32, 64: torch.float64, 16: torch.bfloat16}[bits]
        taken.append(weakref.ref(made))
        return made
    if exchange:
        looked = publish(Tensor, lambda: stream.ptr, lambda x: 0 if x.host.dtype.kind == "i" else {
            torch.bfloat16: 4, torch.float8: 10}.get(x.dtype, 2), take)
    short = exchange and native is not None  # calls take the extension's short way
    torch.cuda = types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(cuda_stream=stream.ptr))
    torch.is_grad_enabled = lambda: True
    torch._C = types.SimpleNamespace(_len_torch_function_stack=lambda: modes["function"],
                                     _len_torch_dispatch_stack=lambda: modes["dispatch"], _get_tracing_state=lambda: None)
    modes = {"function": 0, "dispatch": 0, "proxy": None}
    proxies = types.SimpleNamespace(get_proxy_mode=lambda: modes["proxy"])
    sys.modules["torch.fx.experimental.proxy_tensor"] = proxies
    sys.modules["torch"] = torch
    x, out = Tensor(np.arange(6.0).reshape(2, 3)), Tensor(np.zeros((2, 3)))
    made = program.add(x, 1)
    assert type(made) is Tensor
    same(made.read(), np.arange(6.0).reshape(2, 3) + 1)
    for k in range(3):
        x.fill(np.full((2, 3), float(k)))
        assert program.add(x, x, out) is out
        program.scale_f64(6, 3.0, out, threads=6)
        same(out.read(), np.full((2, 3), 6.0 * k))
    check_folds(Tensor, stream, rooms)
    rooms.clear()
    row, turned = Tensor(np.arange(3.0)), Tensor(np.arange(6.0).reshape(3, 2))
    for k in range(4):  # what is made has room in a tensor, once its type is known, where it has the inputs' shape
        x.fill(np.full((2, 3), float(k)))
        made = program.add(x, x)
        same(made.read(), np.full((2, 3), 2.0 * k))
        assert k == 0 or made is rooms[-1]
        same(program.add(x, row).read(), k + np.arange(3.0) + np.zeros((2, 1)))
        same(program.matmul(x, turned).read(), k * np.full((2, 1), 1.0) * np.array([6.0, 9]))
        del made, rooms[:]
    single, double = Tensor(np.arange(3, dtype="f4"), torch.float32), Tensor(np.zeros(3))
    program.mul(single, single, out=double)  # whose type is the caller's choice, and says nothing of the next
    for _ in range(3):
        same(program.mul(single, single).read(), np.arange(3, dtype="f4") ** 2)
    check_fast_path(Tensor, stream, looked if short else None)
    check_methods(Tensor, torch, taken if short else None)
    with raises(TypeError, "detach"):
        program.add(x, Tensor(np.ones((2, 3)), gradient=True))
    with raises(TypeError, "detach"):
        program.add(x, x, Tensor(np.ones((2, 3)), gradient=True))
    home = Tensor(np.arange(2.0), kind="cpu")
    for _ in range(3):
        for made in (program.add(home, home), program.add(home, np.arange(2.0))):
            assert type(made) is Tensor and made.device.type == "cpu" and np.array_equal(made.host, [0, 2])
    bits = np.array([0x3F80, 0x4000], "u2")  # 1 and 2
    assert program.twice(Tensor(bits, torch.bfloat16)).read().tobytes() == np.array([0x4000, 0x4080], "u2").tobytes()
    for flags, kind, text in (({"gradient": True}, TypeError, "detach"), ({"conjugated": True}, TypeError, "resolve_conj"),
                              ({"dtype": torch.float8}, gpucc.BadType, "float8")):
        with raises(kind, text):
            program.add(Tensor(np.ones(2), **flags), 1)
    with raises(TypeError, 'torch.as_tensor(x, device="cuda:0")', "torch.Tensor on cuda:0"):
        program.add(x, np.ones(3))
    assert np.array_equal(program.add(home, 1).host, [1, 2])
    check_traces(program, x, out, modes)
    del sys.modules["torch"], sys.modules["torch.fx.experimental.proxy_tensor"]


def check_traces(program, x, out, modes):
    """A trace would record constants; other modes change nothing."""
    calls = (lambda: program.add(x, x, out), lambda: program.add(x, x), lambda: program.add.reduce(x),
             lambda: program.add.accumulate(x), lambda: program.add.outer(x, x), lambda: program.add.at(x, [0, 1], x),
             lambda: program.scale_f64(6, 3.0, out, threads=6), lambda: gpucc.asarray(x))
    for kind in "function", "dispatch":
        modes[kind] = 1
        for call in calls:
            call()
        modes["proxy"] = object()
        for call in calls:
            with raises(TypeError, "gpucc.torch("):
                call()
        modes["proxy"], modes[kind] = None, 0


def test_torch():
    check_torch(exchange=False)
    check_torch(exchange=True)


def check_fast_path(Tensor, stream, looked):
    """Checks all kinds of PyTorch's tensors on both paths; `looked` has those that the fast path read."""
    x, out = Tensor(np.arange(12.0).reshape(3, 4)), Tensor(np.zeros((3, 4)))
    view = object.__new__(Tensor)  # every second column, reversed rows
    view.__dict__.update(x.__dict__)
    view.host = x.host[::-1, ::2]
    view.pointer, view.shape = x.pointer + 64, view.host.shape
    half = Tensor(np.zeros((3, 2)))
    expected = np.arange(12.0).reshape(3, 4)[::-1, ::2] * 2
    for _ in range(3):
        before = len(looked or ())
        assert program.add(view, view, out=half) is half
        assert looked is None or len(looked) == before + 3
        half.fill(half.read())  # in order behind the call
        same(half.read(), expected)
        same(program.add(view, view).read(), expected)  # of gaps: in memory of ours
    with raises(gpucc.BadShape, "broadcast"):
        program.add(x, half, out=out)
    with raises(gpucc.BadShape):
        program.add(x, x, half)
    many = Tensor(np.arange(2.0).reshape((1,) * 8 + (2,)))  # more dimensions than the short way has
    same(program.add(many, many).read(), np.arange(2.0).reshape((1,) * 8 + (2,)) * 2)
    empty = Tensor(np.zeros((0, 3)))
    for _ in range(2):
        assert program.add(empty, empty).read().shape == (0, 3)
    number = Tensor(np.array(4.0))
    for _ in range(2):
        same(program.add(number, number).read(), np.array(8.0))
        same(program.add(x, number).read(), np.arange(12.0).reshape(3, 4) + 4)
    x.fails = True  # what cannot be looked at is for the other way
    same(program.add(x, x).read(), np.arange(12.0).reshape(3, 4) * 2)
    pairs = [(Tensor(np.full(3, float(k))), Tensor(np.zeros(3))) for k in range(4)]
    work = lambda x, out: [program.add(x, x, out=out) for _ in range(50)]
    threads = [threading.Thread(target=work, args=pair) for pair in pairs]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for k, (_, sum_of_two) in enumerate(pairs):
        same(sum_of_two.read(), np.full(3, 2.0 * k))
    triple = Tensor(np.arange(3.0))
    same(program.add(triple, triple).read(), np.arange(3.0) * 2)
    for _ in range(2):  # beside an array of ours
        for pair in ((triple, gpucc.asarray(np.ones(3), device="cuda")), (gpucc.asarray(np.ones(3), device="cuda"), triple)):
            made = program.add(*pair)
            assert type(made) is Tensor
            same(made.read(), np.arange(3.0) + 1)
    same(program.add.outer(triple, triple).read(), np.add.outer(np.arange(3.0), np.arange(3.0)))
    whole, part = program.split(out)
    assert type(whole) is type(part) is Tensor
    with raises(TypeError):
        program.add(out)
    with raises(TypeError):
        program.add(out, out, nonsense=1)
    same(program.add(out, out, where=True).read(), np.zeros((3, 4)))


def check_methods(Tensor, torch, taken):
    """Methods and gufuncs, whose results are new tensors over memory of the runtime's; `taken` has those of the fast path."""
    x, s = Tensor(np.arange(12.0).reshape(3, 4)), Tensor(np.arange(3.0))
    torch.int64 = "torch.int64"
    indices, far = Tensor(np.array([2, 0, 2], "i8"), torch.int64), Tensor(np.array([5], "i8"), torch.int64)
    kind_of(indices).codes["torch.int64"] = code_of(np.dtype("i8"))
    for k in range(3):
        values, before = np.arange(12.0).reshape(3, 4) + k, len(taken or ())
        x.fill(values)
        for made, expected in ((program.add.outer(s, s), np.add.outer(np.arange(3.0), np.arange(3.0))),
                               (program.add.outer(s, 2), np.arange(3.0) + 2),
                               (program.add.outer(s, x), np.add.outer(np.arange(3.0), values)),
                               (program.add.reduceat(x, indices), np.add.reduceat(values, [2, 0, 2])),
                               (program.add.reduceat(x, indices, 1), np.add.reduceat(values, [2, 0, 2], 1)),
                               (program.add.reduceat(x, indices, axis=-1), np.add.reduceat(values, [2, 0, 2], 1)),
                               (program.inner(x, x), (values * values).sum(1)),
                               (program.add(x, Tensor(np.ones((3, 1)))), values + 1)):
            assert type(made) is Tensor
            same(made.read(), expected)
        assert taken is None or len(taken) == before + 8
        del made
        gc.collect()
        assert not any(each() for each in taken or ())
        out = Tensor(np.zeros((3, 3)))
        assert program.add.outer(s, s, out=out) is out
        same(out.read(), np.add.outer(np.arange(3.0), np.arange(3.0)))
        cells = np.arange(3.0)
        s.fill(cells)
        assert program.add.at(s, indices, 10) is None and program.add.at(s, indices, Tensor(np.array([1.0, 2, 3]))) is None
        np.add.at(cells, [2, 0, 2], 10)
        np.add.at(cells, [2, 0, 2], [1, 2, 3])
        same(s.read(), cells)
        program.add.at(s, [0, 1], 1)  # indices on the host
        s.fill(np.arange(3.0))
    for wrong, call in ((gpucc.BadIndex, lambda: program.add.at(s, far, 1)),
                        (gpucc.InvalidArgument, lambda: program.add.at(s, indices)), (TypeError, lambda: program.add.outer(s)),
                        (gpucc.BadShape, lambda: program.inner(x, s)),
                        (gpucc.BadAxis, lambda: program.add.reduceat(x, indices, 2)),
                        (ValueError, lambda: program.add.reduceat(x, indices, None)),
                        (gpucc.BadMethod, lambda: program.inner.outer(x, x))):
        with raises(wrong):
            call()


def test_many():
    """More than what is kept of them."""
    stream = Stream()
    whole = Interface(np.arange(2000.0), stream)

    class Part:
        def __init__(self, k):
            self.__cuda_array_interface__ = {**whole.__cuda_array_interface__, "shape": (1,),
                                             "data": (whole.pointer + 8 * k, False)}
    parts = [Part(k) for k in range(2000)]
    for a, b in zip(parts, parts[1:]):
        program.add(a, b, out=b)
    same(whole.read(), np.cumsum(np.arange(2000.0)))
    assert len(gpucc._context.context("cuda")._wrapped) <= gpucc._context.Context.MOST_WRAPPED


def test_refused():
    stream = Stream()
    x, fixed = Interface(np.arange(3.0), stream), Interface(np.arange(3.0), stream, read_only=True)
    same(program.add(fixed, 1), np.arange(3.0) + 1)
    for kind, texts, call in (
            (gpucc.InvalidArgument, ["read-only"], lambda: program.add(x, x, out=fixed)),
            (gpucc.InvalidArgument, ["read-only"], lambda: program.scale_f64(3, 1.0, fixed, threads=3)),
            (TypeError, ["list is on the host"], lambda: program.add(x, [1.0, 2, 3])),
            (TypeError, ["cuda:1", "cuda:0", "move"], lambda: program.add(x, gpucc.asarray(np.ones(3), device="cuda:1"))),
            (TypeError, ["on the host"], lambda: program.map(bytes(16), 1, np.array(1.0), x, threads=1)),
            (TypeError, ["on the host"], lambda: program.map(bytes(16), 1, np.ones(1), x, threads=1)),
            (gpucc.BadShape, ["broadcast"], lambda: program.add(x, Interface(np.ones(4), stream))),
            (gpucc.BadType, ["float32"], lambda: program.scale_f32(3, 1.0, x, threads=3)),
            (gpucc.NoDevice, [], lambda: gpucc.empty(3, device="cuda:7")),
            (TypeError, ["device"], lambda: gpucc.empty(3, device=7))):
        with raises(kind, *texts):
            call()


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
gpucc.synchronize()
print("all right")
