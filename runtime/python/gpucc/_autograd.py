"""Calls of functions with an adjoint or a tangent, as steps that PyTorch's automatic differentiation and torch.func record."""
from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _abstract
from ._interchange import is_traced

if TYPE_CHECKING:
    from ._ufunc import Ufunc


def is_differentiated(x: Any) -> bool:
    """Whether PyTorch derives by this tensor, or maps over it: it requires a gradient, or a transform of torch.func or
    forward-mode differentiation is active.  Also in a trace, which differentiable() rejects."""
    if "torch" not in sys.modules:
        return False
    requires: bool | None = getattr(x, "requires_grad", None)
    return requires or requires is False and (is_transforming() or is_traced())


def is_transforming() -> bool:
    core = getattr(sys.modules["torch"], "_C", None)
    if getattr(core, "_are_functorch_transforms_active", bool)():
        return True
    forward = sys.modules.get("torch.autograd.forward_ad")
    return getattr(forward, "_current_level", -1) >= 0 and bool(getattr(core, "_is_fwd_grad_enabled", bool)())


def is_deriving() -> bool:
    """Whether one of the active transforms derives: the others map over a function or describe its steps."""
    forward = sys.modules.get("torch.autograd.forward_ad")
    return getattr(forward, "_current_level", -1) >= 0 or bool(_active_transforms() & {"Grad", "Jvp"})


def _active_transforms() -> set[str]:
    core = sys.modules["torch"]._C
    active = core._are_functorch_transforms_active()
    return {level.key().name for level in core._functorch.get_interpreter_stack()} if active else set()


def has_derivative(x: Any) -> bool:
    """Whether PyTorch gives tensors of this dtype tangents and cotangents."""
    return bool(x.is_floating_point() or x.is_complex())


def missing_adjoint(function: Ufunc) -> TypeError:
    return TypeError(f"a tensor requires a gradient, and {function.__name__!r} has no adjoint: write 'adjoint("
                     f"{function.__name__}_vjp, {function.__name__});' behind it, or pass x.detach()")


def missing_tangent(function: Ufunc) -> TypeError:
    return TypeError(f"forward-mode differentiation needs a tangent: write 'tangent({function.__name__}_jvp, "
                     f"{function.__name__});' behind {function.__name__!r}")


def differentiable(function: Ufunc, operands: tuple[Any, ...], out: Any, options: dict[str, Any]) -> Any:
    """A call that PyTorch derives or maps; a plain one where it records nothing."""
    torch, transforming = sys.modules["torch"], is_transforming()
    if is_traced():
        raise TypeError(f"{function.__name__}() cannot be traced by PyTorch: the trace would record its result as a "
                        f"constant: call gpucc.torch(program.{function.__name__})")
    if transforming and "Functionalize" in _active_transforms():
        raise TypeError("torch.func.functionalize() has no rule for steps that may be derived: "
                        + ("derive by torch.autograd, or without functionalize()" if is_deriving() else
                           f"call gpucc.torch(program.{function.__name__})"))
    if not torch.is_grad_enabled() and not transforming:
        return function(*map(_plain, operands), **options, **({} if out is None else {"out": out}))
    if out is not None or options:
        raise TypeError(f"{function.__name__}(): a call with tensors that require a gradient takes inputs alone: pass "
                        "x.detach()")
    if len(operands) != function.nin:
        raise function._wrong_count(len(operands))
    # torch.func records every step, also those that it never derives: these fail in backward() alone.
    if not transforming and function.adjoint is None:
        raise missing_adjoint(function)
    return _step().apply(function, *operands)


def _plain(x: Any) -> Any:
    return x.detach() if getattr(x, "requires_grad", None) is not None else x


def tensors_of_results(results: Any, like: Any) -> tuple[Any, ...]:
    """Results on the host are NumPy's."""
    torch = sys.modules["torch"]
    made = results if isinstance(results, tuple) else (results,)
    return tuple([x if isinstance(x, torch.Tensor) else torch.as_tensor(np.asarray(x), device=like.device) for x in made])


def plain_call(function: Ufunc, operands: tuple[Any, ...]) -> Any:
    """The call without derivatives: a tensor, or a tuple of several."""
    torch = sys.modules["torch"]
    fakes = sys.modules.get("torch._subclasses.fake_tensor")
    if fakes and any(isinstance(x, fakes.FakeTensor) for x in operands):
        from ._torch import call_operator  # which needs this module
        return call_operator(function, operands)
    first = next(x for x in operands if isinstance(x, torch.Tensor))
    made = tensors_of_results(function(*map(_plain, operands)), first)
    return made[0] if function.nout == 1 else made


