"""devices.py PROGRAM [TEST…]: functions.c on several devices, stand-ins for GPUs whose pages are small: NumPy's arrays
that a call sends to them, and arrays that are split between them, to the bits of the CPU."""
import os
import sys
import threading
import warnings

import numpy as np

import gpucc
from check import raises, same
from every_call import calls, numbers, on_cpu, operands

program = gpucc.load(sys.argv[1], name="functions")
SMALL = 24000  # bytes of each device's memory: what exceeds them goes in parts, on several devices
count = 0


def expect(ours, theirs):
    global count
    same(ours, theirs)
    count += 1


def test_host_arrays():
    """NumPy's go to the devices and come back."""
    expected = [x.to_numpy() for x in calls(program, on_cpu, *operands(), {})]
    for device in ("cuda", "cuda:2", "cuda:0,1", "cuda:2,0,1", "cuda:all"):
        for given in (device, gpucc.Devices(device, SMALL), gpucc.Devices(device, SMALL, lambda done, parts: None)):
            found = list(calls(program, np.array, *operands(), {"device": given}))
            assert all(isinstance(x, np.ndarray | np.generic) for x in found)
            for ours, theirs in zip(found, expected, strict=True):
                expect(ours, theirs)
    for ours, theirs in zip(calls(program, np.array, *operands(), {"device": "cpu"}), expected, strict=True):
        expect(ours, theirs)
    values = on_cpu(np.array(2.0)), np.array(2.0)
    expect(program.add(values[1], values[1], device="cuda:0,1"), program.add(values[0], values[0]))
    expect(program.twice(np.array([b"\x80\x3f", b"\x40\x40"], "V2"), device="cuda:0,1"),
           np.array([b"\x00\x40", b"\xc0\x40"], "V2"))


def test_pinned():
    """Calls on pinned arrays, contiguous or not; what is pinned twice, and after an error nothing stays pinned."""
    x, y = numbers(1100, 1000), numbers(1100, 1000)
    expected, total = program.add(x, y), program.add.reduce(x, device="cpu")
    for device in ("cuda:1", "cuda:2,0,1", "cuda:all"):
        out = np.empty_like(x)
        with gpucc.pinned(x, y, out, device=device):
            for given in (device, gpucc.Devices(device, 8 << 20)):
                out[...] = 0
                expect(program.add(x, y, out=out, device=given), expected)
            expect(program.add.reduce(x, device=device), total)
        with gpucc.pinned(x[::-2, ::3], np.empty((0, 3)), device=device):
            expect(program.add(x[::-2], y[::2], device=device), program.add(x[::-2], y[::2]))
        with raises(gpucc.InvalidArgument, "is pinned already"):
            gpucc.pinned(x, y, x, device=device)
        held = gpucc.pinned(y, x, device=device)
        with raises(gpucc.InvalidArgument, "is pinned already"):
            gpucc.pinned(x, device=device)
        held.close()
        held.close()
        gpucc.pinned(x, device=device)  # ends at once
        gpucc.pinned(x, device=device).close()
    gpucc.pinned(x, device="cpu").close()


def test_files():
    """Arrays that are mapped, read-only and to be written."""
    x = numbers(300, 500)
    np.save("x.npy", x)
    mapped = np.load("x.npy", mmap_mode="r")
    out = np.lib.format.open_memmap("y.npy", "w+", x.dtype, x.shape)
    device = gpucc.Devices("cuda:all", 4 * SMALL)
    assert program.add(mapped, mapped, out=out, device=device) is out
    out.flush()
    expect(np.load("y.npy"), x + x)
    expect(program.add.reduce(mapped, axis=None, device=device), program.add.reduce(on_cpu(x), axis=None))
    with raises(ValueError, "read-only"):
        program.add(mapped, 1, out=mapped, device=device)


def test_split_arrays():
    expected = [x.to_numpy() for x in calls(program, on_cpu, *operands(), {})]
    for device, name in (("cuda:0,1", "cuda:0,1"), ("cuda:3,1,2", "cuda:3,1,2"), ("cuda:all", "cuda:0,1,2,3")):
        def split(x):
            return gpucc.asarray(x, device=device)
        for options in {}, {"device": device}, {"device": gpucc.Devices(device, SMALL, print)}:
            for ours, theirs in zip(calls(program, split, *operands(), options), expected, strict=True):
                assert isinstance(ours, gpucc.Array) and ours.device == name
                expect(ours, theirs)
        assert all(rows.stop > rows.start for rows in split(numbers(100, 90)).parts.values())


