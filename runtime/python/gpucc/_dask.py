"""Functions on Dask's arrays: lazy graphs, whose tasks call the functions on chunks, NumPy's or CuPy's."""
from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import dask.array as da
import dask.layers
import numpy as np
from dask.base import normalize_token
from dask.core import flatten

from . import _errors
from ._array import asarray
from ._interchange import kind_of

from ._ufunc import Ufunc

if TYPE_CHECKING:
    from ._ufunc import Reduction

# ---- calls ----


def call(f: Ufunc, operands: tuple[Any, ...], out: Any, options: dict[str, Any]) -> Any:
    if len(operands) != f.nin:
        raise f._wrong_count(len(operands))
    if isinstance(out, tuple):
        out = None if all(x is None for x in out) else out[0] if f.nout == 1 else out
    operands = tuple([np.asarray(x) if isinstance(x, (list, tuple)) else x for x in operands])
    if f.signature is not None or f.nout > 1:
        return _call_gufunc(f, operands, out, options)
    where = options.pop("where", True)
    bound: Any = partial(f, **options) if options else f
    dtype = bound(*[_sample(x) for x in operands]).dtype
    return da.core.elemwise(bound, *operands, out=out, where=where, dtype=dtype)


def _call_gufunc(f: Ufunc, operands: tuple[Any, ...], out: Any, options: dict[str, Any]) -> Any:
    for name, given in (("out", out), ("where", options.pop("where", None))):
        if given is not None and given is not True:
            raise TypeError(f"{f.__name__}() does not support {name}= on Dask arrays: it is a gufunc, or has several outputs")
    inputs, outputs = _layout(f, operands)
    fixed = {name: int(name) for names in inputs + outputs for name in names if name.isdigit()}
    of_dask = {name: options.pop(name) for name in ("axes", "axis", "keepdims", "allow_rechunk") if name in options}
    shapes = [tuple([fixed.get(name, 1) for name in names]) for names in inputs]
    made = f(*[_sample(x, shape) for x, shape in zip(operands, shapes)], **options)
    arrays = [x for x in operands if not _is_number(x)]
    layouts = [names for x, names in zip(operands, inputs) if not _is_number(x)]
    if not {"axes", "axis"} & of_dask.keys():
        arrays = _loops_cut_alike([da.asarray(x) for x in arrays], layouts)
    meta = [np.empty_like(m, shape=(0,) * m.ndim) for m in (made if f.nout > 1 else (made,))]
    return da.apply_gufunc(_Bound(f, operands, options), f"{_written(layouts)}->{_written(outputs)}", *arrays,
                           output_dtypes=[m.dtype for m in meta] if f.nout > 1 else meta[0].dtype, output_sizes=fixed,
                           **of_dask)


def _loops_cut_alike(arrays: list[da.Array], layouts: list[list[str]]) -> list[da.Array]:
    """With common chunks along what are no core dimensions."""
    labels: list[tuple[Any, ...]] = []
    for i, (x, names) in enumerate(zip(arrays, layouts)):
        loops = max(x.ndim - len(names), 0)
        labels.append((*range(-loops, 0), *[(i, name) for name in range(x.ndim - loops)]))
    cut: list[da.Array] = da.core.unify_chunks(*[part for pair in zip(arrays, labels) for part in pair])[1]
    return cut


class _Bound:
    """A function with options and with those operands that are Python's numbers, which have no type of their own."""

    def __init__(self, f: Any, operands: tuple[Any, ...], options: dict[str, Any]) -> None:
        self.f, self.options = f, options
        self.numbers = [x if _is_number(x) else None for x in operands]
        self.__name__ = da.core.funcname(f)

    def __call__(self, *blocks: Any, **options: Any) -> Any:
        given = iter(blocks)
        return self.f(*[next(given) if x is None else x for x in self.numbers], **self.options, **options)

    def __dask_tokenize__(self) -> Any:
        return normalize_token((self.f, self.numbers, self.options))


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float, complex)) and not isinstance(x, np.generic)


def _sample(x: Any, shape: tuple[int, ...] | None = None) -> Any:
    """One element like those of an operand, on the same device, or as many as `shape` says."""
    if _is_number(x):
        return x
    like = x._meta if isinstance(x, da.Array) else np.asarray(x)
    return np.ones_like(like, shape=(1,) * like.ndim if shape is None else shape)


