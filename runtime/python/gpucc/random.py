"""Random numbers by key: a key and an index determine a number, on every device, whatever else is drawn.

>>> import gpucc.random
>>> x = gpucc.random.uniform(7, (2, 3), device="cpu")
>>> bool((gpucc.random.uniform(7, 4, device="cpu").to_numpy() == x.to_numpy().ravel()[:4]).all())
True
>>> keys = gpucc.random.split(7, 2)
>>> gpucc.random.integers(keys[0], 1, 7, 5, device="cpu").to_numpy()
array([4, 5, 1, 5, 3])

The numbers come from Philox4x32-10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011).  Draw once
from each key: functions that get the same key use the same bits.
"""
from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from . import _dtypes
from ._array import Array, empty

if TYPE_CHECKING:
    from ._context import Devices
    from ._kernel import Kernel

__all__ = ["fold", "integers", "normal", "split", "uniform"]

# Each thread computes one block of four words, that is COUNT elements, and stores those of its n from `first` on.
_KERNEL = """#include <gpucc.h>
#include <gpucc/random.h>

enum {{ COUNT = {count} }};
typedef {dtype} T;
typedef struct {{ T x[COUNT]; }} __attribute__((aligned(sizeof(T) * COUNT))) whole;

static inline T bounded(T x, T most) {{ return x > most ? most : x; }}

expect_low_occupancy
kernel void fill(size_t n, uint64 key, uint64 stream, uint64 first, {parameters}, {dtype} *y)
{{
    const uint64 block = first / COUNT + grid(1), start = block * COUNT, end = first + n;
    const uint32_t counter[4] = {{(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    const uint32_t halves[2] = {{(uint32_t)key, (uint32_t)(key >> 32)}};
    const philox_words words = philox_block(counter, halves);
    whole values;
{body}
    T *place = y + (start - first);
    if (start >= first && start + COUNT <= end && (uintptr_t)place % sizeof values == 0) {{
        *(whole *)place = values;
        return;
    }}
    for (int i = 0; i < COUNT; i++)
        if (start + i >= first && start + i < end)
            place[i] = values.x[i];
}}
"""

_UNIFORM = {
    "float32": """    for (int i = 0; i < 4; i++)
        values.x[i] = bounded(low + width * ((float)(words.x[i] >> 8) * 0x1p-24f), most);""",
    "float64": """    for (int i = 0; i < 2; i++)
        values.x[i] = bounded(
            low + width * ((double)(((uint64)words.x[2 * i + 1] << 32 | words.x[2 * i]) >> 11) * 0x1p-53), most);""",
}

# Box's and Muller's numbers are pairs; 1 - u is never 0.
_NORMAL = {
    "float32": """    for (int i = 0; i < 4; i += 2) {
        const float radius = sqrtf(-2 * logf(1 - (float)(words.x[i] >> 8) * 0x1p-24f));
        const float turn = 2 * ((float)(words.x[i + 1] >> 8) * 0x1p-24f);
        float sine, cosine;
        sincospif(turn, &sine, &cosine);
        values.x[i] = mean + deviation * (radius * cosine);
        values.x[i + 1] = mean + deviation * (radius * sine);
    }""",
    "float64": """    const double u = (double)(((uint64)words.x[1] << 32 | words.x[0]) >> 11) * 0x1p-53;
    const double turn = 2 * ((double)(((uint64)words.x[3] << 32 | words.x[2]) >> 11) * 0x1p-53);
    const double radius = sqrt(-2 * log(1 - u));
    double sine, cosine;
    sincospi(turn, &sine, &cosine);
    values.x[0] = mean + deviation * (radius * cosine);
    values.x[1] = mean + deviation * (radius * sine);""",
}

# A range of 0 is that of all integers of 64 bits.
_INTEGERS = """    for (int i = 0; i < 2; i++) {
        const uint64 word = (uint64)words.x[2 * i + 1] << 32 | words.x[2 * i];
        values.x[i] = (T)(low + (range ? mulhi(word, range) : word));
    }"""

_VALUES, _KEYS, _FOLDED = range(3)  # streams of a key


@lru_cache(maxsize=None)
def _kernel(dtype: str, parameters: str, body: str) -> tuple[Kernel, int]:
    """The kernel, and how many elements a thread of it computes."""
    from ._compile import compile
    count = 4 if dtype == "float32" else 2
    source = _KERNEL.format(count=count, dtype=dtype, parameters=parameters, body=body)
    return compile(source, name="random").fill, count


def _key(key: SupportsIndex) -> int:
    number = operator.index(key)
    if not 0 <= number < 2**64:
        raise ValueError(f"key {number} is not an integer of 64 bits without sign")
    return number


