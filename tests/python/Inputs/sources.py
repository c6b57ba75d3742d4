"""sources.py: sources, artefacts and the cache, in an empty folder with functions.so, functions.ptx and functions.json."""
import os
import shutil
import stat
import warnings
from pathlib import Path

import numpy as np

import gpucc
from check import raises

TEXT = """
#include <gpucc.h>
#include "step.h"
/* Adds a step. */
vectorize(float64(float64)) double step(double x) { return x + STEP; }
"""


def test_texts():
    Path("step.h").write_text("#define STEP 1.0\n")
    program = gpucc.compile(TEXT, name="steps")
    assert program.step(2.0) == 3 and program.name == "steps" and program.step.doc == "Adds a step."
    made = sorted(Path("cache").glob("*.so"))
    assert gpucc.compile(TEXT, name="steps") is program and sorted(Path("cache").glob("*.so")) == made
    Path("step.h").write_text("#define STEP 5.0\n")
    changed = gpucc.compile(TEXT, name="steps")
    assert changed is not program and changed.step(2.0) == 7 and program.step(2.0) == 3
    defined = TEXT.replace('#include "step.h"', "")
    assert gpucc.compile(defined, options=["-DSTEP=0.5"]).step(2.0) == 2.5
    assert stat.S_IMODE(Path("cache").stat().st_mode) == 0o700
    with raises(gpucc.CompileError, "wrong.c:4:", "'STEP'"):
        gpucc.compile(defined.lstrip("\n"), name="wrong")
    with raises(gpucc.CompileError, "nowhere.c"):
        gpucc.compile(Path("nowhere.c"))
    with raises(ValueError, "identifier"):
        gpucc.compile(TEXT, name="1 + 1")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gpucc.compile("#include <gpucc.h>\nvectorize(float32(float32)) float half(float x) { return x * 0.5; }", name="halves")
    assert caught[0].category is gpucc.CompileWarning and "halves.c:2" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_environment():
    before = {name: os.environ.get(name) for name in ("GPUCC", "CC")}
    for name in before:
        os.environ[name] = "/nowhere/at-all"
        with raises(gpucc.CompileError):
            gpucc.compile(f"#include <gpucc.h>\n/* {name} */ vectorize(int8(int8)) int8 same(int8 x) {{ return x; }}")
        os.environ.pop(name)
        if before[name]:
            os.environ[name] = before[name]


def test_imports():
    folder = Path("kernels")
    folder.mkdir()
    (folder / "gpucc_thirds.c").write_text("#include <gpucc.h>\n/* A third. */\nvectorize(float64(float64))\n"
                                           "double third(double x) { return x / 3; }\n")
    (folder / "json.c").write_text("no program")
    gpucc.import_from(folder)
    gpucc.import_from(folder)
    import gpucc_thirds
    import json  # Python's own comes first
    from gpucc_thirds import third
    assert third(np.full(2, 3.0)).tolist() == [1, 1] and gpucc_thirds.program.third is third and json.dumps(1) == "1"
    assert gpucc_thirds.__spec__.origin.endswith("gpucc_thirds.c")
    (folder / "gpucc_broken.c").write_text("kernel")
    with raises(gpucc.CompileError, "gpucc_broken.c:1"):
        import gpucc_broken


def test_artefacts():
    program = gpucc.load("functions.ptx")
    assert gpucc.load("functions.json") is program is gpucc.load("functions.ptx", "functions.json")
    assert program.add.numpy is None and program.add.types == ["ii->i", "ff->f", "dd->d"]
    x = gpucc.asarray(np.arange(3.0), device="cuda")
    assert program.add(x, 1).to_numpy().tolist() == [1, 2, 3]
    with raises(gpucc.Unsupported):
        program.add(np.arange(3.0), 1)
    library = gpucc.load("functions.so")
    shutil.copy("functions.so", "again.so")
    assert gpucc.load("again.so") is library
    with raises(gpucc.BadProgram, "no program 'other'"):
        gpucc.load("functions.so", name="other")
    with raises(AttributeError, "no 'multiply'; there are add"):
        library.multiply
    shutil.copy("cast.so", "again.so")  # the file of a program that goes on running
    assert gpucc.load("again.so") is not library and library.add(1, 2) == 3
    with raises(gpucc.FileError, "nothing.so"):
        gpucc.load("nothing.so")
    Path("manifest.json").write_text("{}")
    for name, manifest in (("functions.ptx", "manifest.json"), ("functions.ptx", "functions.ptx")):
        with raises(gpucc.BadProgram, "manifest"):
            gpucc.load(name, manifest)
    Path("other.ptx").write_text(Path("functions.ptx").read_text().replace("gpucc-abi: ", "gpucc-abi: 1", 1))
    with raises(gpucc.BadProgram):
        gpucc.load("other.ptx", "functions.json").add(x, x)


def test_forks():
    library = gpucc.load("functions.so")
    before = gpucc.asarray(np.arange(3.0), device="cpu")
    assert library.add(before, 1).to_numpy()[0] == 1
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with raises(gpucc.InvalidArgument):
                library.add(before, 1)
            assert library.add(gpucc.asarray(np.arange(3.0), device="cpu"), 1).to_numpy()[0] == 1
            assert library.add(np.arange(3.0), 1)[0] == 1
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert library.add(before, 1).to_numpy()[0] == 1


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
print("all right")
