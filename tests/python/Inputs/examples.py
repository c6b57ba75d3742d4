"""examples.py PAGE…: the examples in the package's modules and in these pages."""
import doctest
import importlib
import os
import pkgutil
import sys

import gpucc

os.environ["GPUCC_DEVICE"] = "cpu"
results = [doctest.testmod(gpucc)]
for module in pkgutil.iter_modules(gpucc.__path__):
    try:
        results.append(doctest.testmod(importlib.import_module("gpucc." + module.name)))
    except ModuleNotFoundError as missing:
        if missing.name.startswith("gpucc"):
            raise
        print(f"skipped: gpucc.{module.name} needs {missing.name}")
results += [doctest.testfile(os.path.abspath(page), module_relative=False) for page in sys.argv[1:]]
if any(result.failed for result in results):
    sys.exit(1)
print(sum(result.attempted for result in results), "examples")
