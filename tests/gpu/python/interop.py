"""interop.py [--time]: the Python package on a real GPU, on its own arrays and on those of CuPy, PyTorch, Numba and JAX.

It lies beside the package gpucc, with its library, and functions.so.  A library that is missing is skipped, saying so.  The
last line is the sum, as of the suite for a GPU: N passed, N failed, N skipped.  --time measures calls beside the libraries'
own."""
import contextlib
import importlib
import os
import sys
import timeit
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ.setdefault("GPUCC_LOW_OCCUPANCY_WARNINGS", "0")
import numpy as np  # noqa: E402

import gpucc  # noqa: E402

program = gpucc.load(os.environ.get("GPUCC_FUNCTIONS") or Path(__file__).resolve().parent / "functions.so", name="functions")
N = 100003


class Ours:
    name, writes = "gpucc", True

    def __init__(self):
        self.kind = gpucc.Array

    def import_array(self, x):
        return gpucc.asarray(x, device="cuda")

    def to_numpy(self, x):
        return x.to_numpy()

    def address(self, x):
        return x.__cuda_array_interface__["data"][0]

    def transposed(self, x):
        return x.T

    def streams(self):
        return [contextlib.nullcontext()]

    def synchronize(self):
        gpucc.synchronize()


class CuPy(Ours):
    name = "cupy"

    def __init__(self):
        self.cupy = importlib.import_module("cupy")
        self.kind = self.cupy.ndarray

    def import_array(self, x):
        return self.cupy.asarray(x)

    def to_numpy(self, x):
        return self.cupy.asnumpy(x)

    def streams(self):
        return [contextlib.nullcontext(), self.cupy.cuda.Stream(non_blocking=True), self.cupy.cuda.Stream.ptds]

    def synchronize(self):
        self.cupy.cuda.Device().synchronize()


class Torch(Ours):
    name = "torch"

    def __init__(self):
        self.torch = importlib.import_module("torch")
        if not self.torch.cuda.is_available():
            raise ImportError("PyTorch sees no GPU")
        self.kind = self.torch.Tensor

    def import_array(self, x):
        return self.torch.as_tensor(x, device="cuda")

    def to_numpy(self, x):
        return x.cpu().numpy()

    def address(self, x):
        return x.data_ptr()

    def streams(self):
        return [contextlib.nullcontext(), self.torch.cuda.stream(self.torch.cuda.Stream())]

    def synchronize(self):
        self.torch.cuda.synchronize()


class Numba(Ours):
    name = "numba"

    def __init__(self):
        self.cuda = importlib.import_module("numba.cuda")
        if not self.cuda.is_available():
            raise ImportError("Numba sees no GPU")
        self.kind = type(self.cuda.to_device(np.zeros(1)))

    def import_array(self, x):
        return self.cuda.to_device(np.ascontiguousarray(x))

    def to_numpy(self, x):
        return x.copy_to_host()

    def synchronize(self):
        self.cuda.synchronize()


