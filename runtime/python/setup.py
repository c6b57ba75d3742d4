"""Puts libgpucc.so, and the library that it needs, into the package, and calls the wheel what that makes it: for any
Python 3, and for this platform.  GPUCC_LIBRARY, or the tree's build, has it."""
import os
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent


def needed(library):
    """The path of the libcjson that the loader gives it."""
    said = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
    return [line.split("=>")[1].split()[0] for line in said.splitlines() if "libcjson.so.1 =>" in line]


class WithLibrary(build_py):
    def run(self):
        super().run()
        library = Path(os.environ.get("GPUCC_LIBRARY") or HERE.parents[1] / "build" / "lib" / "libgpucc.so")
        if not library.exists():
            raise SystemExit(f"there is no {library}: build gpucc first, or set GPUCC_LIBRARY to libgpucc.so")
        folder = Path(self.build_lib, "gpucc")
        for path in [library, *needed(library)]:
            shutil.copy(path, folder / ("libgpucc.so" if path is library else "libcjson.so.1"))
        for terms in Path("/usr/share/doc/libcjson1").glob("copyright"):
            shutil.copy(terms, folder / "libcjson.copyright")


class ForAnyPython(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class ForPlatform(Distribution):
    def has_ext_modules(self):
        return True


setup(distclass=ForPlatform, cmdclass={"build_py": WithLibrary, "bdist_wheel": ForAnyPython})
