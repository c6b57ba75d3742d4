"""An integer that becomes a float by way of another type, beside a function that takes this float and a narrow exponent: what
LLVM's vectorisers make of such loops has lost bits of the integer."""
from fractions import Fraction

from c_numbers import INTEGERS, TYPES, Function, bit_int, converted, rounded

BETWEEN = INTEGERS[4:] + [bit_int(17, False), bit_int(33, True)]


def scaled(source, between, exponent, call, to):
    """ldexp and scalbn, which are exact but for one rounding."""
    def expected(x, k):
        return [rounded(Fraction(converted(converted(x, between), to)) * Fraction(2) ** max(min(k, 2000), -2000), to)]
    return Function([source.name, exponent], [to.name], f"*y0 = {call}(({to})({between})x0, x1);", expected,
                    is_ufunc=True)


def functions(random):
    float32, float64 = TYPES["float32"], TYPES["float64"]
    for source in INTEGERS[:2]:
        for between in BETWEEN:
            yield scaled(source, between, "int16", "ldexpf", float32)
            yield scaled(source, between, "int8", "scalbnf", float32)
        for between in BETWEEN[1:3]:
            yield scaled(source, between, "int8", "ldexp", float64)
            for call in ("pownf", "rootnf", "compoundnf"):
                yield Function([source.name, "int16"], ["float32"], f"*y0 = {call}((float32)({between})x0, x1);", None,
                               is_ufunc=True)
