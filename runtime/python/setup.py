"""Puts libgpucc.so, its terms and, where there is a C compiler and Python's headers, the extension into the package, and
calls the wheel what that makes it: for any Python 3, as the package does without the extension, and for this platform.
GPUCC_LIBRARY, or the tree's build, has the library; <gpucc/runtime.h> is in the folder include of one above it."""
import os
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Distribution, Extension, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

TREE = Path(__file__).resolve().parents[2]
LIBRARY = Path(os.environ.get("GPUCC_LIBRARY") or TREE / "build" / "lib" / "libgpucc.so")
STABLE = sys.version_info >= (3, 12)  # Python's stable ABI has what the extension needs: one for this version and later ones


class WithLibrary(build_py):
    def run(self):
        super().run()
        if not LIBRARY.exists():
            raise SystemExit(f"there is no {LIBRARY}: build gpucc first, or set GPUCC_LIBRARY to libgpucc.so")
        folder = Path(self.build_lib, "gpucc")
        shutil.copy(LIBRARY, folder / "libgpucc.so")
        for terms in TREE.glob("cmake/debian/copyright"):
            shutil.copy(terms, folder)


class ForAnyPython(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class ForPlatform(Distribution):
    def has_ext_modules(self):
        return True


def extensions():
    headers = [folder / "include" for folder in LIBRARY.resolve().parents if (folder / "include/gpucc/runtime.h").exists()]
    if not headers or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return []
    sources = sorted(str(file.relative_to(Path(__file__).parent)) for file in Path(__file__).parent.glob("native/*.c"))
    return [Extension("gpucc._native", sources, include_dirs=[str(headers[0])], py_limited_api=STABLE, optional=True,
                      define_macros=[("Py_LIMITED_API", "0x030C0000")] if STABLE else [])]


setup(distclass=ForPlatform, cmdclass={"build_py": WithLibrary, "bdist_wheel": ForAnyPython}, ext_modules=extensions())
