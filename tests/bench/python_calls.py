"""python_calls.py [--elements N] PROGRAM.so: host microseconds of the package's calls beside NumPy's, CuPy's and PyTorch's.

PROGRAM.so is programs/python_calls.c: `gpucc programs/python_calls.c -o python_calls.so`.  Both calls of a line work on the
same arrays and take turns in one process; each figure is the least of many rounds, and the ratio is ours by the peer's (below
1: ours is shorter).  On a GPU the time ends when the call returns, with nothing of the device's work in the way.  A peer that
is not installed, or has no GPU, is left out."""
from __future__ import annotations

import argparse
import importlib
import sys
import timeit
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import gpucc

Pair = tuple[str, Callable[[], Any], "Callable[[], Any] | None"]  # a kind of call, ours, the peer's nearest
ROUNDS, ROUND_SECONDS, CALLS = 25, 0.002, 100
RAW = """
extern "C" __global__ void scale(size_t n, float by, float *x)
{
    size_t i = blockIdx.x * 128ull + threadIdx.x;
    if (i < n)
        x[i] *= by;
}
"""


class Library:
    """NumPy on the CPU."""
    name = "numpy"

    def __init__(self) -> None:
        self.module = np

    def array(self, x: Any) -> Any:
        return x.copy()

    def synchronize(self) -> None:
        pass

    def peers(self, x: Any, y: Any, out: Any, square: Any, indices: Any) -> dict[str, Callable[[], Any]]:
        """Its nearest call of each kind."""
        np_ = self.module
        total = np_.zeros((), "f4")
        vecdot = getattr(np_, "vecdot", None) if np_ is np else None
        return {
            "add(x, y, out)": lambda: np_.add(x, y, out=out), "add(x, y)": lambda: np_.add(x, y),
            "add(x, 1, out)": lambda: np_.add(x, 1, out=out),
            "add.reduce(x)": lambda: np_.add.reduce(x), "add.reduce(x, out=)": lambda: np_.add.reduce(x, out=total),
            "add.reduce(square, 1)": lambda: np_.add.reduce(square, 1), "add.accumulate(x)": lambda: np_.add.accumulate(x),
            "add.reduceat(x, indices)": lambda: np_.add.reduceat(x, indices),
            "add.at(x, indices, z)": lambda: np_.add.at(x, indices, y[:len(indices)]),
            "add.outer(s, s)": lambda: np_.add.outer(x[:32], x[:32]),
            "inner(square, square)": (lambda: vecdot(square, square)) if vecdot else lambda: (square * square).sum(1),
            "dot(x, y)": lambda: np_.dot(x, y)}


class CuPy(Library):
    name = "cupy"

    def __init__(self) -> None:
        self.module = importlib.import_module("cupy")
        self.module.zeros(1)
        self.raw = self.module.RawKernel(RAW, "scale")

    def array(self, x: Any) -> Any:
        return self.module.asarray(x)

    def synchronize(self) -> None:
        self.module.cuda.get_current_stream().synchronize()

    def peers(self, x: Any, y: Any, out: Any, square: Any, indices: Any) -> dict[str, Callable[[], Any]]:
        arguments = (np.uint64(x.size), np.float32(1), x)
        return {**super().peers(x, y, out, square, indices),
                "scale[8, 128](n, 1, x)": lambda: self.raw((8,), (128,), arguments),
                "add.reduce(x)": lambda: x.sum(), "add.reduce(x, out=)": lambda: None,
                "add.reduce(square, 1)": lambda: square.sum(1), "add.accumulate(x)": lambda: self.module.cumsum(x)}


class Torch(Library):
    name = "torch"

    def __init__(self) -> None:
        self.module = importlib.import_module("torch")
        self.module.zeros(1, device="cuda")

    def array(self, x: Any) -> Any:
        return self.module.as_tensor(x.copy(), device="cuda")

    def synchronize(self) -> None:
        self.module.cuda.synchronize()

    def peers(self, x: Any, y: Any, out: Any, square: Any, indices: Any) -> dict[str, Callable[[], Any]]:
        torch = self.module
        ones, short = torch.ones_like(x[:indices.numel()]), x[:32]
        return {
            "add(x, y, out)": lambda: torch.add(x, y, out=out), "add(x, y)": lambda: torch.add(x, y),
            "add(x, 1, out)": lambda: torch.add(x, 1, out=out),
            "add.reduce(x)": lambda: torch.sum(x), "add.reduce(square, 1)": lambda: torch.sum(square, 1),
            "add.accumulate(x)": lambda: torch.cumsum(x, 0), "add.at(x, indices, z)": lambda: x.index_add_(0, indices, ones),
            "add.outer(s, s)": lambda: short[:, None] + short,
            "inner(square, square)": lambda: torch.linalg.vecdot(square, square),
            "dot(x, y)": lambda: torch.dot(x, y), "scale[8, 128](n, 1, x)": lambda: x.mul_(1.0)}


