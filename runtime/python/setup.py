"""Puts libgpucc.so, its terms and, where there is a C compiler and Python's headers, the extension into the package.  The
wheel's tag names the Pythons that the extension is for: this one, or from 3.12 on all later ones; any without the extension.
GPUCC_LIBRARY, or the tree's build, has the library; <gpucc/runtime.h> is in the folder include of one above it.
GPUCC_WHEEL_PREFIX is an installed tree with the compiler, which then is part of the package, with the command gpucc.  That
wheel is for all Pythons.
GPUCC_WHEEL_EXTENSIONS is a folder with the extension for some Pythons, which then is not built here."""
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Distribution, Extension, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[1]
LIBRARY = Path(os.environ.get("GPUCC_LIBRARY") or TREE / "build" / "lib" / "libgpucc.so")
PREFIX = os.environ.get("GPUCC_WHEEL_PREFIX")
EXTENSIONS = os.environ.get("GPUCC_WHEEL_EXTENSIONS")
# Python's stable ABI has what the extension needs: one for this version and later ones.  Pythons without a global lock have
# no stable ABI before 3.15.
STABLE = sys.version_info >= (3, 12) and not sysconfig.get_config_var("Py_GIL_DISABLED")
TERMS = [file for file in (HERE / "copyright", TREE / "cmake" / "debian" / "copyright") if file.exists()][:1]


def build_library():
    """Builds gpucc in the tree, with its compiler, as far as the machine has what that needs."""
    if os.environ.get("GPUCC_LIBRARY") or not (TREE / "CMakeLists.txt").exists() or not shutil.which("cmake"):
        raise SystemExit(how_to_build())
    folder = TREE / "build"
    configure = ["cmake", "-S", TREE, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DGPUCC_TESTS=OFF"]
    build = ["cmake", "--build", folder, "--parallel", "--target", "gpucc-shared", "gpucc"]
    configured = (folder / "CMakeCache.txt").exists() or not subprocess.run(configure).returncode
    if not configured or subprocess.run(build).returncode or not LIBRARY.exists():
        raise SystemExit(how_to_build())


def how_to_build():
    missing = f"gpucc is not built: {LIBRARY} does not exist."
    if os.environ.get("GPUCC_LIBRARY") or not (TREE / "samples" / "run").exists():
        return f"{missing} Install gpucc, and set GPUCC_LIBRARY to its libgpucc.so"
    return f"{missing} Type\n    {TREE / 'samples' / 'run'}\n    pip install {HERE}"


class WithLibrary(build_py):
    def run(self):
        super().run()
        if not LIBRARY.exists():
            build_library()
        folder = Path(self.build_lib, "gpucc")
        if PREFIX:
            shutil.copytree(PREFIX, folder / "prefix", dirs_exist_ok=True)
        else:
            shutil.copy(LIBRARY, folder / "libgpucc.so")
        if EXTENSIONS:
            shutil.copytree(EXTENSIONS, folder, dirs_exist_ok=True)
        for file in TERMS:
            shutil.copy(file, folder)


class WithTerms(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for file in TERMS:
            shutil.copy(file, base_dir)


class Tagged(bdist_wheel):
    def get_tag(self):
        python, abi, platform = super().get_tag()
        if EXTENSIONS and not PREFIX and os.listdir(EXTENSIONS) == ["_native.abi3.so"]:
            return "cp312", "abi3", platform
        if EXTENSIONS or not any(map(os.path.exists, self.get_finalized_command("build_ext").get_outputs())):
            return "py3", "none", platform
        return ("cp312", "abi3", platform) if STABLE else (python, abi, platform)


class ForPlatform(Distribution):
    def has_ext_modules(self):
        return True


def extensions():
    headers = [folder / "include" for folder in LIBRARY.resolve().parents if (folder / "include/gpucc/runtime.h").exists()]
    if EXTENSIONS or not headers:
        return []
    sources = sorted(str(file.relative_to(HERE)) for file in HERE.glob("native/*.c"))
    return [Extension("gpucc._native", sources, include_dirs=[str(headers[0])], py_limited_api=STABLE, optional=True,
                      define_macros=[("Py_LIMITED_API", "0x030C0000")] if STABLE else [])]


setup(distclass=ForPlatform, ext_modules=extensions(),
      entry_points={"console_scripts": ["gpucc = _gpucc_command:main"]} if PREFIX else {},
      cmdclass={"build_py": WithLibrary, "sdist": WithTerms, "bdist_wheel": Tagged})
