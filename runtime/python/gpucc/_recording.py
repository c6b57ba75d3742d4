"""The graph that a thread records, which calls ask for."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypeVar

from ._interchange import Place, kind_of

if TYPE_CHECKING:
    from ._graph import Graph


class _Recording(threading.local):
    graph: Graph | None = None


RECORDING = _Recording()
T = TypeVar("T")


def recorded(place: T) -> T | Place:
    """The same place; while this thread records, the graph's device, where NumPy's arrays are on the CPU."""
    graph = RECORDING.graph
    if graph is None:
        return place
    if place is None:
        return Place(graph.context, 0, kind_of(None) if not graph.context.is_cuda else kind_of(graph.example()))
    if not isinstance(place, Place):
        raise TypeError("a graph records calls on arrays of NumPy, of gpucc and on GPUs; pandas, Dask and others call on "
                        "their own")
    if place.context is not graph.context:
        raise TypeError(f"the graph is recorded on {graph.context.name}, but the operands are on {place.context.name}")
    return place


def hold(function: Any) -> None:
    """Lets the graph that this thread records hold the function's program."""
    if RECORDING.graph is not None:
        RECORDING.graph.programs.add(function.program)


def note(place: Place, operands: list[Any], kernel: Any = None, arguments: tuple[Any, ...] = ()) -> None:
    """Notes a recorded call, whose operands live as long as the graph."""
    if RECORDING.graph is not None:
        RECORDING.graph.note(place, operands, kernel, arguments)
