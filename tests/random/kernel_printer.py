"""Prints kernels as gpucc reads them."""
from kernel_tree import Cell
from printer import Printer
from tree import Array, Assign, Declare, Element, For, Name

_SLOTS = {
    "same": "{t}",
    "rotate": "(({t} + {by}u) % {threads}u)",
    "reverse": "({last}u - {t})",
    "xor": "({t} ^ {by}u)",
    "times": "(({t} * {by}u) % {threads}u)",
}
FULL = "0xffffffffu"


def slot_text(e, thread):
    return _SLOTS[e.kind].format(t=thread, by=e.by, threads=e.threads, last=e.threads - 1)


class KernelPrinter(Printer):
    def __init__(self, kernel):
        super().__init__()
        self.kernel, self.parts, self.pointers = kernel, [], frozenset()
        self.masks = 0

    # ---- expressions ----

    def print_name(self, e):
        return f"(*{e.variable.name})" if e.variable in self.pointers else e.variable.name

    def print_slot(self, e):
        return slot_text(e, self.expression(e.thread))

    def print_cell(self, e):
        v, index = e.variable, self.expression(e.index)
        if v.space == "own":
            return f"{v.name}[b * {self.kernel.threads}u + t]"
        if v.space == "slice":
            return f"{v.name}[b * {self.kernel.threads}u + {index}]"
        return f"{v.name}[{index} / {v.width}][{index} % {v.width}]" if v.width else f"{v.name}[{index}]"

    # ---- statements ----

    def print_barrier(self, _):
        self.put("syncthreads();")

    def print_vote(self, s):
        self.put(f"{self.expression(s.target)} = syncthreads_{s.kind}({self.expression(s.value)});")

    def print_fill(self, s):
        i, v = s.counter.name, s.variable
        cell = f"{v.name}[{i} / {v.width}][{i} % {v.width}]" if v.width else f"{v.name}[{i}]"
        self.put(f"for (uint32 {i} = t; {i} < {v.size}u; {i} += {self.kernel.threads}u)")
        self.put(f"    {cell} = {self.expression(s.value)};")

    def print_atomic(self, s):
        cell = self.print_cell(Cell(s.variable.type, s.variable, s.index))
        self.put(f"atomic_{s.op}{s.scope}(&{cell}, {self.expression(s.value)});")

    def print_warp(self, s):
        target, arguments = self.expression(s.target), [self.expression(a) for a in s.arguments]
        if s.width != 32:
            arguments.append(str(s.width))
        mask = FULL
        if s.condition:
            self.masks += 1
            mask = f"m{self.masks}"
            self.put(f"const uint32 {mask} = ballot_sync({FULL}, {self.expression(s.condition)});")
            self.put(f"if ({mask} >> lane & 1)")
            self.depth += 1
        inside = ", ".join([mask, *arguments])
        call = f"{s.op}_sync({inside})"
        if s.op == "rank":
            call = f"popc(ballot_sync({inside}) & lanemask_lt())"
        elif s.op == "match_all":
            call = f"match_all_sync({inside}, &(int){{0}})"
        self.put(f"{target} = {call};")
        if s.condition:
            self.depth -= 1

    # ---- functions ----

    def print_part(self, s):
        printer = KernelPrinter(self.kernel)
        printer.pointers = self.pointers_of(s)
        parameters, arguments = [], []
        for v in self.captured(s):
            parameters.append(printer.captured_parameter(v))
            arguments.append(self.captured_argument(v, printer.pointers))
        inlined = "" if s.is_inlined else "__attribute__((noinline)) "
        printer.block(f"static {inlined}void {s.name}({', '.join(parameters)})", s.body)
        self.parts += printer.parts + [printer.text()]
        self.put(f"{s.name}({', '.join(arguments)});")

    def captured(self, part):
        """Returns the variables of the enclosing function that a part uses."""
        declared, used = set(), {}
        for node in part.walk():
            if isinstance(node, (Declare, For)):
                declared.add(node.variable)
            if isinstance(node, Name):
                used[node.variable.name] = node.variable
            v = getattr(node, "variable", None)
            if v is not None and v.space not in ("local", "shared"):
                used[v.name] = v
        for v in self.kernel.prologue[:2]:  # cells count from them
            used[v.name] = v
        for v in self.kernel.prologue:
            if v.name == "lane":  # masks are looked at by it
                used[v.name] = v
        return [used[name] for name in sorted(used) if used[name] not in declared]

    def pointers_of(self, part):
        changed = set()
        for node in part.walk():
            place = node.place if isinstance(node, Assign) else getattr(node, "target", None)
            place = place.array if isinstance(place, Element) else place
            if isinstance(place, Name) and not isinstance(place.variable.type, Array):
                changed.add(place.variable)
        return frozenset(changed & set(self.captured(part)))

    def captured_parameter(self, v):
        if v.space != "local":
            return self.array_parameter(v)
        if isinstance(v.type, Array):
            return f"{v.type.element.name} *{v.name}"
        return f"{v.type.name} {'*' if v in self.pointers else ''}{v.name}"

    def captured_argument(self, v, pointers):
        if v in pointers:
            return v.name if v in self.pointers else f"&{v.name}"
        return f"*{v.name}" if v in self.pointers else v.name

    def array_parameter(self, v):
        return f"{'const ' if v.space == 'input' else ''}{v.type.name} *{v.name}"

    def shared_variable(self, v):
        if v.space == "dynamic":
            return f"dynamic_shared({v.type.name}, {v.name});"
        extent = f"[{v.size // v.width}][{v.width}]" if v.width else f"[{v.size}]"
        return f"shared {v.type.name} {v.name}{extent};"

    def kernel_text(self, pragmas, first_lines):
        """The pragmas stand at the beginning of each function, the other lines in the kernel alone."""
        k = self.kernel
        body = self
        body.depth = 1
        body.lines = []
        body.statements(k.body)
        statements = body.lines
        body.lines, body.depth = [], 0
        for v in k.shared:
            if v.space == "shared":
                self.put(self.shared_variable(v))
        for part in self.parts:
            self.lines.append(part.replace("{\n", "\n".join(["{", *pragmas]) + "\n", 1))
        parameters = [f"{v.type.name} {v.name}" for v in k.values] + [self.array_parameter(v) for v in k.arrays]
        self.put(f"kernel\nvoid {k.name}({', '.join(parameters)})\n{{")
        self.lines += pragmas + first_lines
        self.depth = 1
        x, y, z = k.block
        self.put("const uint32 x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;")
        self.put(f"const uint32 t = x + {x}u * (y + {y}u * z), lane = laneid, warp = t / 32u;")
        self.put(f"const uint32 lanes = {k.threads}u - warp * 32u < 32u ? {k.threads}u - warp * 32u : 32u;")
        self.put("const uint32 b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);")
        for v in k.shared:
            if v.space == "dynamic":
                self.put(self.shared_variable(v))
        self.lines += statements
        self.depth = 0
        self.put("}")
        return self.text()