def _layout(f: Ufunc, operands: tuple[Any, ...]) -> tuple[list[list[str]], list[list[str]]]:
    """The names of the core dimensions of each input and each output, without optional ones that an input lacks."""
    if f.signature is None:
        return [[]] * f.nin, [[]] * f.nout
    if "|" in f.signature or ":" in f.signature or f.has_extents:
        raise TypeError(f"{f.__name__}() has the signature {f.signature} with sizes that Dask cannot know in advance: call it "
                        "in map_blocks()")
    sides = [[[name for name in part.strip("()").split(",") if name] for part in side.replace("),(", ") (").split()]
             for side in f.signature.replace(" ", "").split("->")]
    lacking = {name for x, names in zip(operands, sides[0]) if np.ndim(x) < len(names) for name in names if "?" in name}
    inputs, outputs = [[[name.rstrip("?") for name in names if name not in lacking] for names in side] for side in sides]
    return inputs, outputs


def _written(layouts: list[list[str]]) -> str:
    return ",".join(f"({','.join(names)})" for names in layouts)


def outer(f: Ufunc, operands: tuple[Any, ...], out: Any, options: dict[str, Any]) -> Any:
    behind = 0
    spread: list[Any] = []
    for x in reversed(operands):
        x = x if isinstance(x, da.Array) or _is_number(x) else np.asarray(x)
        spread.insert(0, x if _is_number(x) else x[(..., *[None] * behind)])
        behind += np.ndim(x)
    return call(f, tuple(spread), out, options)


# ---- methods ----

def _on_device(method: Any, *blocks: Any, **options: Any) -> Any:
    """A method on chunks.  On NumPy's it is the runtime's, with the bits of every device, and not NumPy's own."""
    if not all(kind_of(x).device(x) is None for x in blocks):
        return method(*blocks, **options)
    return np.asarray(method(*[x if _is_number(x) else asarray(x, device="cpu") for x in blocks], **options))


# ---- reductions ----
#
# The elements that make one result are numbered.  What a task knows of those numbered from `begin` to `end` is what the
# fixed tree makes of each of the longest aligned runs there, which are its subtrees.  Two neighbours' runs combine to
# those of both together, so chunks may be cut and combined anywhere, in any order, and the bits are the tree's.

#: The number of its first element, how many there are, what they make, and for which results there is anything at all:
#: None where no mask leaves elements out.
Run = tuple[int, int, Any, Any]


def reduce(f: Ufunc | Reduction, inputs: tuple[Any, ...], axis: Any, keepdims: bool, where: Any, out: Any,
           options: dict[str, Any]) -> Any:
    """`options` are dtype and initial, where they are given."""
    ndim = max(np.ndim(x) for x in inputs)
    axes = _axes(axis, ndim)
    of_fold = {name: value for name, value in options.items() if name == "dtype"}
    bound = _Bound(partial(_on_device, f.reduce), inputs, of_fold)
    arrays = [da.asarray(x) for x in inputs if not _is_number(x)]
    sample = bound(*[_sample(x) for x in arrays], axis=axes)
    masks = [] if where is True else [da.asarray(where)]
    chunks, arrays = _cut_alike([_whole_behind(x, ndim, axes) for x in arrays + masks], ndim)
    meta = da.utils.meta_from_array(arrays[0]._meta, ndim - len(axes), sample.dtype)
    if all(len(chunks[a]) == 1 for a in axes):
        made = _reduce_whole(_Bound(partial(_on_device, f.reduce), inputs, options), arrays, axes, chunks, bool(masks), meta)
    else:
        _require_tree(f, bool(masks), [n for a in axes for n in chunks[a]])
        made = _reduce_in_tree(f, bound, inputs, arrays, axes, chunks, bool(masks), options.get("initial"), meta)
    if keepdims:
        made = made[tuple([None if a in axes else slice(None) for a in range(ndim)])]
    return da.core.handle_out(out, made)


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """In ascending order."""
    if axis is None:
        return tuple(range(ndim))
    named: tuple[int, ...] = (int(axis),) if isinstance(axis, (int, np.integer)) else tuple(axis)
    if not all(-ndim <= a < ndim for a in named):
        raise _errors.BadAxis(f"axis={axis!r} is out of bounds for array of dimension {ndim}")
    if len({a % ndim for a in named}) < len(named):
        raise _errors.BadShape(f"axis={axis!r} has repeated axes")
    return tuple(sorted(a % ndim for a in named))


