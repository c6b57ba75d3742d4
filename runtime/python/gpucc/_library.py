"""libgpucc by ctypes: where it is, and its structures and functions as <gpucc/runtime.h> and <gpucc/program.h> declare
them, which tests/python/declarations.test compares."""
from __future__ import annotations

import ctypes
import importlib.util
import os
import sysconfig
from ctypes import (POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64,
                    c_void_p)
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from . import _errors
from ._prefix import PREFIX

HERE = Path(__file__).resolve().parent
#: the build of gpucc's own tree, where the package lies in that; else there is none
BUILDS = [HERE.parents[2] / "build"] if HERE.parts[-3:] == ("runtime", "python", "gpucc") else []


def _open() -> ctypes.CDLL:
    """GPUCC_LIBRARY, or the library beside this file, or the one of the tree's build, or the system's."""
    if os.environ.get("GPUCC_LIBRARY"):
        places = [os.environ["GPUCC_LIBRARY"]]
    else:
        files = [HERE / "libgpucc.so", PREFIX / "lib" / "libgpucc.so.0", *(build / "lib" / "libgpucc.so" for build in BUILDS)]
        places = [str(file) for file in files if file.exists()] + ["libgpucc.so.0"]
    try:
        return ctypes.CDLL(places[0], ctypes.RTLD_GLOBAL)  # native code of programs calls it
    except OSError as error:
        raise ImportError(f"gpucc needs its library, libgpucc.so ({error}): set GPUCC_LIBRARY to its path") from None


library = _open()


def _find_native() -> Any:
    """The extension module, which calls the library that has been opened; None where it was not built for this Python, or
    GPUCC_PYTHON_ALONE asks for none."""
    if os.environ.get("GPUCC_PYTHON_ALONE"):
        return None
    given = os.environ.get("GPUCC_LIBRARY")
    folders = ([Path(given).resolve().parent] if given else []) + [HERE, *(build / "lib" for build in BUILDS)]
    # A Python without a global lock reads the stable ABI's suffix too, but its objects are other ones.
    suffixes = [suffix for suffix in EXTENSION_SUFFIXES
                if suffix != ".abi3.so" or not sysconfig.get_config_var("Py_GIL_DISABLED")]
    for file in [folder / f"_native{suffix}" for folder in folders for suffix in suffixes]:
        if file.exists():
            spec = importlib.util.spec_from_file_location("gpucc._native", file)
            assert spec is not None and spec.loader is not None
            try:
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
            except ImportError:  # the library is an older one, say
                continue
            return module
    return None


native = _find_native()


