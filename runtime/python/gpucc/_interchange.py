"""Arrays of other libraries: where they are, what wrapping them takes, and how results become theirs.

A `Kind` is what is to be known of one type of array; `kind_of()` finds it."""
from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from ctypes import byref, c_char_p, c_uint32, c_uint64, c_void_p
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _dtypes, _errors
from ._context import Context, Devices, View, Wrapped, context, context_of_call
from ._library import ExportOptions, ImportOptions, check, library, native

if TYPE_CHECKING:
    from ._array import Array
    from ._handling import Handlers

# Python clears a module's names in order as it exits, and arrays may end after that: this name is the first.
_is_loaded: bool = True

# ---- DLPack's capsules ----

_python = ctypes.PyDLL(None, handle=ctypes.pythonapi._handle)  # others declare ctypes.pythonapi's functions, too
_python.PyCapsule_New.restype, _python.PyCapsule_New.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
_python.PyCapsule_GetName.restype, _python.PyCapsule_GetName.argtypes = c_char_p, [ctypes.py_object]
_python.Py_IncRef.argtypes = _python.Py_DecRef.argtypes = [ctypes.py_object]
_python.Py_IncRef.restype = _python.Py_DecRef.restype = None
_python.PyCapsule_GetPointer.restype = c_void_p
_python.PyCapsule_GetPointer.argtypes = _python.PyCapsule_SetName.argtypes = [ctypes.py_object, c_char_p]
_NAMES = {False: b"dltensor", True: b"dltensor_versioned"}
_USED = {name: b"used_" + name for name in _NAMES.values()}  # the capsules point to them
_DELETER = ctypes.CFUNCTYPE(None, c_void_p)


class _Tensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("dtype", c_uint32),
                ("shape", c_void_p), ("strides", c_void_p), ("byte_offset", c_uint64)]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("owner", c_void_p), ("deleter", _DELETER)]


class _ManagedVersioned(ctypes.Structure):
    _fields_ = [("version", c_uint32 * 2), ("owner", c_void_p), ("deleter", _DELETER), ("flags", c_uint64),
                ("tensor", _Tensor)]


def delete_tensor(tensor: int, versioned: bool) -> None:
    """Gives a tensor back to whoever made it."""
    (_ManagedVersioned if versioned else _Managed).from_address(tensor).deleter(tensor)


def to_dlpack(array: Array, stream: int | None, max_version: tuple[int, int] | None, copy: bool) -> Any:
    end_loans()
    _orphans.extend(end_capsules(_orphans))
    versioned, tensor = max_version is not None and tuple(max_version) >= (1, 0), c_void_p()
    export = library.gpucc_array_to_dlpack if versioned else library.gpucc_array_to_dlpack_unversioned
    lent = None if array._base is None or copy else _lend(array)
    try:
        check(export(array._handle if lent is None else lent.handle,
                     byref(ExportOptions(cuda_stream=stream, copy=copy)), byref(tensor)))
    except (_errors.BadShape, _errors.InvalidArgument) as error:
        raise BufferError(str(error)) from None
    # No destructor: it would be Python code, perhaps while an exception is on its way.  The array ends its capsules.
    return _python.PyCapsule_New(tensor, _NAMES[versioned], None)


# The loans, each a semaphore that the runtime posts when a tensor is given back, and whose memory it is.
_lent: list[tuple[Any, object]] = []
_libc = ctypes.CDLL(None)


def _lend(array: Array) -> Wrapped:
    """The same array for a tensor, which may outlive it: the memory's owner stays until that is given back.  A semaphore
    tells it, as no code of Python's is run by whoever gives back, on whatever thread."""
    semaphore = ctypes.create_string_buffer(32)  # a sem_t
    _libc.sem_init(semaphore, 0, 0)
    loan = (semaphore, array._base)
    made = Wrapped(array._context.wrap_new(_OURS.view(array), release=ctypes.cast(_libc.sem_post, c_void_p),
                                           release_data=ctypes.addressof(semaphore)))
    _python.Py_IncRef(loan)  # tensors may outlive this module, too
    _lent.append(loan)
    return made


def end_loans() -> None:
    for loan in list(_lent):
        if _libc.sem_trywait(loan[0]) == 0:
            _lent.remove(loan)
            _python.Py_DecRef(loan)


