"""typed.py: a user's program, which tells a type checker what each thing is.  It runs, too."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import gpucc
import numpy
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:
    def assert_type(value: object, of: object) -> None:
        pass


def compiled(folder: Path) -> gpucc.Program:
    source = folder / "functions.c"
    source.write_text("""
        #include <gpucc.h>
        vectorize() identity(0) reorderable float add(float x, float y) { return x + y; }
        vectorize() float times(float x, float y) { return x * y; }
        fuse(dot, reduce(add, times(x, y)));
        kernel void scale(size_t n, float by, float x[n])
        {
            size_t i = grid(1);
            if (i < n)
                x[i] *= by;
        }
    """)
    return gpucc.compile(source, options=["-DN=3"])


def calls(program: gpucc.Program) -> None:
    x = numpy.arange(6, dtype="f4")
    add: gpucc.Ufunc = program.add
    assert_type(add.nin, int)
    assert_type(add.types, "list[str]")
    assert_type(add.signature, "str | None")
    result: NDArray[numpy.float32] = add(x, 1, out=numpy.empty_like(x))
    add(x, x, result, where=x > 2, dtype="f4", casting="same_kind")
    add.reduce(x, axis=None, initial=1, device="cpu")
    add.accumulate(x)
    add.reduceat(x, [0, 3])
    add.outer(x, x)
    add.at(x, [0, 0], numpy.float32(1))
    native: numpy.ufunc = add.numpy
    print(result[-1], native.nin)
    dot: gpucc.Reduction = program.dot
    dot(x, x, axis=0, device=gpucc.Devices("cpu", memory_limit=10**9, progress=lambda done, parts: print(done, parts)))
    kernel: gpucc.Kernel = program["scale"]
    kernel[1, 32](x.size, 2, x)
    kernel[(1, 1), (32, 1, 1)](x.size, numpy.float32(2), x)
    kernel(x.size, 2.0, x, threads=x.size)
    kernel(x.size, 2.0, x, threads=(x.size, 1), block=32, shared=0)


def arrays(program: gpucc.Program) -> None:
    x = gpucc.asarray([[1.0, 2.0], [3.0, 4.0]], dtype="f4", device="cpu")
    assert_type(x, gpucc.Array)
    assert_type(x.shape, "tuple[int, ...]")
    assert_type(x.dtype, "numpy.dtype[Any]")
    assert_type(x.device, str)
    assert_type(x.parts, "dict[str, slice]")
    assert_type(x[0, ..., None].T, gpucc.Array)
    assert_type([row for row in x], "list[gpucc.Array]")
    assert_type(x.to_numpy(), "NDArray[Any]")
    y = gpucc.empty((2, 2), numpy.float32, device="cpu")
    y.write(0)
    y = gpucc.empty([numpy.int64(2), 2], "bfloat16", "cpu")
    z: gpucc.Array = program.add(x, 1)
    print(numpy.asarray(z).sum(), numpy.from_dlpack(z).shape, gpucc.from_dlpack(numpy.ones(3)).size, z[0, 0].item())


def devices() -> None:
    assert_type(gpucc.device_count(), int)
    assert_type(gpucc.device_info("cpu")["name"], Any)
    gpucc.synchronize()
    gpucc.import_from(Path("."), options=["-DN=3"])
    try:
        gpucc.load(Path("nowhere.so"))
    except gpucc.FileError as error:
        print(error.filename)
    try:
        gpucc.asarray([1.0], device="cpu").transpose(1, 0)
    except (gpucc.BadAxis, gpucc.BadShape, ValueError):
        pass


if __name__ == "__main__":
    made = compiled(Path("."))
    calls(made)
    arrays(made)
    devices()
