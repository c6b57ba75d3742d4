"""Random programs of accesses to memory: structs, unions, packed and over-aligned members, bit-fields and vectors, in
parameters, results, constant, static, shared, local and global memory, at every alignment, copied and overlapped.

A program is C that gpucc and gcc read alike, by macros of access_device.h and access_host.h.  Each thread has memory of
its own, and gives hashes of what it finds in it.  Bytes are read only where C says what they are: padding is not, and a
union is read by its bytes, all of which were written.
"""
from dataclasses import dataclass

import sums

SCALARS = {"boolean": 1, "float16": 2, "bfloat16": 2, "float": 4, "double": 8, "__int128": 16,
           **{f"{u}int{8 * n}": n for n in (1, 2, 4, 8) for u in ("", "u")}}
ELEMENTS = [name for name in SCALARS if name not in ("boolean", "__int128")]
LANES = 2, 3, 4, 8, 16
BIT_FIELDS = "uint32", "int32", "uint8", "int16", "uint64", "int64"
SPACES = "local", "local", "array", "shared", "device"
ALIGNMENTS = 1, 2, 4, 8, 16
BYTES = 512  # of each thread's global memory for bytes, and as many for values
MOST = 160   # bytes of a value


@dataclass(eq=False)
class Type:
    """`size` is an upper bound.  `fill` sets all of *p from bytes b, `hash` reads all that is known of *p; `value`
    initialises one.  `is_full`: certainly no byte of it is padding."""

    name: str
    text: str
    size: int
    fill: list
    hash: list
    value: str
    kind: str  # struct, union, vector
    element: str = ""
    lanes: int = 0
    is_full: bool = False


@dataclass(eq=False)
class Table:
    type: Type
    name: str
    count: int
    text: str
    is_changed: bool


@dataclass(eq=False)
class Variable:
    type: Type
    name: str
    space: str  # parameter, local, array, shared, device


@dataclass(eq=False)
class Changer:
    """A function that returns what it gets, changed."""

    name: str
    type: Type
    other: Type  # of one more parameter, or None
    text: str


@dataclass(eq=False)
class AccessProgram:
    name: str
    types: list
    tables: list
    changers: list
    variables: list
    lines: list

    @property
    def parameters(self):
        return [v for v in self.variables if v.space == "parameter"]

    @property
    def outputs(self):
        return sum(line.count("GIVE()") for line in self.lines)


def from_byte(scalar, byte):
    return f"FROM_{scalar.strip('_')}({byte})"


def mixed(scalar, value):
    return f"h = MIX_{scalar.strip('_')}(h, {value});"


