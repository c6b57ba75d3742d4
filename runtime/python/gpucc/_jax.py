"""Functions of programs in JAX's traces: XLA calls them with pointers, by its foreign function interface."""
from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p, cast,
                    pointer, sizeof)
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from . import _abstract, _dtypes
from ._context import Context, context
from ._interchange import Place, kind_of
from ._library import MEMORY_DEVICE, check, library
from ._ufunc import Operands, Ufunc

# ---- XLA's structures, of version 0 of its interface ----


class _Buffer(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("dtype", c_int), ("data", c_void_p), ("rank", c_int64),
                ("dims", POINTER(c_int64))]


class _Text(Structure):
    _fields_ = [("data", POINTER(ctypes.c_char)), ("length", c_size_t)]


class _Buffers(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("count", c_int64), ("types", POINTER(c_int)),
                ("each", POINTER(POINTER(_Buffer)))]


class _Attributes(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("count", c_int64), ("types", POINTER(c_int)),
                ("names", POINTER(POINTER(_Text))), ("each", POINTER(POINTER(_Text)))]


class _Version(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("major", c_int), ("minor", c_int)]


class _Metadata(Structure):
    _fields_ = [("size", c_size_t), ("version", _Version), ("traits", c_uint32), ("state", c_int64)]


class _Extension(Structure):
    _fields_ = [("size", c_size_t), ("type", c_int), ("next", c_void_p), ("metadata", POINTER(_Metadata))]


_Function = CFUNCTYPE(c_void_p, c_void_p)


class _Api(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("version", _Version), ("internal", c_void_p),
                *[(name, _Function) for name in (
                    "create_error", "get_message", "destroy_error", "register", "get_stream", "register_type",
                    "get_context", "set_state", "get_state", "allocate", "free", "schedule", "count_threads",
                    "create_future", "set_available", "set_error", "get_run", "get_ordinal")]]


class _Frame(Structure):
    _fields_ = [("size", c_size_t), ("extensions", POINTER(_Extension)), ("api", POINTER(_Api)), ("context", c_void_p),
                ("stage", c_int), ("inputs", _Buffers), ("outputs", _Buffers), ("attributes", _Attributes)]


class _Error(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("message", c_char_p), ("code", c_int)]


class _Stream(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("context", c_void_p), ("stream", c_void_p)]


class _Ordinal(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("context", c_void_p), ("ordinal", c_int32)]


_METADATA, _INTERNAL = 1, 13  # a type of extension, and a code of errors
_TYPES = {1: "boolean", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32", 9: "uint64",
          10: "float16", 11: "float32", 12: "float64", 16: "bfloat16", 15: "complex64", 18: "complex128",
          19: "float8_e5m2", 20: "float8_e4m3fn"}

# ---- the handler ----

_functions: dict[str, Ufunc] = {}  # by the names that traces have of them


def _handle(frame: Any, find_place: Callable[[Any], tuple[Context, int]]) -> int | None:
    """XLA's call: the answer to its question for the interface's version, or an error, or None."""
    try:
        if frame.extensions and frame.extensions[0].type == _METADATA:
            frame.extensions[0].metadata[0].version.major = 0
            frame.extensions[0].metadata[0].version.minor = 1
            return None
        _call(frame, *find_place(frame))
        return None
    except BaseException as error:  # no exception may leave a function that C has called
        text = _Error(sizeof(_Error), None, f"{type(error).__name__}: {error}".encode(), _INTERNAL)
        made: int | None = frame.api[0].create_error(cast(pointer(text), c_void_p))
        return made


def _call(frame: Any, where: Context, stream: int) -> None:
    function, numbers = _target(*[ctypes.string_at(text[0].data, text[0].length)
                                  for text in frame.attributes.each[: frame.attributes.count]])
    with Operands(Place(where, stream, kind_of(None))) as taken:
        arrays = iter([_wrapped(buffer[0], taken) for buffer in frame.inputs.each[: frame.inputs.count]])
        inputs = (c_void_p * function.nin)(*[next(arrays) if n is None else taken._number(n) for n in numbers])
        outputs = (c_void_p * function.nout)(*[_wrapped(buffer[0], taken)
                                               for buffer in frame.outputs.each[: frame.outputs.count]])
        check(library.gpucc_ufunc_call(function._handle(where), inputs, outputs, None))
        if not where.is_cuda:  # where XLA reads the results at once
            check(library.gpucc_context_synchronize(where.handle))