def _require_tree(f: Ufunc | Reduction, masked: bool, sizes: list[Any]) -> None:
    """`sizes` are those of the chunks along the axes, NaN where Dask does not know one."""
    op = f.combining
    if any(math.isnan(n) for n in sizes):
        raise ValueError(f"{op.__name__}() needs the positions of elements along the axis, but some chunks have unknown "
                         "sizes: call the array's compute_chunk_sizes() first")
    if not op.reorderable:
        raise TypeError(f"{op.__name__}() is not reorderable, but the axis has several chunks: rechunk() the axis into one")
    if masked and op.identity is None:
        raise TypeError(f"{op.__name__}() has no identity, which where= needs for chunks that it masks as a whole")


def _whole_behind(x: da.Array, ndim: int, axes: tuple[int, ...]) -> da.Array:
    """All axes but the first one that are reduced in one chunk, so that a chunk's elements have consecutive numbers."""
    own = [a - ndim + x.ndim for a in axes if a >= ndim - x.ndim and x.shape[a - ndim + x.ndim] > 1]
    first, behind = axes[0] - ndim + x.ndim if axes else -1, {}
    behind = {a: -1 for a in own if a != first}
    if all(len(x.chunks[a]) == 1 for a in behind):
        return x
    return x.rechunk({**behind, **({first: "auto"} if first in own else {})})


def _cut_alike(arrays: list[da.Array], ndim: int) -> tuple[list[tuple[int, ...]], list[da.Array]]:
    """The arrays with common chunks, and these, along each axis of what they broadcast to.  Dask's own way to cut them alike
    takes elements twice where chunks are empty."""
    arrays = [x.rechunk(tuple([tuple([n for n in sizes if n]) or (0,) for sizes in x.chunks])) for x in arrays]
    chunks, cut = da.core.unify_chunks(*[part for x in arrays for part in (x, _labels(x, ndim))])
    return [tuple(chunks[a]) for a in range(ndim)], cut


def _labels(x: da.Array, ndim: int) -> tuple[int, ...]:
    return tuple(range(ndim - x.ndim, ndim))


def _reduce_whole(bound: _Bound, arrays: list[da.Array], axes: tuple[int, ...], chunks: list[tuple[int, ...]], masked: bool,
                  meta: Any) -> da.Array:
    ndim = len(chunks)
    left = tuple([a for a in range(ndim) if a not in axes])
    pairs = [part for x in arrays for part in (x, _labels(x, ndim))]
    return da.blockwise(partial(_whole, bound, axes, masked), left, *pairs, concatenate=True, align_arrays=False,
                        adjust_chunks={a: chunks[a] for a in left}, meta=meta)


def _whole(bound: _Bound, axes: tuple[int, ...], masked: bool, *blocks: Any) -> Any:
    return bound(*blocks[:-1], axis=axes, where=blocks[-1]) if masked else bound(*blocks, axis=axes)


def _reduce_in_tree(f: Ufunc | Reduction, bound: _Bound, inputs: tuple[Any, ...], arrays: list[da.Array], axes: tuple[int, ...],
                    chunks: list[tuple[int, ...]], masked: bool, initial: Any, meta: Any) -> da.Array:
    ndim, first = len(chunks), axes[0]
    begins = np.cumsum([0, *chunks[first][:-1]]) * math.prod(sum(chunks[a]) for a in axes[1:])
    pairs = [part for x in arrays for part in (x, _labels(x, ndim))]
    in_slices = _Bound(partial(_on_device, f.reduceat), inputs, bound.options) if isinstance(f, Ufunc) and not masked else None
    runs = da.blockwise(partial(_runs_of_chunk, bound, in_slices, axes, masked), tuple(range(ndim)), *pairs,
                        _by_chunk(begins), (first,), align_arrays=False, adjust_chunks=dict(enumerate(chunks)),
                        meta=da.utils.meta_from_array(meta, ndim))
    return da.reduction(runs, _as_it_is, partial(_result, f.combining, initial), axis=axes,
                        combine=partial(_runs_of_runs, f.combining), concatenate=False, dtype=meta.dtype, meta=meta)


def _by_chunk(values: Any) -> Any:
    """A number for each chunk along an axis, as part of the tasks; of Dask before 2022 an array, with tasks of its own."""
    made = getattr(dask.layers, "ArrayValuesDep", None)
    return da.from_array(values, chunks=1) if made is None else made(((1,) * len(values),), values)


