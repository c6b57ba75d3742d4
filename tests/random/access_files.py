"""Files of random programs of accesses: for gpucc, for gcc, and the scene."""
import random

from accesses import AccessGrower, BYTES
from toolchain import run

GRID, BLOCK = 2, 2
_THREADS = GRID * BLOCK


def _definitions(t):
    """The type, its accesses, and the functions that set and read all of it."""
    body = "\n    ".join
    return (t.text + "".join(f"UNALIGNED({t.name}, {align});\n" for align in (1, 2, 4, 8, 16))
            + f"static UNUSED void fill_{t.name}({t.name} *p, const uint8 *b)\n{{\n    {body(t.fill)}\n}}\n"
            + f"static UNUSED uint64 hash_{t.name}(uint64 h, const {t.name} *p)\n{{\n    {body(t.hash)}\n"
            + "    return h;\n}\n")


def _device_variables(program):
    return "".join(f"static {v.type.name} {v.name}[{2 * _THREADS}];\n" for v in program.variables
                   if v.space == "device")


def _declarations(program):
    lines = [f"    uint8 *bytes = memory + t * {2 * BYTES}, *values = bytes + {BYTES};", "    uint8 b[BYTES];",
             f"    uint8 own[{BYTES}] __attribute__((aligned(16)));",
             f"    SHARED uint8 all_blocks[{_THREADS * BYTES}] __attribute__((aligned(16)));",
             f"    uint8 *block = all_blocks + t * {BYTES};", "    (void)own, (void)block;",
             "    unsigned k = k0 + t;", "    uint64 h = k;", f"    out += t * {program.outputs + 1};"]
    for v in program.variables:
        if v.space == "local":
            lines.append(f"    {v.type.name} {v.name};")
        elif v.space == "array":
            lines.append(f"    {v.type.name} {v.name}[3];")
        elif v.space == "shared":
            lines.append(f"    SHARED {v.type.name} {v.name}[{2 * _THREADS}];")
    return lines


def _beginning(program):
    """All variables get values; tables that are not constant may be changed, as far as anybody knows."""
    lines = []
    for n, v in enumerate(program.variables):
        places = {"parameter": [], "local": [v.name], "array": [f"{v.name}[{i}]" for i in range(3)]}.get(
            v.space, [f"{v.name}[2 * t]", f"{v.name}[2 * t + 1]"])
        lines += [f"    make_bytes(b, k + {17 * n + i}); fill_{v.type.name}(&{place}, b);"
                  for i, place in enumerate(places)]
    for table in program.tables:
        if table.is_changed:
            lines.append(f"    if (k0 == ~0u) fill_{table.type.name}(&{table.name}[k % {table.count}u], b);")
    return lines


def _end():
    """Returns the epilogue, which does not compare padding."""
    return [f"    for (unsigned i = 0; i < {BYTES}; i++)", "        h = mix(h, bytes[i]), values[i] = 0;", "    GIVE()"]


def _parameters(program):
    return "".join(f", {v.type.name} {v.name}" for v in program.parameters)


def _body(program):
    return "\n".join(_declarations(program) + _beginning(program)) + "\n" + "".join(program.lines) + "\n".join(_end())


def _before(program):
    return ("".join(map(_definitions, program.types)) + "".join(t.text for t in program.tables)
            + "".join(f.text for f in program.changers) + _device_variables(program))


_GIVE = "#define GIVE() *out++ = (uint32)(h ^ h >> 32);\n"


