"""The scalar types of <gpucc.h> and C's rules about them: promotions, usual conversions, ranges; and arrays of them
with special values."""
import struct


class Scalar:
    """kind: 'b' boolean, 'i' signed, 'u' unsigned, 'f' floating, 'c' complex; `code` is what symbols have."""

    def __init__(self, name, code, bits, kind):
        self.name, self.code, self.bits, self.kind = name, code, bits, kind
        self.size = max(bits // 8, 1)
        if self.is_integer:
            self.low = -(1 << bits - 1) if kind == "i" else 0
            self.high = (1 << bits - (kind == "i")) - 1

    def __repr__(self):
        return self.name

    @property
    def is_integer(self):
        return self.kind in "biu"

    @property
    def is_signed(self):
        return self.kind == "i"

    @property
    def is_float(self):
        return self.kind == "f"

    @property
    def is_complex(self):
        return self.kind == "c"

    def holds(self, low, high):
        return self.low <= low and high <= self.high


BOOLEAN = Scalar("boolean", "b1", 1, "b")
INT8, INT16, INT32, INT64 = (Scalar(f"int{n}", f"i{n}", n, "i") for n in (8, 16, 32, 64))
UINT8, UINT16, UINT32, UINT64 = (Scalar(f"uint{n}", f"u{n}", n, "u") for n in (8, 16, 32, 64))
INT128, UINT128 = Scalar("__int128", "i128", 128, "i"), Scalar("unsigned __int128", "u128", 128, "u")
FLOAT16, FLOAT32, FLOAT64 = (Scalar(f"float{n}", f"f{n}", n, "f") for n in (16, 32, 64))
BFLOAT16 = Scalar("bfloat16", "bf16", 16, "f")
COMPLEX64, COMPLEX128 = (Scalar(f"complex{n}", f"c{n}", n, "c") for n in (64, 128))

INTEGERS = (INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64)
FLOATS = (FLOAT16, BFLOAT16, FLOAT32, FLOAT64)
COMPLEXES = (COMPLEX64, COMPLEX128)
ELEMENTS = (BOOLEAN, *INTEGERS, *FLOATS, *COMPLEXES)  # what arrays of hosts may hold
SIGNED = {8: INT8, 16: INT16, 32: INT32, 64: INT64, 128: INT128}
UNSIGNED = {8: UINT8, 16: UINT16, 32: UINT32, 64: UINT64, 128: UINT128}
PART = {COMPLEX64: FLOAT32, COMPLEX128: FLOAT64}
FLOAT_ORDER = (BFLOAT16, FLOAT16, FLOAT32, FLOAT64)


def promoted(scalar):
    """Returns the type of an operand after C's integer promotion."""
    return INT32 if scalar.is_integer and scalar.bits < 32 else scalar


def usual(x, y):
    """The type in which x + y is computed.  float16 and bfloat16 do not go together."""
    if x.is_complex or y.is_complex:
        parts = [PART.get(t, t) for t in (x, y)]
        return COMPLEX128 if FLOAT64 in parts else COMPLEX64
    if x.is_float or y.is_float:
        assert {x, y} != {FLOAT16, BFLOAT16}
        return max((t for t in (x, y) if t.is_float), key=FLOAT_ORDER.index)
    x, y = promoted(x), promoted(y)
    if x.bits != y.bits:
        return x if x.bits > y.bits else y
    return y if x.is_signed else x


# Bit patterns of floating numbers: significand bits, exponent bits.
_LAYOUT = {FLOAT16: (10, 5), BFLOAT16: (7, 8), FLOAT32: (23, 8), FLOAT64: (52, 11)}


def _float_bits(rng, scalar):
    digits, exponent_bits = _LAYOUT[scalar]
    top = (1 << exponent_bits) - 1
    bias = top >> 1
    sign = rng.getrandbits(1) << digits + exponent_bits
    infinity, one, kind = top << digits, bias << digits, rng.randrange(10)
    if kind == 0:
        return sign  # zero
    if kind == 1:
        return sign | rng.choice((1, (1 << digits) - 1, 1 << digits, rng.getrandbits(digits)))  # the smallest
    if kind == 2:
        return sign | rng.choice((infinity, infinity - 1, infinity | 1 << digits - 1, infinity - rng.randrange(1, 9)))
    if kind == 3:
        return sign | one + rng.randrange(-2, 3)
    if kind == 4:
        return rng.getrandbits(scalar.bits)
    if kind == 5:  # beside powers of two, where integer types end
        power = rng.choice((6, 7, 8, 14, 15) if exponent_bits < 6 else (6, 7, 8, 14, 15, 16, 30, 31, 32, 62, 63, 64))
        return (sign | bias + power << digits) + rng.randrange(-1, 2)
    exponent = bias + rng.randrange(-4, 8)
    return sign | exponent << digits | rng.getrandbits(digits) >> rng.randrange(digits + 1) << rng.randrange(digits) & (
        1 << digits) - 1


def integer_bits(rng, scalar):
    """An integer of the type as its bit pattern: small, at a border, or any."""
    kind = rng.randrange(6)
    if kind == 0:
        value = rng.getrandbits(scalar.bits)
    elif kind == 1:
        value = rng.choice((scalar.low, scalar.high)) + rng.randrange(-2, 3)
    elif kind == 2:
        value = (1 << rng.randrange(scalar.bits)) + rng.randrange(-1, 2)
    elif kind == 3:
        value = -rng.randrange(1, 20)
    else:
        value = rng.randrange(0, 41)
    return value & (1 << scalar.bits) - 1


def element(rng, scalar):
    """One element as it lies in memory; NaN has one pattern."""
    if scalar is BOOLEAN:
        return bytes((rng.getrandbits(1),))
    if scalar.is_complex:
        return element(rng, PART[scalar]) + element(rng, PART[scalar])
    bits = _float_bits(rng, scalar) if scalar.is_float else integer_bits(rng, scalar)
    if scalar.is_float:
        digits, exponent_bits = _LAYOUT[scalar]
        infinity = (1 << exponent_bits) - 1 << digits
        if bits & infinity == infinity and bits & (1 << digits) - 1:
            bits = infinity | 1 << digits - 1
    return bits.to_bytes(scalar.size, "little")


def elements(rng, scalar, count):
    return b"".join(element(rng, scalar) for _ in range(count))


def rounded(type, value):
    """A Python number as the nearest one, or for bfloat16 the next toward zero, of a floating type."""
    if type is FLOAT64 or value != value or value in (float("inf"), float("-inf")):
        return value
    try:
        if type is FLOAT16:
            return struct.unpack("<e", struct.pack("<e", value))[0]
        bits = struct.pack("<f", value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return struct.unpack("<f", b"\0\0" + bits[2:] if type is BFLOAT16 else bits)[0]
