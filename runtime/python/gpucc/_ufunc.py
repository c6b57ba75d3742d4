"""Ufuncs and gufuncs: NumPy's arrays go to a real numpy.ufunc, arrays on devices to the runtime."""
from __future__ import annotations

import copyreg
import inspect
import operator
import re
from collections.abc import Callable
from ctypes import byref, c_double, c_int, c_int64, c_uint64, c_void_p
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _dtypes, _errors
from ._array import Array, read_extents
from ._autograd import differentiable, is_differentiated
from ._calls import UNSAID, Calls, Fused
from ._context import Context, Devices, context
from ._handling import Handlers, call_masked, is_masked, numpy_name, refuse_mask
from ._interchange import Graphs, Kind, Place, called, find_place, host_output, kind_of
from ._library import (ALL_AXES, CASTINGS, MEMORY_DEVICE, MEMORY_HOST, ORDERS, AccumulateOptions, AtOptions, CallOptions,
                       ReduceatOptions, ReduceOptions, check, library)
from ._library import axes as to_axes
from ._numpy import MOST_OPERANDS, NUMPY, NativeLoop, make_ufunc, owner_of
from ._recording import RECORDING, hold, note, recorded

if TYPE_CHECKING:
    from ._program import Program

_KEYWORDS = {"casting", "dtype", "signature", "sig", "order", "subok"}
_CORE_KEYWORDS = {"axes", "axis", "keepdims"}


