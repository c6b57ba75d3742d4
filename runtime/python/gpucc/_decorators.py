"""Decorators for functions whose body is C: their docstring, or a text."""
from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from ._compile import compile
from ._kernel import Kernel
from ._ufunc import Ufunc

_SIGNATURE = re.compile(r"\s*(\w+)\s*\(([\w\s,]*)\)\s*")


def _body(function: Callable[..., Any]) -> str:
    if not function.__doc__ or not function.__doc__.strip():
        raise TypeError(f"{function.__name__}() needs a docstring with the function's body in C")
    return textwrap.indent(textwrap.dedent(inspect.cleandoc(function.__doc__)), "    ")


def _compiled(name: str, text: str, options: Sequence[str], includes: Sequence[str]) -> Any:
    head = "".join(f"#include <{file}>\n" for file in ("gpucc.h", "math.h", *includes))
    return compile(head + text, options=options, name=name)[name]


def _types(name: str, signatures: Sequence[str], count: int) -> list[list[str]]:
    """Each loop's types, the result's first."""
    if not signatures:
        raise TypeError(f"{name}() needs a signature, such as 'float64(float64, float64)'")
    found = []
    for text in signatures:
        parts = _SIGNATURE.fullmatch(text)
        types = [parts[1], *[word.strip() for word in parts[2].split(",") if word.strip()]] if parts else []
        if len(types) != count + 1:
            raise TypeError(f"{name}(): {text!r} is no signature of a function of {count} parameters, such as "
                            f"'float64({', '.join(['float64'] * count)})'")
        found.append(types)
    return found


def _parameters(name: str, loops: list[list[str]]) -> tuple[str, list[str]]:
    """The declaration of the type that differs from loop to loop, and the types of one function for all."""
    columns = list(zip(*loops))
    varying = {column for column in columns if len(set(column)) > 1}
    if len(varying) > 1:
        raise TypeError(f"{name}(): the types that differ between the signatures must be the same everywhere; write several "
                        "functions, or one in C with a type variable for each")
    declared = "".join(f"typevar(T, {', '.join(column)});\n" for column in varying)
    return declared, ["T" if column in varying else column[0] for column in columns]


def vectorize(*signatures: str, identity: Any = None, reorderable: bool = False, options: Sequence[str] = (),
              includes: Sequence[str] = ()) -> Callable[[Callable[..., Any]], Ufunc]:
    """Makes a ufunc of a function whose docstring is its body in C; `signatures` are those of its loops.

    >>> import gpucc, numpy
    >>> @gpucc.vectorize("float32(float32, float32)", "float64(float64, float64)", identity=0)
    ... def add(x, y):
    ...     "return x + y;"
    >>> add(numpy.arange(3.0), 10)
    array([10., 11., 12.])
    """
    def decorate(function: Callable[..., Any]) -> Ufunc:
        name, names = function.__name__, list(inspect.signature(function).parameters)
        declared, types = _parameters(name, _types(name, signatures, len(names)))
        parameters = ", ".join(f"{dtype} {each}" for dtype, each in zip(types[1:], names))
        says = ("" if identity is None else f" identity({identity})") + (" reorderable" if reorderable else "")
        made: Ufunc = _compiled(name, f"{declared}vectorize(){says}\n{types[0]} {name}({parameters})\n{{\n"
                                f"{_body(function)}\n}}\n", options, includes)
        return made
    return decorate


def guvectorize(layout: str, parameters: str, *, options: Sequence[str] = (),
                includes: Sequence[str] = ()) -> Callable[[Callable[..., Any]], Ufunc]:
    """Makes a gufunc: `layout` and `parameters` are written as in C, and the docstring is the body.

    >>> import gpucc, numpy
    >>> @gpucc.guvectorize("(n),(n)->()", "size_t n, const double x[n], const double y[n], double *out")
    ... def inner(x, y):
    ...     '''
    ...     *out = 0;
    ...     for (size_t i = 0; i < n; i++)
    ...         *out += x[i] * y[i];
    ...     '''
    >>> float(inner(numpy.arange(3.0), numpy.ones(3)))
    3.0
    """
    def decorate(function: Callable[..., Any]) -> Ufunc:
        name = function.__name__
        made: Ufunc = _compiled(name, f"guvectorize({layout})\nvoid {name}({parameters})\n{{\n{_body(function)}\n}}\n",
                                options, includes)
        return made
    return decorate


def kernel(parameters: str, *, options: Sequence[str] = (),
           includes: Sequence[str] = ()) -> Callable[[Callable[..., Any]], Kernel]:
    """Makes a kernel: `parameters` are written as in C, and the docstring is the body.

    >>> import gpucc, numpy
    >>> @gpucc.kernel("size_t n, float by, float x[n]")
    ... def scale(n, by, x):
    ...     '''
    ...     size_t i = grid(1);
    ...     if (i < n)
    ...         x[i] *= by;
    ...     '''
    >>> x = numpy.arange(3, dtype="f4")
    >>> scale[1, 32](3, 2.0, x)
    >>> x
    array([0., 2., 4.], dtype=float32)
    """
    def decorate(function: Callable[..., Any]) -> Kernel:
        name = function.__name__
        made: Kernel = _compiled(name, f"kernel void {name}({parameters})\n{{\n{_body(function)}\n}}\n", options, includes)
        return made
    return decorate
