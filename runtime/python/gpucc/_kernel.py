"""Kernels: launches as Numba spells them, with every argument checked against the manifest."""
from __future__ import annotations

import ctypes
import math
import operator
import re
from collections.abc import Callable
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from . import _dtypes, _errors
from ._array import full
from ._calls import Launches, Sizes
from ._context import Context, View, context, driver_stream
from ._handling import NO_MASKS, Handlers, check_labels, is_labelled, is_masked
from ._interchange import Graphs, Place, called, find_place, kind_of
from ._library import Launch, check, library
from ._recording import hold, note, recorded
from ._records import Layout

if TYPE_CHECKING:
    from ._program import Program

_MOST_DIMS = 8  # of arrays that the extension reads
_FIRST_ADDRESS = 1 << 16  # Linux maps nothing below: a count in the wrong position

_INTEGERS = {name: getattr(ctypes, f"c_{name}") for name in
             ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")}
_NUMBERS = {**_INTEGERS, "boolean": ctypes.c_bool, "float32": ctypes.c_float, "float64": ctypes.c_double}


class Kernel(Launches):
    """A kernel, launched as `kernel[grid, block](…)`, or as `kernel(…, threads=(m, n))` with a block that suits it.

    Arrays on a GPU run it there, NumPy's and those of "cpu" on the CPU.

    >>> import gpucc, numpy
    >>> program = gpucc.compile('''
    ... #include <gpucc.h>
    ... kernel void scale(size_t n, float by, float x[n])
    ... {
    ...     size_t i = grid(1);
    ...     if (i < n)
    ...         x[i] *= by;
    ... }
    ... ''')
    >>> x = numpy.arange(5, dtype="f4")
    >>> program.scale[1, 32](x.size, 10, x)
    >>> x
    array([ 0., 10., 20., 30., 40.], dtype=float32)
    >>> program.scale(5, x=x, by=0.5, threads=5)
    >>> x
    array([ 0.,  5., 10., 15., 20.], dtype=float32)
    """

    def __init__(self, program: Program, about: dict[str, Any]) -> None:
        self.program: Program = program
        self.__name__: str = about["name"]
        self.doc: str = about["doc"]
        entry = next(loop for loop in about["loops"] if loop["kind"] == "kernel")
        self._entry: str = entry["entry"]
        self._parameters = [_Parameter(self._entry, p) for p in entry["parameters"]]
        self._handles: dict[Context, int] = {}
        simple = [p.simple([q.name for q in self._parameters]) for p in self._parameters]
        if None not in simple:
            self._set_parameters(tuple(simple))
        self._prototype = f"{self.__name__}({', '.join(p.text for p in self._parameters)})"
        self.__doc__ = self._prototype + (f"\n\n{self.doc}" if self.doc else "")

    def __repr__(self) -> str:
        return f"<gpucc kernel {self.__name__!r} of {self.program.name}>"

    def __reduce__(self) -> Any:
        return operator.getitem, (self.program, self.__name__)

    def _launcher(self, sizes: Any) -> Callable[..., None]:
        """kernel[grid, block] and its longer forms."""
        if not isinstance(sizes, tuple) or not 2 <= len(sizes) <= 4:
            raise TypeError(f"{self.__name__}[grid, block] takes two values: the numbers of blocks and of threads in each")
        grid, block, stream, shared = sizes + (None, 0)[len(sizes) - 2:]

        def launch(*arguments: Any, **named: Any) -> None:
            self._launch(self._bound(arguments, named), _sizes(grid, "grid"), _sizes(block, "block"), (0, 0, 0), shared or 0,
                         stream)
        return launch

    def _anywhere(self, *arguments: Any, threads: Sizes | None = None, grid: Sizes | None = None, block: Sizes | None = None,
                  shared: int = 0, stream: Any = None, device: str | None = None, **named: Any) -> None:
        """Any launch; `Launches` has a shorter way for common ones."""
        if (threads is None) == (grid is None):
            raise TypeError(f"{self.__name__}(…) needs either threads= or grid=, or the form {self.__name__}[grid, block](…)")
        wanted = (0, 0, 0) if threads is None else _sizes(threads, "threads", 0)
        self._launch(self._bound(arguments, named), (0, 0, 0) if grid is None else _sizes(grid, "grid"),
                     (0, 0, 0) if block is None else _sizes(block, "block"), wanted, shared, stream, device)

    def _bound(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in order, as Python binds keywords."""
        if not named:
            return arguments
        names = [p.name for p in self._parameters]
        for name in named:
            if name not in names:
                raise TypeError(f"{self._prototype} got an unexpected keyword argument {name!r}")
            if name in names[:len(arguments)]:
                raise TypeError(f"{self._prototype} got multiple values for argument {name!r}")
        missing = [name for name in names[len(arguments):] if name not in named]
        if missing:
            raise TypeError(f"{self._prototype} misses the argument {missing[0]!r}")
        return arguments + tuple([named[name] for name in names[len(arguments):]])

    def _launch(self, arguments: tuple[Any, ...], grid: tuple[int, ...], block: tuple[int, ...], threads: tuple[int, ...],
                shared: int, stream: Any, device: str | None = None) -> None:
        keepalive: list[Any] = []
        values = self._values(arguments, keepalive)
        arrays = [x for p, x in zip(self._parameters, arguments) if p.role == "pointer" and not _is_address(x)]
        check_labels(self._entry, arrays)
        place = self._place(arrays, device)
        if stream is not None:
            place.stream = driver_stream(stream)
            if place.stream and not place.context.is_cuda:
                raise _errors.InvalidArgument(f"{self.__name__}: stream= is supported on GPUs only, and this launch is on the "
                                              "CPU")
        launch = Launch(grid=grid, block=block, threads=threads, shared=shared)
        pointers = (c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        with place:
            check(library.gpucc_kernel_launch(self._handle(place.context), byref(launch), pointers))
        note(place, keepalive, self, arguments)

    def _place(self, arrays: list[Any], device: str | None) -> Place:
        """Returns the arrays' place; without arrays, `device`, or a GPU if there is one."""
        place = recorded(find_place([x for x in arrays if not is_labelled(x)]))
        assert not isinstance(place, (Graphs, Handlers))  # which are refused before
        if place is None:
            place = Place(context("cpu" if arrays else device), 0, kind_of(None))
        if device is not None and place.context is not context(device):
            raise TypeError(f"{self.__name__}: the arguments are on {place.context.name}, but device= is {device!r}")
        if place.context.is_cuda and any(isinstance(x, np.ndarray) for x in arrays):  # of no dimensions: a ufunc's number
            raise TypeError(f"{self.__name__}: arguments are on different devices: a NumPy array is on the host, others are "
                            f"on {place.context.name}")
        return place

    def _handle(self, where: Context) -> int:
        """The runtime's kernel."""
        hold(self)
        handle = self._handles.get(where)
        if handle is None:
            handle = self._handles[where] = where.find(library.gpucc_program_kernel, self.program, self._entry)
        return handle

    def _values(self, arguments: tuple[Any, ...], keepalive: list[Any]) -> list[Any]:
        """Each parameter's value as C has it."""
        if len(arguments) != len(self._parameters):
            raise TypeError(f"{self._prototype} takes {len(self._parameters)} arguments but {len(arguments)} were given")
        scalars = {p.name: x for p, x in zip(self._parameters, arguments) if p.role == "scalar"}
        return [p.value(x, scalars, keepalive) for p, x in zip(self._parameters, arguments)]


class _Parameter:
    def __init__(self, kernel: str, about: dict[str, Any]) -> None:
        self.kernel, self.name, self.role, self.size = kernel, about["name"], about["role"], about["size"]
        self.dtype: str | None = about.get("dtype")
        self.code: Any = None if self.dtype is None else _dtypes.CODES[self.dtype]
        self.element_size: int = about.get("element_size", 0)
        self.read_only: bool = about.get("const", False)
        self.shape: list[Any] = about.get("shape") or []
        self.layout = Layout(about["type"], about["fields"]) if about.get("fields") else None
        #: one of CUDA's vectors, which are aligned to their size
        self.is_aligned = self.layout is not None and re.fullmatch(r"(struct )?u?[a-z]+[1-4]", self.layout.spelling) is not None
        extents = "".join(f"[{'…' if n is None else n}]" for n in self.shape)
        self.text = about["type"].rstrip("* ") + f" {self.name}{extents}" if self.shape else f"{about['type']} {self.name}"
        self.value = {"pointer": self._pointer, "struct": self._struct}.get(self.role, self._scalar)

    def simple(self, names: list[str]) -> tuple[Any, ...] | None:
        """As the extension reads it: role, dtype, size, sign, const, extents; None of what it does not."""
        if self.code is None or self.dtype not in _NUMBERS and self.role != "pointer" or len(self.shape) > _MOST_DIMS:
            return None
        role = 3 if self.role == "pointer" else {"boolean": 2, "float32": 1, "float64": 1}.get(self.dtype or "", 0)
        extents = tuple([n if isinstance(n, int) and n >= 0 else -2 - names.index(n) if n in names else -1 for n in self.shape])
        return role, self.code, self.size, (self.dtype or "").startswith("int"), self.read_only, extents

    def refuse(self, error: type[Exception], what: str) -> NoReturn:
        raise error(f"{self.kernel}: {self.text}: {what}")

    # ---- numbers and structs ----

    def _scalar(self, x: Any, scalars: dict[str, Any], keepalive: list[Any]) -> Any:
        kind = _NUMBERS.get(self.dtype or "")
        if self.dtype in _INTEGERS:
            return self._integer(kind, x)
        if self.dtype == "boolean" and not (isinstance(x, np.bool_) or hasattr(x, "__index__")):  # "False" is true
            self.refuse(_errors.BadType, f"expected a bool, got {x!r}")
        if is_masked(x):
            self.refuse(_errors.BadType, NO_MASKS)
        try:
            if kind is not None:
                return kind(x)
            if self.code in _dtypes.LACKING_CODES:
                return self._lacking(x, scalars, keepalive)
            if self.dtype is not None:
                return ctypes.create_string_buffer(np.array(x, _dtypes.DTYPES[self.code]).tobytes(), self.size)
        except (TypeError, ValueError):
            self.refuse(_errors.BadType, f"not {x!r}")
        return self._struct(x, scalars, keepalive)

    def _lacking(self, x: Any, scalars: dict[str, Any], keepalive: list[Any]) -> Any:
        """A number of a type that NumPy lacks: its own bits, or another number, which the runtime converts."""
        dtype = getattr(x, "dtype", None)
        if dtype is None:
            has_bits = not hasattr(x, "__float__")
        else:
            code = _dtypes.lacking_code(dtype)
            has_bits = code == self.code or (code is None and dtype == _dtypes.DTYPES[self.code])
        if has_bits:
            return self._struct(x, scalars, keepalive)
        if dtype is not None and (dtype.kind not in "biuf" or _dtypes.lacking_code(dtype) is not None or np.ndim(x)):
            self.refuse(_errors.BadType, f"expected a number of {self.dtype}, got {dtype} of shape {np.shape(x)}")
        value = x if isinstance(x, (int, np.generic)) else float(x)
        return ctypes.create_string_buffer(full((), value, self.dtype, "cpu").to_numpy().tobytes(), self.size)

    def _integer(self, kind: Any, x: Any) -> Any:
        if not hasattr(x, "__index__"):
            self.refuse(_errors.BadType, f"expected an integer, got {x!r}")
        value = kind(x.__index__())
        if value.value != x:
            self.refuse(OverflowError, f"{x} is out of range")
        return value

    def _struct(self, x: Any, scalars: dict[str, Any], keepalive: list[Any]) -> Any:
        """Its bytes, as a ctypes structure, a record of NumPy's, or anything with a buffer has them."""
        try:
            if isinstance(x, (np.ndarray, np.generic)):
                data = x.tobytes()  # NumPy exports no buffer of fields out of order
            else:
                data = bytes(x) if isinstance(x, ctypes.Structure) else memoryview(x).tobytes()
        except TypeError:
            self.refuse(_errors.BadType, f"expected its {self.size} bytes (a ctypes.Structure, numpy.void or bytes), got {x!r}")
        if len(data) != self.size:
            self.refuse(_errors.BadType, f"expected {self.size} bytes, got {len(data)}")
        self._check_fields(_record_type(x))
        return ctypes.create_string_buffer(data, self.size)

    # ---- arrays ----

    def _pointer(self, x: Any, scalars: dict[str, Any], keepalive: list[Any]) -> Any:
        if _is_address(x):
            return self._address(x)
        array = self._memory(x)
        keepalive.append(array)
        structured = isinstance(array, np.ndarray) and array.dtype.names is not None
        view = _structured_view(array) if structured else kind_of(array).acquire(array, keepalive)
        size = array.dtype.itemsize if structured else _dtypes.SIZES[view.code]
        if not structured and self._is_vector(view, size):
            view = View(view.pointer, view.shape[:-1], None, view.code, view.read_only)
            size, structured = self.element_size, True
        elif not _is_contiguous(view, size):
            self.refuse(_errors.BadShape, f"expected an array in C order, got one with strides {view.strides}")
        self._check_type(view, size, structured)
        self._check_fields(array.dtype if isinstance(array, np.ndarray) and array.dtype.names else None)
        if view.read_only and not self.read_only:
            self.refuse(_errors.InvalidArgument, "the array is read-only, but the kernel may write it")
        self._check_size(view.shape, size, scalars)
        return c_void_p(view.pointer)

    def _address(self, x: Any) -> Any:
        """An address in the memory of the device that runs the kernel."""
        address = x.value if isinstance(x, c_void_p) else x
        if address and not 0 <= address < 2**64:
            self.refuse(OverflowError, f"{address} is out of range")
        if address and address < _FIRST_ADDRESS:
            self.refuse(_errors.BadType, f"expected an array or an address, got {address}")
        return c_void_p(None if address is None else int(address))

    def _memory(self, x: Any) -> Any:
        """The array itself, or NumPy's over the memory of an object on the host."""
        if is_masked(x):
            self.refuse(_errors.BadType, NO_MASKS)
        if isinstance(x, np.ndarray) or kind_of(x).is_array(x):
            return x
        if is_labelled(x):
            array = np.asarray(x)
            if not self.read_only and not np.shares_memory(array, np.asarray(x)):
                self.refuse(_errors.InvalidArgument, f"the {called(x)} has no memory that the kernel may write: pass an array")
            return array
        try:
            return np.asarray(memoryview(x))
        except (TypeError, ValueError):
            self.refuse(_errors.BadType, f"expected an array, got {called(x)}")

    def _is_vector(self, view: View, size: int) -> bool:
        """Whether the last dimension has the members of one element: (n, 4) of float32 for float4 *."""
        if self.layout is None or not view.shape or self.layout.only_code != view.code:
            return False
        if view.shape[-1] * size != self.element_size or size == self.element_size or not _is_contiguous(view, size):
            return False
        if self.is_aligned and view.pointer % min(self.element_size & -self.element_size, 16):
            self.refuse(_errors.InvalidArgument, f"the array at {view.pointer:#x} is not aligned for elements of "
                                                 f"{self.element_size} bytes")
        return True

    def _check_type(self, view: View, size: int, structured: bool) -> None:
        if self.code is not None:
            if structured or view.code != self.code:
                given = "a record" if structured else _dtypes.NAMES[view.code]
                self.refuse(_errors.BadType, f"expected an array of {self.dtype}, got {given}")
        elif self.element_size > 1 and size not in (1, self.element_size):
            self.refuse(_errors.BadType, f"expected elements of {self.element_size} bytes, got {size}")

    def _check_fields(self, record: np.dtype[Any] | None) -> None:
        wrong = None if record is None or self.layout is None else self.layout.mismatch(record)
        if wrong:
            self.refuse(_errors.BadType, wrong)

    def _check_size(self, shape: tuple[int, ...], size: int, scalars: dict[str, Any]) -> None:
        """An array of as many dimensions has the same inner ones; every array has elements enough."""
        wanted: list[Any] = [scalars.get(n) if isinstance(n, str) else n for n in self.shape]
        if not wanted:
            return
        if len(shape) == len(wanted) and any(w is not None and w != n for w, n in zip(wanted[1:], shape[1:])):
            self.refuse(_errors.BadShape, f"expected {_spell(wanted)}, got {_spell(shape)}")
        if None in wanted or self.element_size == 0:
            return
        needed, there = math.prod(max(int(n), 0) for n in wanted), math.prod(shape) * size // self.element_size
        if there < needed:
            self.refuse(_errors.BadShape, f"{_spell(wanted)} takes {needed} elements, but the array {_spell(shape)} has "
                                          f"{there}")


def _spell(shape: Any) -> str:
    return "(" + ", ".join("…" if n is None else str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"


def _record_type(x: Any) -> np.dtype[Any] | None:
    """The fields of a record, or of a structure of ctypes where NumPy knows its members; None of what has none."""
    try:
        dtype = np.dtype(type(x)) if isinstance(x, ctypes.Structure) else getattr(x, "dtype", None)
    except (NotImplementedError, TypeError, ValueError):
        return None
    return dtype if isinstance(dtype, np.dtype) and dtype.names else None


def _structured_view(x: NDArray[Any]) -> View:
    return View(x.__array_interface__["data"][0], x.shape, x.strides, 0, not x.flags.writeable)


def _is_contiguous(view: View, size: int) -> bool:
    if view.strides is None or 0 in view.shape:
        return True
    step = size
    for n, stride in zip(reversed(view.shape), reversed(view.strides)):
        if n != 1 and stride != step:
            return False
        step *= n
    return True


def _is_address(x: Any) -> bool:
    """Whether it is memory without a type, or none."""
    return x is None or isinstance(x, (int, np.integer, c_void_p)) and not isinstance(x, bool)


def _sizes(given: Any, what: str, least: int = 1) -> tuple[int, ...]:
    sizes = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if not 1 <= len(sizes) <= 3 or not all(isinstance(n, (int, np.integer)) and n >= least for n in sizes):
        raise _errors.BadLaunch(f"{what}={given!r}: expected one to three integers{', from 1 on' if least else ''}")
    most = 2**64 if what == "threads" else 2**32
    if any(n >= most for n in sizes):
        raise _errors.BadLaunch(f"{what}={given!r} exceeds the limit of every device")
    return tuple(int(n) for n in sizes) + (0,) * (3 - len(sizes))
