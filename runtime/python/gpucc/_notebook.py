"""IPython's `%%gpucc`: a cell in C, whose functions the cells below call.  `%load_ext gpucc` registers it."""
from __future__ import annotations

import argparse
import importlib
import shlex
from typing import Any, NoReturn

from . import _errors
from ._compile import compile


class _Options(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _errors.InvalidArgument(f"%%gpucc: {message}")


def run_cell(namespace: dict[str, Any], line: str, cell: str) -> None:
    """Compiles a cell and adds its functions to `namespace`, or the program under the name that `line` has.  The compiler's
    lines are those of the cell, whose first is the magic."""
    options = _Options(prog="%%gpucc", add_help=False, allow_abbrev=False)
    options.add_argument("--name")
    given, words = options.parse_known_args(shlex.split(line))
    if given.name is not None and not given.name.isidentifier():
        raise _errors.InvalidArgument(f"%%gpucc: --name {given.name} is not an identifier")
    program = compile("\n" + cell, options=words, name=given.name or "cell")
    namespace.update({given.name: program} if given.name else program.functions)


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext gpucc`."""
    def gpucc(line: str, cell: str) -> None:
        """%%gpucc [--name NAME] [OPTION…]: compiles the cell; the options are the compiler's."""
        try:
            run_cell(shell.user_ns, line, cell)
        except (_errors.CompileError, _errors.InvalidArgument) as error:  # which is shown without a traceback
            raise importlib.import_module("IPython.core.error").UsageError(str(error)) from None
    shell.register_magic_function(gpucc, "cell")
