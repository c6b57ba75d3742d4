"""Files of many programs: the source for gpucc, the reference for gcc, and the scene that says how both are run."""
import random

import device_functions
import scalars
import shrink
from functions import FunctionGrower
from printer import Printer
from reference import Reference
from scalars import BFLOAT16

ELEMENTS = 613  # a block of the native loops, and a rest that is no multiple of a vector
BLOCK = 128

HEADERS = """#include <gpucc.h>
#include <gpucc/arithmetic.h>
#include <complex.h>
#include <math.h>
#if defined(__NVPTX__) && defined(GPUCC_RANDOM_NATIVE)  /* the GPU's code is not wanted */
#define BEGIN(result) return result;
#else
#define BEGIN(result)
#endif
"""
_CONTRACT_OFF = "#pragma STDC FP_CONTRACT OFF"


def _print_program(printer, program, keywords):
    """Records, tables, functions; `keywords` stand before the entry."""
    for record in program.records:
        printer.record(record)
    for table in program.tables:
        printer.table(table)
    for function in program.functions:
        if function is program.entry:
            function.keywords = keywords
        first = []
        if not isinstance(printer, Reference):
            first += [] if program.contracts else [_CONTRACT_OFF]
            if function is program.entry:
                first.append("    BEGIN(0)" if function.result else "    BEGIN()")
        printer.print_function(function, first)


def _operands(program):
    """(type, name) of inputs, then of outputs, as the wrapping kernel and the loops name them."""
    return ([(v.type, f"in{i}") for i, v in enumerate(program.inputs)],
            [(t, f"out{i}") for i, t in enumerate(program.outputs)])


def _kernel_around(program):
    inputs, outputs = _operands(program)
    parameters = [f"const {t.name} {n}[n]" for t, n in inputs] + [f"{t.name} {n}[n]" for t, n in outputs]
    arguments = [f"{n}[i]" for _, n in inputs]
    if program.entry.result:
        call = f"out0[i] = {program.entry.name}_of({', '.join(arguments)});"
    else:
        call = f"{program.entry.name}_of({', '.join(arguments + [f'&{n}[i]' for _, n in outputs])});"
    return (f"kernel\nvoid {program.name}(size_t n, {', '.join(parameters)})\n{{\n    size_t i = grid(1);\n"
            f"    if (i < n)\n        {call}\n}}\n")


def function_source(program):
    """For gpucc."""
    printer = Printer()
    entry = program.entry
    if program.form == "ufunc":
        _print_program(printer, program, "vectorize()")
        return printer.text()
    entry.name = program.name + "_of"
    _print_program(printer, program, "static")
    entry.name = program.name
    return printer.text() + _kernel_around(program)


def _load(type, address):
    return f"load_bfloat16({address})" if type is BFLOAT16 else f"*({type.name} *)({address})"


def _store(type, address, value):
    if type is BFLOAT16:
        return f"store_bfloat16({address}, {value});"
    if type.is_float:
        value = f"{value} != {value} ? ({type.name})NAN : {value}"
    elif type.is_complex:
        part = scalars.PART[type].name
        re, im = f"__real__ {value}", f"__imag__ {value}"
        return (f"*({part} *)({address}) = {re} != {re} ? NAN : {re}; "
                f"*({part} *)({address} + {type.size // 2}) = {im} != {im} ? NAN : {im};")
    return f"*({type.name} *)({address}) = {value};"


def function_reference(program):
    """For gcc: the function, and NAME_reference(char **operands, n), which applies it to arrays."""
    printer = Reference(program.contracts)
    _print_program(printer, program, "static")
    inputs, outputs = _operands(program)
    loads = ", ".join(_load(t, f"operands[{i}] + i * {t.size}") for i, (t, _) in enumerate(inputs))
    lines = [f"void {program.name}_reference(char **operands, size_t n)", "{", "    for (size_t i = 0; i < n; i++) {"]
    if program.entry.result:
        lines.append(f"        {outputs[0][0].name} out0 = {program.entry.name}({loads});")
    else:
        lines += [f"        {t.name} {n};" for t, n in outputs]
        lines.append(f"        {program.entry.name}({', '.join([loads] + [f'&{n}' for _, n in outputs])});")
    for k, (t, n) in enumerate(outputs):
        lines.append("        " + _store(t, f"operands[{len(inputs) + k}] + i * {t.size}", n))
    return printer.text() + "\n".join(lines + ["    }", "}", ""])


def function_scene(program, rng):
    """The scene's lines and data."""
    inputs, outputs = _operands(program)
    data = b"".join(scalars.elements(rng, t, ELEMENTS) for t, _ in inputs)
    codes = " ".join(t.code for t, _ in inputs + outputs)
    symbol = f"{program.name}_{''.join(t.code for t, _ in inputs)}_{''.join(t.code for t, _ in outputs)}"
    if program.form == "ufunc":
        return f"ufunc {program.name} {symbol} {ELEMENTS} {len(inputs)} {len(outputs)} {codes}\n", data
    return (f"map {program.name} {ELEMENTS} {len(inputs)} {len(outputs)} {codes} {BLOCK}\n", data)


def prototypes():
    """Returns prototypes of the native functions that a reference calls."""
    return "".join(f"{f.result.name} native_{f.name}({', '.join(t.name for t in f.parameters)});\n"
                   for f in device_functions.REAL)


class Functions:
    """Random scalar functions, as ufuncs and in kernels."""

    name, options, shrinks = "functions", [], True
    plays = False
    levels = {"undefined": ["-O1", "-fsanitize=undefined"]}  # nothing is to be found, nor changed
    reference_options = []

    def __init__(self, tools):
        self.tools = tools

    def grow(self, seed, index):
        program = FunctionGrower(random.Random(f"{seed} function {index}"), f"f{index}").program()
        program.data_seed = f"{seed} data {index}"
        return program

    def source(self, programs):
        return HEADERS + "".join(map(function_source, programs))

    def reference(self, programs):
        return '#include "plain_c.h"\n' + prototypes() + "".join(map(function_reference, programs))

    def scene(self, program):
        return function_scene(program, random.Random(program.data_seed))

    def is_valid(self, program):
        return shrink.is_valid(program)