@lru_cache(maxsize=None)
def _target(name: bytes, numbers: bytes) -> tuple[Ufunc, list[Any]]:
    """The call's attributes, which XLA sorts by name: the function, and numbers for the operands that are no arrays."""
    return _functions[name.decode()], [None if n is None else _of_json(n) for n in json.loads(numbers)]


def _wrapped(buffer: Any, taken: Operands) -> int:
    """The runtime's array over a buffer, for the call."""
    handle = c_void_p()
    check(library.gpucc_array_wrap_with(taken.place.context.handle, _dtypes.CODES[_TYPES[buffer.dtype]], buffer.rank,
                                        buffer.dims, None, buffer.data, MEMORY_DEVICE, None, ctypes.byref(handle)))
    taken.made.append(handle.value or 0)
    return taken.made[-1]


def _on_cpu(_: Any) -> tuple[Context, int]:
    return context("cpu"), 0


def _on_cuda(frame: Any) -> tuple[Context, int]:
    api = frame.api[0]
    stream, ordinal = _Stream(sizeof(_Stream), None, frame.context), _Ordinal(sizeof(_Ordinal), None, frame.context)
    failed = api.get_stream(cast(pointer(stream), c_void_p))
    if api.size >= _Api.get_ordinal.offset + sizeof(c_void_p):
        failed = failed or api.get_ordinal(cast(pointer(ordinal), c_void_p))
    else:  # of older versions: XLA has made the device's context current
        found = c_int()
        failed = failed or ctypes.CDLL("libcuda.so.1").cuCtxGetDevice(ctypes.byref(found))
        ordinal.ordinal = found.value
    if failed:
        raise RuntimeError("XLA names no stream")
    return context(f"cuda:{ordinal.ordinal}"), stream.stream or 0


_HANDLER = CFUNCTYPE(c_void_p, POINTER(_Frame))
_handlers: list[Any] = []


@cache
def _register() -> str:
    """Makes XLA know the handlers, and returns their name."""
    jax = import_module("jax")
    for platform, find_place in (("cpu", _on_cpu), ("CUDA", _on_cuda)):
        _handlers.append(_HANDLER(lambda frame, find_place=find_place: _handle(frame[0], find_place)))
        jax.ffi.register_ffi_target("gpucc_call", jax.ffi.pycapsule(_handlers[-1]), platform=platform)
    return "gpucc_call"


# ---- traces ----

_NUMBERS = (bool, int, float, complex)
_NUMBER_OF = {"b": True, "i": 1, "u": 1, "f": 1.0, "V": 1.0, "c": 1j}  # by the kind of a weak type

def jax(function: Ufunc) -> Callable[..., Any]:
    """A function of JAX's arrays and Python's numbers for jax.jit, jax.vmap and, where the program has an adjoint, jax.grad
    and jax.vjp; where it has a tangent, for jax.jvp.  It runs where XLA runs the trace, without copies.

    The program stays loaded until the process ends.
    """
    if not isinstance(function, Ufunc):
        raise TypeError(f"gpucc.jax() takes a ufunc or a gufunc of a program, not {function!r}")
    key = f"{function.program.key} {function.__name__}"
    function = _functions.setdefault(key, function)

    def call(*operands: Any) -> Any:
        numpy, array, tracer = _jax_names()
        if len(operands) != function.nin:
            raise function._wrong_count(len(operands))
        arrays = [x if type(x) in _NUMBERS or isinstance(x, array) else numpy.asarray(x) for x in operands]
        numbers = [_as_json(x) if type(x) in _NUMBERS else None for x in arrays]
        given = [x for x, n in zip(_typed(function, arrays), numbers) if n is None]
        is_traced = any(isinstance(x, tracer) for x in given)
        return (_differentiable if is_traced else _compiled)(key, json.dumps(numbers))(*given)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    return call


