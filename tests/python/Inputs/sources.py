"""sources.py: sources, artefacts and the cache, in an empty folder with functions.so, functions.ptx and functions.json."""
import errno
import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np

import gpucc
from gpucc import _compile, _compiler, _program
from check import raises

TEXT = """
#include <gpucc.h>
#include "step.h"
/* Adds a step. */
vectorize(float64(float64)) double step(double x) { return x + STEP; }
"""


def test_folders():
    """GPUCC_CACHE_DIR has a folder for programs; GPUCC_CACHE, the older name, is one."""
    before = dict(os.environ)
    os.environ |= {"XDG_CACHE_HOME": os.path.abspath("home"), "GPUCC_CACHE_DIR": "all"}
    assert _program.cache_folder() == Path("all/programs")
    os.environ["GPUCC_CACHE_DIR"] = "functions.so"  # where none can be
    assert _program.cache_folder() == Path("home/gpucc/programs").absolute()
    del os.environ["GPUCC_CACHE_DIR"]
    assert _program.cache_folder() == Path("cache").absolute()
    del os.environ["GPUCC_CACHE"]
    assert _program.cache_folder() == Path("home/gpucc/programs").absolute()
    os.environ |= before


def test_command():
    """The small command that is called starts another program, which has the compiler in it."""
    real = Path(os.environ.get("GPUCC", shutil.which("gpucc") or "/")).resolve()
    if not real.is_file():
        return
    shutil.rmtree("tree", ignore_errors=True)
    for path in (real, real.parent.parent / "libexec" / "gpucc" / "gpucc-compile"):
        copy = Path("tree") / path.relative_to(real.parent.parent)
        copy.parent.mkdir(parents=True)
        shutil.copy2(path, copy)
    key = _compile._key(_compiler.Command("tree/bin/gpucc").files, [], b"", "x")
    data = copy.read_bytes()
    copy.unlink()
    copy.write_bytes(data + b"\0")
    assert key != _compile._key(_compiler.Command("tree/bin/gpucc").files, [], b"", "x")
    shutil.rmtree("tree")


def test_appearing():
    """A header that was looked for in vain, and is there the next time.  The command does not tell where it looked."""
    if isinstance(_compiler.compiler(), _compiler.Command):
        return
    text = TEXT.replace('#include "step.h"', '#if __has_include("late.h")\n#include "late.h"\n#else\n#define STEP 1.0\n#endif')
    assert gpucc.compile(text).step(2.0) == 3 and gpucc.compile(text).step(2.0) == 3
    Path("late.h").write_text("#define STEP 9.0\n")
    assert gpucc.compile(text).step(2.0) == 11
    Path("late.h").unlink()
    assert gpucc.compile(text).step(2.0) == 3


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
    line = Path(__file__).read_text(encoding="utf-8").splitlines()[caught[0].lineno - 1]
    assert caught[0].filename == __file__ and 'name="halves"' in line
    for wrong in ("steps.c", defined.encode(), None):
        with raises(TypeError, "pathlib.Path"):
            gpucc.compile(wrong)
    with raises(TypeError, "list"):
        gpucc.compile(defined, options="-DSTEP=1")


def test_encodings():
    """A source's bytes are the compiler's matter, whatever the locale."""
    plain = TEXT.replace('#include "step.h"', "").replace("STEP", "1")
    Path("latin 1 ü.c").write_bytes("/* naïve */".encode("latin-1") + plain.encode())
    assert gpucc.compile(Path("latin 1 ü.c")).step(1.0) == 2
    code = f"import gpucc; assert gpucc.compile({'/* …ü */' + plain!a}).step(1.0) == 2"
    subprocess.run([sys.executable, "-X", "warn_default_encoding", "-X", "utf8=0", "-W", "error", "-c", code], check=True,
                   env={**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "utf-8"})


def test_damaged_cache():
    plain = TEXT.replace('#include "step.h"', "").replace("STEP", "3")
    code = f"import gpucc; assert gpucc.compile({plain!r}, name='kept').step(1.0) == 4"
    before = set(Path("cache").iterdir())
    for text in ("null", "[]", "", '{"library": 3}', '{"library": "x", "headers": 3}', None):
        subprocess.run([sys.executable, "-c", code], check=True)
        about, library = sorted(set(Path("cache").iterdir()) - before, key=lambda path: path.suffix)
        if text is None:
            library.write_bytes(b"")
        else:
            about.write_text(text)
    subprocess.run([sys.executable, "-c", code], check=True)


def test_full_cache():
    """A file that finds no room leaves nothing behind."""
    shutil.copy("functions.so", "growing.so")
    gpucc.load("growing.so")
    with open("growing.so", "ab") as file:
        file.write(b"more")
    there, limits = sorted(Path("cache").iterdir()), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with raises(gpucc.FileError, "cache"):
            gpucc.load("growing.so")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert sorted(Path("cache").iterdir()) == there and gpucc.load("growing.so").add(1, 2) == 3


def test_environment():
    before = {name: os.environ.get(name) for name in ("GPUCC",)}
    for name in before:
        os.environ[name] = "/nowhere/at-all"  # no command
        with raises(gpucc.CompileError):
            gpucc.compile(f"#include <gpucc.h>\n/* {name} */ vectorize(int8(int8)) int8 same(int8 x) {{ return x; }}")
        os.environ.pop(name)
        if before[name]:
            os.environ[name] = before[name]


