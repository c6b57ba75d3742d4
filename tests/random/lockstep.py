"""Prints kernels as C that a plain compiler runs: each statement in turn for all threads of a block, those that come to
it being marked in a mask.  Under the rules of kernel_tree.py that is what threads compute, whatever their order."""
from kernel_printer import slot_text
from kernel_tree import Cell
from reference import Reference
from tree import Array

_COMBINE = {"add": "{a} + {b}", "min": "{a} < {b} ? {a} : {b}", "max": "{a} > {b} ? {a} : {b}", "and": "{a} & {b}",
            "or": "{a} | {b}", "xor": "{a} ^ {b}"}


class Lockstep(Reference):
    """`masks` are those around a statement, innermost last: (name, what it belongs to)."""

    def __init__(self, kernel):
        super().__init__(kernel.contracts)
        self.kernel, self.declarations, self.masks, self.made = kernel, [], [("live", "kernel")], 0

    @property
    def mask(self):
        return self.masks[-1][0]

    def new(self, letter, type="unsigned char"):
        """A variable that each thread has."""
        self.made += 1
        name = f"{letter}_{self.made}"
        self.declarations.append(f"static {type} {name}[{self.kernel.threads}];")
        return name

    def each(self, text, mask=None):
        self.put(f"EACH({mask or self.mask}) {text}")

    # ---- expressions ----

    def print_name(self, e):
        v = e.variable
        return v.name if v in self.kernel.values or v.name == "b" else f"{v.name}[T]"

    def print_slot(self, e):
        return slot_text(e, self.expression(e.thread))

    def print_cell(self, e):
        v = e.variable
        if v.space == "own":
            return f"{v.name}[b * {self.kernel.threads}u + T]"
        start = f"b * {self.kernel.threads}u + " if v.space == "slice" else ""
        return f"{v.name}[{start}{self.expression(e.index)}]"

    # ---- statements ----

    def declare_variable(self, v):
        dimensions = f"[{v.type.count}]" if isinstance(v.type, Array) else ""
        type = v.type.element if dimensions else v.type
        self.declarations.append(f"static {type.name} {v.name}[{self.kernel.threads}]{dimensions};")

    def print_declare(self, s):
        self.declare_variable(s.variable)
        name, type = s.variable.name, s.variable.type
        if isinstance(s.value, list):
            for i, value in enumerate(s.value):
                self.each(f"{name}[T][{i}] = {self.converted(value, type.element)};")
        else:
            self.each(f"{name}[T] = {self.converted(s.value, type)};")

    def print_assign(self, s):
        self.each(f"{self.expression(s.place)} = {self.converted(s.value, s.place.type)};")

    def print_barrier(self, _):
        self.put("/* a barrier */")

    def print_vote(self, s):
        self.put("{")
        self.put("    unsigned given = 0, there = 0;")
        self.each(f"given += ({self.expression(s.value)}) != 0, there++;")
        result = {"count": "given", "and": "given == there", "or": "given != 0"}[s.kind]
        self.each(f"{self.expression(s.target)} = {result};")
        self.put("}")

    def print_fill(self, s):
        self.declare_variable(s.counter)
        i, v = s.counter.name, s.variable
        self.each(f"for ({i}[T] = T; {i}[T] < {v.size}u; {i}[T] += {self.kernel.threads}u) "
                  f"{v.name}[{i}[T]] = {self.converted(s.value, v.type)};")

    def print_atomic(self, s):
        cell, value = self.print_cell(Cell(s.variable.type, s.variable, s.index)), self.expression(s.value)
        self.each(f"{{ {s.variable.type.name} v = {value}, *at = &{cell}; "
                  f"*at = {_COMBINE[s.op].format(a='*at', b='v')}; }}")

    # ---- control flow ----

    def under(self, mask, owner, body):
        self.masks.append((mask, owner))
        self.put("{")
        self.depth += 1
        self.statements(body)
        self.depth -= 1
        self.put("}")
        self.masks.pop()

    def print_if(self, s):
        yes, no = self.new("m"), self.new("m")
        self.put(f"memset({yes}, 0, sizeof {yes});")
        self.put(f"memset({no}, 0, sizeof {no});")
        self.each(f"*(({self.expression(s.condition)}) ? &{yes}[T] : &{no}[T]) = 1;")
        self.under(yes, "if", s.then)
        self.under(no, "if", s.otherwise)

    def print_for(self, s):
        self.declare_variable(s.variable)
        loop, body, v = self.new("l"), self.new("m"), s.variable.name
        self.put(f"memcpy({loop}, {self.mask}, sizeof {loop});")
        self.each(f"{v}[T] = 0;", loop)
        self.put("for (;;) {")
        self.depth += 1
        condition = f" && ({self.expression(s.condition)})" if s.condition else ""
        self.each(f"{loop}[T] = {v}[T] < {self.expression(s.count)}{condition};", loop)
        self.put(f"if (!memchr({loop}, 1, sizeof {loop})) break;")
        self.put(f"memcpy({body}, {loop}, sizeof {body});")
        self.masks.append((loop, "loop"))
        self.under(body, "body", s.body)
        self.masks.pop()
        self.each(f"{v}[T]++;", loop)
        self.depth -= 1
        self.put("}")

    def leave(self, until):
        """Out of everything up to the innermost mask of that kind."""
        places = []
        for name, owner in reversed(self.masks):
            places.append(f"{name}[T]")
            if owner == until:
                break
        self.each(" = ".join(places) + " = 0;")

    def print_break(self, _):
        self.leave("loop")

    def print_continue(self, _):
        self.leave("body")

    def print_return(self, _):
        self.leave("kernel")

    def print_switch(self, s):
        which, falling = self.new("w", "int"), self.new("m")
        value = self.expression(s.value)
        cases = "".join(f"v == {label} ? {i} : " for i, case in enumerate(s.cases) for label in case.labels)
        default = next((i for i, case in enumerate(s.cases) if not case.labels), -1)
        self.put(f"memset({falling}, 0, sizeof {falling});")
        self.each(f"{{ const int64 v = (int64)({value}); {which}[T] = {cases}{default}; }}")
        for i, case in enumerate(s.cases):
            inside = self.new("m")
            self.put(f"memset({inside}, 0, sizeof {inside});")
            self.each(f"{inside}[T] = {which}[T] == {i} || {falling}[T];")
            self.under(inside, "case", case.body)
            if case.falls:
                self.put(f"memcpy({falling}, {inside}, sizeof {falling});")
            else:
                self.put(f"memset({falling}, 0, sizeof {falling});")

    def print_part(self, s):
        self.statements(s.body)

    # ---- warp operations ----

    def print_warp(self, s):
        mask = self.mask
        if s.condition:
            mask = self.new("m")
            self.put(f"memset({mask}, 0, sizeof {mask});")
            self.each(f"{mask}[T] = ({self.expression(s.condition)}) != 0;")
        value = s.arguments[0]
        given = self.new("g", value.type.name)
        self.each(f"{given}[T] = {self.expression(value)};", mask)
        result = self.new("r", s.target.type.name)
        if s.op.startswith("shfl"):
            self.each(f"{result}[T] = {given}[{self.source(s)}];", mask)
        else:
            self.each(f"{{ const unsigned w = T & ~31u; {self.over_lanes(s, mask, given, result)} }}", mask)
        self.each(f"{self.expression(s.target)} = {result}[T];", mask)

    def source(self, s):
        """The thread whose value a shuffle gives."""
        if s.op == "shfl":
            return f"(T & ~31u) + ({self.expression(s.arguments[1])})"
        first, last = f"(T & ~{s.width - 1}u)", f"(T | {s.width - 1}u)"
        by = s.arguments[1].value % 32
        if s.op == "shfl_up":
            return f"T - {by}u >= {first} && T >= {by}u ? T - {by}u : T"
        return f"T + {by}u <= {last} ? T + {by}u : T" if s.op == "shfl_down" else f"T ^ {by}u"

    def over_lanes(self, s, mask, given, result):
        """Statements that put what thread T's warp makes of what its lanes have given into a result."""
        lanes = f"LANES({mask})"
        if s.op in ("all", "any", "eq"):
            test = {"all": "given == there", "any": "given != 0", "eq": "given == 0 || given == there"}[s.op]
            return (f"unsigned given = 0, there = 0; {lanes} given += {given}[L] != 0, there++; "
                    f"{result}[T] = {test};")
        if s.op in ("ballot", "rank"):
            below = " && L < T" if s.op == "rank" else ""
            sum = "++" if s.op == "rank" else " |= 1u << (L - w)"
            return f"{result}[T] = 0; {lanes} if ({given}[L] != 0{below}) {result}[T]{sum};"
        if s.op == "match_any":
            return f"{result}[T] = 0; {lanes} if ({given}[L] == {given}[T]) {result}[T] |= 1u << (L - w);"
        if s.op == "match_all":
            return (f"unsigned there = 0, same = 1; {lanes} there |= 1u << (L - w), same &= {given}[L] == {given}[T]; "
                    f"{result}[T] = same ? there : 0;")
        type, op = s.arguments[0].type, s.op.removeprefix("reduce_")
        combined = _COMBINE[op].format(a="sum", b=f"{given}[L]")
        if op == "add":
            combined = f"({type.name})((uint64)sum + (uint64){given}[L])"
        return (f"int first = 1; {type.name} sum = 0; {lanes} sum = first ? {given}[L] : {combined}, first = 0; "
                f"{result}[T] = sum;")

    # ---- the kernel ----

    def kernel_text(self):
        k = self.kernel
        self.depth = 1
        self.statements(k.body)
        statements, self.lines, self.depth = self.lines, [], 0
        parameters = ", ".join([f"{v.type.name} {v.name}" for v in k.values]
                               + [f"{v.type.name} *{v.name}" for v in k.arrays])
        self.put(f"static void {k.name}_block(uint32 b, {parameters})")
        self.put("{")
        self.depth = 1
        for v in k.prologue:
            if v.name != "b":
                self.put(f"static uint32 {v.name}[{k.threads}];")
        for v in k.shared:
            self.put(f"static {v.type.name} {v.name}[{v.size}];")
        for line in self.declarations:
            self.put(line)
        self.put(f"static unsigned char live[{k.threads}];")
        self.put("memset(live, 1, sizeof live);")
        self.each(f"t[T] = T, x[T] = T % {k.block[0]}u, y[T] = T / {k.block[0]}u % {k.block[1]}u, "
                  f"z[T] = T / {k.block[0] * k.block[1]}u;")
        self.each("lane[T] = T % 32u, warp[T] = T / 32u;")
        self.each(f"lanes[T] = {k.threads}u - warp[T] * 32u < 32u ? {k.threads}u - warp[T] * 32u : 32u;")
        self.lines += statements
        self.depth = 0
        self.put("}")
        arguments = [f"*({v.type.name} *)parameters[{i}]" for i, v in enumerate(k.values)]
        arguments += [f"*({v.type.name} **)parameters[{len(k.values) + i}]" for i, v in enumerate(k.arrays)]
        self.put(f"void {k.name}_reference(void **parameters, const unsigned grid[3], const unsigned block[3])")
        self.put("{")
        self.put(f"    for (uint32 b = 0; b < grid[0] * grid[1] * grid[2]; b++)\n        {k.name}_block(b, "
                 f"{', '.join(arguments)});")
        self.put("}")
        threads = f"#undef THREADS\n#define THREADS {k.threads}u\n"
        return threads + self.text()
