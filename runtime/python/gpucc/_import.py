"""`import trig` where a folder has trig.c."""
from __future__ import annotations

import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Sequence

from ._compile import compile

if TYPE_CHECKING:
    from importlib.abc import Loader
else:
    Loader = object  # importing it takes long


class _Loader(Loader):
    def __init__(self, path: Path, options: Sequence[str]) -> None:
        self.path, self.options = path, options

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        program = compile(self.path, options=self.options)
        module.__doc__ = program.__doc__
        module.__dict__.update(program.functions, program=program)


class _Finder:
    def __init__(self, folder: Path, options: Sequence[str]) -> None:
        self.folder, self.options = folder, tuple(options)

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        source = self.folder / f"{name}.c"
        if not source.is_file():
            return None
        return importlib.util.spec_from_loader(name, _Loader(source, self.options), origin=str(source))


def import_from(folder: str | os.PathLike[str], *, options: Sequence[str] = ()) -> None:
    """From now on `import trig` compiles trig.c of that folder, where no module is called so: its functions are the
    module's, with `program` for the whole.  `options` are the compiler's."""
    finder = _Finder(Path(folder).resolve(), options)
    if not any(isinstance(f, _Finder) and f.folder == finder.folder and f.options == finder.options for f in sys.meta_path):
        sys.meta_path.append(finder)