def _pop(capsules: list[Any]) -> tuple[Any, int]:
    """The last one, and its count of references."""
    capsule = capsules.pop()
    return capsule, sys.getrefcount(capsule)


_REFERENCES_ALONE = _pop([object()])[1]  # of what nobody else holds: versions of Python count differently


def end_capsules(capsules: list[Any]) -> list[Any]:
    """Gives back the tensors of capsules that nobody else holds any more and from which nobody has taken them; what is left
    are those that somebody may still take from."""
    held = []
    while capsules:
        capsule, references = _pop(capsules)
        name = _python.PyCapsule_GetName(capsule)
        if name not in _USED:
            continue
        if references > _REFERENCES_ALONE:
            held.append(capsule)
            continue
        delete_tensor(_python.PyCapsule_GetPointer(capsule, name), name == _NAMES[True])
        _python.PyCapsule_SetName(capsule, _USED[name])
    return held


_orphans: list[Any] = []


def leave_capsules(capsules: list[Any]) -> None:
    """Detaches the capsules of an array that ends: a holder may still use a capsule's tensor."""
    if _is_loaded:
        _orphans.extend(end_capsules(capsules))


def from_dlpack(x: Any) -> Array:
    """An array over the memory of any object that speaks DLPack, without a copy.

    >>> import gpucc, numpy
    >>> gpucc.from_dlpack(numpy.ones(3))
    gpucc.Array of float64 (3,) on cpu
    """
    from ._array import Array
    where = context(_dlpack_device(x) or "cpu")
    # The producer puts what makes the array before our stream.
    stream = {"stream": library.gpucc_context_cuda_stream(where.handle)} if where.is_cuda else {}
    try:
        capsule = x.__dlpack__(max_version=(1, 1), **stream)
    except TypeError:  # it is older than versions
        capsule = x.__dlpack__(**stream)
    name, made = _python.PyCapsule_GetName(capsule), c_void_p()
    if name not in _USED:
        raise _errors.InvalidArgument(f"the capsule {name!r} is not a DLPack tensor")
    take = library.gpucc_array_from_dlpack if name == _NAMES[True] else library.gpucc_array_from_dlpack_unversioned
    check(take(where.handle, _python.PyCapsule_GetPointer(capsule, name), byref(ImportOptions()), byref(made)))
    _python.PyCapsule_SetName(capsule, _USED[name])
    return Array._of(made.value, where)


_ON_HOST, _ON_CUDA = (1, 3), (2, 13)  # DLPack's types of device: plain and pinned memory, a GPU's and managed memory


def _dlpack_device(x: Any) -> str | None:
    kind, number = x.__dlpack_device__()
    if int(kind) in _ON_CUDA:
        return f"cuda:{int(number)}"
    if int(kind) in _ON_HOST:
        return None
    raise TypeError(f"{type(x).__name__} has DLPack device type {kind!s}; gpucc supports host memory and CUDA")


# ---- what is to be known of a type ----

class Kind:
    """Whatever NumPy takes: on the host."""
    is_immutable = False
    #: results on the host are of this kind, too
    has_results = False

    def met(self, of: type) -> None:
        """A type of this kind has been met."""

    def device(self, x: Any) -> str | None:
        """"cuda:0", or "cpu" for an array of ours there; None where it is NumPy's."""
        return None

    def is_array(self, x: Any) -> bool:
        """Whether a kernel takes its memory as it is."""
        return self.device(x) is not None

    def view(self, x: Any) -> View:
        """Returns the pointer, shape, strides, dtype and access that wrapping needs."""
        data = np.asarray(x)
        return View(data.__array_interface__["data"][0], data.shape, data.strides, _dtypes.code_of(data.dtype),
                    not data.flags.writeable)

    def stream(self, x: Any) -> int:
        """The caller's current CUstream; 0 and 1 are CUDA's legacy default stream."""
        return 0

    def acquire(self, x: Any, keepalive: list[Any]) -> View:
        """The same; `kept` is what must live until work with it is enqueued."""
        return self.view(x)

    def handle(self, x: Any, where: Context, keepalive: list[Any]) -> int:
        """The runtime's array over it."""
        raise NotImplementedError

    def retain(self, wrapped: Wrapped, keepalive: list[Any]) -> int:
        """Returns the array's handle, which lives as long as the list."""
        keepalive.append(wrapped)
        return wrapped.handle

    def array(self, x: Any) -> Array:
        """An array of ours over it, which keeps it."""
        from ._array import Array
        where = context(self.device(x))
        where.follow(self.stream(x))
        return Array._of(where.wrap_new(self.view(x)), where, x)

    def room(self, inputs: tuple[Any, ...], dtype: Any) -> Any:
        """A new array of this kind for what a function of elements makes of these; None where it lies in memory of ours."""
        return None

    def export(self, array: Array) -> Any:
        """Our array as one of this kind."""
        return array

    def how_to_move(self, device: str) -> str:
        return f'gpucc.asarray(x, device="{device}")'


