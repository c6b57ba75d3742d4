"""Grows random expressions over the variables in scope."""
import device_functions
from scalars import (BFLOAT16, BOOLEAN, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, FLOATS, INT8, INT16, INT32,
                     INT64, INT128, INTEGERS, PART, UINT8, UINT16, UINT32, UINT64, UINT128, Scalar, rounded)
from tree import (COMPARISONS, Array, Record, binary, call, choose, convert, element, literal, math, may_fold,
                  member, name, unary, wrapping, wrapping_negation)

_NARROW = (INT8, UINT8, INT16, UINT16)
# The types of a program's variables; one that stands here twice is twice as frequent.
THEMES = {
    "mixed": INTEGERS + FLOATS + (FLOAT32, FLOAT64, BOOLEAN, INT32, INT64),
    "integers": INTEGERS + (BOOLEAN, INT128, UINT128),
    "narrow": _NARROW * 3 + (INT32, FLOAT32, FLOAT32, UINT32, FLOAT64),
    "wide": (INT64, UINT64) * 2 + (INT128, UINT128, INT32, UINT32, FLOAT64, FLOAT32),
    "floats": (FLOAT32, FLOAT64) * 3 + (INT32, INT16, UINT8, INT64),
    "halves": (FLOAT16, BFLOAT16) * 2 + (FLOAT32, FLOAT64, INT16, INT64, UINT32),
    "complex": (COMPLEX64, COMPLEX128) * 2 + (FLOAT32, FLOAT64, INT32),
}


def cast(type, e):
    """e as that type."""
    if e.type is type:
        return e
    if e.type.is_complex and type is not PART[e.type] and not type.is_complex:
        e = convert(PART[e.type], e)
    elif type.is_complex and e.type in (FLOAT16, BFLOAT16):
        e = convert(FLOAT32, e)
    return convert(type, e)


def float_value(rng, type):
    kind = rng.randrange(10)
    if kind == 0:
        value = rng.choice((float("inf"), float("-inf"), float("nan"), 0.0, -0.0))
    elif kind == 1:
        value = rng.choice((3e38, -1e30, 2.0**31, 2.0**32, 2.0**63, -(2.0**63), 1e-40, 65536.0, 1e300))
    elif kind < 5:
        value = float(rng.choice((255, 256, 300, 127, 128, -128, -129, 32767, 32768, -1, 0.5, 1, 1.5, 2, 2.5)))
    else:
        value = rng.choice((1, -1)) * rng.random() * 2.0 ** rng.randrange(-4, 7)
    return rounded(type, value)


def integer_value(rng, type):
    kind = rng.randrange(8)
    if kind == 0:
        value = rng.choice((type.low, type.high, type.low + 1, type.high - 1))
    elif kind == 1:
        value = (1 << rng.randrange(type.bits)) - rng.randrange(2)
    elif kind == 2:
        value = rng.getrandbits(type.bits)
    elif kind < 5:
        value = -rng.randrange(1, 9)
    else:
        value = rng.randrange(0, 34)
    return (value - type.low) % (1 << type.bits) + type.low