def test_places():
    """Which device has which rows, and what it has as an array of its own."""
    x = numbers(1000, 50)
    a = gpucc.asarray(x, device="cuda:0,1,3")
    assert list(a.parts) == ["cuda:0", "cuda:1", "cuda:3"] and repr(a).endswith("on cuda:0,1,3")
    assert [n for rows in a.parts.values() for n in range(1000)[rows]] == list(range(1000))
    back = a[::-1].parts
    assert [n for name in reversed(back) for n in range(1000)[back[name]]] == list(range(1000))
    assert a.T.parts == {"cuda:0": slice(0, 50), "cuda:1": slice(0, 0), "cuda:3": slice(0, 0)}
    assert gpucc.asarray([1.0], device="cuda:0,1").parts == {"cuda:0": slice(0, 1), "cuda:1": slice(0, 0)}
    with raises(gpucc.BadShape, "0-dimensional array cannot be sliced"):
        gpucc.asarray(1.0, device="cuda:0,1").parts
    for name, rows in a.parts.items():
        part = gpucc.asarray(a[rows], device=name, copy=False)
        assert part.device == name and part.__dlpack_device__() == (2, int(name[-1]))
        program.scale_f32(part.size, 3.0, part, threads=part.size)
    gpucc.synchronize()
    expect(a, x * np.float32(3))
    part = gpucc.asarray(a[a.parts["cuda:1"]], device="cuda:1")
    rows = a.parts["cuda:1"]
    del a  # the part keeps the memory
    expect(part, x[rows] * np.float32(3))
    b = gpucc.asarray(x, device="cuda:0,1")
    with raises(ValueError, "Unable to avoid copy"):
        gpucc.asarray(b, device="cuda:1", copy=False)
    expect(gpucc.asarray(b, device="cuda:1"), x)
    expect(gpucc.asarray(gpucc.asarray(b, device="cuda:3"), device="cuda:all"), x)
    program.scale_f32(b.size, 2.0, b, threads=b.size)  # a kernel runs on the first device, and reaches all
    expect(b, x * np.float32(2))


def test_protocols():
    """Others see a split array as memory of the first device, which reaches all of it."""
    x = numbers(500, 40)
    a = gpucc.asarray(x[:, ::2], device="cuda:1,0")
    assert a.__dlpack_device__() == (2, 1) and a.__cuda_array_interface__["shape"] == (500, 20)
    assert not hasattr(a, "__array_interface__")
    seen = gpucc.from_dlpack(a)
    assert seen.device == "cuda:1" and seen.__cuda_array_interface__["data"] == a.__cuda_array_interface__["data"]
    expect(program.add(seen, seen), x[:, ::2] + x[:, ::2])
    del a  # whoever has the tensor keeps the memory
    expect(seen, x[:, ::2])
    with raises(TypeError, "to_numpy()"):
        np.asarray(gpucc.empty((500, 40), device="cuda:0,1"))


# ---- what is told, and refused ----

def test_progress():
    x, told = numbers(40000), []
    device = gpucc.Devices("cuda:0,2", SMALL, lambda done, parts: told.append((done, parts)))
    expect(program.add(x, x, device=device), x + x)
    parts = told[0][1]
    assert parts > 4 and told == [(n, parts) for n in range(1, parts + 1)]
    told.clear()
    expect(program.add.reduce(x, device=device), program.add.reduce(on_cpu(x)))
    assert told and told[-1][0] == told[-1][1]

    def stop(done, parts):
        told.append(done)
        raise KeyboardInterrupt("enough")

    told.clear()
    out = np.zeros_like(x)
    with raises(KeyboardInterrupt, "enough"):
        program.add(x, x, out=out, device=gpucc.Devices("cuda:0,2", SMALL, stop))
    assert told == [1]
    expect(out, x + x)  # the call ended first
    with raises(KeyboardInterrupt, "enough"):
        program.add(x, x, device=gpucc.Devices("cuda:0,2", SMALL, stop))
    with raises(gpucc.BadShape, "(40000,)", "(3,)"):
        program.add(x, np.ones(3, "f4"), device=device)
    told.clear()
    expect(program.add(x, x, device=device), x + x)
    assert len(told) == parts
    program.add(x, x, device=gpucc.Devices("cpu", SMALL, stop))  # which does nothing in parts