class Handling(Kind):
    """An object that handles ufuncs itself, by `__array_ufunc__`: `_handling` leaves calls to it."""


class Dask(Kind):
    """Arrays that are computed later, in chunks: calls make graphs."""

    def device(self, x: Any) -> str | None:
        raise TypeError("a Dask array is evaluated lazily, in chunks: call compute(), or use map_blocks() or map_overlap()")


class Ours(Kind):
    """gpucc.Array."""

    def device(self, x: Any) -> str | None:
        where: Context = x._context
        return where.name

    def view(self, x: Any) -> View:
        return View(library.gpucc_array_data(x._handle) or 0, x.shape, x.strides, library.gpucc_array_dtype(x._handle),
                    x.read_only)

    def handle(self, x: Any, where: Context, keepalive: list[Any]) -> int:
        handle: int = x._handle
        return handle

    def array(self, x: Any) -> Array:
        array: Array = x
        return array


class Interface(Kind):
    """Anything with __cuda_array_interface__."""

    def device(self, x: Any) -> str | None:
        if not hasattr(x, "__cuda_array_interface__"):
            return None
        if hasattr(x, "__dlpack_device__"):
            return _dlpack_device(x)
        return f"cuda:{self.ordinal(x)}"

    def ordinal(self, x: Any) -> int:
        """The interface does not say; it is the first device where nothing else does."""
        return int(getattr(getattr(x, "device", None), "id", 0))

    def view(self, x: Any) -> View:
        about = x.__cuda_array_interface__
        if about.get("mask") is not None:
            raise _errors.BadType("arrays with masks are not supported")
        pointer, read_only = about["data"]
        code = _dtypes.TYPESTRS.get(about["typestr"])
        if code is None:
            raise _errors.BadType(f"unsupported dtype {about['typestr']}")
        strides = about.get("strides")
        return View(pointer, tuple(about["shape"]), None if strides is None else tuple(strides), code, bool(read_only))

    def handle(self, x: Any, where: Context, keepalive: list[Any]) -> int:
        about = x.__cuda_array_interface__
        strides = about.get("strides")
        if about.get("mask") is not None:
            self.view(x)  # which refuses
        key = (*about["data"], tuple(about["shape"]), strides and tuple(strides), about["typestr"])
        return self.retain(where.wrapped(key) or where.wrap(key, self.view(x)), keepalive)

    def stream(self, x: Any) -> int:
        return int(x.__cuda_array_interface__.get("stream") or 0)


class CuPy(Interface):
    def met(self, of: type) -> None:
        cupy = sys.modules["cupy"]
        if native and of is cupy.ndarray:
            native.know_tensors(of, cupy.empty_like, lambda like, size, dtype: cupy.empty(size, dtype),
                                cupy.cuda.get_current_stream, ())

    def device(self, x: Any) -> str | None:
        return f"cuda:{x.device.id}"

    def stream(self, x: Any) -> int:
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)

    def export(self, array: Array) -> Any:
        return sys.modules["cupy"].from_dlpack(array)

    def how_to_move(self, device: str) -> str:
        return "cupy.asarray(x)"


class Numba(Interface):
    def ordinal(self, x: Any) -> int:
        return int(sys.modules["numba"].cuda.current_context().device.id)

    def export(self, array: Array) -> Any:
        return sys.modules["numba"].cuda.as_cuda_array(array, sync=False)  # the stream is in order

    def how_to_move(self, device: str) -> str:
        return "numba.cuda.to_device(x)"


