"""notebook.py: %%gpucc compiles a cell, in IPython where it is installed."""
import importlib.util

import numpy as np

import gpucc
from check import raises, same
from gpucc._notebook import run_cell

CELL = """#include <gpucc.h>
vectorize(float64(float64, float64)) double add(double x, double y) { return x + y + OFFSET; }
"""
WRONG = """#include <gpucc.h>
vectorize(float64(float64)) double wrong(double x) { return y; }
"""


def test_cells():
    names = {}
    run_cell(names, "-DOFFSET=100", CELL)
    assert list(names) == ["add"]
    same(names["add"](np.ones(2), 1.0), np.array([102.0, 102]))
    run_cell(names, "--name sums -DOFFSET=1", CELL)
    assert isinstance(names["sums"], gpucc.Program) and names["sums"].add(1, 2) == 4 and names["add"](1, 2) == 103
    with raises(gpucc.CompileError, "cell", ":3:", "'y'"):  # the cell's third line, behind that of the magic
        run_cell(names, "", WRONG)
    with raises(gpucc.InvalidArgument, "--name 3"):
        run_cell(names, "--name 3", CELL)
    with raises(gpucc.InvalidArgument, "--name", "expected"):
        run_cell(names, "--name", CELL)


def test_ipython():
    from IPython.core.error import UsageError
    from IPython.core.interactiveshell import InteractiveShell
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "gpucc")
    assert shell.run_cell("%%gpucc -DOFFSET=5\n" + CELL).success
    assert shell.run_cell("answer = add(1.0, 2.0)").success and shell.user_ns["answer"] == 8
    failed = shell.run_cell("%%gpucc\n" + WRONG)
    assert isinstance(failed.error_in_exec, UsageError) and "'y'" in str(failed.error_in_exec)


test_cells()
if importlib.util.find_spec("IPython"):
    test_ipython()
print("all right")
