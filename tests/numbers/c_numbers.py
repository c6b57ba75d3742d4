"""Numbers as docs/reference/numbers.md promises them, exactly: types of C, conversions, the operators of integers, and
functions of C that are to give what these say."""
import math
import struct
from fractions import Fraction


class Type:
    """`format` is struct's, where values of the type stand in arrays; `precision` and `highest` are a float's bits, and
    its largest exponent."""

    def __init__(self, name, bits, signed=False, format=None, precision=0, highest=0, standard=True):
        self.name, self.bits, self.signed, self.format = name, bits, signed, format
        self.precision, self.highest, self.standard = precision, highest, standard
        self.word = name.replace("(", "").replace(")", "").replace(" ", "_")

    def __repr__(self):
        return self.name

    @property
    def is_float(self):
        return self.precision > 0

    @property
    def least(self):
        return -1 << self.bits - 1 if self.signed else 0

    @property
    def most(self):
        return (1 << self.bits - self.signed) - 1


BOOLEAN = Type("boolean", 1, format="?")
INTEGERS = [Type(f"{'' if signed else 'u'}int{bits}", bits, signed, "bhiq"["8 16 32 64".split().index(str(bits))]
                 if signed else "BHIQ"["8 16 32 64".split().index(str(bits))])
            for signed in (True, False) for bits in (8, 16, 32, 64)]
FLOATS = [Type("float16", 16, True, "e", 11, 15), Type("bfloat16", 16, True, "bf", 8, 127),
          Type("float32", 32, True, "f", 24, 127), Type("float64", 64, True, "d", 53, 1023)]
TYPES = {type.name: type for type in [BOOLEAN] + INTEGERS + FLOATS}
INT, UINT = TYPES["int32"], TYPES["uint32"]


class Function:
    """`code` is the C function's body, with inputs x0 x1 … and outputs *y0 *y1 …; `expected` gives the tuple of outputs
    for a tuple of inputs, or is null where the first level's results, one by one, count.  `before` stands before it."""

    def __init__(self, inputs, outputs, code, expected, before="", is_ufunc=False):
        self.inputs, self.outputs = [TYPES[name] for name in inputs], [TYPES[name] for name in outputs]
        self.code, self.expected, self.before, self.is_ufunc = code, expected, before, is_ufunc

    def text(self, name, annotation=""):
        parameters = [f"{type} x{i}" for i, type in enumerate(self.inputs)]
        parameters += [f"{type} *y{i}" for i, type in enumerate(self.outputs)]
        return f"{self.before}\n{annotation} void {name}({', '.join(parameters)})\n{{\n    {self.code}\n}}\n"

    def program(self, name):
        """It as a ufunc, or it and NAME_loop, which calls it for each element: that compiles much faster."""
        if self.is_ufunc:
            return self.text(name, "vectorize()")
        parameters = [f"const {type} *restrict x{i}" for i, type in enumerate(self.inputs)]
        parameters += [f"{type} *restrict y{i}" for i, type in enumerate(self.outputs)]
        arguments = [f"x{i}[i]" for i in range(len(self.inputs))] + [f"&y{i}[i]" for i in range(len(self.outputs))]
        return (f"{self.text(name, 'static')}device void {name}_loop(int64 n, {', '.join(parameters)})\n{{\n"
                f"    for (int64 i = 0; i < n; i++)\n        {name}({', '.join(arguments)});\n}}\n")


def bit_int(bits, signed):
    """Returns an integer type that no array has: _BitInt or __int128."""
    if bits == 128:
        return Type("__int128" if signed else "unsigned __int128", bits, signed)
    return Type(f"{'' if signed else 'unsigned '}_BitInt({bits})", bits, signed, standard=False)


def wrapped(value, type):
    value &= (1 << type.bits) - 1
    return value - (1 << type.bits) if value > type.most else value


def rounded(value, type):
    """To the nearest number of a float type, ties to even."""
    if isinstance(value, float) and (math.isnan(value) or math.isinf(value) or value == 0):
        return value
    exact = abs(Fraction(value))
    if not exact:
        return 0.0
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    exponent -= exact < Fraction(2) ** exponent
    step = Fraction(2) ** (max(exponent, 1 - type.highest) - type.precision + 1)
    result = round(exact / step) * step
    result = float(result) if result < Fraction(2) ** (type.highest + 1) else math.inf
    return math.copysign(result, -1 if value < 0 else 1)


def converted(value, type):
    """An int or a float, as C converts it; out of range the nearest value, and NaN gives 0."""
    if type is BOOLEAN:
        return int(value != 0)
    if type.is_float:
        return rounded(value, type)
    if isinstance(value, int):
        return wrapped(value, type)
    if math.isnan(value):
        return 0
    return type.most if value > type.most else type.least if value < type.least else int(value)


def promoted(type):
    return INT if type.standard and type.bits < 32 else type


def common(a, b):
    """The type in which C computes with integers of two types."""
    a, b = sorted((promoted(a), promoted(b)), key=lambda type: (type.bits, type.standard))
    if a.signed == b.signed or not b.signed:
        return b # of higher rank, or of the same rank and unsigned
    if b.bits > a.bits:
        return b
    unsigned = [type for type in INTEGERS if type.bits == b.bits and not type.signed]
    return unsigned[0] if b.standard and unsigned else bit_int(b.bits, False)


def binary(operator, x, left, y, right):
    """The value and the type of x OP y, with the operands' types."""
    if operator in ("<<", ">>"):
        type = promoted(left)
        n = type.bits if y < 0 or y >= type.bits else y
        return wrapped(x << n if operator == "<<" else x >> n, type), type
    type = common(left, right)
    x, y = wrapped(x, type), wrapped(y, type)
    if not y:
        return 0, type
    quotient = abs(x) // abs(y) * (-1 if (x < 0) != (y < 0) else 1)
    return wrapped(quotient if operator == "/" else x - quotient * y, type), type


def packed(values, type):
    if type.format == "bf":
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    return struct.pack(f"<{len(values)}{type.format}", *values)


def unpacked(data, type):
    if type.format == "bf":
        return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)]
    return list(struct.unpack(f"<{len(data) * 8 // max(type.bits, 8)}{type.format}", data))


def samples(type, random, count):
    """Values of a type: those at which something changes, and others of all magnitudes."""
    if type is BOOLEAN:
        return [random.randrange(2) for _ in range(count)]
    if type.is_float:
        edges = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5, math.inf, -math.inf, math.nan]
        for bits in (7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 127, 128):
            edges += [sign * math.ldexp(1 + step, bits) for sign in (1, -1) for step in (0, 2**-7, -2**-8)]
        edges = [rounded(edge, type) for edge in edges]
        return edges + [rounded(math.ldexp(random.uniform(-1, 1), random.randint(-3, 70)), type)
                        for _ in range(count - len(edges))]
    edges = [0, 1, 2, 3, 5, 7, type.most, type.most - 1, type.least, type.least + 1, type.bits, type.bits - 1, -1, -2, -3]
    edges += [sign << bits for sign in (1, -1) for bits in (6, 7, 8, 15, 16, 31, 32, 33, 40, 63)]
    edges = [wrapped(edge, type) for edge in edges]
    return edges + [wrapped(random.getrandbits(random.randint(1, type.bits)) * random.choice((1, -1)), type)
                    for _ in range(count - len(edges))]