class Torch(Kind):
    """Its tensors tell in attributes what the interface would tell at length."""
    has_results = True

    def is_array(self, x: Any) -> bool:
        return True

    def __init__(self) -> None:
        torch = self.torch = sys.modules["torch"]
        names = {"boolean": "bool"}
        types = ((code, getattr(torch, names.get(name, name), None)) for code, name in enumerate(_dtypes.NAMES))
        self.codes = {dtype: code for code, dtype in types if dtype is not None}
        self.names: dict[Any, str | None] = {}  # of devices
        # The function behind current_stream(), which would create an object for the number.
        core = getattr(torch, "_C", None)
        self.raw_stream = getattr(core, "_cuda_getCurrentRawStream", None)
        # A trace sets one of these; so do others, such as torch.set_default_device().
        questions = ("_len_torch_function_stack", "_len_torch_dispatch_stack", "_get_tracing_state")
        self.modes = tuple([getattr(core, question, bool) for question in questions])
        self.is_functional = getattr(torch, "_is_functional_tensor", _never)

    def met(self, of: type) -> None:
        if native:
            native.know_tensors(of, self.torch.empty_like, self.torch.Tensor.new_empty, None, (*self.modes, is_traced))

    def device(self, x: Any) -> str | None:
        functions, operators, jit = self.modes
        if (functions() or operators() or jit()) and is_traced():
            raise TypeError("PyTorch traces this call, and would record its result as a constant: make its function an "
                            "operator, such as gpucc.torch(program.square)")
        if self.is_functional(x):
            raise TypeError("a tensor of torch.func.functionalize() has no elements of its own: make the function an "
                            "operator, such as gpucc.torch(program.square)")
        device = x.device
        if device not in self.names:
            self.names[device] = (None if device.type == "cpu" else f"cuda:{device.index}" if device.type == "cuda"
                                  else _dlpack_device(x))
        return self.names[device]

    def handle(self, x: Any, where: Context, keepalive: list[Any]) -> int:
        if x.requires_grad or x.is_conj() or x.is_neg():
            self.view(x)  # which refuses
        key = (x.data_ptr(), x.shape, x.stride(), x.dtype)
        return self.retain(where.wrapped(key) or where.wrap(key, self.view(x)), keepalive)

    def room(self, inputs: tuple[Any, ...], dtype: Any) -> Any:
        like = inputs[0]
        if dtype is None or not all(kind_of(x) is self and x.shape == like.shape and x.is_contiguous() for x in inputs):
            return None
        return self.torch.empty_like(like, dtype=dtype)

    def view(self, x: Any) -> View:
        if x.requires_grad or x.is_conj() or x.is_neg():
            raise TypeError("the tensor requires a gradient, or is lazily conjugated or negated: pass x.detach() or "
                            "x.resolve_conj().resolve_neg()")
        code = self.codes.get(x.dtype)
        if code is None:
            raise _errors.BadType(f"unsupported dtype {x.dtype}")
        size, pointer = _dtypes.SIZES[code], x.data_ptr()
        if not pointer and x.numel():
            raise TypeError("the tensor has no memory: pass x + 0")
        return View(pointer, tuple(x.shape), tuple([s * size for s in x.stride()]), code, False)

    def stream(self, x: Any) -> int:
        stream: int = (self.torch.cuda.current_stream(x.device).cuda_stream if self.raw_stream is None
                       else self.raw_stream(x.device.index))
        return stream

    def export(self, array: Array) -> Any:
        return self.torch.from_dlpack(array)

    def how_to_move(self, device: str) -> str:
        return f'torch.as_tensor(x, device="{device}")'


def _never(_: Any) -> bool:
    return False


def is_traced() -> bool:
    """Whether PyTorch records operators: in make_fx(), torch.func.linearize(), torch.export and torch.jit.trace()."""
    core = getattr(sys.modules["torch"], "_C", None)
    proxies = sys.modules.get("torch.fx.experimental.proxy_tensor")
    return getattr(proxies, "get_proxy_mode", bool)() not in (None, False) or bool(getattr(core, "_get_tracing_state", bool)())


