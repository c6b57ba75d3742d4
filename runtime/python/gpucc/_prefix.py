"""The place of gpucc itself in a wheel: command, compiler, libraries, headers and files for CMake."""
from pathlib import Path

#: it exists in wheels with the compiler
PREFIX = Path(__file__).resolve().parent / "prefix"