@cache
def _jax_names() -> tuple[Any, Any, Any]:
    """The module jax.numpy, and the classes of JAX's arrays and of those in traces."""
    jax = import_module("jax")
    return import_module("jax.numpy"), jax.Array, jax.core.Tracer


@lru_cache(maxsize=None)
def _compiled(key: str, numbers: str) -> Any:
    """The same outside of traces, where JAX would interpret each call anew."""
    return import_module("jax").jit(_differentiable(key, numbers))


def _typed(function: Ufunc, operands: list[Any]) -> list[Any]:
    """Gives weakly typed arrays, which JAX makes of Python's numbers, the type of the loop that the others select."""
    weak = [getattr(x, "weak_type", False) for x in operands]
    given = tuple([x if type(x) in _NUMBERS else _NUMBER_OF[x.dtype.kind] if is_weak else _type_name(x)
                   for x, is_weak in zip(operands, weak)])
    if not any(weak) or not any(isinstance(each, str) for each in given):
        return operands
    made = list(_abstract.result_types(function, given))
    loop = next(loop for loop in function.loops if loop[function.nin:] == made and all(
        not isinstance(each, str) or each == t or np.can_cast(_numpy_type(each), _numpy_type(t))
        for each, t in zip(given, loop)))
    return [x.astype(_numpy_type(t)) if is_weak else x for x, t, is_weak in zip(operands, loop, weak)]


def _result_types(function: Ufunc, operands: list[Any], given: list[Any]) -> tuple[str, ...]:
    """The names of the outputs' dtypes; `given` has None for each operand that is an array."""
    return _abstract.result_types(function, tuple([_type_name(x) if n is None else x for x, n in zip(operands, given)]))


def _type_name(x: Any) -> str:
    return _dtypes.NAMES[_dtypes.code_of(np.dtype(x.dtype))]


def _as_json(x: Any) -> Any:
    return [x.real, x.imag] if isinstance(x, complex) else x


def _of_json(x: Any) -> Any:
    return complex(*x) if isinstance(x, list) else x


@cache
def _differentiable(key: str, numbers: str) -> Any:
    """The function of the arrays among its operands, with the tangent or else the adjoint as JAX's rule."""
    jax = import_module("jax")
    function, given = _functions[key], json.loads(numbers)
    if function.tangent is not None and all(_dtypes.is_derivable(t) for t in function.loops[0][function.nin:]):
        return _with_tangent(function, given, key, numbers)

    def forward(*arrays: Any) -> Any:
        if function.adjoint is None:  # JAX asks for this in forward mode, too
            name = function.__name__
            raise TypeError(f"jax.grad() needs an adjoint of {name!r}, and jax.jvp() a tangent: write 'adjoint({name}_vjp, "
                            f"{name});' or 'tangent({name}_jvp, {name});' behind it")
        return called(*arrays), arrays

    def backward(arrays: Any, bars: Any) -> Any:
        operands = _with_numbers(arrays, given)
        each = zip(bars if function.nout > 1 else (bars,), _result_types(function, operands, given))
        grads = _gradients(function, operands, [
            jax.numpy.zeros(bar.shape, _numpy_type(t)) if bar.dtype == jax.dtypes.float0 else bar for bar, t in each])
        return tuple([_reduced(grads[k], x) if k in grads else np.zeros(x.shape, jax.dtypes.float0)
                      for k, (x, n) in enumerate(zip(operands, given)) if n is None])

    called = jax.custom_vjp(lambda *arrays: _traced_call(function, key, given, numbers, arrays))
    called.defvjp(forward, backward)
    return called


_traced = jax


def _missing_adjoint(function: Ufunc) -> TypeError:
    return TypeError(f"jax.grad() needs an adjoint of {function.__name__!r}: write 'adjoint({function.__name__}_vjp, "
                     f"{function.__name__});' behind it")