def _runs_of_chunk(bound: _Bound, in_slices: _Bound | None, axes: tuple[int, ...], masked: bool,
                   *blocks: Any) -> tuple[Run, ...]:
    """Reduces the aligned runs of a chunk; the last block holds the number of its first element.  On the host `in_slices`
    reduces all of them in one call, whose slices have the bits of the runs."""
    begin, shape = int(np.ravel(blocks[-1])[0]), np.broadcast_shapes(*[x.shape for x in blocks[:-1]])
    inputs = [_numbered(np.broadcast_to(x, shape), axes) for x in blocks[:-1]]
    mask = inputs.pop() if masked else None
    ranges = list(aligned_runs(begin, begin + inputs[0].shape[-1]))
    if in_slices is not None and len(ranges) > 1 and isinstance(inputs[0], np.ndarray):
        made = in_slices(*inputs, indices=[low - begin for low, _ in ranges], axis=-1)
        return tuple([(low, size, made[..., k], None) for k, (low, size) in enumerate(ranges)])
    runs = []
    for low, size in ranges:
        part = (..., slice(low - begin, low - begin + size))
        if mask is None:
            runs.append((low, size, bound(*[x[part] for x in inputs], axis=-1), None))
        else:
            runs.append((low, size, bound(*[x[part] for x in inputs], axis=-1, where=mask[part]), mask[part].any(-1)))
    return tuple(runs)


def _numbered(x: Any, axes: tuple[int, ...]) -> Any:
    """With the axes that are reduced as one, behind the others."""
    x = np.moveaxis(x, axes, range(-len(axes), 0))
    return x.reshape(*x.shape[:x.ndim - len(axes)], math.prod(x.shape[x.ndim - len(axes):]))


def aligned_runs(begin: int, end: int) -> Iterator[tuple[int, int]]:
    """The longest runs of powers of two, each beginning at a multiple of its length, that make up [begin, end)."""
    while begin < end:
        size = 1 << (end - begin).bit_length() - 1
        if begin:
            size = min(size, begin & -begin)
        yield begin, size
        begin += size


def _as_it_is(runs: tuple[Run, ...], axis: Any, keepdims: Any) -> tuple[Run, ...]:
    return runs


def _runs_of_runs(op: Ufunc, parts: Any, axis: Any, keepdims: Any) -> tuple[Run, ...]:
    done: list[Run] = []
    for run in sorted((run for runs in flatten([parts], container=list) for run in runs), key=itemgetter(0)):
        done.append(run)
        while len(done) > 1 and _are_siblings(*done[-2:]):
            done[-2:] = [_parent(op, *done[-2:])]
    return tuple(done)


def _are_siblings(left: Run, right: Run) -> bool:
    return left[1] == right[1] and left[0] % (2 * left[1]) == 0 and left[0] + left[1] == right[0]


def _parent(op: Ufunc, left: Run, right: Run) -> Run:
    """Combines two neighbours of the tree; if one is empty, the other moves up unchanged."""
    both, size = op(left[2], right[2]), left[1] + right[1]
    if left[3] is None:
        return left[0], size, both, None
    one = np.where(left[3], left[2], right[2])
    return left[0], size, np.where(left[3] & right[3], both, one), left[3] | right[3]


def _result(op: Ufunc, initial: Any, parts: Any, axis: Any, keepdims: Any) -> Any:
    runs: Iterable[Run] = _runs_of_runs(op, parts, axis, keepdims)
    *others, whole = runs
    for run in reversed(others):  # what has no partner goes up unchanged
        whole = _parent(op, run, whole)
    value, present = whole[2:]
    if initial is None:
        return value
    initial = value.dtype.type(initial)
    return op(initial, value) if present is None else np.where(present, op(initial, value), initial)


# ---- methods that want an axis whole ----

def along(method: Any, x: Any, axis: int, length: int | None, out: Any, options: dict[str, Any]) -> Any:
    """`method(chunk, axis=axis, …)` where chunks are cut along other axes alone; `length`: of the results, if another."""
    method, x = partial(_on_device, method), da.asarray(x)
    axis, = _axes(axis, x.ndim)
    dtype = method(_sample(x), axis=axis, **{**options, **({} if length is None else {"indices": [0]})}).dtype
    x = x.rechunk({axis: -1})
    chunks = [(length,) if a == axis and length is not None else sizes for a, sizes in enumerate(x.chunks)]
    made = x.map_blocks(partial(method, axis=axis, **options), chunks=tuple(chunks), dtype=dtype,
                        meta=da.utils.meta_from_array(x._meta, dtype=dtype))
    return da.core.handle_out(out, made)
