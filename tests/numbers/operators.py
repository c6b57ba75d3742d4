"""Shifts, quotients and remainders of all pairs of integer types: as expressions, as compound assignments, of wide and odd
widths, of vectors, of bit-fields and of atomic variables."""
from c_numbers import BOOLEAN, INTEGERS, TYPES, Function, binary, bit_int, common, converted, wrapped

OPERATORS = ("<<", ">>", "/", "%")
BITS = {(1, False), (2, True), (3, True), (7, True), (7, False), (17, False), (33, True), (65, True), (100, False),
        (128, True), (128, False)}


def operations(source, other, left, right):
    """x OP y and x OP= y, with x and y cast to these types; the low and the high halves of the results."""
    def expected(x, y):
        x, y = converted(x, left), converted(y, right)
        for operator in OPERATORS:
            value, _ = binary(operator, x, left, y, right)
            yield wrapped(value, TYPES["int64"])
            yield wrapped(value >> 64, TYPES["int64"])
            yield wrapped(converted(value, left), TYPES["int64"])
    code = f"const {left} x = ({left})x0; const {right} y = ({right})x1; {left} z;"
    for i, operator in enumerate(OPERATORS):
        code += (f"\n    *y{3 * i} = (int64)(x {operator} y); *y{3 * i + 1} = (int64)((__int128)(x {operator} y) >> 64); "
                 f"z = x; z {operator}= y; *y{3 * i + 2} = (int64)z;")
    return Function([source.name, other.name], ["int64"] * 12, code, expected)


def vectors(type, other):
    """Four elements at once, by a vector and by a number."""
    def element(operator, x, left, y, right):
        if operator in ("<<", ">>"): # of the elements' own type: nothing is promoted
            left = bit_int(left.bits, left.signed)
            return binary(operator, x, left, y, right)[0]
        left = bit_int(left.bits, left.signed)
        return binary(operator, x, left, wrapped(y, left), left)[0]
    def expected(x, y):
        for operator in OPERATORS:
            yield element(operator, x, type, y, type)
            yield element(operator, 5, type, x, type)
            yield element(operator, x, type, other[1], TYPES["int32"])
    code = f"V x = {{x0, 5, x1, 1}}, y = {{x1, x0, 3, 2}}, z;"
    for i, operator in enumerate(OPERATORS):
        code += f"\n    z = x {operator} y; *y{3 * i} = z.x; *y{3 * i + 1} = z.y; x.xyzw = x; "
        code += f"{{ V w = x; w {operator}= {other[0]}; *y{3 * i + 2} = w.x; }}"
    return Function([type.name] * 2, [type.name] * 12, code.replace("V", f"V_{type.name}"), expected,
                    before=f"#ifndef V_{type.name}\n#define V_{type.name} V_{type.name}\n"
                           f"typedef {type.name} V_{type.name} __attribute__((ext_vector_type(4)));\n#endif")


def fields(other):
    """Checks bit-fields, whose type is int if that can represent them, and else their declared type."""
    a, b, c = bit_int(5, True), bit_int(7, False), bit_int(40, True)
    def expected(x, y):
        for field, type in (a, TYPES["int32"]), (b, TYPES["int32"]), (c, c):
            for operator in OPERATORS:
                value, _ = binary(operator, converted(x, field), type, y, other)
                yield converted(value, field)
    code = ""
    for i, field in enumerate("abc"):
        for k, operator in enumerate(OPERATORS):
            code += f"{{ struct fields s = {{.{field} = x0}}; s.{field} {operator}= x1; *y{4 * i + k} = s.{field}; }}\n    "
    return Function(["int64", other.name], ["int64"] * 12, code, expected,
                    before="#ifndef FIELDS\n#define FIELDS\nstruct fields { int a : 5; unsigned b : 7; int64 c : 40; };\n"
                           "#endif")


def atomics(type, other):
    """Checks operations in the variable's own type, or in unsigned types; others are errors."""
    def expected(x, y):
        for operator in OPERATORS:
            yield converted(binary(operator, x, type, y, other)[0], type)
    code = " ".join(f"{{ _Atomic({type}) a = x0; a {operator}= x1; *y{i} = a; }}" for i, operator in enumerate(OPERATORS))
    return Function([type.name, other.name], [type.name] * 4, code, expected)


def functions(random):
    for left in [BOOLEAN] + INTEGERS:
        for right in [BOOLEAN] + INTEGERS:
            if left is not BOOLEAN:
                yield operations(left, right, left, right)
    odd = [bit_int(*bits) for bits in sorted(BITS)]
    for left in odd:
        for right in odd:
            yield operations(TYPES["int64"], TYPES["int64"], left, right)
    for right in INTEGERS:
        yield fields(right)
    for type in INTEGERS:
        for other in (("300", 300), ("-1", -1), ("0", 0), ("3", 3)):
            yield vectors(type, other)
        for other in INTEGERS[3], INTEGERS[4]:
            if not type.signed or common(type, other).bits == type.bits:
                yield atomics(type, other)