def path_of_library(name: str = "libgpucc.so") -> str:
    """Returns the path of libgpucc, or of another library, as the system has mapped it."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        paths = [line.rstrip("\n").split(maxsplit=5)[-1] for line in maps if f"/{name}" in line]
    return paths[0] if paths else ""


MAX_DIMS = 64
ALL_AXES = -1
MEMORY_HOST, MEMORY_DEVICE = range(2)
CASTINGS = {None: 0, "no": 1, "equiv": 2, "safe": 3, "same_kind": 4, "unsafe": 5}
ORDERS = {"K": 0, "C": 1, "F": 2, "A": 3}


class Sized(Structure):
    """A structure that begins with its own size, which is filled in."""

    def __init__(self, **fields: object) -> None:
        super().__init__(size=ctypes.sizeof(self), **fields)


LOG = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p)
PROGRESS = ctypes.CFUNCTYPE(None, c_void_p, c_uint64, c_uint64)
INTERRUPT = ctypes.CFUNCTYPE(c_int, c_void_p)


class ContextOptions(Sized):
    _fields_ = [("size", c_size_t), ("device", c_char_p), ("cuda_context", c_void_p), ("cuda_stream", c_void_p),
                ("cpu_threads", c_int), ("log", LOG), ("log_data", c_void_p), ("memory_limit", c_size_t),
                ("progress", PROGRESS), ("progress_data", c_void_p), ("interrupt", INTERRUPT), ("interrupt_data", c_void_p)]


class DeviceInfo(Sized):
    _fields_ = [("size", c_size_t), ("kind", c_int), ("ordinal", c_int), ("name", c_char * 128), ("arch", c_int),
                ("multiprocessors", c_int), ("driver_version", c_int), ("memory", c_uint64), ("memory_free", c_uint64),
                ("max_threads_per_block", c_int), ("max_shared_per_block", c_size_t), ("memory_bandwidth", c_double)]


class WrapOptions(Sized):
    _fields_ = [("size", c_size_t), ("read_only", c_int), ("release", c_void_p), ("release_data", c_void_p),
                ("cuda_stream", c_void_p)]


class ImportOptions(Sized):
    _fields_ = [("size", c_size_t), ("cuda_stream", c_void_p)]


class ExportOptions(Sized):
    _fields_ = [("size", c_size_t), ("cuda_stream", c_void_p), ("copy", c_int)]


class CallOptions(Sized):
    _fields_ = [("size", c_size_t), ("stream", c_void_p), ("where", c_void_p), ("casting", c_int),
                ("dtype", POINTER(c_int)), ("order", c_int), ("axes", POINTER(c_int)), ("axis_count", c_int),
                ("axis", POINTER(c_int)), ("keepdims", c_int), ("signature", POINTER(c_int))]


class ReduceOptions(Sized):
    _fields_ = [("size", c_size_t), ("stream", c_void_p), ("axes", POINTER(c_int)), ("axis_count", c_int),
                ("keepdims", c_int), ("initial", c_void_p), ("dtype", POINTER(c_int)), ("where", c_void_p)]


class AccumulateOptions(Sized):
    _fields_ = [("size", c_size_t), ("stream", c_void_p), ("axis", c_int), ("dtype", POINTER(c_int))]


class ReduceatOptions(Sized):
    _fields_ = AccumulateOptions._fields_


class AtOptions(Sized):
    _fields_ = [("size", c_size_t), ("stream", c_void_p)]


class Launch(Sized):
    _fields_ = [("size", c_size_t), ("grid", c_uint32 * 3), ("block", c_uint32 * 3), ("threads", c_uint64 * 3),
                ("shared", c_size_t), ("stream", c_void_p), ("sizes", POINTER(c_size_t))]


class Image(Structure):
    _fields_ = [("arch", c_uint32), ("isa", c_uint32), ("text", c_char_p), ("size", c_uint64)]


class Native(Structure):
    _fields_ = [("name", c_char_p), ("function", c_void_p)]


class Global(Structure):
    _fields_ = [("name", c_char_p), ("address", c_void_p), ("size", c_uint64)]


class NativeCode(Structure):
    _fields_ = [("target", c_uint64), ("natives", POINTER(Native)), ("native_count", c_uint64),
                ("globals", POINTER(Global)), ("global_count", c_uint64)]


class ProgramImage(Structure):
    _fields_ = [("version", c_uint32), ("image_count", c_uint32), ("abi", c_uint64), ("name", c_char_p),
                ("manifest", c_char_p), ("manifest_size", c_uint64), ("images", POINTER(Image)),
                ("natives", POINTER(Native)), ("native_count", c_uint64), ("globals", POINTER(Global)),
                ("global_count", c_uint64), ("codes", POINTER(NativeCode)), ("code_count", c_uint64), ("self", c_void_p)]


# Results and parameters of each function; every pointer is a void one except returned texts.
FUNCTIONS = {
    "gpucc_status_name": (c_char_p, [c_int]),
    "gpucc_last_error": (c_char_p, []),
    "gpucc_dtype_name": (c_char_p, [c_int]),
    "gpucc_dtype_size": (c_size_t, [c_int]),
    "gpucc_device_count": (c_int, [c_void_p]),
    "gpucc_device_query": (c_int, [c_char_p, c_void_p]),
    "gpucc_native_target": (c_char_p, []),
    "gpucc_context_create": (c_int, [c_void_p, c_void_p]),
    "gpucc_context_destroy": (None, [c_void_p]),
    "gpucc_context_info": (c_int, [c_void_p, c_void_p]),
    "gpucc_context_pin": (c_int, [c_void_p, c_void_p, c_size_t]),
    "gpucc_context_unpin": (c_int, [c_void_p, c_void_p]),
    "gpucc_context_synchronize": (c_int, [c_void_p]),
    "gpucc_context_cuda_stream": (c_void_p, [c_void_p]),
    "gpucc_array_create": (c_int, [c_void_p, c_int, c_int, c_void_p, c_void_p]),
    "gpucc_array_create_split": (c_int, [c_void_p, c_int, c_int, c_void_p, c_void_p]),
    "gpucc_array_part": (c_int, [c_void_p, c_int, c_void_p, c_void_p]),
    "gpucc_array_from_host": (c_int, [c_void_p, c_int, c_int, c_void_p, c_void_p, c_void_p, c_void_p]),
    "gpucc_array_wrap_with": (c_int, [c_void_p, c_int, c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p]),
    "gpucc_array_scalar": (c_int, [c_void_p, c_int, c_void_p, c_void_p]),
    "gpucc_array_number": (c_int, [c_void_p, c_int, c_void_p, c_void_p]),
    "gpucc_array_view": (c_int, [c_void_p, c_int, c_void_p, c_void_p, c_int64, c_void_p]),
    "gpucc_array_release": (None, [c_void_p]),
    "gpucc_array_read": (c_int, [c_void_p, c_void_p, c_size_t]),
    "gpucc_array_write": (c_int, [c_void_p, c_void_p, c_size_t]),
    "gpucc_array_copy": (c_int, [c_void_p, c_void_p]),
    "gpucc_array_dtype": (c_int, [c_void_p]),
    "gpucc_array_ndim": (c_int, [c_void_p]),
    "gpucc_array_shape": (c_void_p, [c_void_p]),
    "gpucc_array_strides": (c_void_p, [c_void_p]),
    "gpucc_array_count": (c_int64, [c_void_p]),
    "gpucc_array_is_read_only": (c_int, [c_void_p]),
    "gpucc_array_data": (c_void_p, [c_void_p]),
    "gpucc_array_memory": (c_int, [c_void_p]),
    "gpucc_array_from_dlpack": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "gpucc_array_from_dlpack_unversioned": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "gpucc_array_to_dlpack": (c_int, [c_void_p, c_void_p, c_void_p]),
    "gpucc_array_to_dlpack_unversioned": (c_int, [c_void_p, c_void_p, c_void_p]),
    "gpucc_array_dlpack_device": (c_int, [c_void_p, c_void_p, c_void_p]),
    "gpucc_program_load": (c_int, [c_void_p, c_void_p, c_void_p]),
    "gpucc_program_cubin": (c_int, [c_void_p, c_void_p, c_void_p]),
    "gpucc_program_load_memory": (c_int, [c_void_p, c_char_p, c_size_t, c_char_p, c_size_t, c_void_p]),
    "gpucc_program_release": (None, [c_void_p]),
    "gpucc_program_ufunc": (c_int, [c_void_p, c_char_p, c_void_p]),
    "gpucc_program_kernel": (c_int, [c_void_p, c_char_p, c_void_p]),
    "gpucc_program_global": (c_int, [c_void_p, c_char_p, c_void_p]),
    "gpucc_ufunc_call": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "gpucc_ufunc_outer": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "gpucc_reduction_call": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "gpucc_ufunc_reduce": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "gpucc_ufunc_accumulate": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "gpucc_ufunc_reduceat": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "gpucc_ufunc_at": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "gpucc_graph_begin": (c_int, [c_void_p]),
    "gpucc_graph_end": (c_int, [c_void_p, c_void_p]),
    "gpucc_graph_launch": (c_int, [c_void_p, c_void_p]),
    "gpucc_graph_count": (c_int, [c_void_p]),
    "gpucc_graph_update": (c_int, [c_void_p, c_int, c_int, c_void_p]),
    "gpucc_graph_update_parameter": (c_int, [c_void_p, c_int, c_int, c_void_p, c_size_t]),
    "gpucc_graph_release": (None, [c_void_p]),
    "gpucc_kernel_launch": (c_int, [c_void_p, c_void_p, c_void_p]),
}
for _name, (_result, _arguments) in FUNCTIONS.items():
    _function = getattr(library, _name)
    _function.restype, _function.argtypes = _result, _arguments
library.gpucc_cpu_code.restype, library.gpucc_cpu_code.argtypes = POINTER(NativeCode), [c_void_p]  # of <gpucc/cpu.h>


class SharedLoop(Structure):
    """The structure of <gpucc/cpu.h>, with the function that runs it."""
    _fields_ = [("run", c_void_p), ("sizes", POINTER(c_size_t)), ("inputs", c_int), ("operands", c_int), ("core_dims", c_int),
                ("flags", c_void_p), ("reduce", c_void_p)]


run_shared = ctypes.cast(library.gpucc_cpu_run_shared, c_void_p)


#: exceptions of signal handlers that ran during launches, which these raise
interruptions: list[BaseException] = []


def failure(status: int) -> BaseException:
    """The exception for a status that this thread's last call returned."""
    if interruptions and library.gpucc_status_name(status) == b"GPUCC_INTERRUPTED":
        return interruptions.pop()
    kind = _errors.OF_STATUS.get(library.gpucc_status_name(status).decode(), _errors.Error)
    return kind(library.gpucc_last_error().decode(errors="replace"))


def check(status: int) -> None:
    if status:
        raise failure(status)


_EXTENTS = [c_int64 * max(n, 1) for n in range(MAX_DIMS + 1)]


def extents(values: tuple[int, ...]) -> ctypes.Array[c_int64]:
    """A shape or strides as C has them."""
    if len(values) > MAX_DIMS:
        raise _errors.BadShape(f"an array of {len(values)} dimensions; gpucc supports at most {MAX_DIMS}")
    return _EXTENTS[len(values)](*values)


def axes(values: tuple[int, ...]) -> ctypes.Array[c_int]:
    """Numbers of axes as C has them."""
    if not all(-2**31 <= n < 2**31 for n in values):  # of others ctypes takes the lowest bits
        raise _errors.BadAxis(f"axes {values}: an array has at most {MAX_DIMS}")
    return (c_int * max(len(values), 1))(*values)
