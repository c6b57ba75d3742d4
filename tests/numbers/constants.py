"""Operations and conversions of constants, which Clang and LLVM would compute themselves: in expressions, in static tables, in
conditions, and with one operand that is known only when functions have been inlined."""
import math

from c_numbers import FLOATS, INTEGERS, TYPES, Function, binary, bit_int, converted, rounded, samples, wrapped

OPERATORS = ("<<", ">>", "/", "%")
INT64 = TYPES["int64"]


def literal(value, type):
    if type.is_float:
        if math.isnan(value) or math.isinf(value):
            text = "__builtin_nan(\"\")" if math.isnan(value) else f"{'-' * (value < 0)}__builtin_inf()"
        else:
            text = value.hex()
        return f"(({type}){text})"
    if value == INT64.least:
        return f"(({type})(-{INT64.most} - 1))"
    return f"(({type}){value}{'u' * (value > INT64.most)})"


def folded(random, count=6):
    """x0 is a bystander, so that there is a loop."""
    lines, results = [], []
    while len(results) < count:
        left, right = random.choice(INTEGERS), random.choice(INTEGERS)
        x, y = random.choice(samples(left, random, 40)), random.choice(samples(right, random, 40))
        operator = random.choice(OPERATORS)
        value, type = binary(operator, x, left, y, right)
        if not y and operator in "/%" and random.random() < .5:
            continue # not only these
        form = random.choice((
            "*y{i} = x0 ^ ({e});",
            "*y{i} = x0 > 0 ? x0 ^ ({e}) : x0 ^ ({x} {op} ({right}){y});",
            "{{ int64 t = x0; if (({e}) == {v}) t ^= {v}; *y{i} = t; }}",
            "switch ((int64)({e})) {{ case {v}: *y{i} = x0 ^ {v}; break; default: *y{i} = x0; }}",
            "{{ {left} t = {x}; const {right} u = {y}; *y{i} = x0 ^ (t {op} u); }}",
            "{{ volatile {left} t = {x}; *y{i} = x0 ^ (t {op} {y}); }}",
            "{{ const struct {{ {left} a[2]; }} t = {{{{1, {x}}}}}; *y{i} = x0 ^ (t.a[1] {op} {y}); }}",
            "*y{i} = x0 ^ called{left}{right}{name}({x}, {y});"))
        name = {"<<": "shl", ">>": "shr", "/": "div", "%": "rem"}[operator]
        a, b = literal(x, left), literal(y, right)
        lines.append(form.format(i=len(results), e=f"{a} {operator} {b}", x=a, y=b, op=operator, left=left, right=right,
                                 v=literal(value, type), name=name))
        results.append(wrapped(value, INT64))
    return Function(["int64"], ["int64"] * count, "\n    ".join(lines),
                    lambda x: [x ^ result for result in results], before=CALLED)


def tables(random, count=6):
    """Static initialisers, where C takes constants only."""
    elements, results = [], []
    while len(results) < count:
        left, right = random.choice(INTEGERS), random.choice(INTEGERS)
        x, y = random.choice(samples(left, random, 40)), random.choice(samples(right, random, 40))
        operator = random.choice(OPERATORS)
        if y and not (operator in "/%" and y == -1):
            elements.append(f"{literal(x, left)} {operator} {literal(y, right)}")
            results.append(wrapped(binary(operator, x, left, y, right)[0], INT64))
    code = f"static const int64 table[] = {{{', '.join(elements)}}};"
    code += " ".join(f"*y{i} = x0 ^ table[{i}];" for i in range(count))
    return Function(["int64"], ["int64"] * count, code, lambda x: [x ^ result for result in results])


def conversions(random, count=6):
    lines, results = [], []
    for i in range(count):
        source, to = random.choice(FLOATS), random.choice(INTEGERS + [bit_int(7, True), bit_int(100, False)])
        value = random.choice(samples(source, random, 100))
        text = literal(value, source)
        form = random.choice(("*y{i} = x0 ^ (int64)({to}){e};", "{{ {to} t = {e}; *y{i} = x0 ^ (int64)t; }}",
                              "{{ static const {to} t = ({to}){e}; *y{i} = x0 ^ (int64)t; }}",
                              "*y{i} = x0 > 0 ? x0 ^ (int64)({to}){e} : x0 ^ (int64)({to})({e} * 1);"))
        lines.append(form.format(i=i, to=to, e=text))
        results.append(wrapped(converted(value, to), INT64))
    return Function(["int64"], ["int64"] * count, "\n    ".join(lines),
                    lambda x: [x ^ result for result in results])


CALLED = "#ifndef CALLED\n#define CALLED\n" + "".join(
    f"static int64 called{left}{right}{name}({left} x, {right} y) {{ return x {operator} y; }}\n"
    for left in INTEGERS for right in INTEGERS
    for operator, name in zip(OPERATORS, ("shl", "shr", "div", "rem"))) + "#endif"


def functions(random):
    for _ in range(120):
        yield folded(random)
    for _ in range(20):
        yield tables(random)
        yield conversions(random)