class Accesses:
    """Random accesses to structs, unions, bit-fields and vectors in all memories."""

    name, options, shrinks = "accesses", [], False
    plays = True  # what is made runs in tests/ptx_player, too
    levels = {"checked": ["-O1", "-fsanitize=address,undefined"]}  # nothing is to be found, nor changed
    reference_options = ["-fno-strict-aliasing"]

    def __init__(self, tools):
        self.tools = tools
        self.options = [f"-I{tools.root}/tests/random"]
        self.values = {}  # the bytes of each program's parameters

    def grow(self, seed, index):
        program = AccessGrower(random.Random(f"{seed} access {index}"), f"a{index}").program()
        program.data_seed = f"{seed} data {index}"
        return program

    def source(self, programs):
        self._make_values(programs)
        text = ("#include <gpucc.h>\n#if defined(__NVPTX__) && defined(GPUCC_RANDOM_NATIVE)  /* the GPU's code is not "
                "wanted */\n#define BEGIN() return;\n#else\n#define BEGIN()\n#endif\n"
                '#include "access_device.h"\n' + _GIVE)
        for p in programs:
            text += (f"{_before(p)}kernel\nvoid {p.name}(uint32 *out, uint8 *memory, unsigned k0{_parameters(p)})\n{{\n"
                     f"    BEGIN()\n    const unsigned t = blockIdx.x * {BLOCK} + threadIdx.x;\n{_body(p)}\n}}\n\n")
        return text

    def reference(self, programs):
        text = '#include "access_host.h"\n' + _GIVE
        for p in programs:
            copies = "".join(f"    {v.type.name} {v.name};\n    __builtin_memcpy(&{v.name}, parameters[{i + 3}], "
                             f"sizeof {v.name});\n" for i, v in enumerate(p.parameters))
            arguments = "".join(f", {v.name}" for v in p.parameters)
            text += (f"{_before(p)}static void {p.name}_of(unsigned t, uint32 *out, uint8 *memory, unsigned k0"
                     f"{_parameters(p)})\n{{\n{_body(p)}\n}}\n"
                     f"void {p.name}_reference(void **parameters, const unsigned grid[3], const unsigned block[3])\n"
                     f"{{\n{copies}    for (unsigned t = 0; t < {_THREADS}; t++)\n        {p.name}_of(t, *(uint32 **)"
                     f"parameters[0], *(uint8 **)parameters[1], *(unsigned *)parameters[2]{arguments});\n}}\n\n")
        return text

    def _make_values(self, programs):
        """gcc knows the sizes of types, and makes the parameters' values."""
        missing = [p for p in programs if p.name not in self.values]
        if not missing:
            return
        lines = []
        for p in missing:
            lines.append(f'    printf("\\n{p.name}");')
            for n, v in enumerate(p.parameters):
                lines.append(f"    {{ {v.type.name} c; __builtin_memset(&c, {51 * n}, sizeof c); "
                             f"make_bytes(b, {n + 7}); fill_{v.type.name}(&c, b); show(&c, sizeof c); }}")
        text = ('#include <stdio.h>\n#include "access_host.h"\n' + "".join("".join(map(_definitions, p.types))
                                                                        for p in missing)
                + 'static void show(const void *at, size_t size)\n{\n    printf(" ");\n'
                  '    for (size_t i = 0; i < size; i++)\n        printf("%02x", ((const uint8 *)at)[i]);\n}\n'
                  'int main(void)\n{\n    uint8 b[BYTES];\n'
                + "\n".join(lines) + "\n    return 0;\n}\n")
        program = self.tools.path("values")
        run(["gcc", "-O0", "-w", "-std=c17", "-fno-strict-aliasing", "-I", f"{self.tools.root}/tests/random",
             self.tools.write("values.c", text), "-o", program])
        for line in run([program]).split("\n"):
            name, *values = line.split(" ")
            self.values[name] = [bytes.fromhex(value) for value in values]

    def scene(self, p):
        rng = random.Random(p.data_seed)
        values, outputs = self.values[p.name], _THREADS * (p.outputs + 1)
        lines = [f"kernel {p.name} {GRID} 1 1 {BLOCK} 1 1 0 {3 + len(values)}", f"array u32 {outputs}",
                 f"array u8 {_THREADS * 2 * BYTES}", "value 4"] + [f"value {len(value)}" for value in values]
        data = bytes(4 * outputs) + rng.randbytes(_THREADS * 2 * BYTES) + rng.getrandbits(16).to_bytes(4, "little")
        return "\n".join(lines) + "\n", data + b"".join(values)
