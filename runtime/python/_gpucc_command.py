"""The command `gpucc` of a wheel.  It lies outside the package, whose import loads NumPy and takes longer than a
compilation."""
import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

OWN = Path(__file__).resolve().parent / "gpucc" / "prefix" / "bin" / "gpucc"


def main() -> NoReturn:
    """Becomes this wheel's command, else the one on the PATH."""
    command = str(OWN) if OWN.exists() else shutil.which("gpucc")
    if not command:
        sys.exit("gpucc: error: this Python package has no compiler, and PATH has no gpucc; install a wheel with the compiler")
    os.execv(command, [command, *sys.argv[1:]])
