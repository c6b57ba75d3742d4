"""Whether the fields of a record lie as the members of a kernel's struct do."""
from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from . import _dtypes, _errors

_BYTES = (_dtypes.CODES["int8"], _dtypes.CODES["uint8"])
_OPAQUE = -1  # the code of bytes of any type: pointers, unions and bit-fields
_MOST_SHOWN = 8


class Layout:
    """The members of a struct, as the manifest has them."""

    def __init__(self, spelling: str, members: list[dict[str, Any]]) -> None:
        self.spelling, self.members = spelling.removeprefix("const ").rstrip("* "), members
        self._runs: list[list[int]] = []  # first byte, code, bytes: neighbours of one type in one
        self._known: dict[np.dtype[Any], str | None] = {}

    @cached_property
    def only_code(self) -> int | None:
        """The type of all members, if they have one and leave no gaps."""
        self._runs = self._runs or _joined(_members(self.members, 0))
        return self._runs[0][1] if len(self._runs) == 1 else None

    def mismatch(self, dtype: np.dtype[Any]) -> str | None:
        """The first field that lies otherwise, as a message; None: each has a member of its type at its place."""
        if dtype not in self._known:
            self._known[dtype] = self._find(dtype)
        return self._known[dtype]

    def _find(self, dtype: np.dtype[Any]) -> str | None:
        self._runs = self._runs or _joined(_members(self.members, 0))
        wrong = next((field for field in _fields(dtype, 0) if not self._has(*field[1:])), None)
        wrong = wrong or next(_misnamed(dtype, self.members), None)
        if wrong is None:
            return None
        name, offset, given, _ = wrong
        code = _code(given)
        shown = [f"{m['name'] or m['type']} ({m.get('dtype') or m['type']} at byte {m['offset']})" for m in self.members]
        rest = ["…"] if len(shown) > _MOST_SHOWN else []
        return (f"field {name} is {given if code is None else _dtypes.NAMES[code]} at byte {offset}, but {self.spelling} has "
                f"{', '.join(shown[:_MOST_SHOWN] + rest)}; numpy.dtype(…, align=True) lays fields out as C does")

    def _has(self, offset: int, dtype: np.dtype[Any], count: int) -> bool:
        """Whether so many elements of this type are there."""
        if dtype.kind == "V" and dtype.names is None and _dtypes.lacking_code(dtype) is None:
            return True  # bytes without a meaning
        i = bisect_right(self._runs, [offset, len(_dtypes.NAMES)]) - 1
        if i < 0:
            return False
        first, code, size = self._runs[i]
        if offset + count * dtype.itemsize > first + size:
            return False
        fits = code in _BYTES if dtype.kind == "S" else code == _code(dtype) and (offset - first) % dtype.itemsize == 0
        return code == _OPAQUE or fits


def _code(dtype: np.dtype[Any]) -> int | None:
    try:
        return _dtypes.code_of(dtype)
    except _errors.BadType:
        return None


def _members(members: list[dict[str, Any]], base: int) -> Iterator[list[int]]:
    """Returns the offset, the code and the bytes of each member that is no struct."""
    for m in members:
        count, first = math.prod(m.get("shape", ())), base + m["offset"]
        if "fields" in m:
            for i in range(count):
                yield from _members(m["fields"], first + i * (m["size"] // count))
        else:
            yield [first, _dtypes.CODES[m["dtype"]] if "dtype" in m else _OPAQUE, m["size"]]


def _joined(runs: Iterator[list[int]]) -> list[list[int]]:
    joined: list[list[int]] = []
    for first, code, size in sorted(runs):
        if joined and joined[-1][1] == code and joined[-1][0] + joined[-1][2] == first:
            joined[-1][2] += size
        else:
            joined.append([first, code, size])
    return joined


_Field = tuple[str, int, "np.dtype[Any]", int]  # its name, first byte, type, and how many elements it has


def _fields(dtype: np.dtype[Any], base: int, name: str = "") -> Iterator[_Field]:
    """Yields the fields that are no records themselves."""
    element, shape = dtype.subdtype or (dtype, ())
    count = math.prod(shape)
    if element.names is None:
        yield name, base, element, count
        return
    for i in range(count):
        for each in element.names:
            of, offset = element.fields[each][:2]  # type: ignore[index]
            yield from _fields(of, base + i * element.itemsize + offset, f"{name}.{each}" if name else each)


def _misnamed(dtype: np.dtype[Any], members: list[dict[str, Any]], name: str = "") -> Iterator[_Field]:
    """Fields that have the name of a member at another place."""
    by_name = {m["name"]: m for m in members}
    element = dtype.base
    for each in element.names or ():
        of, offset = element.fields[each][:2]  # type: ignore[index]
        m, path = by_name.get(each), f"{name}.{each}" if name else each
        if m is not None and m["offset"] != offset:
            yield path, offset, of.base, 1
        elif m is not None:
            yield from _misnamed(of, m.get("fields", []), path)