def _floating(dtype: Any, bodies: dict[str, str]) -> str:
    name = _dtypes.NAMES[_dtypes.code_of_request(dtype)]
    if name not in bodies:
        raise TypeError(f"dtype {name} is not supported; the types are float32 and float64")
    return name


def _fill(made: Any, code: tuple[str, str, str], key: int, *arguments: Any) -> Any:
    """Fills the array, on each device its part."""
    function, count = _kernel(*code)
    parts = made.parts.values() if isinstance(made, Array) and len(made._context.devices) > 1 else [None]
    row = math.prod(made.shape[1:])
    for rows in parts:
        part, first = (made, 0) if rows is None else (made[rows], rows.start * row)
        n = math.prod(part.shape)
        if n:
            function(n, key, _VALUES, first, *arguments, part, threads=_threads(first, n, count))
    return made


def _threads(first: int, n: int, count: int) -> int:
    """How many blocks of `count` elements hold those n from `first` on."""
    return (first % count + n + count - 1) // count


def _outputs(shape: SupportsIndex | Iterable[SupportsIndex], dtype: str, device: str | Devices | None, out: Any) -> Any:
    return empty(shape, dtype, device) if out is None else out


def uniform(key: SupportsIndex, shape: SupportsIndex | Iterable[SupportsIndex] = (), dtype: Any = np.float32,
            low: float = 0.0, high: float = 1.0, device: str | Devices | None = None, out: Any = None) -> Any:
    """Numbers of [low, high): low + (high - low) u, with u a multiple of 2^-24 in float32 and of 2^-53 in float64.
    `out` is filled in place of a new array: any array in C order that a kernel accepts."""
    name = _floating(dtype if out is None else out.dtype, _UNIFORM)
    with np.errstate(all="ignore"):
        least, end = np.array([low, high], name)
        if not np.isfinite(end - least):
            raise ValueError(f"uniform() needs bounds whose distance is a finite {name}, not {low!r} and {high!r}")
        most = np.nextafter(end, least) if least < end else np.inf  # sums may round to `high`
    return _fill(_outputs(shape, name, device, out), (name, f"{name} low, {name} width, {name} most", _UNIFORM[name]),
                 _key(key), low, high - low, float(most))


def normal(key: SupportsIndex, shape: SupportsIndex | Iterable[SupportsIndex] = (), dtype: Any = np.float32,
           mean: float = 0.0, deviation: float = 1.0, device: str | Devices | None = None, out: Any = None) -> Any:
    """Normal numbers, by Box's and Muller's method."""
    name = _floating(dtype if out is None else out.dtype, _NORMAL)
    return _fill(_outputs(shape, name, device, out), (name, f"{name} mean, {name} deviation", _NORMAL[name]), _key(key),
                 mean, deviation)


def integers(key: SupportsIndex, low: SupportsIndex, high: SupportsIndex,
             shape: SupportsIndex | Iterable[SupportsIndex] = (), dtype: Any = np.int64,
             device: str | Devices | None = None, out: Any = None) -> Any:
    """Integers of [low, high), each from 64 bits: no two probabilities differ by more than 2^-64."""
    dtype = np.dtype(dtype if out is None else out.dtype)
    least, most = operator.index(low), operator.index(high)
    if dtype.kind not in "iu":
        raise TypeError(f"dtype {dtype} is not supported; the types are integers")
    limits = np.iinfo(dtype)
    if not limits.min <= least < most <= limits.max + 1:
        raise ValueError(f"no integers of {dtype} lie in [{least}, {most}), or not all of them")
    name = dtype.name
    return _fill(_outputs(shape, name, device, out), (name, "uint64 low, uint64 range", _INTEGERS), _key(key),
                 least % 2**64, (most - least) % 2**64)


def _keys(key: int, stream: int, first: int, count: int) -> list[int]:
    made = np.empty(count, np.uint64)
    function, each = _kernel("uint64", "uint64 low, uint64 range", _INTEGERS)
    if count:
        function(count, key, stream, first, 0, 0, made, threads=_threads(first, count, each))
    return [int(k) for k in made]


def split(key: SupportsIndex, count: int = 2) -> list[int]:
    """New keys, to use in place of this one."""
    return _keys(_key(key), _KEYS, 0, count)


def fold(key: SupportsIndex, number: SupportsIndex) -> int:
    """A new key for the number, say of a step: a non-negative integer below 2^63."""
    index = operator.index(number)
    if not 0 <= index < 2**63:
        raise ValueError(f"number {index} is not in [0, 2^63)")
    return _keys(_key(key), _FOLDED, index, 1)[0]
