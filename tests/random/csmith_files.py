"""Programs of csmith: their main() becomes a kernel of one thread, which gives the checksum of all variables; or the
first function, of a program without variables, becomes a ufunc or a kernel over many arguments."""
import os
import random
import re
import shutil
from dataclasses import dataclass

import scalars
from function_files import BLOCK, HEADERS
from toolchain import NotInstalled, ToolError, run

_COMMON = """--no-argc --no-packed-struct --quiet --concise --max-funcs 4 --max-block-depth 3 --max-expr-complexity 6
    --max-array-len-per-dim 6""".split()
_WITH_ARGUMENTS = "--nomain --no-global-variables --coverage-test --coverage-test-size 10 --func1_max_params 3".split()
_HEADERS = "/usr/include/csmith"
_SIZES = 1200, 12000  # characters: neither nothing nor what takes seconds to compile
ELEMENTS = 157
_OWN_NAMES = re.compile(r"\b(func_\d+|g_\d+|S\d+|U\d+|__undefined)\b")
_TYPES = {f"{t.name}_t": t for t in scalars.INTEGERS}
_PROTOTYPE = re.compile(r"static (?:const )?(u?int\d+_t)\s+func_1\(([^)]*)\);")


@dataclass(eq=False)
class CsmithProgram:
    name: str
    form: str  # once, map, ufunc
    text: str  # records, variables, functions, with names of their own
    checksum: str  # statements of main()
    result: object
    parameters: list  # types
    data_seed: str


def _without_main(text):
    """The program without its includes and main(), and main()'s statements between its beginning and its end."""
    text = re.sub(r'^(#include .*|// Options.*)$', "", text, flags=re.M)
    head, _, main = text.partition("int main (void)")
    body = re.search(r"crc32_gentab\(\);(.*)platform_main_end", main, flags=re.S)
    statements = re.sub(r"if \(print_hash_value\) printf\([^;]*;", "", body.group(1)) if body else ""
    return head.strip() + "\n", statements


class Csmith:
    """Programs of Debian's csmith."""

    name, shrinks = "csmith", False
    plays = False
    levels = {"undefined": ["-O1", "-fsanitize=undefined"]}  # nothing is to be found, nor changed
    # csmith's programs with numbers of float convert some that the integer does not hold, which C leaves undefined and
    # gpucc does not: the reference ends there.
    reference_options = ["-fsanitize=float-cast-overflow", "-fsanitize-undefined-trap-on-error"]

    def __init__(self, tools):
        self.tools = tools
        self.options = [f"-I{_HEADERS}", f"-I{tools.root}/tests/random"]
        if not shutil.which("csmith") or not os.path.exists(f"{_HEADERS}/safe_math.h"):
            raise NotInstalled("csmith (packages csmith and libcsmith-dev)")

    def grow(self, seed, index):
        rng = random.Random(f"{seed} csmith {index}")
        while True:
            with_arguments = rng.randrange(2) == 0
            options = _COMMON + (_WITH_ARGUMENTS if with_arguments else [])
            options += ["--float"] if rng.randrange(3) == 0 else []
            try:
                text = run(["csmith", *options, "--seed", str(rng.getrandbits(31))], folder=self.tools.folder)
            except ToolError:
                continue  # csmith itself fails now and then
            program = self.program(f"c{index}", text, with_arguments, rng)
            if program:
                program.data_seed = f"{seed} data {index}"
                return program

    def program(self, name, text, with_arguments, rng):
        if not _SIZES[0] < len(text) < _SIZES[1]:
            return None
        head, checksum = _without_main(text)
        prototype = _PROTOTYPE.search(head)
        own = [_OWN_NAMES.sub(rf"{name}_\1", part) for part in (head, checksum)]
        if not with_arguments:
            return CsmithProgram(name, "once", *own, scalars.UINT32, [], "") if checksum else None
        if not prototype:
            return None
        parameters = [_TYPES.get(p.split()[0]) for p in prototype.group(2).split(",")]
        if None in parameters or "*" in prototype.group(2):
            return None
        form = "ufunc" if len(text) < 4000 and rng.randrange(3) == 0 else "map"
        return CsmithProgram(name, form, own[0], "", _TYPES[prototype.group(1)], parameters, "")

    # ---- files ----

    def source(self, programs):
        return HEADERS + '#include "csmith_device.h"\n' + "".join(self.text(p) + self.entry(p) for p in programs)

    def reference(self, programs):
        return '#include "plain_c.h"\n#include "csmith_device.h"\n' + "".join(
            self.text(p) + self.reference_entry(p) for p in programs)

    def text(self, p):
        if p.form != "once":
            return p.text
        return (f"{p.text}\nstatic uint32 {p.name}_run(void)\n{{\n    int i, j, k;\n    uint32 crc = 0xffffffffu;\n"
                f"    (void)i, (void)j, (void)k;\n{p.checksum}\n    return crc;\n}}\n")

    def call(self, p, arguments):
        return f"{p.name}_func_1({', '.join(arguments)})"

    def entry(self, p):
        if p.form == "once":
            return f"kernel\nvoid {p.name}(uint32 *out)\n{{\n    BEGIN()\n    *out = {p.name}_run();\n}}\n\n"
        names = [f"x{i}" for i in range(len(p.parameters))]
        if p.form == "ufunc":
            parameters = ", ".join(f"{t.name} {n}" for t, n in zip(p.parameters, names))
            return (f"vectorize()\n{p.result.name} {p.name}({parameters})\n{{\n    BEGIN(0)\n"
                    f"    return {self.call(p, names)};\n}}\n\n")
        parameters = ", ".join(f"const {t.name} {n}[n]" for t, n in zip(p.parameters, names))
        call = self.call(p, [f"{n}[i]" for n in names])
        return (f"kernel\nvoid {p.name}(size_t n, {parameters}, {p.result.name} out[n])\n{{\n    BEGIN()\n"
                f"    size_t i = grid(1);\n    if (i < n)\n        out[i] = {call};\n}}\n\n")

    def reference_entry(self, p):
        if p.form == "once":
            return (f"void {p.name}_reference(void **parameters, const unsigned grid[3], const unsigned block[3])\n{{\n"
                    f"    **(uint32 **)parameters[0] = {p.name}_run();\n}}\n\n")
        arguments = [f"(({t.name} *)operands[{i}])[i]" for i, t in enumerate(p.parameters)]
        out = f"(({p.result.name} *)operands[{len(arguments)}])[i]"
        return (f"void {p.name}_reference(char **operands, size_t n)\n{{\n    for (size_t i = 0; i < n; i++)\n"
                f"        {out} = {self.call(p, arguments)};\n}}\n\n")

    def scene(self, p):
        if p.form == "once":
            return f"once {p.name} 1 1 1 1 1 1 0 1\narray u32 1\n", bytes(4)
        rng = random.Random(p.data_seed)
        data = b"".join(scalars.elements(rng, t, ELEMENTS) for t in p.parameters)
        codes = "".join(t.code for t in p.parameters)
        counts = f"{ELEMENTS} {len(p.parameters)} 1 {' '.join(t.code for t in [*p.parameters, p.result])}"
        if p.form == "ufunc":
            return f"ufunc {p.name} {p.name}_{codes}_{p.result.code} {counts}\n", data
        return f"map {p.name} {counts} {BLOCK}\n", data
