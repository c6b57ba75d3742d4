"""declarations.py c: a C program that prints the headers' structures and constants; python: the package's, in the same words;
functions HEADER…: compares prototypes, and prints how many there are."""
import ctypes
import re
import sys
from pathlib import Path

from gpucc import _compiler, _errors, _library

STRUCTS = {"ContextOptions": "gpucc_context_options", "DeviceInfo": "gpucc_device_info", "WrapOptions": "gpucc_wrap_options",
           "ImportOptions": "gpucc_import_options", "ExportOptions": "gpucc_export_options",
           "CallOptions": "gpucc_call_options", "ReduceOptions": "gpucc_reduce_options",
           "AccumulateOptions": "gpucc_accumulate_options", "ReduceatOptions": "gpucc_reduceat_options",
           "AtOptions": "gpucc_at_options", "Launch": "gpucc_launch", "Image": "struct gpucc_image",
           "Native": "struct gpucc_native", "Global": "struct gpucc_global", "NativeCode": "struct gpucc_native_code",
           "ProgramImage": "struct gpucc_program_image", "File": "struct gpucc_file",
           "CompileInput": "struct gpucc_compile_input"}
CONSTANTS = {"GPUCC_MAX_DIMS": _library.MAX_DIMS, "GPUCC_ALL_AXES": _library.ALL_AXES,
             "GPUCC_MEMORY_HOST": _library.MEMORY_HOST, "GPUCC_MEMORY_DEVICE": _library.MEMORY_DEVICE,
             "GPUCC_ARTEFACT_SHARED": _compiler.SHARED,
             "GPUCC_STATUS_COUNT": len(_errors.OF_STATUS) + 1, "GPUCC_LOG_ERROR": 2, "GPUCC_DEVICE_CUDA": 1,
             **{f"GPUCC_CASTING_{(name or 'default').upper()}": value for name, value in _library.CASTINGS.items()},
             **{f"GPUCC_ORDER_{name}": value for name, value in _library.ORDERS.items()}}
FUNCTIONS = {**_library.FUNCTIONS, **_compiler.FUNCTIONS}
FIELD = 'printf("{c}.{name} %zu %zu\\n", offsetof({c}, {name}), sizeof((({c} *)0)->{name}));'


def struct_of(name):
    return getattr(_library, name, None) or getattr(_compiler, name)


def c():
    print("#include <gpucc/runtime.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{")
    for name, spelling in STRUCTS.items():
        print(f'printf("{spelling} %zu\\n", sizeof({spelling}));')
        for field, *_ in struct_of(name)._fields_:
            print(FIELD.format(c=spelling, name=field))
    for name in CONSTANTS:
        print(f'printf("{name} %d\\n", (int){name});')
    print("return 0;\n}")


def python():
    for name, spelling in STRUCTS.items():
        struct = struct_of(name)
        print(spelling, ctypes.sizeof(struct))
        for field, *_ in struct._fields_:
            print(f"{spelling}.{field}", getattr(struct, field).offset, getattr(struct, field).size)
    for name, value in CONSTANTS.items():
        print(name, value)


def type_of(text, is_result):
    """Returns ctypes' type for a parameter's or a result's type in C."""
    if "*" in text:
        return ctypes.c_char_p if "char" in text and "**" not in text else ctypes.c_void_p
    word = [w for w in text.split() if w not in ("const", "GPUCC_API")][0]
    known = {"void": None, "size_t": ctypes.c_size_t, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64}
    return known.get(word, ctypes.c_int)  # enumerations are


def functions(*headers):
    text = "".join(Path(header).read_text(encoding="utf-8") for header in headers)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    declared = {name: (type_of(result, True), [type_of(p, False) for p in parameters.split(",") if p.strip() != "void"])
                for result, name, parameters in re.findall(r"GPUCC_API ([\w* ]+?)(gpucc_\w+)\(([^()]*)\);", text)}
    for name, (result, arguments) in FUNCTIONS.items():
        if (result, arguments) != declared[name]:
            sys.exit(f"{name}: {result}, {arguments} is not {declared[name]}")
    for status in range(1, len(_errors.OF_STATUS) + 1):
        name = _library.library.gpucc_status_name(status).decode()
        if name not in _errors.OF_STATUS:
            sys.exit(f"{name} has no exception")
    print(len(FUNCTIONS), "functions")


{"c": c, "python": python, "functions": functions}[sys.argv[1]](*sys.argv[2:])