class Expressions:
    """`scope` holds the variables in scope; `calls` the functions that may be called."""

    def __init__(self, rng, theme):
        self.rng, self.types = rng, THEMES[theme]
        self.theme, self.scope, self.calls = theme, [], []
        self.math_budget = 3

    def type(self):
        return self.rng.choice(self.types)

    def any_of(self, *options):
        return self.rng.choice(options)

    def chance(self, percent):
        return self.rng.randrange(100) < percent

    # ---- leaves ----

    def literal(self, type):
        if type.is_complex:
            return literal(type, complex(float_value(self.rng, PART[type]), float_value(self.rng, PART[type])))
        return literal(type, float_value(self.rng, type) if type.is_float else integer_value(self.rng, type))

    def readable(self):
        return self.scope

    def places(self, type):
        """Scalars of that type to be read, in variables, arrays and records."""
        for v in self.readable():
            yield from self._inside(name(v), type)

    def _inside(self, place, type):
        if place.type is type:
            yield place
        elif isinstance(place.type, Array):
            if place.type.element is type or isinstance(place.type.element, Record):
                yield from self._inside(element(place, self.index(place.type.count)), type)
        elif isinstance(place.type, Record):
            for f in place.type.fields:
                if f.width and f.type is type:  # as an operand it would have a type of its own
                    yield convert(type, member(place, f))
                elif not f.width:
                    yield from self._inside(member(place, f), type)

    def index(self, count):
        """An integer within [0, count)."""
        integers = [v for v in self.readable() if isinstance(v.type, Scalar) and v.type.is_integer]
        inside = [v for v in integers if v.low >= 0 and v.high < count]
        if inside and self.chance(60):
            return name(self.rng.choice(inside))
        variables = [v for v in integers if v.type.bits <= 64]
        if variables and self.chance(70):
            v = name(self.rng.choice(variables))
            if count & (count - 1) == 0:
                return binary("&", v, literal(INT32, count - 1))
            return binary("%", cast(UINT64 if v.type.bits == 64 else UINT32, v), literal(UINT32, count))
        return literal(INT32, self.rng.randrange(count))

    def leaf(self, type):
        if self.chance(20):
            return self.literal(type)
        found = list(self.places(type)) if self.chance(60) else []
        if not found:
            readable = self.readable()
            v = self.rng.choice(readable) if readable else None
            found = [p for t in self.types for p in self._inside(name(v), t)] if v else []
        return cast(type, self.rng.choice(found)) if found else self.literal(type)

    # ---- trees ----

    def of(self, type, depth):
        """An expression of exactly that type."""
        if isinstance(type, Record):
            return self.record(type)
        if depth <= 0:
            return self.leaf(type)
        if type.is_complex:
            return self.complex(type, depth)
        return cast(type, self.floating(type, depth) if type.is_float else self.integer(type, depth))

    def near(self, type, depth):
        """One that C converts to the type by itself."""
        if isinstance(type, Record) or type.is_complex or type in (FLOAT16, BFLOAT16) or self.chance(50):
            return self.of(type, depth)
        other = self.type()
        other = self.type() if other.is_complex else other
        e = self.of(type if other.is_complex else other, depth)
        return cast(FLOAT32, e) if e.type is FLOAT16 or e.type is BFLOAT16 else e

    def record(self, type):
        return name(self.rng.choice([v for v in self.scope if v.type is type]))

    def truth(self, depth):
        """A condition."""
        kind = self.rng.randrange(8)
        if kind < 5 or depth <= 0:
            type = self.operand_type()
            return binary(self.any_of(*COMPARISONS), self.of(type, depth - 1), self.of(type, depth - 1))
        if kind == 5:
            return unary("!", self.truth(depth - 1))
        if kind == 6:
            return binary(self.any_of("&&", "||"), self.truth(depth - 1), self.truth(depth - 1))
        return self.of(self.rng.choice(INTEGERS), depth - 1)

    def operand_type(self):
        type = self.type()
        return PART[type] if type.is_complex else type

    def integer_operand(self, type, depth):
        """Returns an operand of that type, or of one that C promotes and converts."""
        other = self.type()
        return self.of(other if other.is_integer and self.chance(40) else type, depth)

    def integer(self, type, depth):
        kind = self.rng.choice(("sum",) * 4 + ("bits",) * 3 + ("shift",) * 3 + ("divide", "unary", "choose", "convert",
                                                                              "convert", "call", "truth"))
        return getattr(self, "integer_" + kind)(type, depth - 1)

    def integer_sum(self, type, depth):
        x, y = self.integer_operand(type, depth), self.integer_operand(type, depth)
        return wrapping(self.any_of("+", "-", "*"), x, y)

    def integer_bits(self, type, depth):
        return binary(self.any_of("&", "|", "^"), self.integer_operand(type, depth), self.integer_operand(type, depth))

    def integer_shift(self, type, depth):
        x, op = self.integer_operand(type, depth), self.any_of("<<", ">>")
        if self.chance(60):
            return binary(op, x, literal(INT32, self.any_of(*range(12), 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 200)))
        amount_type = self.rng.choice(INTEGERS)
        amount = self.of(amount_type, depth - 1)
        if amount.low < 0 or self.chance(40):
            amount = binary("&", amount, literal(INT32, self.any_of(7, 15, 31, 63, 127)))
        return binary(op, x, amount)

    def integer_divide(self, type, depth):
        return binary(self.any_of("/", "%"), self.integer_operand(type, depth), self.integer_operand(type, depth))

    def integer_unary(self, type, depth):
        x = self.integer_operand(type, depth)
        return wrapping_negation(x) if self.chance(50) else unary("~", x)

    def integer_choose(self, type, depth):
        return choose(self.truth(depth), self.integer_operand(type, depth), self.integer_operand(type, depth))

    def integer_convert(self, type, depth):
        e = self.of(self.operand_type(), depth)
        if e.type.is_float and self.chance(60):
            return cast(self.rng.choice(INTEGERS), e)
        return cast(type, cast(self.rng.choice(INTEGERS), e)) if self.chance(50) else cast(type, e)

    def integer_call(self, type, depth):
        own = self.own_call(depth, lambda result: isinstance(result, Scalar) and result.is_integer)
        if own:
            return own
        if self.theme != "integers" and self.math_budget > 0 and self.chance(30):
            return self.math([f for f in device_functions.REAL if f.result.is_integer], depth)
        return self.math(device_functions.INTEGER, depth)

    def integer_truth(self, type, depth):
        return self.truth(depth)

    def floating(self, type, depth):
        kind = self.rng.choice(("arithmetic",) * 7 + ("call",) * 3 + ("choose", "convert", "convert", "negate"))
        return getattr(self, "floating_" + kind)(type, depth - 1)

    def floating_arithmetic(self, type, depth):
        op = self.any_of("+", "-", "*", "*", "/")
        x, y = self.of(type, depth), self.of(type, depth)
        if type not in (FLOAT16, BFLOAT16) and self.chance(15):
            y = self.of(self.any_of(INT8, UINT16, INT32, UINT32, INT64), depth)
        if op == "*" and may_fold(x) and may_fold(y):
            op = "+"  # Clang would compute the product, and then there is nothing to fuse
        return binary(op, x, y)

    def floating_call(self, type, depth):
        own = self.own_call(depth, lambda result: isinstance(result, Scalar) and result.is_float)
        if own:
            return own
        if self.math_budget <= 0:
            return self.floating_arithmetic(type, depth)
        number = type if type in (FLOAT32, FLOAT64) else FLOAT32
        known = device_functions.CHEAP if self.chance(50) else device_functions.REAL
        return self.math([f for f in known if f.result is number], depth)

    def floating_choose(self, type, depth):
        condition, yes, no = self.truth(depth), self.of(type, depth), self.of(type, depth)
        return yes if may_fold(condition) else choose(condition, yes, no)

    def floating_convert(self, type, depth):
        return cast(type, self.of(self.operand_type(), depth))

    def floating_negate(self, type, depth):
        return unary("-", self.of(type, depth))

    def complex(self, type, depth):
        kind = self.rng.randrange(8)
        if kind < 4:
            x, y = self.of(type, depth - 1), self.of(type, depth - 1)
            return binary(self.any_of("+", "-", "*"), x, y)
        if kind == 4:
            return unary("-", self.of(type, depth - 1))
        if kind == 5:
            return choose(self.truth(depth - 1), self.of(type, depth - 1), self.of(type, depth - 1))
        if kind == 6:
            return cast(type, self.of(self.any_of(COMPLEX64, COMPLEX128, PART[type]), depth - 1))
        return self.leaf(type)

    # ---- calls ----

    def math(self, functions, depth):
        f = self.rng.choice(functions)
        if not f.plain:
            self.math_budget -= 1
        arguments = []
        for p in f.parameters:
            exactly = f.plain or self.chance(60)
            e = self.of(p, depth - 1) if exactly else self.near(p, depth - 1)
            arguments.append(e)
        return math(f, arguments)

    def own_call(self, depth, is_wanted):
        types = [v.type for v in self.scope]
        known = [f for f in self.calls if f.result and is_wanted(f.result)
                 and all(isinstance(p.type, Scalar) or p.type in types for p in f.parameters)]
        if not known or not self.chance(50):
            return None
        f = self.rng.choice(known)
        return call(f, [self.near(p.type, depth - 1) if isinstance(p.type, Scalar) else self.record(p.type)
                        for p in f.parameters])