class AccessGrower:
    def __init__(self, rng, name):
        self.rng, self.name, self.count = rng, name, 0
        self.types, self.tables, self.changers, self.variables = [], [], [], []

    def chance(self, percent):
        return self.rng.randrange(100) < percent

    def fresh(self, letter):
        self.count += 1
        return f"{self.name}_{letter}{self.count}"

    def constant(self, scalar):
        return from_byte(scalar, self.rng.randrange(8))

    # ---- types ----

    def vector(self, most=64):
        element, lanes = self.rng.choice(ELEMENTS), self.rng.choice(LANES)
        size = SCALARS[element] * (4 if lanes == 3 else lanes)
        if size > most:
            return self.vector(most)
        name = f"{self.name}_{element}x{lanes}"
        for known in self.types:
            if known.name == name:
                return known
        made = Type(name, f"VECTOR({name}, {element}, {lanes}, {size});\n", size,
                    [f"LANE(*p, {i}) = {from_byte(element, f'b[{i}]')};" for i in range(lanes)],
                    [mixed(element, f"LANE(*p, {i})") for i in range(lanes)],
                    "{" + ", ".join(self.constant(element) for _ in range(lanes)) + "}", "vector", element, lanes,
                    lanes != 3)
        self.types.append(made)
        return made

    def attribute(self, percent, *alignments):
        return f" __attribute__((aligned({self.rng.choice(alignments)})))" if self.chance(percent) else ""

    def scalar_member(self, record, name, most):
        scalar = self.rng.choice([s for s, size in SCALARS.items() if size <= most])
        record.fill.append(f"p->{name} = {from_byte(scalar, f'b[{len(record.fill) % 16}]')};")
        record.hash.append(mixed(scalar, f"p->{name}"))
        return f"{scalar} {name}{self.attribute(10, 2, 4, 8, 16)};", SCALARS[scalar], self.constant(scalar)

    def bit_field(self, record, name, _):
        scalar = self.rng.choice(BIT_FIELDS)
        width = self.rng.randrange(1, 8 * SCALARS[scalar] + 1)
        record.fill.append(f"p->{name} = b[{len(record.fill) % 16}] * 0x01010101ull;")
        record.hash.append(mixed("int64", f"(int64)p->{name}"))
        record.is_full = False
        return f"{scalar} {name} : {width};", SCALARS[scalar], "0" if width < 4 else str(self.rng.randrange(8))

    def inner_member(self, record, name, most):
        known = [t for t in self.types if t.size <= most]
        inner = self.rng.choice(known) if known and self.chance(60) else self.vector(most)
        record.is_full &= inner.is_full
        count = self.rng.randrange(2, 4) if self.chance(25) and 3 * inner.size <= most else 0
        for place in [f"{name}[{i}]" for i in range(count)] or [name]:
            record.fill.append(f"FILL({inner.name}, p->{place}, b);")
            record.hash.append(f"HASH({inner.name}, p->{place})")
        value = "{" + ", ".join([inner.value] * count) + "}" if count else inner.value
        array = f"[{count}]" if count else ""
        return f"{inner.name} {name}{array}{self.attribute(10, 8, 16)};", (count or 1) * inner.size, value

    def record(self, most):
        made = Type(self.fresh("s"), "", 0, [], [], "", "struct", is_full=True)
        members, values = [], []
        for i in range(self.rng.randrange(1, 6)):
            most_left = most - made.size
            if most_left < 16:
                break
            kind = self.rng.choice((self.scalar_member,) * 4 + (self.bit_field,) + (self.inner_member,) * 4)
            member, size, value = kind(made, f"m{i}", most_left)
            members.append(member)
            values.append(value)
            made.size += size + 15 if "aligned" in member or size > 8 else size + 7
        packed = ""
        if self.chance(35):
            packed = " __attribute__((packed))"
        elif self.chance(15):
            packed = f" __attribute__((packed, aligned({self.rng.choice((2, 4, 8))})))"
        made.is_full &= packed == " __attribute__((packed))" and not any("aligned" in member for member in members)
        made.text = f"typedef struct{packed} {{ {' '.join(members)} }} {made.name};\n"
        made.value = "{" + ", ".join(values) + "}"
        return made

    def union(self):
        inner = [self.rng.choice(self.types) for _ in range(self.rng.randrange(1, 4))]
        size = f"sizeof({inner[0].name})"
        for t in inner[1:]:
            size = f"MOST({size}, sizeof({t.name}))"
        name = self.fresh("u")
        members = " ".join(f"{t.name} m{i};" for i, t in enumerate(inner))
        first = ", ".join(str(self.rng.randrange(256)) for _ in range(self.rng.randrange(1, 4)))
        return Type(name, f"typedef union {{ {members} uint8 bytes[{size}]; }} {name};\n", max(t.size for t in inner),
                    ["for (unsigned i = 0; i < sizeof *p; i++)", "    ((uint8 *)p)[i] = b[i % 16] + i;"],
                    ["for (unsigned i = 0; i < sizeof p->bytes; i++)", "    h = mix(h, p->bytes[i]);"],
                    "{.bytes = {" + first + "}}", "union", is_full=len(inner) == 1)

    def grow_types(self):
        for _ in range(self.rng.randrange(1, 4)):
            self.types.append(self.record(64))
            if self.chance(50):
                self.types.append(self.union())
        if self.chance(30):
            self.types.append(self.record(MOST))
        if self.chance(60):
            self.vector(128)

    # ---- what there is of them ----

    def table(self):
        t, name, count = self.rng.choice(self.types), self.fresh("t"), self.rng.randrange(1, 4)
        space = self.rng.choice(("CONSTANT", "static", "static const", "static UNUSED"))
        values = ", ".join(t.value if self.chance(85) else "{0}" for _ in range(count))
        return Table(t, name, count, f"{space} {t.name} {name}[{count}] = {{{values}}};\n", space == "static")

    def change(self, t, place):
        """Statements that change a part of a value, or all of it."""
        index = f"(k + {self.rng.randrange(9)})"
        if t.kind == "vector" and self.chance(70):
            lane = f"{index} % {t.lanes}u" if self.chance(60) else self.rng.randrange(t.lanes)
            return f"    LANE({place}, {lane}) = {from_byte(t.element, f'({index} & 63)')};\n"
        if t.kind == "union" and self.chance(80):
            return f"    {place}.bytes[{index} % sizeof {place}.bytes] += {self.rng.randrange(1, 9)};\n"
        condition = "if (k & 1) " if self.chance(50) else ""
        return f"    {condition}{{ uint8 b[BYTES]; make_bytes(b, {index}); fill_{t.name}(&{place}, b); }}\n"

    def changer(self):
        t = self.rng.choice(self.types)
        other = self.rng.choice(self.types) if self.chance(40) else None
        name = self.fresh("f")
        body = self.change(t, "x")
        if other:
            body += f"    k = (unsigned)hash_{other.name}(k, &y);\n" + self.change(other, "y")
            body += f"    k += (unsigned)hash_{other.name}(k, &y);\n" + self.change(t, "x")
        line = self.rng.choice(("OUT_OF_LINE", "OUT_OF_LINE", "static"))
        more = f", {other.name} y" if other else ""
        return Changer(name, t, other,
                       f"{line} UNUSED {t.name} {name}({t.name} x, unsigned k{more})\n{{\n{body}    return x;\n}}\n")

    def place(self, variable):
        if variable.space in ("parameter", "local"):
            return variable.name
        if variable.space == "array":
            return f"{variable.name}[(k + {self.rng.randrange(4)}) % 3u]"
        return f"{variable.name}[2 * t + {self.rng.choice((0, 1, '(k & 1)'))}]"

    def plain(self, t):
        """A place that holds such a value, or None."""
        found = [self.place(v) for v in self.variables if v.type is t]
        found += [f"{table.name}[(k + {self.rng.randrange(4)}) % {table.count}u]" for table in self.tables
                  if table.type is t]
        return self.rng.choice(found) if found else None

    def value(self, t):
        plain = self.plain(t)
        for f in self.changers:
            more = self.plain(f.other) if f.other else ""
            if f.type is t and more is not None and self.chance(60):
                same = [g.name for g in self.changers if g.type is t and g.other is f.other]
                callee = f"(k & 2 ? {f.name} : {self.rng.choice(same)})" if self.chance(30) else f.name
                return f"{callee}({plain}, k + {self.rng.randrange(5)}{', ' + more if more else ''})"
        other = self.plain(t)
        return f"(k & 1 ? {plain} : {other})" if self.chance(15) else plain

    # ---- statements ----

    def assign(self, v):
        return f"    {self.place(v)} = {self.value(v.type)};\n"

    def alter(self, v):
        return self.change(v.type, self.place(v)) + (f"    k = k * {self.rng.choice((3, 5, 7))} + 1;\n"
                                                     if self.chance(30) else "")

    def raw(self, size):
        align = self.rng.choice(ALIGNMENTS)
        offset = self.rng.randrange(0, (BYTES - size - 64) // align) * align
        return f"{offset}" + (f" + (k & 3) * {align}" if self.chance(60) else ""), align

    def memory_for(self, t):
        """Padding, which has no value, does not go to global memory: a player of PTX takes that for a fault."""
        return self.rng.choice(("values", "values", "own", "block")) if t.is_full else self.rng.choice(("own", "block"))

    def by_pointer(self, v):
        """To other memory and back, by accesses of some alignment, or copies."""
        offset, align = self.raw(MOST)
        at = f"{self.memory_for(v.type)} + {offset}"
        store = f"STORE_AT({v.type.name}, {align}, {at}, {self.value(v.type)});" if self.chance(60) else \
                f"{{ {v.type.name} c = {self.value(v.type)}; __builtin_memcpy({at}, &c, sizeof c); }}"
        place = self.place(v)
        load = f"{place} = LOAD_AT({v.type.name}, {align}, {at});" if self.chance(60) else \
               f"__builtin_memcpy(&{place}, {at}, sizeof {place});"
        return f"    {store}\n    {load}\n"

    def from_bytes(self, v):
        """Loads a value of a type that may have any bytes."""
        t = v.type
        offset, align = self.raw(MOST)
        if t.kind != "union" and (t.kind != "vector" or "int" not in t.element):
            return self.assign(v)
        return f"    {self.place(v)} = LOAD_AT({t.name}, {align}, bytes + {offset});\n"

    def overlap(self, _):
        align = self.rng.choice((1, 2, 4, 8))
        size, by = self.rng.choice((16, 32, 64, 128, 256)), align * self.rng.randrange(1, 9)
        places = [f"bytes + {by}", "bytes"]
        self.rng.shuffle(places)
        if self.chance(50):
            return f"    COPY_WHOLE({size}, uint{8 * align}, {align}, {places[0]}, {places[1]})\n"
        length = self.rng.choice((str(size), f"{size} - (k & 7)", f"{size + 3}"))
        return f"    __builtin_memmove({places[0]}, {places[1]}, {length});\n"

    def aligned(self, _):
        """Through pointers that are aligned, whose places may be the same, to memory of known alignment or not."""
        memory = self.rng.choice(("bytes", "copy"))
        copied = f"_Alignas(16) uint8 copy[{BYTES}]; __builtin_memcpy(copy, bytes, {BYTES}); " * (memory == "copy")

        step = self.rng.choice((1, 2, 4, 8))
        at = f"{memory} + 64 + (k & {self.rng.choice((1, 7, 15))}) * {step}"

        def pointer(name):
            way, by = self.rng.choice(("DOWN", "UP")), self.rng.choice((2, 4, 8, 16))
            return f"uint8 *{name} = ALIGN_{way}({at} + {self.rng.randrange(5) * step}, {by});"

        def byte(*names):
            return f"{self.rng.choice(names)}[{self.rng.randrange(-2, 7)}]"
        changes = " ".join(f"{byte('p', 'q')} {self.rng.choice(('=', '+='))} {byte('p', 'q')};" for _ in range(8))
        return (f"    {{ {copied}{pointer('p')} {pointer('q')} {changes}\n"
                f"      h = mix(h, {byte('p')}), h = mix(h, {byte('q')}), h = mix(h, {byte('p')}); }}\n    GIVE()\n")

    def through(self, v):
        """Between two memories, by copies that may overlap as far as anybody knows."""
        place, at = self.place(v), self.memory_for(v.type)
        copy = self.rng.choice(("memcpy", "memmove"))
        return (f"    __builtin_{copy}({at}, &{place}, sizeof {place});\n"
                f"    __builtin_memmove(&{place}, {at}, sizeof {place});\n")

    def emit_hash(self, v):
        return f"    h = hash_{v.type.name}(h, &{self.place(v)});\n    GIVE()\n"

    def statement(self):
        kinds = (self.assign,) * 5 + (self.alter, self.alter, self.by_pointer, self.by_pointer, self.from_bytes,
                                      self.overlap, self.through, self.aligned, self.emit_hash, self.emit_hash)
        return self.rng.choice(kinds)(self.rng.choice(self.variables))

    def program(self):
        self.grow_types()
        self.tables = [self.table() for _ in range(self.rng.randrange(0, 5))]
        self.changers = [self.changer() for _ in range(self.rng.randrange(1, 4))]
        wanted = [f.type for f in self.changers] + [f.other for f in self.changers if f.other]
        for i in range(self.rng.randrange(3, 8)):
            t = self.rng.choice(self.types + wanted)
            is_parameter = i < 4 and t.kind != "vector" and self.chance(40)  # hosts have no vectors
            space = "parameter" if is_parameter else self.rng.choice([s for s in SPACES if t.is_full or s != "device"])
            self.variables.append(Variable(t, f"v{i}" if space != "device" else self.fresh("v"), space))
        lines = [self.statement() for _ in range(self.rng.randrange(6, 20))]
        lines += [self.emit_hash(v) for v in self.variables]
        if self.chance(40):
            name = self.fresh("f")
            text, call = sums.function(self.rng, name)
            self.changers.append(Changer(name, None, None, text))
            lines.append(call)
        return AccessProgram(self.name, self.types, self.tables, self.changers, self.variables, lines)
