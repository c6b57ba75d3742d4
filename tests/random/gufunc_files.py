"""Files of random gufuncs: for gpucc, for gcc, and the scene."""
import random

from function_files import prototypes
from gufunc_layouts import image
from gufuncs_grown import GufuncGrower

_HEAD = """#include <gpucc.h>
#include <math.h>
#if defined(__NVPTX__) && defined(GPUCC_RANDOM_NATIVE)  /* the GPU's code is not wanted */
#define BEGIN() return;
#else
#define BEGIN()
#endif
#pragma STDC FP_CONTRACT OFF
"""
_PLAIN = """#include "plain_c.h"
{prototypes}
#define BEGIN()
{natives}
"""
_NATIVES = "fabs sqrt exp floor fmax fmin fma".split()


def _type_of_k(gufunc):
    return f"{gufunc.name}_word"


def _parameters(gufunc, is_plain):
    def parameter(o):
        if o.name == "k" and gufunc.is_generic and not is_plain:
            return f"{_type_of_k(gufunc)} k"
        extents = "".join(f"[{gufunc.dimensions[d]}]" for d in o.dimensions)
        if o.is_output:
            return f"{o.type.name} {o.name}{extents}" if extents else f"{o.type.name} *{o.name}"
        return f"const {o.type.name} {o.name}{extents}" if extents else f"{o.type.name} {o.name}"

    return ", ".join([f"size_t {d}" for d in gufunc.dimensions] + [parameter(o) for o in gufunc.operands])


def _function(gufunc, is_plain):
    lines = [line for s in gufunc.entry.body for line in s.lines(is_plain, "    ")]
    return f"void {gufunc.name}({_parameters(gufunc, is_plain)})\n{{\n    BEGIN()\n" + "\n".join(lines) + "\n}\n"


def _layout(gufunc):
    def core(o):
        return f"({','.join(gufunc.dimensions[d] for d in o.dimensions)})"

    return ",".join(map(core, gufunc.inputs)) + "->" + ",".join(map(core, gufunc.outputs))


def _order(gufunc):
    """The dimensions as loops have them: in the order in which the layout names them."""
    named = [d for o in gufunc.inputs + gufunc.outputs for d in o.dimensions]
    return sorted(set(named), key=named.index)


def gufunc_source(gufunc):
    types = f"typevar({_type_of_k(gufunc)}, uint16, uint32);\n" if gufunc.is_generic else ""
    return (f"{gufunc.helpers}{types}guvectorize({_layout(gufunc)}){' reorderable' if gufunc.is_reorderable else ''}\n"
            f"{_function(gufunc, False)}\n")


def gufunc_reference(gufunc):
    """For gcc: the function, and NAME_reference(char **cores, const size_t *extents), which calls it once."""
    order = _order(gufunc)
    arguments = [f"extents[{order.index(d)}]" for d in range(len(gufunc.dimensions))]
    for k, o in enumerate(gufunc.operands):
        value = "" if o.is_output or o.dimensions else f"*({o.type.name} *)"
        arguments.append(f"{value}(void *)cores[{k}]")
    return (f"{gufunc.helpers.replace('device ', 'static ')}static {_function(gufunc, True)}"
            f"void {gufunc.name}_reference(char **cores, const size_t *extents)\n{{\n"
            f"    {gufunc.name}({', '.join(arguments)});\n}}\n\n")


class Gufuncs:
    """Random gufuncs with loops that threads may share."""

    name, options, shrinks = "gufuncs", [], True
    plays = True
    # Nothing is to be found, nor changed.
    levels = {"undefined": ["-O1", "-fsanitize=undefined"], "checked": ["-O1", "-fsanitize=address,alignment"]}
    reference_options = []

    def __init__(self, tools):
        self.tools = tools

    def grow(self, seed, index):
        gufunc = GufuncGrower(random.Random(f"{seed} gufunc {index}"), f"g{index}").program()
        gufunc.data_seed = f"{seed} data {index}"
        gufunc.is_generic = random.Random(f"{seed} types {index}").randrange(100) < 15
        return gufunc

    def source(self, gufuncs):
        return _HEAD + "".join(map(gufunc_source, gufuncs))

    def reference(self, gufuncs):
        natives = "".join(f"#define {f}{suffix} native_{f}{suffix}\n" for f in _NATIVES for suffix in ("", "f"))
        return (_PLAIN.format(prototypes=prototypes(), natives=natives)
                + "".join(map(gufunc_reference, gufuncs)))

    def scene(self, gufunc):
        rng = random.Random(gufunc.data_seed)
        order = _order(gufunc)
        codes = ["".join(o.type.code for o in operands) for operands in (gufunc.inputs, gufunc.outputs)]
        numbers = [gufunc.calls, int(gufunc.is_reorderable and not gufunc.is_exact), len(gufunc.inputs),
                   len(gufunc.outputs), len(order), *(gufunc.extents[d] for d in order)]
        lines = [f"gufunc {gufunc.name} {gufunc.name}_{codes[0]}_{codes[1]} {' '.join(map(str, numbers))}"]
        data = b""
        for o in gufunc.operands:
            steps = [str(o.strides[0])] + [f"{order.index(d)} {s}" for d, s in zip(o.dimensions, o.strides[1:])]
            lines.append(f"core {o.type.code} {o.count} {o.offset} {len(o.dimensions)} {' '.join(steps)}")
            data += image(rng, o, gufunc.is_exact)
        return "\n".join(lines) + "\n", data

    def is_valid(self, gufunc):
        return bool(gufunc.entry.body)