def _with_numbers(arrays: Any, given: list[Any]) -> list[Any]:
    """All operands, of which `given` has the numbers."""
    each = iter(arrays)
    return [next(each) if n is None else _of_json(n) for n in given]


def _gradients(function: Ufunc, operands: list[Any], bars: Any) -> dict[int, Any]:
    """The adjoint's results, by the inputs whose they are, before sums along broadcast axes."""
    assert function.adjoint is not None
    made = _traced(function.adjoint)(*operands, *bars)
    return dict(zip(function.derived, made if len(function.derived) > 1 else (made,)))


# ---- forward mode ----
#
# JAX's rule for forward mode is a linear function of the operands' tangents, which JAX transposes for reverse mode.  It is a
# primitive of its own, whose transpose is the adjoint; its operands are the function's arrays and the tangents of those that
# derivatives derive by.

def _with_tangent(function: Ufunc, given: list[Any], key: str, numbers: str) -> Any:
    jax = import_module("jax")

    def rule(arrays: Any, tangents: Any) -> Any:
        moves = [tangents[place] for place in _derived_places(function, given, arrays).values()]
        made = _push().bind(*arrays, *moves, key=key, numbers=numbers)
        return called(*arrays), made[0] if function.nout == 1 else tuple(made)

    called = jax.custom_jvp(lambda *arrays: _traced_call(function, key, given, numbers, arrays))
    called.defjvp(rule)
    return called


def _derived_places(function: Ufunc, given: list[Any], values: Any) -> dict[int, int]:
    """The places among the arrays of the inputs by which derivatives derive, by their numbers.  Arrays of integers and
    booleans have tangents of dtype float0, which a function cannot take."""
    arrays = [k for k, n in enumerate(given) if n is None]
    return {k: place for place, k in enumerate(arrays) if k in function.derived and _is_inexact(values[place])}


def _is_inexact(x: Any) -> bool:
    numpy = import_module("jax.numpy")
    return bool(numpy.issubdtype(x.dtype, numpy.inexact))


def _pushed(*values: Any, key: str, numbers: str) -> list[Any]:
    """Tangents of the results."""
    function, given = _functions[key], json.loads(numbers)
    assert function.tangent is not None
    count = given.count(None)
    operands = _with_numbers(values[:count], given)
    moves = dict(zip(_derived_places(function, given, values), values[count:]))
    zeros = import_module("jax.numpy").zeros_like
    made = _traced(function.tangent)(*operands, *[moves[k] if k in moves else zeros(operands[k]) for k in function.derived])
    return list(made[function.nout:])


