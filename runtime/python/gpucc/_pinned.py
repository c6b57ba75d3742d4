"""Pinned memory: NumPy's arrays that GPUs copy directly."""
from __future__ import annotations

import weakref
from typing import Any

from ._context import Devices, context
from ._library import check, library


def _find_bytes(x: Any) -> tuple[int, int]:
    """The first address of an array's elements, and the bytes up to the last one's end; none where it is empty."""
    if not x.size:
        return x.ctypes.data, 0
    extents = [step * (n - 1) for n, step in zip(x.shape, x.strides, strict=True)]
    first = x.ctypes.data + sum(extent for extent in extents if extent < 0)
    return first, sum(map(abs, extents)) + x.itemsize


def _unpin(handle: int, addresses: list[int], _arrays: tuple[Any, ...]) -> int:
    """Keeps the arrays until their memory is unpinned.  Returns the last failure's status."""
    status = 0
    for address in reversed(addresses):
        status = library.gpucc_context_unpin(handle, address) or status
    return status


class Pinned:
    """Arrays whose memory is pinned until close(), the end of a `with` block, or the end of this object.  No call may use
    them at that moment."""

    def __init__(self, arrays: tuple[Any, ...], device: str | Devices | None = None) -> None:
        handle, addresses = context(device).handle or 0, list[int]()
        self._finalizer = weakref.finalize(self, _unpin, handle, addresses, arrays)
        self._finalizer.atexit = False
        try:
            for x in arrays:
                address, size = _find_bytes(x)
                if size:
                    check(library.gpucc_context_pin(handle, address, size))
                    addresses.append(address)
        except BaseException:
            self._finalizer()
            raise

    def close(self) -> None:
        """Unpins the memory."""
        check(self._finalizer() or 0)

    def __enter__(self) -> Pinned:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def pinned(*arrays: Any, device: str | Devices | None = None) -> Pinned:
    """Pins the memory of NumPy's arrays: calls with `device=` copy it directly to all GPUs and back.

    >>> import gpucc, numpy
    >>> x = numpy.zeros(10**6, "f4")
    >>> with gpucc.pinned(x, device="cpu"):  # on a GPU, around calls with device="cuda:all"
    ...     pass
    """
    return Pinned(arrays, device)
