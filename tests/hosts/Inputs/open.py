"""open.py LIBGPUCC PROGRAM [MODULE…]: the same from Python, after it has imported those modules."""
import ctypes
import importlib
import sys

for name in sys.argv[3:]:
    importlib.import_module(name)
gpucc = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
image = ctypes.c_char.in_dll(ctypes.CDLL(sys.argv[2]), "gpucc_program_program")
gpucc.gpucc_last_error.restype = ctypes.c_char_p


class Launch(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3),
                ("threads", ctypes.c_uint64 * 3), ("shared", ctypes.c_size_t), ("stream", ctypes.c_void_p),
                ("sizes", ctypes.c_void_p)]


def call(name, *arguments):
    if getattr(gpucc, name)(*arguments):
        sys.exit(gpucc.gpucc_last_error().decode())


context, program, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
call("gpucc_context_create", None, ctypes.byref(context))
call("gpucc_program_load", context, ctypes.byref(image), ctypes.byref(program))
call("gpucc_program_kernel", program, b"turn", ctypes.byref(kernel))
values = (ctypes.c_int32 * 64)(*range(64))
launch = Launch(ctypes.sizeof(Launch), (1, 0, 0), (64, 0, 0))
pointer = ctypes.c_void_p(ctypes.addressof(values))
parameters = (ctypes.c_void_p * 1)(ctypes.addressof(pointer))
call("gpucc_kernel_launch", kernel, ctypes.byref(launch), parameters)
print(values[0], values[63])
gpucc.gpucc_context_destroy(context)
