"""Puts libgpucc.so and its terms into the package, and calls the wheel what that makes it: for any Python 3, and for
this platform.  GPUCC_LIBRARY, or the tree's build, has it."""
import os
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

TREE = Path(__file__).resolve().parents[2]


class WithLibrary(build_py):
    def run(self):
        super().run()
        library = Path(os.environ.get("GPUCC_LIBRARY") or TREE / "build" / "lib" / "libgpucc.so")
        if not library.exists():
            raise SystemExit(f"there is no {library}: build gpucc first, or set GPUCC_LIBRARY to libgpucc.so")
        folder = Path(self.build_lib, "gpucc")
        shutil.copy(library, folder / "libgpucc.so")
        for terms in TREE.glob("cmake/debian/copyright"):
            shutil.copy(terms, folder)


class ForAnyPython(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class ForPlatform(Distribution):
    def has_ext_modules(self):
        return True


setup(distclass=ForPlatform, cmdclass={"build_py": WithLibrary, "bdist_wheel": ForAnyPython})