class Own(Library):
    """The package's own arrays on a GPU, beside nothing."""
    name = "gpucc"

    def __init__(self) -> None:
        self.module = gpucc
        gpucc.empty(1, device="cuda")

    def array(self, x: Any) -> Any:
        return gpucc.asarray(x, device="cuda")

    def synchronize(self) -> None:
        gpucc.synchronize()

    def peers(self, x: Any, y: Any, out: Any, square: Any, indices: Any) -> dict[str, Callable[[], Any]]:
        return {}


def pairs(program: Any, library: Library, count: int) -> Iterator[Pair]:
    generator = np.random.default_rng(1)
    x, y = (library.array(generator.standard_normal(count).astype("f4")) for _ in range(2))
    out, square = library.array(np.zeros(count, "f4")), library.array(generator.standard_normal((32, 32)).astype("f4"))
    indices, total, short = library.array(np.arange(0, count, 100)), library.array(np.zeros((), "f4")), x[:32]
    few = y[:len(indices)]
    launch = program.scale[8, 128]
    ours: dict[str, Callable[[], Any]] = {
        "add(x, y, out)": lambda: program.add(x, y, out=out), "add(x, y)": lambda: program.add(x, y),
        "add(x, 1, out)": lambda: program.add(x, 1, out=out), "add.reduce(x)": lambda: program.add.reduce(x),
        "add.reduce(x, out=)": lambda: program.add.reduce(x, out=total),
        "add.reduce(square, 1)": lambda: program.add.reduce(square, 1),
        "add.accumulate(x)": lambda: program.add.accumulate(x),
        "add.reduceat(x, indices)": lambda: program.add.reduceat(x, indices),
        "add.at(x, indices, z)": lambda: program.add.at(x, indices, few),
        "add.outer(s, s)": lambda: program.add.outer(short, short),
        "inner(square, square)": lambda: program.inner(square, square), "dot(x, y)": lambda: program.dot(x, y),
        "scale[8, 128](n, 1, x)": lambda: program.scale[8, 128](count, 1.0, x),
        "launch(n, 1, x)": lambda: launch(count, 1.0, x)}
    peers = library.peers(x, y, out, square, indices)
    for name, call in ours.items():
        yield name, call, peers.get(name)


def measured(calls: list[Callable[[], Any]], synchronize: Callable[[], None]) -> list[float]:
    """Microseconds of each, which take turns."""
    numbers, times = [], [float("inf")] * len(calls)
    for call in calls:
        call()
        synchronize()
        numbers.append(max(1, min(1000, int(ROUND_SECONDS / timeit.timeit(call, number=20) * 20))))
        synchronize()
    for _ in range(ROUNDS):
        for k, call in enumerate(calls):
            times[k] = min(times[k], timeit.timeit(call, number=numbers[k]) / numbers[k] * 1e6)
            synchronize()
    return times


def graph_times(program: Any, library: Library, count: int) -> tuple[float, float]:
    """Microseconds to launch a graph of CALLS calls, and to make them.  Each waits for the device, whose queue would fill."""
    x, y, out = (library.array(np.ones(count, "f4")) for _ in range(3))
    with gpucc.graph("cpu" if library.module is np else "cuda") as graph:
        for _ in range(CALLS):
            program.add(x, y, out=out)

    def calls() -> None:
        for _ in range(CALLS):
            program.add(x, y, out=out)

    best = [float("inf")] * 2
    for _ in range(8 * ROUNDS):
        for k, call in enumerate((graph.launch, calls)):
            best[k] = min(best[k], timeit.timeit(call, number=1) * 1e6)
            library.synchronize()
    return best[0], best[1]


def report(program: Any, library: Library, count: int) -> None:
    print(f"\n{library.name}, {count} float32{'ours':>18}{'peer':>9}{'ratio':>8}")
    for name, ours, peer in pairs(program, library, count):
        try:
            times = measured([ours] + ([peer] if peer else []), library.synchronize)
        except Exception as error:
            print(f"{name:26} {type(error).__name__}: {str(error)[:70]}")
            continue
        beside = f"{times[1]:9.2f}{times[0] / times[1]:8.2f}" if peer else ""
        print(f"{name:26}{times[0]:9.2f}{beside}", flush=True)
    launch, calls = graph_times(program, library, count)
    print(f"graph of {CALLS} adds, calls{launch:12.2f}{calls:9.2f}{launch / calls:8.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--elements", type=int, default=1000)
    options = parser.parse_args()
    program = gpucc.load(options.program)
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}, extension: {gpucc.Ufunc.__mro__[1].__module__}")
    for make in (Library, Own, CuPy, Torch):
        try:
            library = make()
        except Exception as error:
            print(f"\n{make.name}: left out: {type(error).__name__}: {str(error)[:100]}")
            continue
        report(program, library, options.elements)


if __name__ == "__main__":
    main()
