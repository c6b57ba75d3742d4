"""Random gufuncs: nests of serial loops with independent iterations, reductions, and much that resembles them.

An index that is not the loop's own stands behind a guard or a remainder, so that no access is outside of its core;
signed integers do not overflow.
"""
from gufunc_layouts import place
from gufunc_tree import Body, Gufunc, Operand, Text
from scalars import (BOOLEAN, FLOAT16, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64)

EXTENTS = 0, 1, 1, 2, 3, 5, 17, 31, 32, 33, 40, 64, 65, 100, 130
LONG = 511, 512, 513, 700, 1024, 1025, 2100  # for one loop inside no other one
SMALL = 0, 1, 2, 3, 5, 7, 9, 17, 18, 33
TYPES = (FLOAT32,) * 4 + (FLOAT64,) * 2 + (FLOAT16, BOOLEAN, INT8, INT16, INT64, UINT16, UINT64) + (
    INT32, UINT8, UINT32) * 2
WORDS = UINT32, UINT64
HELPERS = """static float {0}_near(float x) {{ return x > 8 ? 3 : x > 0 ? 1 : x < -8 ? -2 : 5; }}
device uint32 {0}_mix(uint32 x, uint32 y) {{ return (x ^ y >> 3) * 9 + 1; }}
static float {0}_pick(float x, float y, int k) {{ for (int i = 0; i < (k & 3); i++) x = y - x; return x; }}
static void {0}_put(TYPE *to, size_t i, TYPE value) {{ to[i] = value; }}
struct {0}_pair {{ float a; uint32 b; int16 c; }};
"""


