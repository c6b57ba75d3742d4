"""Exceptions: a class for each status of the runtime, with the runtime's own message."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    class AxisError(ValueError, IndexError):
        """NumPy's, wherever this version of it has it."""
elif hasattr(np, "exceptions"):
    AxisError = np.exceptions.AxisError
else:  # before NumPy 1.25
    AxisError = np.AxisError


class Error(Exception):
    """The base class of all errors of gpucc."""


class InvalidArgument(Error, ValueError):
    """An argument that no call takes: an array of another device, a read-only output."""


class OutOfMemory(Error, MemoryError):
    """The host's memory or the device's ran out; the message has the bytes."""


class NoDevice(Error):
    """The device does not exist."""


class NoDriver(Error):
    """The CUDA driver is missing or too old."""


class NotFound(Error, LookupError):
    """No function or variable of this name."""


class BadProgram(Error):
    """An artefact is damaged, of two compilations, or has nothing for this device."""


class BadShape(Error, ValueError):
    """Shapes, indices or layouts do not fit."""


class BadAxis(BadShape, AxisError):
    """An axis that the array has not."""

    def __init__(self, message: str) -> None:
        super().__init__(message)


class BadIndex(BadShape, IndexError):
    """An index that is out of bounds."""


class BadType(Error, TypeError):
    """No loop takes these types, or a kernel another one."""


class BadNumber(BadType, OverflowError):
    """A number of Python's that the loop's type does not hold."""


class BadMethod(InvalidArgument, TypeError, RuntimeError):
    """A method of what has none, a gufunc."""


class BadLaunch(Error, ValueError):
    """A launch beyond a limit; the message has both numbers."""


class Unsupported(Error, RuntimeError):
    """Not possible on this device."""


class DeviceError(Error, RuntimeError):
    """The device or its driver reported an error, perhaps of work enqueued earlier."""


class Interrupted(Error):
    """A launch on the CPU ended early, without an exception of a signal handler."""


class FileError(Error, OSError):
    """A file cannot be read, or not be kept."""


class CompileError(Error):
    """A source is wrong, or cannot be compiled here; the message has the compiler's diagnostics."""


# By gpucc_status_name().
OF_STATUS: dict[str, type[Error]] = {
    "GPUCC_INVALID_ARGUMENT": InvalidArgument,
    "GPUCC_NO_MEMORY": OutOfMemory,
    "GPUCC_NO_DEVICE": NoDevice,
    "GPUCC_NO_DRIVER": NoDriver,
    "GPUCC_NOT_FOUND": NotFound,
    "GPUCC_BAD_PROGRAM": BadProgram,
    "GPUCC_BAD_SHAPE": BadShape,
    "GPUCC_BAD_AXIS": BadAxis,
    "GPUCC_BAD_INDEX": BadIndex,
    "GPUCC_BAD_NUMBER": BadNumber,
    "GPUCC_BAD_TYPE": BadType,
    "GPUCC_BAD_LAUNCH": BadLaunch,
    "GPUCC_UNSUPPORTED": Unsupported,
    "GPUCC_DEVICE_ERROR": DeviceError,
    "GPUCC_IO_ERROR": FileError,
    "GPUCC_INTERRUPTED": Interrupted,
    "GPUCC_NO_COMPILER": CompileError,
    "GPUCC_BAD_SOURCE": CompileError,
}