def test_places():
    """The package may lie right below the root."""
    file = Path(gpucc._library.__file__)
    names = {"__name__": "gpucc._library", "__package__": "gpucc", "__file__": "/gpucc/_library.py"}
    exec(file.read_text(encoding="utf-8"), names)
    assert names["library"].gpucc_dtype_name(0) == b"boolean"


def test_imports():
    folder = Path("kernels")
    folder.mkdir()
    (folder / "gpucc_thirds.c").write_text("#include <gpucc.h>\n/* A third. */\nvectorize(float64(float64))\n"
                                           "double third(double x) { return x / 3; }\n")
    (folder / "json.c").write_text("no program")
    gpucc.import_from(folder)
    gpucc.import_from(folder)
    import gpucc_thirds
    import json as text  # Python's own comes first
    from gpucc_thirds import third
    assert third(np.full(2, 3.0)).tolist() == [1, 1] and gpucc_thirds.program.third is third and text is json
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
    with raises(AttributeError, "has no 'multiply'; it has add"):
        library.multiply
    shutil.copy("cast.so", "again.so")  # the file of a program that goes on running
    assert gpucc.load("again.so") is not library and library.add(1, 2) == 3
    with raises(gpucc.FileError, "nothing.so"):
        gpucc.load("nothing.so")
    try:
        gpucc.load("nothing.so")
    except OSError as error:
        assert (error.errno, error.filename) == (errno.ENOENT, "nothing.so")
    Path("manifest.json").write_text("{}")
    for name, manifest in (("functions.ptx", "manifest.json"), ("functions.ptx", "functions.ptx")):
        with raises(gpucc.BadProgram, "manifest"):
            gpucc.load(name, manifest)
    for key, wrong in (("functions", 3), ("functions", [3]), ("loops", 3), ("loops", []), ("name", [])):
        about = json.loads(Path("functions.json").read_text())
        (about if key == "functions" else next(f for f in about["functions"] if f["kind"] == "kernel"))[key] = wrong
        Path("manifest.json").write_text(json.dumps(about))
        with raises(gpucc.BadProgram, "manifest"):
            gpucc.load("functions.ptx", "manifest.json")
    whole = Path("functions.so").read_bytes()
    for length in (0, 10, 64, 1000, len(whole) // 2, len(whole) - 1):
        Path("part.so").write_bytes(whole[:length])
        with raises(gpucc.BadProgram, "part.so"):
            gpucc.load("part.so")
    Path("other.ptx").write_text(Path("functions.ptx").read_text().replace("gpucc-abi: ", "gpucc-abi: 1", 1))
    with raises(gpucc.BadProgram):
        gpucc.load("other.ptx", "functions.json").add(x, x)


def test_ptx():
    text = Path("functions.ptx").read_text()
    program, both = gpucc.load("functions.ptx"), gpucc.compile(
        "#include <gpucc.h>\nvectorize(float32(float32)) float half(float x) { return x / 2; }", options=["--arch=sm_80,sm_90"])
    assert program.ptx() == program.ptx("sm_90") == text
    old, new = both.ptx("sm_86"), both.ptx()
    assert ".target sm_80" in old and ".target sm_90" in new and both.ptx("sm_90a") == new
    for arch, kind, *parts in (("sm_75", gpucc.NotFound, "no PTX for sm_75", "sm_80, sm_90"),
                               ("90", gpucc.InvalidArgument, "'90'", "sm_90")):
        with raises(kind, *parts):
            both.ptx(arch)


def test_source_and_header():
    text = "#include <gpucc.h>\nvectorize(int32(int32)) int32 same(int32 x) { return x + N; }\n"
    program = gpucc.compile(text, name="both", options=["-DN=0"])
    assert program.source == text and "static inline gpucc_status same(" in program.header
    assert "GPUCC_HEADER_both" in program.header
    with raises(gpucc.NotFound, "loaded, and not compiled", "functions.c"):
        gpucc.load("functions.so").header


def test_forks():
    library = gpucc.load("functions.so")
    before = gpucc.asarray(np.arange(3.0), device="cpu")
    assert library.add(before, 1).to_numpy()[0] == 1
    held, done = threading.Event(), threading.Event()

    def load_something():
        with gpucc._program._lock:
            held.set()
            done.wait()
    busy = threading.Thread(target=load_something)
    busy.start()
    held.wait()
    child = os.fork()
    if child == 0:
        code = 1
        signal.alarm(60)
        try:
            assert gpucc.load("functions.so") is library  # though a thread of the parent's was loading
            with raises(gpucc.InvalidArgument):
                library.add(before, 1)
            assert library.add(gpucc.asarray(np.arange(3.0), device="cpu"), 1).to_numpy()[0] == 1
            assert library.add(np.arange(3.0), 1)[0] == 1
            code = 0
        finally:
            os._exit(code)
    done.set()
    busy.join()
    assert os.waitpid(child, 0)[1] == 0
    assert library.add(before, 1).to_numpy()[0] == 1


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
print("all right")