class Dispatching(Kind):
    """Tensors of PyTorch whose class handles operators itself: without elements, with a mask or on several hosts."""

    def device(self, x: Any) -> str | None:
        raise TypeError(f"{called(x)} handles PyTorch's operators itself, and its memory may not have its elements: pass a "
                        "plain tensor, or make the function an operator, such as gpucc.torch(program.square)")

    def is_array(self, x: Any) -> bool:
        return True

    def view(self, x: Any) -> View:
        self.device(x)  # which refuses
        return super().view(x)


def _torch_kind(of: type) -> Kind:
    plain = getattr(sys.modules["torch"].Tensor, "__torch_dispatch__", None)
    return Torch() if getattr(of, "__torch_dispatch__", None) is plain else Dispatching()


class DLPack(Kind):
    """Anything else with __dlpack__, JAX's arrays for one."""

    def is_array(self, x: Any) -> bool:
        return True

    def device(self, x: Any) -> str | None:
        return _dlpack_device(x)

    def view(self, x: Any) -> View:
        return _OURS.view(from_dlpack(x))

    def acquire(self, x: Any, keepalive: list[Any]) -> View:
        array = from_dlpack(x)  # when it goes, the owner gets its memory back behind the work
        keepalive.append(array)
        return _OURS.view(array)

    def handle(self, x: Any, where: Context, keepalive: list[Any]) -> int:
        array = from_dlpack(x)
        keepalive.append(array)
        return array._handle or 0

    def array(self, x: Any) -> Array:
        return from_dlpack(x)

    def export(self, array: Array) -> Any:
        return array


class Jax(DLPack):
    is_immutable = True

    def acquire(self, x: Any, keepalive: list[Any]) -> View:
        view = super().acquire(x, keepalive)
        return View(view.pointer, view.shape, view.strides, view.code, True)

    def export(self, array: Array) -> Any:
        return sys.modules["jax"].dlpack.from_dlpack(array)

    def how_to_move(self, device: str) -> str:
        return "jax.device_put(x)"


class Traced(Kind):
    """JAX's arrays in a trace, which have no values."""

    def device(self, x: Any) -> str | None:
        raise TypeError("JAX traces this call: make its function one of JAX, such as gpucc.jax(program.square)")


class Namespace(DLPack):
    """Arrays of a library that follows Python's array API standard."""

    def export(self, array: Array) -> Any:
        return self.namespace.from_dlpack(array)

    def __init__(self, namespace: Any) -> None:
        self.namespace = namespace


_HOST, _DASK, _OURS, _INTERFACE, _DLPACK, _HANDLING = Kind(), Dask(), Ours(), Interface(), DLPack(), Handling()
_KINDS: dict[type, Kind] = {kind: _HOST for kind in (np.ndarray, bool, int, float, complex, list, tuple, type(None))}
_LIBRARIES: dict[tuple[str, str], Callable[[type], Kind]] = {
    ("dask", "Array"): lambda of: _DASK,
    ("torch", "Tensor"): _torch_kind, ("cupy", "ndarray"): lambda of: CuPy(),
    ("numba", "DeviceNDArray"): lambda of: Numba(), ("numba_cuda", "DeviceNDArray"): lambda of: Numba(),
    ("jax", "Tracer"): lambda of: Traced(), ("jax", "Array"): lambda of: Jax(), ("jaxlib", "ArrayImpl"): lambda of: Jax()}


def _find(x: Any) -> Kind:
    from ._array import Array
    if isinstance(x, (np.ndarray, np.generic)):
        return _HOST
    if isinstance(x, Array):
        return _OURS
    for base in type(x).__mro__:
        found = _LIBRARIES.get((base.__module__.partition(".")[0], base.__name__))
        if found is not None:
            return found(type(x))
    if hasattr(type(x), "__array_ufunc__"):
        return _HANDLING
    if hasattr(x, "__array_namespace__") and hasattr(x, "__dlpack__"):
        return Namespace(x.__array_namespace__())
    if hasattr(type(x), "__cuda_array_interface__") or hasattr(x, "__cuda_array_interface__"):
        return _INTERFACE
    return _DLPACK if hasattr(x, "__dlpack_device__") else _HOST


def kind_of(x: Any) -> Kind:
    kind = _KINDS.get(type(x))
    if kind is None:
        kind = _KINDS[type(x)] = _find(x)
        kind.met(type(x))
    return kind


# ---- where a call runs ----

