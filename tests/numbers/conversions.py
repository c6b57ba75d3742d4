"""Every integer type by way of every other one to floats and to wider and narrower integers, with and without a function
beside it that takes the integer's float and a narrow exponent."""
from c_numbers import BOOLEAN, FLOATS, INTEGERS, TYPES, Function, bit_int, converted

WIDTHS = [(1, False), (2, True), (7, True), (7, False), (12, True), (17, False), (17, True), (33, False), (63, True),
          (65, True), (128, True), (128, False)]
BETWEEN = [BOOLEAN] + INTEGERS + [bit_int(bits, signed) for bits, signed in WIDTHS]


def casts(source, pairs):
    """One function with an output for each pair of a type between and the result's type."""
    def expected(x):
        return [converted(converted(x, between), to) for between, to in pairs]
    code = " ".join(f"*y{i} = ({to})({between})x0;" for i, (between, to) in enumerate(pairs))
    return Function([source.name], [to.name for _, to in pairs], code, expected)


def functions(random):
    for source in [BOOLEAN] + INTEGERS + FLOATS:
        for to in [BOOLEAN] + INTEGERS + FLOATS:
            pairs = [(between, to) for between in BETWEEN + FLOATS]
            yield casts(source, pairs[::2])
            yield casts(source, pairs[1::2])
