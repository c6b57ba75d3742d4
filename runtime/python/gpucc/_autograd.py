"""Calls of functions with an adjoint, as steps that PyTorch's automatic differentiation records."""
from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._ufunc import Ufunc


def wants_gradient(x: Any) -> bool:
    return "torch" in sys.modules and bool(getattr(x, "requires_grad", False))


def differentiable(function: Ufunc, operands: tuple[Any, ...], out: Any, options: dict[str, Any]) -> Any:
    """A call of which an operand requires a gradient; without one where PyTorch records nothing."""
    torch = sys.modules["torch"]
    if not torch.is_grad_enabled():
        return function(*map(_plain, operands), **options, **({} if out is None else {"out": out}))
    if out is not None or options:
        raise TypeError(f"{function.__name__}(): a call with tensors that require a gradient takes inputs alone: pass "
                        "x.detach()")
    if len(operands) != function.nin:
        raise function._wrong_count(len(operands))
    if function.adjoint is None:
        raise TypeError(f"a tensor requires a gradient, and {function.__name__!r} has no adjoint: write 'adjoint("
                        f"{function.__name__}_vjp, {function.__name__});' behind it, or pass x.detach()")
    return _step().apply(function, *operands)


def _plain(x: Any) -> Any:
    return x.detach() if wants_gradient(x) else x


def _tensors(results: Any, like: Any) -> tuple[Any, ...]:
    """Results on the host are NumPy's."""
    torch = sys.modules["torch"]
    made = results if isinstance(results, tuple) else (results,)
    return tuple([x if isinstance(x, torch.Tensor) else torch.as_tensor(np.asarray(x), device=like.device) for x in made])


@cache
def _step() -> Any:
    torch = sys.modules["torch"]

    class Step(torch.autograd.Function):  # type: ignore[misc, name-defined]
        """The adjoint of a call is a call of the adjoint, which may be derived again."""

        @staticmethod
        def forward(context: Any, function: Ufunc, *operands: Any) -> Any:
            tensors = [k for k, x in enumerate(operands) if isinstance(x, torch.Tensor)]
            context.save_for_backward(*[operands[k] for k in tensors])
            context.function, context.tensors = function, tensors
            context.others = [None if k in tensors else x for k, x in enumerate(operands)]
            made = _tensors(function(*map(_plain, operands)), operands[tensors[0]])
            return made[0] if function.nout == 1 else made

        @staticmethod
        def backward(context: Any, *cotangents: Any) -> Any:
            function, operands = context.function, list(context.others)
            for k, x in zip(context.tensors, context.saved_tensors):
                operands[k] = x
            bars = iter(_tensors(function.adjoint(*operands, *cotangents), cotangents[0]))
            given: list[Any] = [next(bars) if k in function.derived else None for k in range(function.nin)]
            wanted = context.needs_input_grad[1:]
            return (None, *[_reduced(bar, x) if bar is not None and needed else None
                            for bar, x, needed in zip(given, operands, wanted)])

    return Step


def _reduced(bar: Any, x: Any) -> Any:
    """Sums along the axes in which the operand was broadcast."""
    return (bar if bar.shape == x.shape else bar.sum_to_size(x.shape)).to(x.dtype)