class Graphs:
    """The place of Dask's arrays: calls run later, as tasks of graphs."""

    @cached_property
    def maker(self) -> Any:
        from . import _dask
        return _dask


GRAPHS = Graphs()


class Place:
    """The place of a call: a device, the caller's stream, and the kind of array to return."""
    __slots__ = ("context", "stream", "kind", "takes_hosts")

    def __init__(self, where: Context, stream: int, kind: Kind, takes_hosts: bool = False) -> None:
        self.context: Context = where
        self.stream: int = stream
        self.kind: Kind = kind
        #: NumPy's arrays may cross the bus, as the call says so
        self.takes_hosts: bool = takes_hosts

    def __enter__(self) -> Place:
        if self.stream > 1:
            self.context.follow(self.stream)
        return self

    def __exit__(self, *_: object) -> None:
        if self.stream > 1:
            self.context.lead(self.stream)


class ReportingPlace(Place):
    """For NumPy's arrays, on devices that report progress."""
    __slots__ = ("reporting",)

    def __init__(self, where: Context, kind: Kind, progress: Any) -> None:
        super().__init__(where, 0, kind, True)
        self.reporting = where.reporting(progress)

    def __enter__(self) -> Place:
        self.reporting.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.reporting.__exit__(*(error or (None, None, None)))


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float, complex, np.generic)) or isinstance(x, np.ndarray) and x.ndim == 0


def find_place(operands: list[Any], device: str | Devices | None = None) -> Place | Graphs | Handlers | None:
    """Returns the operands' place.  If all are NumPy's, it is the requested device, or None without one.
    Operands on two devices raise a TypeError that names the one to copy."""
    place: Place | None = None
    first: Any = None
    at_home: list[Any] = []
    handling: list[Any] = []
    on_host: Kind | None = None
    for x in operands:
        kind = kind_of(x)
        if kind is _DASK:
            if device is not None:
                raise TypeError("device= is not supported for Dask arrays, which are computed where their chunks are: use "
                                "map_blocks() for functions with options")
            return GRAPHS
        if kind is _HANDLING:
            handling.append(x)
        home = kind.device(x)
        if home is None:
            at_home.append(x)
            on_host = kind if kind.has_results else on_host
        elif place is None:
            place, first = Place(context(home), kind.stream(x), kind), x
        elif place.context.name != home:
            raise TypeError(f"operands are on different devices: {called(first)} is on {place.context.name}, {called(x)} on "
                            f"{home}; move one of them, for example the second with "
                            f"{place.kind.how_to_move(place.context.name)}")
        elif place.kind is _OURS and kind is not _OURS:
            place.kind, place.stream = kind, kind.stream(x)
    if handling:
        from ._handling import Handlers
        return Handlers(handling, operands, device, place is None)
    if device is not None:
        return _asked_for(device, place, first)
    if place is not None and place.context.is_cuda:
        for x in at_home:
            if x is not None and not _is_number(x):
                raise TypeError(f"operands are on different devices: {called(x)} is on the host, {called(first)} on "
                                f"{place.context.name}; move the first with {place.kind.how_to_move(place.context.name)}, or "
                                "the second to the host")
    if place is None and on_host is not None:
        return Place(context("cpu"), 0, on_host)
    return place


def _asked_for(device: str | Devices, place: Place | None, first: Any) -> Place:
    """Returns the place that a call requests; `place` is that of operands on a device."""
    where = context_of_call(device)
    if place is None:
        progress = device.progress if isinstance(device, Devices) else None
        return Place(where, 0, _HOST, True) if progress is None else ReportingPlace(where, _HOST, progress)
    if place.context.name != where.name:
        raise TypeError(f"{called(first)} is on {place.context.name}, but device= is {where.name}: move it with "
                        f"{place.kind.how_to_move(where.name)}")
    place.takes_hosts = True
    return place


def host_output(x: Any) -> Any:
    """NumPy's array over the memory of an output on the host, such as a tensor of PyTorch's; NumPy's own as they are."""
    return np.asarray(x) if kind_of(x).is_array(x) and not isinstance(x, np.ndarray) else x


def called(x: Any) -> str:
    """The type's name, as messages have it."""
    home = type(x).__module__.partition(".")[0]
    return type(x).__name__ if home == "builtins" else f"{home}.{type(x).__name__}"
