"""Gufuncs with operands of structs, which are NumPy's structured arrays."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _dtypes, _errors
from ._ufunc import Ufunc

if TYPE_CHECKING:
    from ._program import Program


class _Memory:
    """Memory of an array with another dtype and shape, for numpy.asarray()."""

    def __init__(self, array: np.ndarray[Any, Any], shape: tuple[int, ...], dtype: np.dtype[Any],
                 strides: tuple[int, ...]) -> None:
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, "shape": shape, "typestr": dtype.str,
                                    "descr": [("", dtype.str)], "strides": strides}


class _Record:
    """A struct as numpy.dtype, and as words of its alignment, as the loops have it."""

    def __init__(self, about: dict[str, Any], word: str) -> None:
        self.name, self.spelling = about["name"], about["type"]
        self.dtype = _dtype_of(about["fields"], about["size"])
        self.word = np.dtype(word)
        self.count = about["size"] // self.word.itemsize

    def words(self, given: Any) -> Any:
        """The operand as words, without a copy.  Arrays that are not NumPy's have words already."""
        if not isinstance(given, (np.ndarray, np.generic)):
            return given
        array = np.asarray(given)
        if array.dtype != self.dtype:
            raise _errors.BadType(f"operand '{self.name}' has dtype {array.dtype}, but {self.spelling} is {self.dtype}; "
                                  "numpy.dtype(…, align=True) lays fields out as C does")
        shape, strides = (*array.shape, self.count), (*array.strides, self.word.itemsize)
        return np.asarray(_Memory(array, shape, self.word, strides))

    def records(self, made: Any) -> Any:
        """A result of words as records."""
        if not isinstance(made, np.ndarray):
            return made
        return np.ascontiguousarray(made).view(self.dtype).reshape(made.shape[:-1])[()]


def _dtype_of(fields: list[dict[str, Any]], size: int) -> np.dtype[Any]:
    """A structured dtype of the manifest's members; what has no dtype is bytes."""
    formats: list[Any] = []
    for each in fields:
        shape = tuple(each.get("shape", ()))
        item = each["size"] // int(np.prod(shape, dtype=int))
        of: Any = _dtype_of(each["fields"], item) if "fields" in each else f"V{item}"
        formats.append((_dtypes.DTYPES[_dtypes.CODES[each["dtype"]]] if "dtype" in each else of, shape))
    names = [each["name"] or f"f{k}" for k, each in enumerate(fields)]
    return np.dtype({"names": names, "formats": formats, "offsets": [each["offset"] for each in fields], "itemsize": size})


class RecordUfunc(Ufunc):
    """A gufunc some of whose operands are structs.  Structured arrays are such operands if names, types and offsets of
    their fields are those of the struct.

    >>> import gpucc, numpy
    >>> program = gpucc.compile('''
    ... #include <gpucc.h>
    ... struct star { double ra, dec; float magnitude; };
    ... guvectorize((),()->()) void moved(const struct star *from, double by, struct star *to)
    ... {
    ...     *to = *from;
    ...     to->ra += by;
    ... }
    ... ''')
    >>> star = numpy.dtype([("ra", "f8"), ("dec", "f8"), ("magnitude", "f4")], align=True)
    >>> program.moved(numpy.array([(1, 2, 3), (4, 5, 6)], star), 0.5)["ra"]
    array([1.5, 4.5])
    """

    def __init__(self, program: Program, about: dict[str, Any], natives: dict[str, int]) -> None:
        super().__init__(program, about, natives)
        words = about["loops"][0]["inputs"] + about["loops"][0]["outputs"]
        operands = [p for p in about["parameters"] if p["role"] in ("input", "output")]
        self._records = [_Record(p, word) if "fields" in p else None for p, word in zip(operands, words)]

    def __call__(self, *given: Any, **options: Any) -> Any:
        out = options.get("out")
        outs = out if isinstance(out, tuple) else () if out is None else (out,)
        given, outs = (*given[:self.nin], *given[self.nin:], *outs)[:self.nin], (*given[self.nin:], *outs)
        if outs:
            options["out"] = tuple(None if x is None else self._words(self.nin + k, x) for k, x in enumerate(outs))
        made = super().__call__(*[self._words(k, x) for k, x in enumerate(given)], **options)
        results = made if self.nout > 1 else (made,)
        kept = [x if k >= len(outs) or outs[k] is None else outs[k] for k, x in enumerate(results)]
        shown = tuple(x if x is not results[k] or r is None else r.records(x)
                      for k, (x, r) in enumerate(zip(kept, self._records[self.nin:])))
        return shown if self.nout > 1 else shown[0]

    def _words(self, k: int, given: Any) -> Any:
        record = self._records[k] if k < len(self._records) else None
        return given if record is None else record.words(given)