@cache
def _step() -> Any:
    torch = sys.modules["torch"]

    class Step(torch.autograd.Function):  # type: ignore[misc, name-defined]
        """The adjoint of a call is a call of the adjoint, which may be derived again; so is the tangent."""

        @staticmethod
        def forward(function: Ufunc, *operands: Any) -> Any:
            return plain_call(function, operands)

        @staticmethod
        def setup_context(context: Any, inputs: tuple[Any, ...], output: Any) -> None:
            function, *operands = inputs
            tensors = [k for k, x in enumerate(operands) if isinstance(x, torch.Tensor)]
            context.save_for_backward(*[operands[k] for k in tensors])
            context.save_for_forward(*[operands[k] for k in tensors])
            context.function, context.tensors = function, tensors
            context.others = [None if k in tensors else x for k, x in enumerate(operands)]

        @staticmethod
        def backward(context: Any, *cotangents: Any) -> Any:
            function, operands = context.function, _saved(context)
            if function.adjoint is None:
                raise missing_adjoint(function)
            bars = tensors_of_results(function.adjoint(*operands, *cotangents), cotangents[0])
            return (None, *gradients(function, operands, bars, context.needs_input_grad[1:]))

        @staticmethod
        def jvp(context: Any, _: None, *tangents: Any) -> Any:
            function, operands = context.function, _saved(context)
            if function.tangent is None:
                raise missing_tangent(function)
            moves = [tangents[k] if tangents[k] is not None else zero_of(operands[k]) for k in function.derived]
            made = tensors_of_results(function.tangent(*operands, *moves), operands[context.tensors[0]])[function.nout:]
            given = tuple([x if has_derivative(x) else None for x in made])
            return given[0] if function.nout == 1 else given

        @staticmethod
        def vmap(info: Any, in_dims: tuple[Any, ...], function: Ufunc, *operands: Any) -> Any:
            return mapped(function, info.batch_size, in_dims[1:], operands, lambda *given: Step.apply(function, *given))

    return Step


def _saved(context: Any) -> list[Any]:
    operands = list(context.others)
    for k, x in zip(context.tensors, context.saved_tensors):
        operands[k] = x
    return operands


def zero_of(x: Any) -> Any:
    torch = sys.modules["torch"]
    return torch.zeros_like(x) if isinstance(x, torch.Tensor) else 0.0


def gradients(function: Ufunc, operands: Any, bars: tuple[Any, ...], wanted: Any) -> list[Any]:
    """The gradient for each input, None for those that have none."""
    given: list[Any] = [None] * function.nin
    for k, bar in zip(function.derived, bars):
        if wanted[k]:
            given[k] = _reduced(bar, operands[k])
    return given


def _reduced(bar: Any, x: Any) -> Any:
    """Sums along the axes in which the operand was broadcast."""
    if bar.shape != x.shape:
        more = bar.dim() - x.dim()
        axes = [d for d in range(bar.dim()) if d < more or x.shape[d - more] == 1 != bar.shape[d]]
        bar = bar.sum(axes).reshape(x.shape) if axes else bar.reshape(x.shape)
    return bar.to(x.dtype)


def mapped(function: Ufunc, count: int, dims: Any, operands: Any, call: Any) -> Any:
    """A call for each element along `dims` of the operands, and the axes of the results that have them: one call, whose first
    loop dimension they are."""
    cores = _abstract.core_counts(function)
    moved = [x if d is None else x.movedim(d, 0) for x, d in zip(operands, dims)]
    if cores is None:  # of layouts whose operands may lack dimensions
        torch = sys.modules["torch"]
        made = [call(*[x if d is None else x[k] for x, d in zip(moved, dims)]) for k in range(count)]
        return (torch.stack(made), 0) if function.nout == 1 else (tuple(map(torch.stack, zip(*made))), (0,) * function.nout)
    loops = [x.dim() - core - 1 if d is not None else x.dim() - core if hasattr(x, "dim") else 0
             for x, d, core in zip(moved, dims, cores)]
    most = max(loops)
    given = [x if d is None else x.reshape((count, *(1,) * (most - n), *x.shape[1:])) for x, d, n in zip(moved, dims, loops)]
    return call(*given), 0 if function.nout == 1 else (0,) * function.nout
