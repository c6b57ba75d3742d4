"""examples.py PAGE…: the examples in the package's modules and in these pages."""
import doctest
import importlib
import os
import pkgutil
import sys

import gpucc

os.environ["GPUCC_DEVICE"] = "cpu"
modules = [gpucc] + [importlib.import_module("gpucc." + m.name) for m in pkgutil.iter_modules(gpucc.__path__)]
results = [doctest.testmod(module) for module in modules]
results += [doctest.testfile(os.path.abspath(page), module_relative=False) for page in sys.argv[1:]]
if any(result.failed for result in results):
    sys.exit(1)
print(sum(result.attempted for result in results), "examples")
