"""Functions as operators of PyTorch's, which torch.compile traces without a graph break."""
from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from . import _abstract, _dtypes
from ._autograd import (gradients, has_derivative, is_deriving, is_transforming, mapped, missing_adjoint, missing_tangent,
                        plain_call, zero_of)
from ._interchange import is_traced
from ._ufunc import Ufunc

_operators: dict[tuple[str, str], Callable[..., Any]] = {}  # which PyTorch keeps for good


def torch(function: Ufunc) -> Callable[..., Any]:
    """A function of tensors and Python's numbers that torch.compile, torch.export and torch.func take: an operator
    `torch.ops.gpucc.NAME`, with shapes and types of its results and, from the program's adjoint, its derivative.

    The operator exists until the process ends, and so does its program.
    """
    if not isinstance(function, Ufunc):
        raise TypeError(f"gpucc.torch() takes a ufunc or a gufunc of a program, not {function!r}")
    key = function.program.key, function.__name__
    if key not in _operators:
        _operators[key] = _make(function, _name(function))
    return _operators[key]


def _name(function: Ufunc) -> str:
    return f"{function.__name__}_{function.program.key[:16]}"


def _make(function: Ufunc, name: str) -> Callable[..., Any]:
    """Each operand is a tensor or, in a parameter behind all those, a number."""
    torch = import_module("torch")
    tensors = ", ".join(f"Tensor? x{k}" for k in range(function.nin))
    numbers = ", ".join(f"Scalar? n{k}=None" for k in range(function.nin))
    results = "Tensor" if function.nout == 1 else f"({', '.join(['Tensor'] * function.nout)})"
    made = torch.library.custom_op(f"gpucc::{name}", functools.partial(_run, function), mutates_args=(),
                                   schema=f"({tensors}, {numbers}) -> {results}")
    made.register_fake(functools.partial(_describe, function))
    made.register_autograd(functools.partial(_backward, function), setup_context=functools.partial(_save, function))
    operator = getattr(torch.ops.gpucc, name)
    _register_forward(function, made, operator)
    made.register_vmap(functools.partial(_map, function, operator))

    def call(*operands: Any) -> Any:
        if len(operands) != function.nin:
            raise TypeError(f"{function.__name__}() takes {function.nin} inputs, but {len(operands)} were given")
        # PyTorch's transforms of operators lack grad() and jvp().  A trace records operators alone, and functionalize()
        # and tensors without elements take nothing else.
        if not torch.compiler.is_compiling() and is_transforming() and not is_traced() and is_deriving():
            return function(*operands)
        return operator(*_arguments(operands))

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    return call


def _register_forward(function: Ufunc, made: Any, operator: Any) -> None:
    """Registers forward mode beside reverse mode.  PyTorch's custom operators have none, and drop tangents."""
    forward_ad, autograd = import_module("torch.autograd.forward_ad"), import_module("torch._library.autograd")
    torch = sys.modules["torch"]
    reverse = autograd.make_autograd_impl(made._opoverload, made)

    def derive(keys: Any, *arguments: Any) -> Any:
        level = 0  # of which there is but one, though graphs do not set what forward_ad knows of it
        pairs = [forward_ad.unpack_dual(x, level=level) if isinstance(x, torch.Tensor) else (x, None) for x in arguments]
        if all(move is None for _, move in pairs):
            return reverse(keys, *arguments)
        if function.tangent is None:
            raise missing_tangent(function)
        primals = [x for x, _ in pairs]
        operands, moves = _operands(function, tuple(primals)), [move for _, move in pairs]
        given = [moves[k] if moves[k] is not None else zero_of(operands[k]) for k in function.derived]
        results = operator(*primals)
        derived = call_operator(function.tangent, [*operands, *given])[function.nout:]
        duals = [forward_ad.make_dual(x, move, level=level) if has_derivative(x) else x
                 for x, move in zip(results if function.nout > 1 else (results,), derived)]
        return duals[0] if function.nout == 1 else tuple(duals)

    made._lib.impl(made._name, derive, "Autograd", with_keyset=True, allow_override=True)


def call_operator(function: Ufunc, operands: Any) -> Any:
    torch(function)  # which makes it
    operator = getattr(sys.modules["torch"].ops.gpucc, _name(function))
    return operator(*_arguments(operands))


def _arguments(operands: Any) -> list[Any]:
    """An operator's arguments: tensors, and behind them numbers."""
    tensors = sys.modules["torch"].Tensor
    return [*[x if isinstance(x, tensors) else None for x in operands],
            *[None if isinstance(x, tensors) else x for x in operands]]


def _operands(function: Ufunc, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    numbers = arguments[function.nin:] + (None,) * function.nin
    return tuple([n if x is None else x for x, n in zip(arguments[: function.nin], numbers)])


def _run(function: Ufunc, *arguments: Any) -> Any:
    """Results in C order, as they are described."""
    made = plain_call(function, _operands(function, arguments))
    return made.contiguous() if function.nout == 1 else tuple([x.contiguous() for x in made])


def _describe(function: Ufunc, *arguments: Any) -> Any:
    torch = sys.modules["torch"]
    operands = _operands(function, arguments)
    first = next(x for x in operands if isinstance(x, torch.Tensor))
    shapes = _abstract.result_shapes(function, [tuple(getattr(x, "shape", ())) for x in operands], torch.broadcast_shapes)
    types = _abstract.result_types(function, tuple([_type_name(x) for x in operands]))
    made = [first.new_empty(shape, dtype=getattr(torch, {"boolean": "bool"}.get(name, name)))
            for shape, name in zip(shapes, types)]
    return made[0] if function.nout == 1 else tuple(made)


def _type_name(x: Any) -> Any:
    """A tensor's type by its name; of a number, which may be a symbol, one of its type."""
    torch = sys.modules["torch"]
    if not isinstance(x, torch.Tensor):
        return 1.0 if isinstance(x, torch.SymFloat) else 1 if isinstance(x, torch.SymInt) else x
    name = str(x.dtype).removeprefix("torch.")
    return _dtypes.NAMES[_dtypes.CODES[{"bool": "boolean"}.get(name, name)]]


def _save(function: Ufunc, ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    if function.adjoint is None:
        raise missing_adjoint(function)
    ctx.save_for_backward(*[x for x in inputs[: function.nin] if x is not None])
    ctx.tensors = [x is not None for x in inputs[: function.nin]]
    ctx.numbers = inputs[function.nin:]


def _backward(function: Ufunc, context: Any, *cotangents: Any) -> Any:
    saved = iter(context.saved_tensors)
    operands = [next(saved) if is_tensor else n for is_tensor, n in zip(context.tensors, context.numbers)]
    assert function.adjoint is not None
    bars = torch(function.adjoint)(*operands, *cotangents)
    given = gradients(function, operands, bars if isinstance(bars, tuple) else (bars,), context.needs_input_grad)
    return (*given, *[None] * function.nin)


def _map(function: Ufunc, operator: Any, info: Any, dims: tuple[Any, ...], *arguments: Any) -> Any:
    def call(*operands: Any) -> Any:
        return operator(*_arguments(operands))
    return mapped(function, info.batch_size, dims[: function.nin], _operands(function, arguments), call)