@cache
def _push() -> Any:
    """JAX's primitive of _pushed()."""
    jax, shapes = import_module("jax"), import_module("jax.core").ShapedArray
    numpy, parts = jax.numpy, import_module("jax.interpreters")
    ad, batching, mlir = (import_module(f"{parts.__name__}.{name}") for name in ("ad", "batching", "mlir"))
    push = import_module("jax.extend.core").Primitive("gpucc_tangent")
    push.multiple_results = True
    push.def_impl(_pushed)
    mlir.register_lowering(push, mlir.lower_fun(_pushed, multiple_results=True))

    def describe(*values: Any, **names: str) -> Any:
        inputs = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in values]
        return [shapes(x.shape, x.dtype) for x in jax.eval_shape(lambda *given: _pushed(*given, **names), *inputs)]

    def zeros(x: Any) -> Any:
        return numpy.zeros(x.shape, x.dtype) if _is_inexact(x) else np.zeros(x.shape, jax.dtypes.float0)

    def derive(values: Any, tangents: Any, **names: str) -> Any:
        count = json.loads(names["numbers"]).count(None)
        given = [zeros(x) if type(t) is ad.Zero else t for x, t in zip(values, tangents)]
        made, sums = push.bind(*values, **names), []
        if any(type(t) is not ad.Zero for t in tangents[count:]):  # linear in these
            sums.append(push.bind(*values[:count], *given[count:], **names))
        if any(type(t) is not ad.Zero for t in tangents[:count]):
            of_arrays = lambda *arrays: _pushed(*arrays, *values[count:], **names)
            sums.append(jax.jvp(of_arrays, tuple(values[:count]), tuple(given[:count]))[1])
        return made, [numpy.add(*each) if len(each) > 1 else each[0] for each in zip(*sums)]

    def transpose(bars: Any, *values: Any, **names: str) -> Any:
        function, numbers = _functions[names["key"]], json.loads(names["numbers"])
        count = numbers.count(None)
        if function.adjoint is None:
            raise _missing_adjoint(function)
        grads = _gradients(function, _with_numbers(values[:count], numbers), [ad.instantiate_zeros(bar) for bar in bars])
        moves = zip(_derived_places(function, numbers, values), values[count:])
        return [None] * count + [_reduced(grads[k], x.aval) if ad.is_undefined_primal(x) else None for k, x in moves]

    def cores_of(values: Any, key: str, numbers: str) -> list[int]:
        """How many core dimensions each value has; functions with tangents have no optional ones."""
        function, given = _functions[key], json.loads(numbers)
        cores = _abstract.core_counts(function) or [0] * function.nin
        return ([c for c, n in zip(cores, given) if n is None] +
                [cores[k] for k in _derived_places(function, given, values)])

    def map_over(values: Any, dims: Any, **names: str) -> Any:
        """A mapped dimension becomes the first one of every array."""
        loops = [x.ndim - (d is not None) - core for x, d, core in zip(values, dims, cores_of(values, **names))]
        given = []
        for x, d, n in zip(values, dims, loops):
            moved = x[None] if d is None else numpy.moveaxis(x, d, 0)
            given.append(moved.reshape((moved.shape[0], *(1,) * (max(loops) - n), *moved.shape[1:])))
        made = push.bind(*given, **names)
        return made, [0] * len(made)

    push.def_abstract_eval(describe)
    ad.primitive_jvps[push], ad.primitive_transposes[push] = derive, transpose
    batching.primitive_batchers[push] = map_over
    return push


def _reduced(bar: Any, x: Any) -> Any:
    """Sums along the axes in which the operand was broadcast."""
    more = bar.ndim - x.ndim
    axes = tuple([d for d in range(bar.ndim) if d < more or x.shape[d - more] == 1 != bar.shape[d]])
    return (bar.sum(axes).reshape(x.shape) if axes else bar).astype(x.dtype)


def _traced_call(function: Ufunc, key: str, given: list[Any], numbers: str, arrays: Any) -> Any:
    jax = import_module("jax")
    each = iter(arrays)
    operands = [next(each) if n is None else _of_json(n) for n in given]
    types = _result_types(function, operands, given)
    shapes = _abstract.result_shapes(function, [tuple(np.shape(x)) for x in operands], np.broadcast_shapes)
    for name in types:
        if name in ("float64", "int64", "uint64", "complex128") and not jax.config.jax_enable_x64:
            raise TypeError(f"{function.__name__} returns {name} for these operands, which JAX has only with "
                            'jax.config.update("jax_enable_x64", True)')
    results = [jax.ShapeDtypeStruct(shape, _numpy_type(name)) for shape, name in zip(shapes, types)]
    # A mapped dimension becomes the first one of every array: all need equally many loop dimensions.
    cores = _abstract.core_counts(function) or []
    ranks = [core for core, n in zip(cores, given) if n is None]
    most = max([x.ndim - core for x, core in zip(arrays, ranks)])
    padded = [x.reshape((1,) * (most - x.ndim + core) + x.shape) for x, core in zip(arrays, ranks)]
    made = jax.ffi.ffi_call(_register(), results, vmap_method="expand_dims")(*padded, function=key, numbers=numbers)
    return made[0] if function.nout == 1 else tuple(made)


def _numpy_type(name: str) -> Any:
    return getattr(import_module("ml_dtypes"), name) if name in _dtypes.LACKING else _dtypes.DTYPES[_dtypes.CODES[name]]