class Ufunc(Calls):
    """A function of elements, or of whole arrays (a gufunc), as NumPy's ufuncs are.

    What NumPy takes goes to `numpy`, a real numpy.ufunc of the native code; arrays on a device run there, in the caller's
    current stream, and results are of the caller's kind.  `reduce`, `accumulate`, `reduceat`, `outer` and `at` do the
    same.

    >>> import gpucc, numpy
    >>> program = gpucc.compile('''
    ... #include <gpucc.h>
    ... vectorize(float64(float64, float64)) identity(0) reorderable
    ... double add(double x, double y) { return x + y; }
    ... ''')
    >>> program.add(numpy.arange(3.0), 10)
    array([10., 11., 12.])
    >>> program.add.reduce(numpy.ones((2, 3)), axis=1)
    array([3., 3.])
    >>> program.add(gpucc.asarray([1.0, 2.0], device="cpu"), 1)
    gpucc.Array of float64 (2,) on cpu
    """

    def __init__(self, program: Program, about: dict[str, Any], natives: dict[str, int]) -> None:
        self.program: Program = program
        self.__name__: str = about["name"]
        self.doc: str = about["doc"]
        self.parameters: list[str] = [p["name"] for p in about["parameters"] if p["role"] in ("input", "output")]
        self.nin: int = sum(p["role"] == "input" for p in about["parameters"])
        self.nout: int = len(self.parameters) - self.nin
        self.nargs: int = len(self.parameters)
        self.signature: str | None = about["layout"]
        #: extents of outputs follow from others by expressions
        self.has_extents: bool = bool(about.get("extents"))
        self.reorderable: bool = about.get("reorderable", False)
        self.identity: Any = _number(about.get("identity"))
        self.signatures: list[str] = about["signatures"]
        self.loops: list[list[str]] = _loops(about)
        #: its kind of derivative, and the function of which it is that; None, None of others
        self.derivative_of: tuple[str | None, str | None] = about.get("derivative"), about.get("derivative_of")
        #: the numpy.ufunc; None where NumPy cannot have it: no native code, a layout that is not NumPy's, or too many operands
        self.numpy: Any = self._make_numpy(about, natives)
        self._host = self.numpy
        self._has_wide_first = 0 if self.numpy is None or not _has_wide_first(self.numpy) else 1 if NUMPY >= 2 else 2
        self._by_element = self.signature is None
        self._handles: dict[Context, int] = {}
        self._results: dict[tuple[Any, ...], Any] = {}  # types of what has been made of inputs of these types
        self.__doc__ = self._document()

    def _make_numpy(self, about: dict[str, Any], natives: dict[str, int]) -> np.ufunc | None:
        layout = self.signature
        own = layout is not None and ("|" in layout or ":" in layout or about.get("extents"))  # NumPy's layouts lack these
        if own or self.nargs > MOST_OPERANDS:
            return None
        loops = [_native_loop(loop, natives, self.reorderable) for loop in about["loops"]
                 if loop["kind"] == "native" and not _dtypes.LACKING.keys() & {*loop["inputs"], *loop["outputs"]}
                 and loop["entry"] in natives]
        if not loops:
            return None
        fits = isinstance(self.identity, int) or all(t.kind in "fc" for loop in loops for t in loop.operands)
        made = make_ufunc(numpy_name(self.__name__), self.doc, self.nin, self.nout, loops, self.identity if fits else None,
                          self.reorderable, layout, self)
        return made

    @cached_property
    def adjoint(self) -> Ufunc | None:
        """The program's function that `adjoint()` made of this one, or None."""
        return self._derivative("adjoint")

    @cached_property
    def tangent(self) -> Ufunc | None:
        """The program's function that `tangent()` made of this one, or None."""
        return self._derivative("tangent")

    def _derivative(self, kind: str) -> Ufunc | None:
        return next((f for f in self.program.functions.values() if getattr(f, "derivative_of", None) == (kind, self.__name__)),
                    None)

    @cached_property
    def derived(self) -> list[int]:
        """Returns the inputs by which derivatives derive."""
        return [k for k in range(self.nin) if _dtypes.is_derivable(self.loops[0][k])]

    @property
    def combining(self) -> Ufunc:
        """Returns the function that reduces elements."""
        return self

    @property
    def ntypes(self) -> int:
        return len(self.loops)

    @property
    def types(self) -> list[str]:
        """Each loop as NumPy writes it, "ff->f"."""
        letters = [[_dtypes.LETTERS.get(name) or np.dtype(_dtypes.DTYPES[_dtypes.CODES[name]]).char for name in loop]
                   for loop in self.loops]
        return ["".join(loop[: self.nin]) + "->" + "".join(loop[self.nin:]) for loop in letters]

    @cached_property
    def __signature__(self) -> inspect.Signature:
        """As inspect and editors show it."""
        of, kinds = inspect.Parameter, inspect.Parameter
        options = ["axes", "axis", "keepdims"] if self.signature else ["where"]
        inputs = [of(name, kinds.POSITIONAL_ONLY) for name in self.parameters[: self.nin]]
        rest = [of("out", kinds.POSITIONAL_OR_KEYWORD, default=None)]
        options += ["casting", "order", "dtype", "signature", "device"]
        rest += [of(name, kinds.KEYWORD_ONLY, default=None) for name in options]
        return inspect.Signature(inputs + rest)

    def _document(self) -> str:
        inputs, outputs = self.parameters[: self.nin], self.parameters[self.nin:]
        head = f"{self.__name__}({', '.join(inputs)}, /, out=None, …) -> {', '.join(outputs)}"
        core = f"{self.signature}\n\n" if self.signature else ""
        return f"{head}\n\n{self.doc}\n\n{core}" .replace("\n\n\n\n", "\n\n") + "\n".join(self.signatures)

    def __repr__(self) -> str:
        return f"<gpucc {'gufunc' if self.signature else 'ufunc'} {self.__name__!r} of {self.program.name}>"

    def __reduce__(self) -> Any:
        return operator.getitem, (self.program, self.__name__)

    def __dask_tokenize__(self) -> Any:
        return self.program.key, self.__name__

    # ---- calls ----

    def _anywhere(self, *given: Any, device: str | Devices | None = None, **options: Any) -> Any:
        """Any call; `Calls` has a shorter way for common ones."""
        operands, out = given, options.get("out")
        if len(given) > self.nargs:
            raise TypeError(f"{self.__name__}() takes {_count(self.nin, 'input')} and {_count(self.nout, 'output')}, but "
                            f"{_are_given(len(given))}")
        if len(given) > self.nin and out is None:
            operands, out = given[: self.nin], given[self.nin:] + (None,) * (self.nargs - len(given))
            if any(x is ... for x in out):
                raise TypeError("out=... must be passed as a keyword")
        if any(map(is_differentiated, operands)):
            more = {k: v for k, v in options.items() if k != "out"} | ({} if device is None else {"device": device})
            return differentiable(self, operands, out, more)
        place = self._place(find_place([*operands, *_as_tuple(out), options.get("where")], device))
        if place is None:
            refuse_mask(options.get("where"))
            outs = _host_outputs(out)
            if self._has_wide_first and not options.keys() & {"dtype", "signature", "sig"}:
                operands = self._with_types(operands)
                given = (*operands, *given[len(operands):])
            if outs is None:
                return self.numpy(*given, **options)  # as it is: NumPy tells out=None from none
            self.numpy(*operands, **{**options, "out": outs})
            return out if isinstance(out, tuple) and len(out) > 1 else _as_tuple(out)[0]
        options.pop("out", None)
        if isinstance(place, Handlers):
            return place.call(self, "__call__", operands, out, options)
        if isinstance(place, Graphs):
            return place.maker.call(self, operands, out, options)
        return self._run(library.gpucc_ufunc_call, place, operands, out, options)

    def _with_types(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        """Gives Python scalars the types of the loop that takes the others as they are.  NumPy runs the first loop to which
        scalars and others cast safely."""
        if len(operands) != self.nin:
            return operands
        typed = self._with_loop_types(operands)
        if NUMPY >= 2 or not any(map(np.ndim, typed)):
            return typed
        # NumPy 1 would look at the values of numbers that have types.
        return tuple([x if type(x) in _SCALARS or np.ndim(x) else np.reshape(x, 1) for x in typed])

    def _with_loop_types(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        weak = [type(x) in _SCALARS for x in operands]
        if not any(weak):
            return operands
        types = [np.asarray(x).dtype for x in operands]
        others = [_rank(t) for t, is_weak in zip(types, weak) if not is_weak]
        for loop in self.numpy.types:
            wanted = [np.dtype(letter) for letter in loop[: self.nin]]
            if all(t == w or is_weak and _rank(t) <= _rank(w) and max(others, default=-1) >= min(_rank(t), 2)
                   for t, w, is_weak in zip(types, wanted, weak)):
                return tuple([w.type(x) if is_weak else x for x, w, is_weak in zip(operands, wanted, weak)])
        return operands

    def _wrong_count(self, given: int) -> TypeError:
        """Reports a wrong number of inputs."""
        return TypeError(f"{self.__name__}() takes {_count(self.nin, 'input')}, but {_are_given(given)}")

    def _elementwise(self, what: str) -> None:
        """Raises an error for gufuncs, which lack this method."""
        if self.signature is not None:
            raise _errors.BadMethod(f"{self.__name__}: {what} not supported for gufuncs")

    def _outer(self, *operands: Any, out: Any = None, **options: Any) -> Any:
        self._elementwise("outer calls are")
        place = self._place(find_place([*operands, *_as_tuple(out), options.get("where")], options.pop("device", None)))
        if place is None:
            refuse_mask(options.get("where"))
            return _returned(self.numpy.outer(*operands, out=_host_outputs(out) or out, **options), out)
        if isinstance(place, Handlers):
            return place.call(self, "outer", operands, out, options)
        if isinstance(place, Graphs):
            return place.maker.outer(self, operands, out, options)
        return self._run(library.gpucc_ufunc_outer, place, operands, out, options)

    def _on_cpu(self) -> Place:
        return Place(context("cpu"), 0, _HOST)

    def _handle(self, where: Context) -> int:
        """The runtime's ufunc."""
        hold(self)
        handle = self._handles.get(where)
        if handle is None:
            handle = self._handles[where] = where.find(library.gpucc_program_ufunc, self.program, self.__name__)
        return handle

    def _run(self, function: Any, place: Place, operands: tuple[Any, ...], out: Any, options: dict[str, Any]) -> Any:
        if len(operands) != self.nin:
            raise self._wrong_count(len(operands))
        outs = (None,) * self.nout if out is None or out is ... else _as_tuple(out)
        if len(outs) != self.nout:
            raise ValueError(f"{self.__name__}() has {_count(self.nout, 'output')}, but {_are_given(len(outs))} for outputs")
        if out is None and place.kind is _HOST and function is library.gpucc_ufunc_call and self._by_element and any(
                map(is_masked, operands)):
            return call_masked(lambda values: self._run(function, place, values, None, options), operands)
        handle = self._handle(place.context)
        plain = (function is library.gpucc_ufunc_call and self._by_element and self.nout == 1 and out is None and not options
                 and RECORDING.graph is None)
        types = tuple([getattr(x, "dtype", None) for x in operands]) if plain else None
        if types in self._results:
            outs = (place.kind.room(operands, self._results[types]),)
        with Operands(place, operands) as taken:
            how = _call_options(self, taken, options) if options else None
            inputs = (c_void_p * self.nin)(*[taken.input(x) for x in operands])
            outputs = (c_void_p * self.nout)(*[taken.output(x) for x in outs])
            check(function(handle, inputs, outputs, how and byref(how)))
            made = [x if x is not None else Array._of(handle, place.context) for x, handle in zip(outs, outputs)]
        given = tuple([_export(place, m) if x is None else x for x, m in zip(outs, made)])
        if types is not None and all(t is not None for t in types):
            self._results[types] = getattr(given[0], "dtype", None)
        return given[0] if self.nout == 1 else given

    # ---- methods ----

    def _place(self, place: Place | Graphs | Handlers | None) -> Place | Graphs | Handlers | None:
        """The same; None where NumPy does the call, the CPU for operands of NumPy's where it cannot have the function."""
        if RECORDING.graph is not None:
            return recorded(place)
        if self.numpy is None:
            return self._on_cpu() if place is None else place
        return None if isinstance(place, Handlers) and place.is_numpys else place

    def _reduce(self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False,
                initial: Any = UNSAID, where: Any = True, *, device: str | Devices | None = None) -> Any:
        out = _single(out)
        place = self._place(find_place([array, out, where], device))
        if place is None:
            more = {} if initial is UNSAID else {"initial": initial}
            if where is not True:
                more["where"] = where
            _refuse_masks(array, where, initial)
            return _returned(self.numpy.reduce(array, axis, dtype, host_output(out), keepdims, **more), out)
        if isinstance(place, Handlers):
            more = {} if initial is UNSAID else {"initial": initial}
            more |= {"axis": axis} | _given(dtype=dtype, keepdims=keepdims or None, where=None if where is True else where)
            return place.call(self, "reduce", (array,), out, more)
        if isinstance(place, Graphs):
            return place.maker.reduce(self, (array,), axis, keepdims, where, out, _given(dtype=dtype, initial=initial))
        self._elementwise("a reduction is")
        _check_axis(array, axis)
        if initial is None:
            _check_initial(np.shape(array), axis, where)
        with Operands(place, (array,)) as taken:
            how = _reduce_options(taken, axis, dtype, keepdims, initial, where)
            return self._fold(library.gpucc_ufunc_reduce, place, taken, array, None, out, how)

    def _accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None, *,
                    device: str | Devices | None = None) -> Any:
        out = _single(out)
        place = self._place(find_place([array, out], device))
        if place is None:
            refuse_mask(array)
            return _returned(self.numpy.accumulate(array, axis, dtype, host_output(out)), out)
        if isinstance(place, Handlers):
            return place.call(self, "accumulate", (array,), out, {"axis": axis} | _given(dtype=dtype))
        if isinstance(place, Graphs):
            return place.maker.along(self.accumulate, array, axis, None, out, _given(dtype=dtype))
        self._elementwise("an accumulation is")
        how = AccumulateOptions(axis=_only_axis(axis), dtype=_dtype_option(dtype))
        with Operands(place) as taken:
            return self._fold(library.gpucc_ufunc_accumulate, place, taken, array, None, out, how)

    def _reduceat(self, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None, *,
                  device: str | Devices | None = None) -> Any:
        out = _single(out)
        place = self._place(find_place([array, out], device))
        if place is None:
            _refuse_masks(array, indices)
            return _returned(self.numpy.reduceat(array, indices, axis, dtype, host_output(out)), out)
        if isinstance(place, Handlers):
            return place.call(self, "reduceat", (array, indices), out, {"axis": axis} | _given(dtype=dtype))
        if isinstance(place, Graphs):
            return place.maker.along(self.reduceat, array, axis, len(indices), out,
                                     _given(dtype=dtype, indices=indices))
        self._elementwise("reduceat is")
        how = ReduceatOptions(axis=_only_axis(axis), dtype=_dtype_option(dtype))
        with Operands(place) as taken:
            return self._fold(library.gpucc_ufunc_reduceat, place, taken, array, taken.indices(indices), out, how)

    def _fold(self, function: Any, place: Place, taken: Operands, array: Any, indices: int | None, out: Any, how: Any) -> Any:
        out = None if out is ... else out
        made = c_void_p(taken.output(out))
        more = [] if indices is None else [indices]
        check(function(self._handle(place.context), taken.input(array), *more, byref(made), byref(how)))
        return _export(place, Array._of(made.value, place.context)) if out is None else out

    def _at(self, array: Any, indices: Any, operand: Any = None, /, *, device: str | Devices | None = None) -> None:
        place = self._place(find_place([array, operand], device))
        if place is None:
            _refuse_masks(array, indices, operand)
            self.numpy.at(host_output(array), indices, *([] if self.nin == 1 else [operand]))
            return
        if isinstance(place, Handlers):
            place.call(self, "at", (array, indices, *([] if self.nin == 1 else [operand])), None, {})
            return
        if isinstance(place, Graphs):
            raise TypeError(f"{self.__name__}.at() works in place, but a Dask array is evaluated lazily")
        self._elementwise("at is")
        with Operands(place, (array,)) as taken:
            cells, named = taken.cells(array, indices)
            check(library.gpucc_ufunc_at(self._handle(place.context), cells, named,
                                         None if operand is None else taken.input(operand), byref(AtOptions())))


class Reduction(Fused):
    """A reduction that the source has fused with what makes its elements: `fuse(dot, reduce(add, mul(x, y)))`.  It runs
    where its inputs are, NumPy's on the CPU."""

    def __init__(self, program: Program, about: dict[str, Any]) -> None:
        self.program: Program = program
        self.__name__: str = about["name"]
        self.doc: str = about["doc"]
        self.signatures: list[str] = about["signatures"]
        #: the name of the ufunc that combines the elements
        self.by: str = about["by"]
        self.parameters: list[str] = [p["name"] for p in about["parameters"] if p["role"] == "input"]
        self.nin: int = len(self.parameters)
        self._is_fused = True
        self._handles: dict[Context, int] = {}
        self.__doc__ = f"{self.__name__}({', '.join(self.parameters)}, /, axis=0, …)\n\n{self.doc}"

    def __repr__(self) -> str:
        return f"<gpucc reduction {self.__name__!r} of {self.program.name}>"

    def __reduce__(self) -> Any:
        return operator.getitem, (self.program, self.__name__)

    def __dask_tokenize__(self) -> Any:
        return self.program.key, self.__name__

    @property
    def combining(self) -> Ufunc:
        by: Ufunc = self.program[self.by]
        return by

    def reduce(self, *inputs: Any, **options: Any) -> Any:
        """The same as a call, as a ufunc has it."""
        return self(*inputs, **options)

    def _handle(self, where: Context) -> int:
        """The runtime's reduction."""
        hold(self)
        handle = self._handles.get(where)
        if handle is None:
            handle = self._handles[where] = where.find(library.gpucc_program_ufunc, self.program, self.__name__)
        return handle

    def _anywhere(self, *inputs: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False,
                  initial: Any = UNSAID, where: Any = True, device: str | Devices | None = None) -> Any:
        """Any call; `Calls` has a shorter way for common ones."""
        if len(inputs) != len(self.parameters):
            raise TypeError(f"{self.__name__}() takes {len(self.parameters)} inputs but {len(inputs)} were given")
        out = None if out is ... else _single(out)
        place = recorded(find_place([*inputs, out, where], device)) or Place(context("cpu"), 0, _HOST)
        if isinstance(place, Handlers):
            place.refuse(self.__name__)
        if isinstance(place, Graphs):
            return place.maker.reduce(self, inputs, axis, keepdims, where, out, _given(dtype=dtype, initial=initial))
        handle = self._handle(place.context)
        with Operands(place) as taken:
            how = _reduce_options(taken, axis, dtype, keepdims, initial, where)
            given = (c_void_p * len(inputs))(*[taken.input(x) for x in inputs])
            made = c_void_p(taken.output(out))
            check(library.gpucc_reduction_call(handle, given, byref(made), byref(how)))
            array = Array._of(made.value, place.context) if out is None else None
        return out if array is None else _export(place, array)


# ---- operands of one call ----

class Operands:
    """The runtime's arrays over a call's operands, and the order of streams around the call."""

    def __init__(self, place: Place, beside: tuple[Any, ...] = ()) -> None:
        self.place = place
        self.beside = beside  # arrays, by whose kind numbers go
        self.keepalive: list[Any] = []
        self.made: list[int] = []

    def __enter__(self) -> Operands:
        self.place.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.place.__exit__(*error)
            if error[0] is None:
                note(self.place, self.keepalive)
        finally:
            for handle in self.made:
                library.gpucc_array_release(handle)

    def input(self, x: Any) -> int:
        kind = kind_of(x)
        self.keepalive.append(x)
        if kind is not _HOST:
            return kind.handle(x, self.place.context, self.keepalive)
        if type(x) in (int, float, complex):
            return self._number(x)
        refuse_mask(x)
        data = np.asarray(x)
        data = data.astype(data.dtype.newbyteorder("="), copy=False)
        self.keepalive.append(data)
        return self._scalar(data) if data.ndim == 0 else self._wrapped(data)

    def mask(self, x: Any) -> int:
        """Truth values, and Python's numbers and lists as such."""
        return self.input(np.asarray(x, bool) if isinstance(x, (int, list, tuple)) else x)

    def output(self, x: Any) -> int | None:
        if x is None:
            return None
        kind = kind_of(x)
        self.keepalive.append(x)
        if kind.is_immutable:
            raise _errors.InvalidArgument(f"{called(x)} is immutable: it cannot be an output")
        if kind is not _HOST:
            return kind.handle(x, self.place.context, self.keepalive)
        if not isinstance(x, np.ndarray) or self.place.context.is_cuda and not self.place.takes_hosts:
            raise TypeError(f"an output on {self.place.context.name} must be an array there, not {type(x).__name__}")
        refuse_mask(x)
        return self._wrapped(x)

    def indices(self, x: Any) -> int:
        """An array of indices, on the device or on the host."""
        if kind_of(x).device(x) is not None:
            return self.input(x)
        refuse_mask(x)
        data = np.ascontiguousarray(x)
        if data.size == 0 and data.dtype.kind not in "iu":
            data = data.astype(np.int64)
        self.keepalive.append(data)
        return self._wrapped(data)

    def cells(self, array: Any, indices: Any) -> tuple[int, int]:
        """An array, and indices of its first dimension; where others are given, its elements in a row, and theirs."""
        handle, named = self.output(array) or 0, _first_indices(array, indices)
        if named is None:
            handle, named = self._in_a_row(handle, indices)
        return handle, self.indices(named)

    def _in_a_row(self, handle: int, indices: Any) -> tuple[int, NDArray[Any]]:
        """All elements from the one that lies first in memory to the last, and which of them NumPy's indices name."""
        size = _dtypes.SIZES[library.gpucc_array_dtype(handle)]
        shape, strides = (read_extents(handle, ask) for ask in (library.gpucc_array_shape, library.gpucc_array_strides))
        if any(stride % size for stride in strides):
            raise _errors.BadShape("at() supports such indices only for arrays whose strides are multiples of the itemsize")
        reach = [(n - 1) * stride for n, stride in zip(shape, strides)] if 0 not in shape else []
        first, last = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
        places = np.broadcast_to(np.int64(0), shape)[indices] - first // size
        for d, (n, stride) in enumerate(zip(shape, strides)):
            along = (np.arange(n) * (stride // size)).reshape((n,) + (1,) * (len(shape) - 1 - d))
            places = places + np.broadcast_to(along, shape)[indices]
        count, made = 0 if 0 in shape else (last - first) // size + 1, c_void_p()
        check(library.gpucc_array_view(handle, 1, byref(c_int64(count)), byref(c_int64(size)), first, byref(made)))
        self.made.append(made.value or 0)
        return self.made[-1], places

    def _wrapped(self, data: NDArray[Any]) -> int:
        view = _HOST.view(data)
        handle = self.place.context.wrap_new(view, MEMORY_HOST if self.place.context.is_cuda else MEMORY_DEVICE)
        self.made.append(handle)
        return handle

    def _number(self, x: complex) -> int:
        """One of Python's, which has no type of its own."""
        name: str
        value: Any
        if isinstance(x, int) and not -2**63 <= x < 2**64:
            if not any(getattr(getattr(a, "dtype", None), "kind", None) in ("f", "c") for a in self.beside):
                raise OverflowError(f"{x} is not a number of 64 bits")
            x = float(x)
        if isinstance(x, int):
            name, value = ("int64", c_int64(x)) if x < 2**63 else ("uint64", c_uint64(x))
        elif isinstance(x, float):
            name, value = "float64", c_double(x)
        else:
            name, value = "complex128", (c_double * 2)(x.real, x.imag)
        return self._made(library.gpucc_array_number, _dtypes.CODES[name], byref(value))

    def _scalar(self, data: NDArray[Any]) -> int:
        return self._made(library.gpucc_array_scalar, _dtypes.code_of(data.dtype), data.__array_interface__["data"][0])

    def _made(self, make: Any, code: int, value: Any) -> int:
        handle = c_void_p()
        check(make(self.place.context.handle, code, value, byref(handle)))
        self.made.append(handle.value or 0)
        return self.made[-1]


_HOST: Kind = kind_of(None)


def _export(place: Place, array: Array) -> Any:
    """Exports a result as the caller's kind of array."""
    if place.kind is not _HOST:
        return place.kind.export(array)
    made = np.asarray(array).view(array.dtype) if array._is_hosts else array.to_numpy()
    return made if RECORDING.graph is not None else made[()]  # a number where it has no dimensions, as NumPy gives it


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _are_given(n: int) -> str:
    return f"{n} {'is' if n == 1 else 'are'} given"


def _as_tuple(out: Any) -> tuple[Any, ...]:
    return () if out is None else out if isinstance(out, tuple) else (out,)


def _host_outputs(out: Any) -> tuple[Any, ...] | None:
    """NumPy's arrays over outputs on the host; None where all outputs are NumPy's already."""
    outs = _as_tuple(out)
    views = tuple([x if x is None else host_output(x) for x in outs])
    return None if all(x is view for x, view in zip(outs, views)) else views


def _returned(made: Any, out: Any) -> Any:
    """A call's result: `out` itself where the caller has given one that is not NumPy's."""
    return made if out is None or isinstance(out, tuple) or out is ... or isinstance(out, np.ndarray) else out


def _refuse_masks(*arrays: Any) -> None:
    for x in arrays:
        refuse_mask(x)


def _single(out: Any) -> Any:
    if not isinstance(out, tuple):
        return out
    if len(out) != 1:
        raise ValueError(f"The 'out' tuple must have exactly one entry, got {len(out)}")
    return out[0]


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None and value is not UNSAID}


def _dtype_option(dtype: Any) -> Any:
    return None if dtype is None else (c_int * 1)(_dtypes.code_of_request(dtype))


def _signature_option(ufunc: Ufunc, signature: Any, options: dict[str, Any]) -> Any:
    """The types of a loop's operands, as NumPy takes them: "ff->f", or a tuple of types and of None where any will do."""
    if options.get("dtype") is not None or options.get("signature") is not None and options.get("sig") is not None:
        raise TypeError(f"{ufunc.__name__}() accepts only one of dtype=, signature= and sig=")
    types = signature
    if isinstance(signature, bytes):
        types = signature = signature.decode("ascii")
    if isinstance(signature, (str, tuple)) and len(signature) == 1 < ufunc.nargs:
        raise TypeError(f"signature={signature!r}: expected a dtype for each operand; dtype= sets that of the outputs alone")
    if isinstance(signature, str):
        inputs, arrow, outputs = signature.partition("->")
        if not arrow or (len(inputs), len(outputs)) != (ufunc.nin, ufunc.nout):
            raise ValueError(f"signature={signature!r}: expected one letter for each of the {ufunc.nin} inputs and, after "
                             f"'->', each of the {ufunc.nout} outputs, as in {ufunc.types[0] if ufunc.types else 'ff->f'!r}")
        types = [_dtypes.NAME_OF_LETTER.get(letter, letter) for letter in inputs + outputs]
    elif not isinstance(signature, tuple):
        raise TypeError(f"signature={signature!r} must be a str or a tuple of dtypes")
    if len(types) != ufunc.nargs:
        raise ValueError(f"signature={signature!r} has {len(types)} types, but there are {ufunc.nargs} operands")
    return (c_int * ufunc.nargs)(*[len(_dtypes.NAMES) if t is None else _dtypes.code_of_request(t) for t in types])


def _call_options(ufunc: Ufunc, taken: Operands, options: dict[str, Any]) -> CallOptions:
    """NumPy's keywords as the runtime has them."""
    more: set[str] = {"where"} if ufunc.signature is None else _CORE_KEYWORDS
    unknown = options.keys() - _KEYWORDS - more
    if unknown:
        raise TypeError(f"{ufunc.__name__}() does not support {', '.join(sorted(unknown))}= on a device")
    how = CallOptions(dtype=_dtype_option(options.get("dtype")))
    signature = options.get("signature", options.get("sig"))
    if signature is not None:
        how.signature = _signature_option(ufunc, signature, options)
    how.casting = _choice(CASTINGS, "casting", options.get("casting"))
    order = options.get("order") or "K"
    how.order = _choice(ORDERS, "order", order.upper() if isinstance(order, str) else order)
    where = options.get("where", True)
    if where is not True:
        how.where = taken.mask(where)
    if ufunc.signature is not None:
        _set_core_options(ufunc.__name__, ufunc.signature, how, **{k: options[k] for k in _CORE_KEYWORDS & options.keys()})
    return how


def _set_core_options(name: str, layout: str, how: CallOptions, axes: Any = None, axis: Any = None,
                      keepdims: Any = UNSAID) -> None:
    """Sets the axes of core dimensions and keepdims; raises TypeError where NumPy does, before the runtime's checks."""
    cores = [re.findall(r"[^,\s]+", core) for core in re.findall(r"\(([^)]*)\)", layout)]
    inputs = layout.partition("->")[0].count("(")
    if keepdims is not UNSAID:
        if not isinstance(keepdims, bool):
            raise TypeError(f"{name}: keepdims must be True or False, not {keepdims!r}")
        if any(cores[inputs:]) or len({len(core) for core in cores[:inputs]}) > 1:
            raise TypeError(f"{name}: keepdims requires inputs with equally many core dimensions, and outputs with none")
        how.keepdims = bool(keepdims)
    if axis is not None:
        if axes is not None:
            raise TypeError(f"{name}: cannot specify both axis and axes")
        if len({d for core in cores for d in core}) != 1 or any(len(core) > 1 for core in cores):
            raise TypeError(f"{name}: axis requires a single core dimension that all operands share; use axes, with a tuple "
                            "for each operand")
        how.axis = to_axes((_index(axis),))
    if axes is not None:
        flat = _flat_axes(name, cores, inputs, axes, how.keepdims)
        how.axes, how.axis_count = to_axes(flat), len(flat)


def _flat_axes(name: str, cores: list[list[str]], inputs: int, axes: Any, keepdims: bool) -> tuple[int, ...]:
    """One operand's after another's.  Outputs may be left out that have none, or whose kept ones are the last."""
    if not isinstance(axes, list):
        raise TypeError(f"{name}: axes must be a list with a tuple for each operand, not {axes!r}")
    counts = [len(core) for core in cores[:inputs]] + [len(core) or keepdims * len(cores[0]) for core in cores[inputs:]]
    if len(axes) == inputs and not any(cores[inputs:]):
        axes = axes + [tuple(range(-n, 0)) for n in counts[inputs:]]
    if len(axes) != len(cores):
        raise ValueError(f"{name}: axes has {_count(len(axes), 'item')}, but there are {len(cores)} operands")
    flat: list[int] = []
    for k, (item, core) in enumerate(zip(axes, cores)):
        if isinstance(item, (list, type(None))):
            raise TypeError(f"{name}: axes item {k} must be a tuple or an axis, not {item!r}")
        named = item if isinstance(item, tuple) else (item,)
        if len(named) != counts[k] and not any(d.endswith("?") for d in core):
            raise _errors.BadAxis(f"{name}: axes item {k} is {item!r}, but the operand has "
                                  f"{_count(counts[k], 'core dimension')}")
        flat += [_index(a) for a in named]
    return tuple(flat)


def _index(axis: Any) -> int:
    """Any whole number, and no truth value."""
    if isinstance(axis, (bool, np.bool_)):
        raise TypeError(f"an axis must be an integer, not {axis!r}")
    return operator.index(axis)


def _only_axis(axis: Any) -> int:
    """Returns the axis of a method that accepts one axis only."""
    if axis is None or isinstance(axis, tuple) and len(axis) != 1:
        raise ValueError(f"axis={axis!r}: expected one axis")
    return to_axes((_index(axis[0] if isinstance(axis, tuple) else axis),))[0]


def _first_indices(array: Any, indices: Any) -> Any:
    """Converts NumPy's indices to integers for the first dimension; None if they index other dimensions too."""
    refuse_mask(indices)
    if isinstance(indices, tuple) and len(indices) == 1:
        indices = indices[0]
    if isinstance(indices, slice) and array.shape:
        return np.arange(array.shape[0])[indices]
    if isinstance(indices, (tuple, slice)) or indices is None or indices is ...:
        return None
    if kind_of(indices).device(indices) is not None:
        return indices
    named = np.asarray(indices)
    if named.dtype.kind not in "biu" and named.size:
        raise _errors.BadIndex(f"at() indices must be integers, not {named.dtype}")
    if named.dtype != bool:
        return named
    if named.ndim != 1:
        return None
    if named.shape != tuple(array.shape[:1]):
        raise _errors.BadIndex(f"boolean index of shape {named.shape} did not match indexed array along axis 0; the axis has "
                               f"size {array.shape[0]}")
    return np.flatnonzero(named)


def _check_initial(shape: Any, axis: Any, where: Any) -> None:
    """initial=None: no identity stands for elements that are not there."""
    reduced = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if where is not True or any(-len(shape) <= d < len(shape) and shape[d] == 0 for d in reduced):
        raise ValueError("initial=None requires at least one element to combine")


def _check_axis(array: Any, axis: Any) -> None:
    """A number has axis 0 and axis -1, but no tuples of them, as in NumPy."""
    if isinstance(axis, (tuple, list)) and axis and not np.shape(array):
        raise _errors.BadAxis(f"axis {axis[0]} is out of bounds for array of dimension 0")


def _as_number(initial: Any) -> Any:
    """As NumPy packs it: whatever its type, it becomes the loop's."""
    refuse_mask(initial)
    if not isinstance(initial, (np.generic, np.ndarray)):
        return initial
    if initial.ndim:
        raise ValueError(f"initial must be a scalar, not an array of shape {initial.shape}")
    return initial.item()


def _reduce_options(taken: Operands, axis: Any, dtype: Any, keepdims: bool, initial: Any, where: Any) -> ReduceOptions:
    how = ReduceOptions(keepdims=bool(operator.index(keepdims)), dtype=_dtype_option(dtype))
    if axis is None:
        how.axis_count = ALL_AXES
    else:
        named: tuple[int, ...] = tuple([_index(a) for a in axis]) if isinstance(axis, (tuple, list)) else (_index(axis),)
        how.axes, how.axis_count = to_axes(named), len(named)
    if initial is not UNSAID and initial is not None:
        how.initial = taken.input(_as_number(initial))
    if where is not True:
        how.where = taken.mask(where)
    return how


def _choice(known: dict[Any, int], what: str, given: Any) -> int:
    there_are = f"{what}={given!r}; there are {', '.join(repr(k) for k in known if k is not None)}"
    if given is not None and not isinstance(given, str):
        raise TypeError(there_are)
    if given not in known:
        raise ValueError(there_are)
    return known[given]


# ---- Python scalars beside NumPy's arrays ----

_SCALARS = {int, float, complex}


def _rank(dtype: np.dtype[Any]) -> int:
    return {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}[dtype.kind] if dtype.kind in "biufc" else 4


def _has_wide_first(ufunc: np.ufunc) -> bool:
    """Whether a loop stands behind one to which its inputs cast safely."""
    loops = [loop[: ufunc.nin] for loop in ufunc.types]
    return any(all(map(np.can_cast, later, earlier)) for k, later in enumerate(loops) for earlier in loops[:k])


# ---- what a manifest says ----

def _number(text: str | None) -> Any:
    """An identity in C's notation."""
    if text is None:
        return None
    kinds: tuple[Callable[[str], Any], ...] = (lambda s: int(s, 0), float, float.fromhex)
    for kind in kinds:
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _native_loop(about: dict[str, Any], natives: dict[str, int], reorderable: bool) -> NativeLoop:
    name = about["entry"].removesuffix("_loop")
    return NativeLoop([_dtypes.DTYPES[_dtypes.CODES[t]] for t in about["inputs"] + about["outputs"]],
                      natives[about["entry"]], natives.get(name + "_flags"),
                      natives.get(name + "_reduce") if reorderable else None)


def _loops(about: dict[str, Any]) -> list[list[str]]:
    """The types of each loop, in the order as written, whatever it is made for."""
    found: dict[str, list[str]] = {}
    for loop in about["loops"]:
        found.setdefault(loop["signature"], loop["inputs"] + loop["outputs"])
    return [found[s] for s in about["signatures"] if s in found]


# ---- NumPy's ufuncs that are ours ----

def of_numpy(ufunc: np.ufunc) -> Ufunc | None:
    """Returns the function whose numpy.ufunc this is."""
    found: Ufunc | None = owner_of(ufunc)
    return found


_reduce_numpy = copyreg.dispatch_table.get(np.ufunc)


def _reduce(ufunc: np.ufunc) -> Any:
    """How a numpy.ufunc is pickled: ours travel with their program, others as NumPy says."""
    ours = of_numpy(ufunc)
    if ours is None:
        return _reduce_numpy(ufunc) if _reduce_numpy else ufunc.__name__
    return getattr, (ours, "numpy")


copyreg.pickle(np.ufunc, _reduce)
