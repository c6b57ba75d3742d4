"""Where a wheel has gpucc itself: command, compiler, libraries, headers and CMake's files."""
from pathlib import Path

#: it exists in wheels with the compiler
PREFIX = Path(__file__).resolve().parent / "prefix"
