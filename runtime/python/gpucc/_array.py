"""Arrays of our own, on any device, and how host data becomes one."""
from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from ctypes import byref, c_int32, c_int64, c_void_p
from typing import Any, ClassVar, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from . import _dtypes, _errors, _interchange
from ._calls import Held, begin
from ._context import Context, Devices, View, context
from ._handling import refuse_mask
from ._library import MEMORY_HOST, check, extents, library
from ._operators import matmul, operate, raise_power


class Array(Held):
    """An array in a device's memory, as ufuncs and kernels give and take it.

    `asarray()` and `empty()` make one; `to_numpy()` copies it to the host.  CuPy, PyTorch, Numba, JAX and NumPy take it
    without a copy, by `__cuda_array_interface__`, `__array_interface__` or DLPack.

    >>> import gpucc, numpy
    >>> x = gpucc.asarray(numpy.arange(6.0).reshape(2, 3), device="cpu")
    >>> x
    gpucc.Array of float64 (2, 3) on cpu
    >>> x.T[1].to_numpy()
    array([1., 4.])
    >>> x[0] = 7
    >>> (2 * x - 1).to_numpy()
    array([[13., 13., 13.],
           [ 5.,  7.,  9.]])
    """
    __slots__ = ("__weakref__",)

    def __new__(cls) -> Array:
        raise TypeError("gpucc.asarray() and gpucc.empty() make arrays")

    @classmethod
    def _of(cls, handle: int | None, where: Context, base: object = None) -> Array:
        """Takes the handle over; `base` is what owns memory that is not the runtime's."""
        if base is not None:
            _interchange.end_loans()
        self = object.__new__(cls)
        self._handle, self._context, self._base, self._capsules = handle, where, base, None
        return self

    # ---- what it is ----

    @property
    def device(self) -> str:
        return self._context.name

    @property
    def dtype(self) -> np.dtype[Any]:
        return _dtypes.dtype_of(library.gpucc_array_dtype(self._handle))

    @property
    def ndim(self) -> int:
        return int(library.gpucc_array_ndim(self._handle))

    @property
    def shape(self) -> tuple[int, ...]:
        return read_extents(self._handle, library.gpucc_array_shape)

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes."""
        return read_extents(self._handle, library.gpucc_array_strides)

    @property
    def size(self) -> int:
        return int(library.gpucc_array_count(self._handle))

    @property
    def itemsize(self) -> int:
        return int(_dtypes.SIZES[library.gpucc_array_dtype(self._handle)])

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def parts(self) -> dict[str, slice]:
        """Which rows of the first dimension each device has in its memory: of an array that is split between several its
        part, of another one the first device all.

        >>> import gpucc
        >>> gpucc.empty((3, 4), device="cpu").parts
        {'cpu': slice(0, 3, None)}
        """
        start, stop, found = c_int64(), c_int64(), {}
        for i, name in enumerate(self._context.devices):
            check(library.gpucc_array_part(self._handle, i, byref(start), byref(stop)))
            found[name] = slice(start.value, stop.value)
        return found

    def _is_owned_by(self, where: Context) -> bool:
        """Whether all of an array of several devices is one's."""
        return len(self._context.devices) > 1 and self.ndim > 0 and self.parts.get(where.name) == slice(0, len(self))

    @property
    def read_only(self) -> bool:
        return bool(library.gpucc_array_is_read_only(self._handle))

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"gpucc.Array of {_dtypes.NAMES[library.gpucc_array_dtype(self._handle)]} {self.shape} on {self.device}"

    # ---- its elements ----

    def to_numpy(self) -> NDArray[Any]:
        """A copy in the host's memory.  Waits for the work that makes the array."""
        made = np.empty(self.shape, self.dtype)
        check(library.gpucc_array_read(self._handle, made.ctypes.data, made.nbytes))
        return made

    def write(self, values: Any) -> None:
        """Copies these values, which broadcast, into the array."""
        refuse_mask(values)
        data = np.ascontiguousarray(np.broadcast_to(
            _dtypes.converted(values, library.gpucc_array_dtype(self._handle)), self.shape))
        check(library.gpucc_array_write(self._handle, data.ctypes.data, data.nbytes))

    def item(self) -> Any:
        """The only element, as Python's number."""
        is_lacking = library.gpucc_array_dtype(self._handle) in _dtypes.LACKING_CODES
        return (self.astype("float32") if is_lacking else self).to_numpy().item()

    # ---- other arrays over the same memory ----

    def _view(self, shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0) -> Array:
        made = c_void_p()
        check(library.gpucc_array_view(self._handle, len(shape), extents(shape), extents(strides), offset, byref(made)))
        return Array._of(made.value, self._context, self._base)

    def _shadow(self) -> NDArray[Any]:
        """NumPy's array of the same shape and strides, without the memory: views go by NumPy's own rules."""
        return np.lib.stride_tricks.as_strided(np.empty(1, np.uint8), self.shape, self.strides)

    def __getitem__(self, index: Any) -> Array:
        """A view, by whole numbers, slices, `...` and None; never a copy."""
        keys = index if isinstance(index, tuple) else (index,)
        # A bool is a mask for NumPy, which would read the elements.
        if not all(k is None or k is Ellipsis or isinstance(k, (int, np.integer, slice)) and not isinstance(k, bool)
                   for k in keys):
            raise TypeError("only integers, slices (`:`), ellipsis (`...`) and None are valid indices of an array on a device")
        shadow = self._shadow()
        part = shadow[keys if Ellipsis in keys else keys + (Ellipsis,)]
        offset = _address(part) - _address(shadow) if part.size else 0
        return self._view(part.shape, part.strides, offset)

    def __iter__(self) -> Iterator[Array]:
        return map(self.__getitem__, range(len(self)))

    def transpose(self, *axes: Any) -> Array:
        """The axes in another order, or the reverse one."""
        part = self._shadow().transpose(*axes)
        return self._view(part.shape, part.strides)

    @property
    def T(self) -> Array:
        return self.transpose()

    @property
    def mT(self) -> Array:
        """Each matrix transposed."""
        part = self._shadow().swapaxes(-1, -2)
        return self._view(part.shape, part.strides)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Copies values, which broadcast and are cast by any rule, to the elements of a view."""
        self[index]._assign(value)

    def reshape(self, *shape: Any) -> Array:
        """The elements in another shape: a view where that is possible, else a copy in C order."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        shadow = self._shadow()
        part = shadow.reshape(tuple(map(operator.index, wanted)))
        if self.size and not np.may_share_memory(part, shadow):
            return self.copy().reshape(*shape)
        return self._view(part.shape, part.strides)

    # ---- copies ----

    def _assign(self, value: Any) -> None:
        if isinstance(value, Array):
            if value._context is not self._context:
                raise TypeError(f"the array is on {self.device}, and the values are on {value.device}")
            check(library.gpucc_array_copy(self._handle, value._handle))
            return
        kind = _interchange.kind_of(value)
        if kind.device(value) is not None:
            self._assign(kind.array(value))
            return
        refuse_mask(value)
        data = np.asarray(value)
        if data.ndim or not library.gpucc_array_count(self._handle):
            self.write(data)
            return
        code, scalar = library.gpucc_array_dtype(self._handle), c_void_p()
        element = data if code in _dtypes.LACKING_CODES else _dtypes.converted(data, code)  # NumPy may lack that one's casts
        check(library.gpucc_array_scalar(self._context.handle, _dtypes.code_of(element.dtype), _address(element),
                                         byref(scalar)))
        try:
            check(library.gpucc_array_copy(self._handle, scalar))
        finally:
            library.gpucc_array_release(scalar)

    def fill(self, value: Any) -> None:
        """Sets every element."""
        self._assign(value)

    def copy(self) -> Array:
        """A copy in C order on the same device."""
        return self.astype(_dtypes.NAMES[library.gpucc_array_dtype(self._handle)])

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Array:
        return self.copy()

    def astype(self, dtype: Any, copy: bool = True) -> Array:
        """The elements as another type, cast by any rule; without `copy` the array itself where it has that type."""
        if not copy and _dtypes.code_of_request(dtype) == library.gpucc_array_dtype(self._handle):
            return self
        made = empty(self.shape, dtype, self.device)
        made._assign(self)
        return made

    def __reduce__(self) -> Any:
        """Pickles carry the elements and the device, which the process that reads them has."""
        code = library.gpucc_array_dtype(self._handle)
        return _revive, (self.to_numpy().view(f"V{_dtypes.SIZES[code]}"), _dtypes.NAMES[code], self.device)

    # ---- operators ----

    def __add__(self, other: Any) -> Any:
        return operate("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return operate("add", other, self)

    def __iadd__(self, other: Any) -> Any:
        return operate("add", self, other, out=self)

    def __sub__(self, other: Any) -> Any:
        return operate("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return operate("subtract", other, self)

    def __isub__(self, other: Any) -> Any:
        return operate("subtract", self, other, out=self)

    def __mul__(self, other: Any) -> Any:
        return operate("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return operate("multiply", other, self)

    def __imul__(self, other: Any) -> Any:
        return operate("multiply", self, other, out=self)

    def __truediv__(self, other: Any) -> Any:
        return operate("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return operate("divide", other, self)

    def __itruediv__(self, other: Any) -> Any:
        return operate("divide", self, other, out=self)

    def __floordiv__(self, other: Any) -> Any:
        return operate("floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return operate("floor_divide", other, self)

    def __ifloordiv__(self, other: Any) -> Any:
        return operate("floor_divide", self, other, out=self)

    def __mod__(self, other: Any) -> Any:
        return operate("mod", self, other)

    def __rmod__(self, other: Any) -> Any:
        return operate("mod", other, self)

    def __imod__(self, other: Any) -> Any:
        return operate("mod", self, other, out=self)

    def __pow__(self, other: Any) -> Any:
        return raise_power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return operate("power", other, self)

    def __ipow__(self, other: Any) -> Any:
        return raise_power(self, other, out=self)

    def __and__(self, other: Any) -> Any:
        return operate("bitwise_and", self, other)

    def __or__(self, other: Any) -> Any:
        return operate("bitwise_or", self, other)

    def __xor__(self, other: Any) -> Any:
        return operate("bitwise_xor", self, other)

    def __rand__(self, other: Any) -> Any:
        return operate("bitwise_and", self, other)

    def __ror__(self, other: Any) -> Any:
        return operate("bitwise_or", self, other)

    def __rxor__(self, other: Any) -> Any:
        return operate("bitwise_xor", self, other)

    def __neg__(self) -> Any:
        return operate("negative", self)

    def __matmul__(self, other: Any) -> Any:
        return matmul(self, other)

    def __abs__(self) -> Any:
        return operate("absolute", self)

    def __invert__(self) -> Any:
        return operate("invert", self)

    def __eq__(self, other: Any) -> Any:
        return operate("equal", self, other)

    def __ne__(self, other: Any) -> Any:
        return operate("not_equal", self, other)

    def __lt__(self, other: Any) -> Any:
        return operate("less", self, other)

    def __le__(self, other: Any) -> Any:
        return operate("less_equal", self, other)

    def __gt__(self, other: Any) -> Any:
        return operate("greater", self, other)

    def __ge__(self, other: Any) -> Any:
        return operate("greater_equal", self, other)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous")
        return bool(self.item())

    def __int__(self) -> int:
        return int(self._only())

    def __float__(self) -> float:
        return float(self._only())

    def __complex__(self) -> complex:
        return complex(self._only())

    def __index__(self) -> int:
        if self.ndim:
            raise TypeError("only integer arrays without dimensions can be converted to an index")
        return operator.index(self.item())

    def _only(self) -> Any:
        if self.size != 1:
            raise TypeError("only arrays of one element can be converted to Python's numbers")
        return self.item()

    # ---- others' protocols ----

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The functions of the array API standard that arrays support."""
        from . import _namespace
        return _namespace

    @property
    def _is_hosts(self) -> bool:
        """Whether it lies in the host's memory, as all does that the CPU works on, and what a GPU's call on NumPy's arrays
        may make."""
        return not self._context.is_cuda or library.gpucc_array_memory(self._handle) == MEMORY_HOST

    def _interface(self) -> dict[str, Any]:
        code = library.gpucc_array_dtype(self._handle)
        return {"shape": self.shape, "strides": self.strides, "version": 3, "typestr": _dtypes.DTYPES[code].str,
                "data": (library.gpucc_array_data(self._handle) or 0, self.read_only)}

    @property
    def __array_interface__(self) -> dict[str, Any]:
        if not self._is_hosts or library.gpucc_array_dtype(self._handle) in _dtypes.LACKING_CODES:
            raise AttributeError("the array is not in the host's memory, or has a dtype that NumPy does not support")
        return self._interface()

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self._is_hosts:
            raise AttributeError("the array is not in a CUDA device's memory")
        return {**self._interface(), "stream": 1}  # with which our stream keeps order

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if not self._is_hosts:
            raise TypeError(f"the array is on {self.device}: to_numpy() copies it to the host")
        made = np.asarray(_Holder(self)).view(self.dtype)
        if dtype is not None and made.dtype != dtype:
            return made.astype(dtype)
        return made.copy() if copy else made

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's own ufuncs do not run here; the NumPy side of one of ours leads to it."""
        from ._ufunc import of_numpy
        ours = of_numpy(ufunc)
        return NotImplemented if ours is None else getattr(ours, method)(*inputs, **options)

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = c_int32(), c_int32()
        check(library.gpucc_array_dlpack_device(self._handle, byref(kind), byref(number)))
        return kind.value, number.value

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the array is on {self.device}; to_numpy() copies it to the host")
        capsule = _interchange.to_dlpack(self, stream, max_version, bool(copy))
        self._capsules = _interchange.end_capsules(self._capsules or []) + [capsule]
        return capsule


begin(Array)


def read_extents(handle: Any, ask: Any) -> tuple[int, ...]:
    """The shape or the strides of an array of the runtime's."""
    ndim = library.gpucc_array_ndim(handle)
    return tuple((c_int64 * ndim).from_address(ask(handle))) if ndim else ()


class _Holder:
    """An object with the array interface, to which NumPy's array holds a reference."""

    def __init__(self, array: Array) -> None:
        self.array, self.__array_interface__ = array, array._interface()


def empty(shape: SupportsIndex | Iterable[SupportsIndex], dtype: Any = np.float64,
          device: str | Devices | None = None) -> Array:
    """A new array in C order whose contents are undefined; on several devices it is split between them."""
    where, made = context(device), c_void_p()
    sizes = tuple(map(operator.index, shape if isinstance(shape, Iterable) else (shape,)))
    if not all(-2**63 <= n < 2**63 for n in sizes):  # of others ctypes takes the lowest bits
        raise _errors.BadShape(f"array of shape {sizes} is too big: it exceeds the address space")
    code = _dtypes.code_of_request(dtype)
    check(library.gpucc_array_create_split(where.handle, code, len(sizes), extents(sizes), byref(made)))
    return Array._of(made.value, where)


def full(shape: SupportsIndex | Iterable[SupportsIndex], value: Any, dtype: Any = None,
         device: str | Devices | None = None) -> Array:
    """A new array of that value, by default of its type.

    >>> import gpucc
    >>> gpucc.full((2, 2), 7, device="cpu").to_numpy()
    array([[7, 7],
           [7, 7]])
    """
    made = empty(shape, np.asarray(value).dtype if dtype is None else dtype, device)
    made.fill(value)
    return made


def zeros(shape: SupportsIndex | Iterable[SupportsIndex], dtype: Any = np.float64,
          device: str | Devices | None = None) -> Array:
    """A new array of zeros."""
    return full(shape, 0, dtype, device)


def ones(shape: SupportsIndex | Iterable[SupportsIndex], dtype: Any = np.float64,
         device: str | Devices | None = None) -> Array:
    """A new array of ones."""
    return full(shape, 1, dtype, device)


def _revive(data: NDArray[Any], name: str, device: str) -> Array:
    """Restores an array from a pickle."""
    code = _dtypes.CODES[name]
    made = empty(data.shape, name, device)
    flat = np.ascontiguousarray(data).view(_dtypes.DTYPES[code])
    check(library.gpucc_array_write(made._handle, flat.ctypes.data, flat.nbytes))
    return made


def _address(data: NDArray[Any]) -> int:
    address: int = data.__array_interface__["data"][0]
    return address


def _of_host(data: NDArray[Any], where: Context, copy: bool | None, code: int | None = None) -> Array:
    """`code`: of the elements, where NumPy's type may not tell."""
    code, made = _dtypes.code_of(data.dtype) if code is None else code, c_void_p()
    pointer = _address(data)
    if not where.is_cuda and not copy:
        view = View(pointer, data.shape, data.strides, code, not data.flags.writeable)
        return Array._of(where.wrap_new(view), where, data)
    if where.is_cuda and copy is False:
        raise ValueError(f"Unable to avoid copy: the data is on the host, not on {where.name}")
    if len(where.devices) > 1:
        array = empty(data.shape, _dtypes.NAMES[code], where.name)
        array.write(data)
        return array
    check(library.gpucc_array_from_host(where.handle, code, data.ndim, extents(data.shape), extents(data.strides), pointer,
                                        byref(made)))
    return Array._of(made.value, where)


def asarray(x: Any, dtype: Any = None, device: str | Devices | None = None, copy: bool | None = None) -> Array:
    """`x` as an array on a device, copied only where it must be, or where `copy` is True; False refuses to.

    Arrays of CUDA's memory stay on their device unless `device` says otherwise; host data goes to `device`, by default
    to a GPU where there is one.  On several devices it is split between them, and what one of them has of it is an array on
    that device without a copy.

    >>> import gpucc, numpy
    >>> host = numpy.zeros(3, "f4")
    >>> x = gpucc.asarray(host, device="cpu")     # the same memory
    >>> x.write(7)
    >>> host
    array([7., 7., 7.], dtype=float32)
    """
    kind = _interchange.kind_of(x)
    place = kind.device(x)
    if place is None:
        refuse_mask(x)
        code = None if dtype is None else _dtypes.code_of_request(dtype)
        data = np.asarray(x) if code is None else _dtypes.converted(x, code)
        data = data.astype(data.dtype.newbyteorder("="), copy=False)
        if copy is False and _address(np.asarray(x)) != _address(data):
            raise ValueError(f"Unable to avoid copy: the object is not an array of {data.dtype} in native byte order")
        return _of_host(data, context(device), copy, code)
    where = context(place if device is None else device)
    array = kind.array(x)
    if dtype is not None and _dtypes.code_of_request(dtype) != library.gpucc_array_dtype(array._handle):
        raise _errors.BadType(f"cannot convert an array of {array.dtype} on a device: only host data is converted")
    if where is not array._context and not copy and array._is_owned_by(where):
        check(library.gpucc_context_synchronize(array._context.handle))  # its work is in other streams
        return Array._of(where.wrap_new(_interchange.kind_of(array).view(array)), where, array)
    if where is not array._context or copy:
        if copy is False:
            raise ValueError(f"Unable to avoid copy: the array is on {array.device}, not on {where.name}")
        return _of_host(array.to_numpy(), where, True, library.gpucc_array_dtype(array._handle))
    return array
