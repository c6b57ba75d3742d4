"""Types and shapes of a call's results, without the call: for compilers that trace."""
from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import _dtypes, _errors
from ._array import empty

if TYPE_CHECKING:
    from ._ufunc import Ufunc


def _cores(function: Ufunc) -> list[list[str]] | None:
    """The core dimensions of each operand; None of layouts that say more than names and numbers."""
    if function.signature is None:
        return [[]] * function.nargs
    cores = [re.findall(r"[^,\s]+", core) for core in re.findall(r"\(([^)]*)\)", function.signature)]
    return cores if all(re.fullmatch(r"\w+", d) for core in cores for d in core) and not function.has_extents else None


def _known_cores(function: Ufunc) -> list[list[str]]:
    """The same, where they say the outputs' shapes."""
    cores = _cores(function)
    given = {d for core in (cores or [])[: function.nin] for d in core}
    if cores is None or not all(d in given or d.isdigit() for core in cores[function.nin:] for d in core):
        raise TypeError(f"{function.__name__}: the shapes of its outputs do not follow from its layout "
                        f"{function.signature!r} alone, and a traced call needs them")
    return cores


def core_counts(function: Ufunc) -> list[int] | None:
    """How many core dimensions each input has; None where that depends on the call."""
    cores = _cores(function)
    return None if cores is None else [len(core) for core in cores[: function.nin]]


def result_types(function: Ufunc, given: tuple[Any, ...]) -> tuple[str, ...]:
    """The names of the outputs' types for inputs of these: names of types, or Python's numbers.  A call of no elements says
    it, on the CPU or, without native code, on a GPU."""
    key = tuple([(type(x), x if isinstance(x, str) else None) for x in given])
    known: dict[Any, tuple[str, ...]] = function.__dict__.setdefault("_types_of_results", {})
    if key not in known:
        try:
            known[key] = _call_of_nothing(function, given, "cpu")
        except (_errors.NotFound, _errors.Unsupported):
            known[key] = _call_of_nothing(function, given, "cuda")
    return known[key]


def _call_of_nothing(function: Ufunc, given: tuple[Any, ...], device: str) -> tuple[str, ...]:
    cores = _known_cores(function)
    shapes = [(0, *[int(d) if d.isdigit() else 1 for d in core]) for core in cores]
    made = function(*[empty(shape, x, device) if isinstance(x, str) else x for shape, x in zip(shapes, given)])
    return tuple([_dtypes.NAMES[_dtypes.code_of(x.dtype)] for x in (made if function.nout > 1 else (made,))])


def result_shapes(function: Ufunc, shapes: Sequence[tuple[Any, ...]],
                  broadcast: Callable[..., tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Each output's shape; numbers may be symbols."""
    cores = _known_cores(function)
    extents: dict[str, Any] = {}
    loops = []
    for k, (core, shape) in enumerate(zip(cores, shapes)):
        if len(shape) < len(core):
            raise _errors.BadShape(f"{function.__name__}: input {k} has {len(shape)} dimensions, and the layout "
                                   f"{function.signature} has {len(core)} core dimensions there")
        loops.append(tuple(shape[: len(shape) - len(core)]))
        extents.update(zip(core, shape[len(shape) - len(core):]))
    loop = tuple(broadcast(*loops))
    return [(*loop, *[int(d) if d.isdigit() else extents[d] for d in core]) for core in cores[function.nin:]]