class GufuncGrower:
    def __init__(self, rng, name):
        self.rng, self.name, self.count = rng, name, 0
        self.is_exact = self.chance(50)
        self.is_reorderable = self.chance(40)
        self.spice = rng.choice((0, 0, 0, 0, 3, 15))  # percent of statements that may make a loop serial
        self.dimensions, self.extents, self.operands = [], [], []
        self.calls = rng.choice((1, 2, 3, 5))

    def chance(self, percent):
        return self.rng.randrange(100) < percent

    def fresh(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def pick(self, *choices):
        return self.rng.choice(choices)

    # ---- operands ----

    def grow_operands(self):
        count = self.pick(1, 1, 2, 2, 2, 3)
        self.dimensions = list("nmp"[:count])
        self.extents = [self.rng.choice(EXTENTS if count == 1 else SMALL) for _ in range(count)]
        if count == 1 and self.chance(50):
            self.extents = [self.rng.choice(EXTENTS[6:])]
        self.is_long = count == 1 and self.chance(25)
        if self.is_long:
            self.extents = [self.rng.choice(LONG)]
        elif count == 2 and self.chance(15):
            self.extents[self.rng.randrange(2)] = self.rng.choice((64, 100, 520, 1050))
        every = [(), *((d,) for d in range(count)), *((d, e) for d in range(count) for e in range(count) if d != e)]
        for k in range(self.pick(1, 2, 2, 3)):
            at = (self.rng.randrange(count),) if k == 0 else self.rng.choice(every)
            self.operands.append(Operand(f"x{k}", self.rng.choice(TYPES), at, False))
        self.operands.append(Operand("k", UINT32, (), False))
        for k in range(self.pick(1, 1, 2, 3)):
            at = self.rng.choice(every if k else every[1:] * 2 + every)
            self.operands.append(Operand(f"y{k}", self.rng.choice([t for t in TYPES if t is not BOOLEAN]), at, True))
        missing = set(range(count)) - {d for o in self.operands if not o.is_output for d in o.dimensions}
        for d in missing:
            self.operands.insert(0, Operand(f"w{d}", self.rng.choice(TYPES), (d,), False))
        for operand in self.operands:
            place(self, operand)

    # ---- indices ----

    @staticmethod
    def counters(scope):
        return [name for name, _, type in scope if type is None]

    def own(self, scope, d):
        return [name for name, of, _ in scope if of == d]

    def index(self, scope, d, plain=70):
        """(an index of dimension d, the condition for it or None)."""
        extent, own = self.dimensions[d], self.own(scope, d)
        if own and self.chance(plain):
            return self.rng.choice(own), None
        if own:
            i = self.rng.choice(own)
            c = self.rng.randrange(1, 5)
            return self.pick(
                (f"{extent} - 1 - {i}", None), (f"((size_t){i} * {c}) % {extent}", None),
                (f"((size_t){i} + {c}) % {extent}", None), (f"{i} / 2", None), (f"{i} & ~(size_t)1", None),
                (f"(uint8)({i} * {c}) % {extent}", None), (f"(size_t){i} * k % {extent}", None),
                (f"(uint32)({i} * 0x{self.rng.getrandbits(32):x}u) % {extent}", None),
                (f"(size_t){i} * {c}", f"(size_t){i} * {c} < {extent}"), (f"{i} + {c}", f"{i} + {c} < {extent}"),
                (f"(size_t){i} - {c}", f"{i} >= {c}"), (f"(size_t){i} ^ {c}", f"((size_t){i} ^ {c}) < {extent}"),
                (f"(size_t){i} * k", f"(size_t){i} * k < {extent}"),
                *((text, f"{text} < {extent}") for text in (
                    f"(size_t){i} * 0x{self.rng.randrange(1, 64, 2) << self.rng.randrange(54, 59):x}",
                    f"((size_t){i} << {self.rng.randrange(48, 63)})",
                    f"((size_t){i} * 0x{pow(c * 2 + 1, -1, 1 << 64):x})")),
                (f"(uint8)({i} + k)", f"(uint8)({i} + k) < {extent}"),
                (f"(int)((uint32){i} * k)", f"(uint32){i} * k < {extent}"),
                (f"(size_t)({self.word(scope, UINT64, 0)} % {extent})", None), ("0", None), (f"{extent} - 1", None))
        counters = self.counters(scope)
        any_ = self.rng.choice(counters) if counters and self.chance(70) else self.pick("0", "k", "1")
        if self.chance(60):
            return any_, f"(size_t){any_} < {extent}"
        return f"(size_t){any_} % {extent}", extent

    def element(self, scope, operand, plain=70):
        """(an element's text, the condition for it)."""
        if not operand.dimensions:
            return (f"*{operand.name}" if operand.is_output else operand.name), None
        parts = [self.index(scope, d, plain) for d in operand.dimensions]
        condition = " && ".join(c for _, c in parts if c)
        return operand.name + "".join(f"[{text}]" for text, _ in parts), condition or None

    def load(self, scope, operand, plain=80):
        text, condition = self.element(scope, operand, plain)
        return f"({condition} ? {text} : 0)" if condition else text

    # ---- values ----

    def source(self, is_float):
        """An operand to load; rarely an output."""
        outputs = [o for o in self.operands if o.is_output]
        if self.chance(self.spice):
            found = [o for o in outputs if o.type.is_float == is_float]
            if found:
                return self.rng.choice(found)
        found = [o for o in self.operands if not o.is_output and o.type.is_float == is_float]
        return self.rng.choice(found) if found else None

    def word(self, scope, type, depth=2):
        """An unsigned integer."""
        kind = self.rng.randrange(10) if depth else self.rng.randrange(5)
        if kind < 4:
            operand = self.source(False)
            names = [name for name, of, t in scope if t is not None and not t.is_float]
            if names and self.chance(25):
                return f"({type.name}){self.rng.choice(names)}"
            return f"({type.name}){self.load(scope, operand)}"
        if kind == 4:
            counters = self.counters(scope)
            text = self.rng.choice(counters) if counters and self.chance(60) else self.rng.randrange(40)
            return f"({type.name}){text}"
        if kind == 5 and type is UINT32:
            return f"{self.name}_mix({self.word(scope, type, depth - 1)}, {self.word(scope, type, depth - 1)})"
        if kind == 6:
            return (f"({self.condition(scope, depth - 1)} ? {self.word(scope, type, depth - 1)} : "
                    f"{self.word(scope, type, depth - 1)})")
        op = self.pick("+", "-", "*", "&", "|", "^")
        return f"({self.word(scope, type, depth - 1)} {op} {self.word(scope, type, depth - 1)})"

    def leaf(self, scope, name):
        """Without rounding: a small integer that is not zero."""
        names = [v for v, _, t in scope if t is not None and t.is_float]
        operand = self.source(True)
        if names and self.chance(20):
            text = self.rng.choice(names)
            return f"{self.name}_near({text})" if self.is_exact else f"({name}){text}"
        if operand is None or self.chance(10):
            text = f"(int)({self.word(scope, UINT32, 0)} & 15)"
            return f"({name})({text} + 1)" if self.is_exact else f"({name}){text}"
        text = self.load(scope, operand)
        is_near = operand.is_output or "?" in text
        return f"{self.name}_near({text})" if self.is_exact and is_near else f"({name}){text}"

    def number(self, scope, type, depth=2):
        """A floating-point number."""
        name = type.name
        kind = self.rng.randrange(10) if depth else 0
        if kind < 4:
            return self.leaf(scope, name)
        if kind == 4:
            return (f"({self.condition(scope, depth - 1)} ? {self.number(scope, type, depth - 1)} : "
                    f"{self.number(scope, type, depth - 1)})")
        if self.is_exact:
            if kind < 7:
                return f"({self.leaf(scope, name)} * {self.leaf(scope, name)})"
            return f"({self.number(scope, type, depth - 1)} {self.pick('+', '-')} {self.number(scope, type, depth - 1)})"
        if kind == 5 and type is FLOAT32:
            return f"{self.name}_pick({self.number(scope, type, depth - 1)}, {self.leaf(scope, name)}, (int)(k & 7))"
        if kind == 6:
            suffix = "f" if type is FLOAT32 else ""
            f = self.pick("fabs", "sqrt", "exp", "floor")
            return f"{f}{suffix}({self.number(scope, type, depth - 1)})"
        return f"({self.number(scope, type, depth - 1)} {self.pick('+', '-', '*')} {self.number(scope, type, depth - 1)})"

    def condition(self, scope, depth=1):
        if self.chance(35) and self.counters(scope):
            i = self.rng.choice(self.counters(scope))
            return self.pick(f"{i} % 3 == 1", f"{i} >= {self.rng.randrange(9)}", f"({i} & 1) == 0", f"{i} != 2")
        if self.chance(50) and self.source(True):
            return (f"{self.number(scope, FLOAT32, 0)} {self.pick('<', '>', '<=', '>=', '==', '!=')} "
                    f"{self.pick('0', '1', '2.0f', '-1')}")
        return f"({self.word(scope, UINT32, 0)} & {self.rng.randrange(1, 8)}) {self.pick('==', '!=', '<', '>=')} " \
               f"{self.rng.randrange(4)}"

    def value(self, scope, type, depth=2):
        """An expression that may be stored in the type."""
        if type.is_float:
            return self.number(scope, FLOAT64 if type is FLOAT64 else FLOAT32, depth)
        return self.word(scope, UINT64 if type.bits == 64 else UINT32, depth)

    # ---- statements ----

    def store(self, scope, plain=75):
        operand = self.rng.choice([o for o in self.operands if o.is_output])
        if self.spice == 0:
            plain = 100
            here = {of for _, of, _ in scope if of is not None}
            fitting = [o for o in self.operands if o.is_output and here == set(o.dimensions)]
            operand = self.rng.choice(fitting) if fitting else operand
            if not fitting and here:
                return self.reduce_into(scope)
        text, condition = self.element(scope, operand, plain)
        op = self.pick("=", "=", "=", "=", "+=", "^=" if not operand.type.is_float else "-=")
        if op != "=" and (self.spice == 0 or operand.type.is_signed or self.is_exact and operand.type.is_float):
            op = "="
        statement = Text(f"{text} {op} {self.value(scope, operand.type)};")
        return [Text(f"if ({condition})", [statement]) if condition else statement]

    def reduce_into(self, scope):
        return self.reduction(scope, self.open) if self.open is not None else []

    def put(self, scope):
        """A store through a pointer, or by a function."""
        operand = self.rng.choice([o for o in self.operands if o.is_output])
        text, condition = self.element(scope, operand, 90)
        p, type = self.fresh("p"), operand.type.name
        value = self.value(scope, operand.type, 1)
        others = [o for o in self.operands if o.is_output and o.type is operand.type and o is not operand]
        if others and self.chance(60):
            other, other_condition = self.element(scope, others[0], 90)
            condition = " && ".join(c for c in (condition, other_condition) if c)
            lines = [Text(f"{type} *{p} = {self.condition(scope)} ? &{text} : &{other};"), Text(f"*{p} = {value};")]
        elif self.chance(50):
            lines = [Text(f"{type} *{p} = &{text};"), Text(f"*{p} = {value};")]
        else:
            lines = [Text(f"{self.name}_put_{type}(&{text}, 0, {value});")]
        return [Text(f"if ({condition or 1})", lines)]

    def reduction(self, scope, into):
        """A statement that combines; `into` gets (declaration, name, type)."""
        s, type = self.fresh("s"), self.pick(FLOAT32, FLOAT32, FLOAT64, INT32, UINT32, UINT64, INT64, UINT8, FLOAT16)
        kind = self.rng.randrange(12)
        guard = self.condition(scope) if self.chance(25) else None
        after = []
        if type is FLOAT16 and self.spice == 0:
            type = FLOAT32
        if kind < 2 or (kind < 5 and not type.is_float):  # extremes, perhaps with their place
            start = self.pick("0", "-INFINITY" if type.is_float else "1", "1")
            e = self.value(scope, type, 1)
            at, i = self.fresh("at"), self.rng.choice(self.counters(scope))
            op = self.pick("<", ">", "<=", ">=")
            v = self.fresh("v")
            into.append((f"{type.name} {s} = ({type.name}){start};", s, type))
            lines = [Text(f"const {type.name} {v} = ({type.name}){e};")]
            if self.chance(50):
                into.append((f"int32 {at} = -1;", at, INT32))
                test = f"!({v} {op} {s})" if self.chance(self.spice) else self.pick(f"{v} {op} {s}", f"{s} {op} {v}")
                if type.is_float and self.chance(40):  # NaN wins, or loses
                    a, b = self.pick((s, v), (v, s))
                    test = self.pick(f"{v} {op} {s} || {a} != {a}", f"!({v} {op} {s} || {a} != {a})",
                                     f"{v} {op} {s} && {a} == {a}", f"!({a} != {a}) && ({b} != {b} || {v} {op} {s})")
                count = [self.fresh("c")] if self.chance(25) else []
                into.extend((f"uint32 {c} = 0;", c, UINT32) for c in count)
                last = [self.fresh("w") for _ in range(self.pick(1, 1, 2))] if self.chance(15) else []
                into.extend((f"{type.name} {w} = ({type.name}){start};", w, type) for w in last)
                places = [Text(f"{at} = (int32){i};")] if not last or self.chance(50) else []
                shifts = [Text(f"{to} = {of};") for to, of in zip(reversed(last), reversed([s, *last][:-1]))]
                lines.append(Text(f"if ({test})", [*shifts, Text(f"{s} = {v};"), *places,
                                                   *(Text(f"{c}++;") for c in count)]))
            elif type in (FLOAT32, FLOAT64) and self.chance(50):
                f = self.pick("fmax", "fmin") + ("f" if type is FLOAT32 else "")
                lines.append(Text(f"{s} = {f}({s}, {v});"))
            else:
                lines.append(Text(f"{s} = {v} {op} {s} ? {v} : {s};"))
        elif type.is_float:
            is_product = kind == 2
            into.append((f"{type.name} {s} = {1 if is_product else self.pick(0, 0, 0, 3, -2)};", s, type))
            e = self.number(scope, FLOAT64 if type is FLOAT64 else FLOAT32, 1)
            if is_product and self.is_exact:
                e = f"({self.condition(scope)} ? -1 : 1)"
            lines = [Text(f"{s} {'*=' if is_product else self.pick('+=', '+=', '-=')} {e};")]
            if not is_product and self.chance(30) and type is not FLOAT16:
                f = "fmaf" if type is FLOAT32 else "fma"
                lines = [Text(f"{s} = {f}({self.leaf(scope, type.name)}, {self.leaf(scope, type.name)}, {s});")]
                if self.chance(50):  # contracted by gpucc
                    a, b = self.leaf(scope, type.name), self.leaf(scope, type.name)
                    lines = [Text("", [Text("#pragma STDC FP_CONTRACT ON", plain=""),
                                       Text(f"{s} += {a} * {b};", plain=f"{s} = {f}({a}, {b}, {s});")])]
        else:
            op = self.pick("+", "&", "|", "^", *("+-*" if not type.is_signed else ""))
            start = self.pick("0", "1", "-1")
            e = self.word(scope, UINT64 if type.bits == 64 else UINT32, 1)
            e = f"({type.name})({e} & 15)" if type.is_signed and op == "+" else e
            into.append((f"{type.name} {s} = ({type.name}){start};", s, type))
            lines = [Text(f"{s} {op}= {e};")]
        if self.chance(self.spice):
            after = self.partial(scope, s, type)
        elif self.chance(25):
            scan = self.scan(scope, s, type)
            lines, after = (scan + lines, []) if self.chance(30) else (lines, scan)
        return ([Text(f"if ({guard})", lines)] if guard else lines if len(lines) == 1 else [Text("", lines)]) + after

    def scan(self, scope, s, type):
        """A store of the partial value to an element of the iteration's own, perhaps under a condition."""
        here = {of for _, of, _ in scope if of is not None}
        fitting = [o for o in self.operands
                   if o.is_output and here == set(o.dimensions) and o.type.is_float == type.is_float]
        if not fitting:
            return []
        text, guard = self.element(scope, self.rng.choice(fitting), 100)
        guard = f"{s} != 3" if self.chance(15) else guard
        store = Text(f"{text} = {s};")
        return [Text(f"if ({guard})", [store]) if guard else store]

    def partial(self, scope, s, type):
        """Something that reads a reduction's partial value."""
        operand = self.rng.choice([o for o in self.operands if o.is_output])
        text, condition = self.element(scope, operand, 90)
        if operand.type.is_float != type.is_float:
            return [Text(f"if ({s} == 3)", [Text(f"{s} = 1;")])]
        return [Text(f"if ({condition or 1})", [Text(f"{text} = {s};")])]

    def local(self, scope):
        """Temporaries of an iteration: a scalar, an array, a struct."""
        kind, t = self.rng.randrange(3), self.fresh("t")
        if kind == 0:
            type = self.pick(FLOAT32, UINT32, INT16, FLOAT64)
            text = [Text(f"const {type.name} {t} = ({type.name}){self.value(scope, type, 1)};")]
            scope.append((t, None, type))
            return text
        if kind == 1:
            type, c, i = self.pick(FLOAT32, UINT32), self.fresh("c"), self.rng.choice(self.counters(scope))
            size = self.pick(2, 4, 8)
            fill = Text(f"for (int {c} = 0; {c} < {size}; {c}++)",
                        [Text(f"{t}[{c}] = {self.value(scope, type, 1)};")])
            v = self.fresh("v")
            scope.append((v, None, type))
            return [Text(f"{type.name} {t}[{size}];"), fill, Text(f"const {type.name} {v} = {t}[(uint32){i} & {size - 1}];")]
        scope.append((f"{t}.a", None, FLOAT32))
        scope.append((f"{t}.b", None, UINT32))
        first = f"struct {self.name}_pair {t} = {{{self.number(scope[:-2], FLOAT32, 1)}, " \
                f"{self.word(scope[:-2], UINT32, 1)}, 1}};"
        return [Text(first), Text(f"if ({self.condition(scope[:-2])})", [Text(f"{t}.b += {t}.b;")])]

    def sums(self, scope):
        """Several sums in one element, each under a condition: the order of the stores counts."""
        outputs = [o for o in self.operands if o.is_output and o.type in (UINT8, UINT16, UINT32, UINT64)]
        if not outputs:
            return self.store(scope)
        counters = self.counters(scope)
        outer = [entry for entry in scope if entry[0] != counters[-1]]
        text, guard = self.element(outer, self.rng.choice(outputs))
        lines = []
        for _ in range(self.rng.randrange(2, 5)):
            line = Text(f"{text} {self.pick('+=', '+=', '+=', '^=', '|=')} {self.word(scope, UINT32, 1)};")
            lines.append(Text(f"if ({self.condition(scope)})", [line]) if self.chance(70) else line)
        return [Text(f"if ({guard})", lines)] if guard else lines

    def spicy(self, scope, into):
        """A loop that is serial, or seems to be."""
        kind = self.rng.randrange(8)
        if kind == 7:
            return self.sums(scope)
        if kind == 0:
            test = f"{self.condition(scope)} && {self.condition(scope)}"
            return [Text(f"if ({test})", [Text(self.pick("break;", "break;", "continue;"))])]
        if kind == 1:
            return self.put(scope)
        if kind == 2:  # the previous iteration's value
            type, last = self.pick(FLOAT32, UINT32), self.fresh("last")
            into.append((f"{type.name} {last} = 1;", last, type))
            before = scope + [(last, None, type)]
            return self.store(before) + [Text(f"{last} = {self.value(scope, type, 1)};")]
        if kind == 3:  # an array that outlives the iteration
            t, i = self.fresh("t"), self.rng.choice(self.counters(scope))
            into.append((f"uint32 {t}[4] = {{0}};", f"{t}[{self.rng.randrange(4)}]", UINT32))
            return [Text(f"{t}[{i} & 3] {self.pick('=', '+=')} {self.word(scope, UINT32, 1)};")]
        if kind == 4:  # a struct that outlives it
            t = self.fresh("t")
            into.append((f"struct {self.name}_pair {t} = {{0, 1, 2}};", f"{t}.b", UINT32))
            return [Text(f"{t}.b {self.pick('+=', '^=', '=')} {self.word(scope, UINT32, 1)};")]
        if kind == 5:
            return [Text(f"if ({self.condition(scope)})", [Text("continue;")])] + self.store(scope)
        return self.store(scope, 20)

    def statement(self, scope, into, depth):
        kind = self.rng.randrange(100)
        self.open = into
        if self.chance(self.spice):
            return self.spicy(scope, into)
        if kind < 30:
            return self.store(scope)
        if kind < 62:
            return self.reduction(scope, into)
        if kind < 72:
            return self.local(scope)
        if kind < 80:
            then, otherwise = self.store(list(scope)), self.store(list(scope))
            lines = [Text(f"if ({self.condition(scope)})", then)]
            return lines + ([Text("else", otherwise)] if self.chance(40) else [])
        if kind < 84 and self.spice:
            return self.put(scope)
        if depth < 2 and not self.is_long:
            return self.loop(scope, depth + 1)
        return self.store(scope)

    # ---- loops ----

    def header(self, i, d, scope):
        """The loop over dimension d, and whether the index is known to be in it."""
        n = self.dimensions[d]
        outer = [name for name, of, t in scope if t is None and of is not None]
        simple = f"for (size_t {i} = 0; {i} < {n}; {i}++)"
        if outer and self.chance(35):
            o = self.rng.choice(outer)
            return self.pick(f"for (size_t {i} = 0; {i} < {n} && {i} <= (size_t){o}; {i}++)" if self.spice else simple,
                             f"for (size_t {i} = {o}; {i} < {n}; {i}++)",
                             f"for (size_t {i} = (size_t){o} < 3 ? 0 : {o} - 2; {i} < {n} && {i} <= (size_t){o}; {i}++)",
                             f"for (size_t {i} = 0, {i}e = {o} < {n} ? {o} : {n}; {i} < {i}e; {i}++)")
        if self.chance(55):
            return simple
        return self.pick(
            f"for (size_t {i} = {n}; {i}-- > 0;)", f"for (int {i} = 0; {i} < (int){n}; {i}++)",
            f"for (uint32 {i} = 0; {i} < {n}; {i} += 2)", f"for (size_t {i} = 1; {i} < {n}; {i}++)",
            f"for (size_t {i} = 0; {i} + 1 < {n}; {i}++)", f"for (int {i} = (int){n} - 1; {i} >= 0; {i}--)",
            f"for (int64 {i} = 0; {i} < (int64){n}; {i} += 3)",
            *((f"for (uint8 {i} = 0; {i} < {n} && {i} < 255; {i}++)", f"for (size_t {i} = 0; {i} < {n}; {i} += 1 + (k & 3))",
               f"for (size_t {i} = 0; {i} != {n} && {i} != k; {i}++)",
               f"for (size_t {i} = 0, {i}e = {n}; {i} < {i}e; {i}++, {i}e -= k & 1)") if self.spice else ()),
            f"for (int {i} = 0; {i} < {self.pick(3, 8, 16)}; {i}++) if ((size_t){i} < {n})")

    def loop(self, scope, depth):
        i, d = self.fresh("i"), self.rng.randrange(len(self.dimensions))
        used = {of for _, of, _ in scope}
        if d in used and self.chance(70):
            rest = [e for e in range(len(self.dimensions)) if e not in used]
            d = self.rng.choice(rest) if rest else d
        head = self.header(i, d, scope)
        into, body, inner = [], [], scope + [(i, d, None)]
        for _ in range(self.pick(1, 1, 2, 2, 3)):
            body += self.statement(inner, into, depth)
        before = [Text(text) for text, _, _ in into]
        return before + [Text(head, body)] + self.consume(scope, into)

    def rows(self):
        """A sum for each element of an output, perhaps of long rows: SIMD code computes several at once."""
        outputs = [o for o in self.operands if o.is_output and o.type.is_float and len(o.dimensions) == 1]
        if not outputs or len(self.dimensions) < 2:
            return []
        into = self.rng.choice(outputs)
        outer = into.dimensions[0]
        inner = self.rng.choice([d for d in range(len(self.dimensions)) if d != outer])
        i, k, s = self.fresh("i"), self.fresh("i"), self.fresh("s")
        type = self.pick(FLOAT32, FLOAT32, FLOAT64)
        scope = [(i, outer, None), (k, inner, None)]
        terms = [o for o in self.operands if not o.is_output and o.type.is_float and set(o.dimensions) <= {outer, inner}]
        term = " * ".join(self.load(scope, self.rng.choice(terms), 100) for _ in range(2)) if terms and self.chance(70) \
            else self.number(scope, FLOAT64 if type is FLOAT64 else FLOAT32, 1)
        return [Text(f"for (size_t {i} = 0; {i} < {self.dimensions[outer]}; {i}++)", [
            Text(f"{type.name} {s} = {self.pick(0, 0, 3)};"),
            Text(f"for (size_t {k} = {self.pick(0, 0, 0, 1)}; {k} < {self.dimensions[inner]}; {k}++)",
                 [Text(f"{s} {self.pick('+=', '+=', '-=')} {term};")]),
            Text(f"{into.name}[{i}] = ({into.type.name}){s};")])]

    def consume(self, scope, into):
        """Statements that use reductions behind their loop."""
        lines = []
        for _, name, type in into:
            fitting = [o for o in self.operands if o.is_output and o.type.is_float == type.is_float
                       and (not scope or self.spice or {of for _, of, _ in scope if of is not None} <= set(o.dimensions))]
            if fitting and self.chance(80):
                operand = self.rng.choice(fitting)
                text, condition = self.element(scope, operand, 100)
                statement = Text(f"{text} = {name};")
                lines.append(Text(f"if ({condition})", [statement]) if condition else statement)
            scope.append((name, None, type))
        return lines

    def program(self):
        self.grow_operands()
        self.open = None
        scope, body = [], self.rows() if self.chance(25) else []
        for _ in range(self.pick(1, 1, 2, 2, 3)):
            if self.chance(8):
                inner = list(scope)
                body.append(Text(f"if ({self.condition(inner)})", self.loop(inner, 0)))
            else:
                body += self.loop(scope, 0)
        helpers = HELPERS.format(self.name).replace("static void", "@")
        put = next(line for line in helpers.splitlines() if line.startswith("@"))
        types = {o.type.name for o in self.operands if o.is_output}
        puts = "\n".join(put.replace("@", "static void").replace("_put(", f"_put_{t}(").replace("TYPE", t)
                         for t in sorted(types))
        return Gufunc(self.name, self.dimensions, self.extents, self.calls, self.operands,
                      helpers.replace(put, puts), Body(body), self.is_reorderable, self.is_exact)