class Jax(Ours):
    name, writes = "jax", False

    def __init__(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        self.jax = importlib.import_module("jax")
        self.jax.config.update("jax_enable_x64", True)
        if self.jax.default_backend() != "gpu":
            raise ImportError("JAX sees no GPU")
        self.kind = self.jax.Array

    def import_array(self, x):
        return self.jax.device_put(x)

    def to_numpy(self, x):
        return np.asarray(x)

    def synchronize(self):
        pass


def check_calls(library):
    x, y = np.arange(N, dtype="f4") / 7, np.full(N, 0.5, "f4")
    a, b = library.import_array(x), library.import_array(y)
    for stream in library.streams():
        with stream:
            made = program.add(a, b)
            assert isinstance(made, library.kind), type(made)
            for _ in range(20):  # each after the one before, in the caller's stream
                made = program.add(made, 1)
            expected = x + y
            for _ in range(20):
                expected = expected + np.float32(1)
            assert library.to_numpy(made).tobytes() == expected.tobytes()
            assert library.to_numpy(program.add(a, np.float64(1))).dtype == np.float64
            whole, part = program.split(made)
            assert isinstance(part, library.kind)
            assert library.to_numpy(part).tobytes() == np.modf(expected)[0].tobytes()
            if library.writes:
                out = library.import_array(np.zeros(N, "f4"))
                before = library.address(out)
                assert program.add(a, b, out=out) is out and library.address(out) == before
                assert library.to_numpy(out).tobytes() == (x + y).tobytes()
                program.add(a, b, out=out, where=library.import_array(x > 100))
                program.add.at(out, np.array([0, 0]), 2)
                assert library.to_numpy(out)[0] == 4.5
    library.synchronize()


def check_methods(library):
    x = np.random.default_rng(1).standard_normal((300, 400)).astype("f4")
    a, host = library.import_array(x), gpucc.asarray(x, device="cpu")
    for axis in (0, 1, None):
        made = program.add.reduce(a, axis=axis)
        assert isinstance(made, library.kind)
        bits_of_cpu = program.add.reduce(host, axis=axis).to_numpy().tobytes()
        assert library.to_numpy(made).tobytes() == bits_of_cpu
    sums = program.add.accumulate(host, 1)
    assert library.to_numpy(program.add.accumulate(a, 1)).tobytes() == sums.to_numpy().tobytes()
    slices = program.add.reduceat(a, [0, 7, 3], 1)
    assert library.to_numpy(slices).tobytes() == program.add.reduceat(host, [0, 7, 3], 1).to_numpy().tobytes()
    first = a[0] if library.name != "numba" else library.import_array(x[0])
    outer = program.add.outer(first, library.import_array(x[1]))
    assert library.to_numpy(outer).tobytes() == np.add.outer(x[0], x[1]).tobytes()


def check_gufuncs(library):
    random = np.random.default_rng(2)
    x, y = random.integers(-9, 9, (1000, 4, 3)).astype("f8"), random.integers(-9, 9, (3, 5)).astype("f8")
    a, b = library.import_array(x), library.import_array(y)
    made = program.matmul(a, b)
    assert isinstance(made, library.kind) and library.to_numpy(made).tobytes() == (x @ y).tobytes()
    if library.name in ("gpucc", "cupy", "torch"):
        transposed = library.transposed(library.import_array(np.ascontiguousarray(y.T)))
        assert library.to_numpy(program.matmul(a, transposed)).tobytes() == (x @ y).tobytes()
    assert library.to_numpy(program.inner(a, a, axis=1)).tobytes() == np.einsum("ijk,ijk->ik", x, x).tobytes()


def check_kernels(library):
    if not library.writes:
        return
    x = np.arange(N, dtype="f4")
    for stream in library.streams():
        with stream:
            a = library.import_array(x)
            program.scale_f32(N, 2.0, a, threads=N)
            program.scale_f32[(N + 255) // 256, 256](N, 0.5, a)
            program.scale_f32(N, 3.0, a, threads=N, block=64)
            assert library.to_numpy(a).tobytes() == (x * 3).tobytes()
    library.synchronize()


def check_refusals(library):
    a = library.import_array(np.zeros(3))
    for call, part in ((lambda: program.add(a, np.zeros(3)), "is on the host"), (lambda: program.add([1.0], a), "on the host"),
                       (lambda: program.scale_f32(3, 1.0, a, threads=3), "expected an array of float32"),
                       (lambda: program.add(a, library.import_array(np.zeros(4))), "broadcast")):
        try:
            call()
        except (TypeError, gpucc.Error) as error:
            assert part in str(error), error
        else:
            raise AssertionError(f"not refused: {part}")


def check_graphs(library):
    """Calls on the library's arrays are recorded, launched and updated."""
    x = np.arange(1000, dtype="f8")
    a, out = library.import_array(x), library.import_array(np.zeros_like(x))
    for stream in library.streams():
        with stream, gpucc.graph("cuda") as graph:
            made = every_call(a)
            if library.writes:
                program.add(a, 1, out=out)
                program.scale_f64[8, 128](1000, 2.0, out)
        with stream:
            graph.launch()
            wanted = every_call(a)
            for ours, theirs in zip(made, wanted):
                assert library.to_numpy(ours).tobytes() == library.to_numpy(theirs).tobytes()
            if library.writes:
                assert library.to_numpy(out).tolist() == ((x + 1) * 2).tolist()
                graph.update(len(graph) - 1, "by", 3.0)
                graph.update(len(graph) - 2, 0, library.import_array(x + 1))
                graph.launch()
                assert library.to_numpy(out).tolist() == ((x + 2) * 3).tolist()


def every_call(a):
    """Results of calls, methods, gufuncs and temporaries."""
    square = program.add.outer(a[:32], a[:32])
    return [program.add(program.add(a, a), 1), square, program.matmul(square, square), program.add.reduce(a),
            program.add.accumulate(a), program.dot(a, a), program.add(a, 1, dtype="f8")]


def check_captures(library, capture, makes_results):
    """The library's own graph of our calls.  `capture(calls)` captures and returns what replays it."""
    a, out = (library.import_array(np.arange(1000.0)) for _ in range(2))
    total = library.import_array(np.zeros(()))
    wanted = [library.to_numpy(x) for x in every_call(a)] if makes_results else []  # code is loaded before the capture

    def calls():
        made = every_call(a) if makes_results else []
        program.add.reduce(a, out=total)
        program.add(out, 1, out=out)
        program.scale_f64[8, 128](1000, 2.0, out)
        return made

    calls()
    before = library.to_numpy(out)
    made, replay = capture(calls)
    for _ in range(3):
        replay()
    for ours, theirs in zip(made, wanted):
        assert library.to_numpy(ours).tobytes() == theirs.tobytes()
    assert library.to_numpy(total) == np.arange(1000.0).sum()
    assert library.to_numpy(out).tolist() == (((((before + 1) * 2) + 1) * 2 + 1) * 2).tolist()


def capture_by_torch(library):
    torch = library.torch

    def capture(calls):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            made = calls()
        return made, graph.replay
    return capture


def check_torch_captures(library):
    check_captures(library, capture_by_torch(library), makes_results=False)


def check_torch_results(library):
    """Results that a captured call creates belong to the graph."""
    check_captures(library, capture_by_torch(library), makes_results=True)


def check_cupy_captures(library):
    """CuPy launches a graph again only if that allocates nothing that stays."""
    stream = library.cupy.cuda.Stream(non_blocking=True)

    def capture(calls):
        with stream:
            stream.begin_capture()
            made = calls()
            graph = stream.end_capture()

        def replay():
            graph.launch(stream)
            stream.synchronize()
        return made, replay

    with stream:
        check_captures(library, capture, makes_results=False)


def check_torch(library):
    """Checks behaviour that PyTorch alone has."""
    torch = library.torch
    halves = torch.arange(8, device="cuda").to(torch.bfloat16)
    assert program.twice(halves).dtype == torch.bfloat16
    assert program.twice(halves).float().cpu().tolist() == [2.0 * k for k in range(8)]
    try:
        program.add(torch.zeros(3, device="cuda", requires_grad=True), 1)
    except TypeError as error:
        assert "detach" in str(error)
    else:
        raise AssertionError("a gradient was dropped")
    a, out = torch.ones(N, device="cuda"), torch.zeros(N, device="cuda")
    program.add(a, a, out=out)  # loaded before the capture
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        program.add(out, a, out=out)
    for _ in range(5):
        graph.replay()
    assert out.cpu().tolist() == [7.0] * N
    for _ in range(200):  # memory that goes while work on it is enqueued
        a = program.add(torch.ones(N, device="cuda"), a)
    assert a[0].item() == 201
    host = program.add(torch.ones(3), 1)
    assert type(host) is type(np.add(torch.ones(3), 1)) and host.tolist() == [2, 2, 2]


CHECKS = [check_calls, check_methods, check_gufuncs, check_kernels, check_refusals, check_graphs]
OWN_CHECKS = {"torch": [check_torch, check_torch_captures, check_torch_results], "cupy": [check_cupy_captures]}


def check(library, counts):
    for test in CHECKS + OWN_CHECKS.get(library.name, []):
        name = f"{library.name}: {test.__name__.removeprefix('check_')}"
        try:
            test(library)
            gpucc.synchronize()
        except Exception:
            traceback.print_exc()
            print("FAILED", name)
            counts["failed"] += 1
        else:
            print("passed", name)
            counts["passed"] += 1


# ---- times ----

def best(call, synchronize, number):
    """Microseconds of the host for a call, with nothing of the device's work in the way."""
    times = []
    for _ in range(9):
        call()
        synchronize()
        times.append(timeit.timeit(call, number=number) / number * 1e6)
        synchronize()
    return min(times)


def measure(libraries):
    x = np.random.default_rng(3).standard_normal(1000).astype("f4")
    print("\n1000 float32, out=, microseconds of the host")
    for library in libraries:
        if library.writes:
            a, b, out = (library.import_array(x) for _ in range(3))
            line = f"{library.name:8} program.add {best(lambda: program.add(a, b, out=out), library.synchronize, 500):6.2f}"
            own = {"torch": lambda: library.torch.add(a, b, out=out), "cupy": lambda: library.cupy.add(a, b, out)}
            if library.name in own:
                line += f"   {library.name}.add {best(own[library.name], library.synchronize, 500):6.2f}"
            kernel = program.scale_f32[4, 256]
            print(line + f"   kernel {best(lambda: kernel(1000, 1.0, out), library.synchronize, 500):6.2f}")
    x = np.ones(10**8, "f4")
    print("\n10^8 float32, out=, GB/s of the whole call with a synchronisation")
    for library in libraries:
        if library.writes:
            a, b, out = (library.import_array(x) for _ in range(3))

            def call():
                program.add(a, b, out=out)
                library.synchronize()
            print(f"{library.name:8} {1.2e9 / min(timeit.repeat(call, number=10, repeat=5)) * 10 / 1e9:6.0f}")
            del a, b, out


def main():
    if gpucc.device_count() == 0:
        print("skipped: no device")
        return 0
    counts, libraries = {"passed": 0, "failed": 0, "skipped": 0}, []
    for kind in (Ours, CuPy, Torch, Numba, Jax):
        try:
            library = kind()
        except Exception as error:  # libraries fail in ways of their own where there is no GPU
            print(f"skipped {kind.name}: {error}")
            counts["skipped"] += 1
            continue
        libraries.append(library)
        check(library, counts)
    if "--time" in sys.argv:
        measure(libraries)
    print(", ".join(f"{n} {what}" for what, n in counts.items()))
    return 1 if counts["failed"] else 0


sys.exit(main())