def test_progress_on_the_cpu():
    told = []
    device = gpucc.Devices("cpu", progress=lambda done, parts: told.append((done, parts)))
    x = np.arange(9 * 2**22, dtype="f4").reshape(3, -1)
    made, whole = program.add(x, x, device=device), program.add(x, x, device="cpu")
    parts = told[0][1]
    assert parts > 4 and told == [(n, parts) for n in range(1, parts + 1)]
    expect(made, whole)
    told.clear()
    program.add(x[:, :1000], x[:, :1000], device=device)
    assert not told
    out = x.copy()
    program.add(out[:, 1:], 1, out=out[:, :-1], device=device)  # what it reads it writes elsewhere
    expect(out[:, :-1], x[:, 1:] + np.float32(1))


def test_threads():
    """Each call in parts tells its own caller."""
    x, failed = numbers(40000), []

    def work(n):
        told = []
        device = gpucc.Devices("cuda:0,1", SMALL + n % 2, lambda done, parts: told.append((done, parts)))
        try:
            for k in range(4):
                told.clear()
                same(program.add(x, np.float32(n), device=device), x + np.float32(n))
                assert [done for done, _ in told] == list(range(1, told[0][1] + 1))
                a = gpucc.asarray(x, device="cuda:0,1")
                same(program.add.reduce(program.add(a, a)), program.add.reduce(on_cpu(x + x)))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed


def test_refused():
    x = numbers(500, 40)
    a, b = gpucc.asarray(x, device="cuda:0,1"), gpucc.asarray(x, device="cuda:0")
    with raises(TypeError, "is on cuda:0,1, ", "on cuda:0; move", 'device="cuda:0,1"'):
        program.add(a, b)
    with raises(TypeError, "numpy.ndarray is on the host", 'device="cuda:0,1"'):
        program.add(a, x)
    with raises(TypeError, "on cuda:0,1, but device= is cuda:1", 'device="cuda:1"'):
        program.add(a, a, device="cuda:1")
    with raises(TypeError, "an output on cuda:0,1"):
        program.add(a, 1, out=[[1.0]], device="cuda:0,1")
    expect(program.add(a, x, device="cuda:0,1"), x + x)  # asked for, it crosses the bus
    out = np.empty_like(x)
    assert program.add(a, 1, out=out, device="cuda:0,1") is out
    expect(out, x + 1)
    for device, *parts in (("cuda:0,0", "0 is repeated"), ("cuda:0,9", "9"),
                           ("cuda:0,x", "expected a number"), ("gpu", "expected auto, cpu")):
        with raises(gpucc.Error, *parts):
            gpucc.empty(3, device=device)
        with raises(gpucc.Error, *parts):
            program.add(x, x, device=device)
    with raises(TypeError, "a device must be a str"):
        program.add(x, x, device=0)
    with raises(gpucc.InvalidArgument, "memory_limit=0"):
        gpucc.Devices("cuda", 0)
    with raises(TypeError):
        gpucc.Devices("cuda", "1 GB")
    with raises(TypeError, "progress=7"):
        gpucc.Devices("cuda", progress=7)
    with raises(TypeError, "does not support nothing="):
        program.add(x, x, device="cuda:0,1", nothing=1)
    with raises(gpucc.BadAxis, "axis"):
        program.add.reduce(x, 5, device="cuda:0,1")


def test_names():
    assert gpucc.empty(3, device=gpucc.Devices("cuda:all", SMALL)).device == "cuda:0,1,2,3"
    assert gpucc.device_info("cuda:2,1")["device"] == "cuda:2,1"
    os.environ["GPUCC_DEVICE"] = "cuda:1,3"
    assert gpucc.asarray(numbers(500, 40)).device == "cuda:1,3"
    assert program.variable("weights", "cuda:1,3").to_numpy().tolist() == [1, 2, 4]
    gpucc.synchronize("cuda:1,3")


def without_peers():
    """Devices that do not reach one another's memory share NumPy's arrays, and no others."""
    x = numbers(40000)
    expect(program.add(x, x, device=gpucc.Devices("cuda:0,1", SMALL)), x + x)
    with raises(gpucc.Unsupported, "requires peer access"):
        gpucc.asarray(x, device="cuda:0,1")


warnings.simplefilter("error")
if os.environ.get("GPUCC_FAKE_PEERS") == "0":
    without_peers()
else:
    for name in sys.argv[2:] or [name for name in globals() if name.startswith("test_")]:
        globals()[name]()
print(count, "comparisons")
