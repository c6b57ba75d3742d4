"""Prints trees as the C that gpucc reads."""
import math

from scalars import FLOAT32, FLOAT64, INT32, INT64, UINT32, UINT64
from tree import Array, Record


def _integer(value, suffix, lowest):
    if value == lowest:
        return f"({value + 1}{suffix} - 1)"
    return f"({value}{suffix})" if value < 0 else f"{value}{suffix}"


def _floating(value, suffix):
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    text = value.hex() + suffix
    return f"({text})" if text.startswith("-") else text


def literal_text(type, value):
    if type.is_complex:
        return f"CMPLX{'F' if type.bits == 64 else ''}({_floating(value.real, '')}, {_floating(value.imag, '')})"
    if type is FLOAT32:
        return _floating(value, "f")
    if type is FLOAT64:
        text = _floating(value, "")
        return f"(double){text}" if text.strip("(-)").isalpha() else text
    if type.is_float:
        return f"({type.name}){_floating(value, 'f')}"
    if type in (INT32, INT64):
        return _integer(value, "" if type is INT32 else "l", type.low)
    if type in (UINT32, UINT64):
        return f"{value}u" if type is UINT32 else f"{value}ul"
    if type.bits == 128:
        bits = value & (1 << 128) - 1
        return f"(({type.name})((unsigned __int128){bits >> 64}ul << 64 | {bits & (1 << 64) - 1}ul))"
    return f"(({type.name}){_integer(value, '', None)})"


class Printer:
    """One method for each kind of node; a reference overrides those that a C compiler would read otherwise."""

    def __init__(self):
        self.lines, self.depth = [], 0

    def put(self, text):
        self.lines.append("    " * self.depth + text if text else "")

    def text(self):
        return "\n".join(self.lines) + "\n"

    # ---- types ----

    def type_name(self, type):
        return f"struct {type.name}" if isinstance(type, Record) else type.name

    def declarator(self, type, name):
        dimensions = ""
        while isinstance(type, Array):
            dimensions += f"[{type.count}]"
            type = type.element
        return f"{self.type_name(type)} {name}{dimensions}"

    def record(self, record):
        self.put(f"struct {record.name} {{")
        self.depth += 1
        for f in record.fields:
            self.put(f"{self.declarator(f.type, f.name)}{f' : {f.width}' if f.width else ''};")
        self.depth -= 1
        self.put("};")

    # ---- expressions ----

    def expression(self, e):
        return getattr(self, "print_" + type(e).__name__.lower())(e)

    def print_literal(self, e):
        return literal_text(e.type, e.value)

    def print_name(self, e):
        v = e.variable
        return f"(*{v.name})" if v.space == "pointer" else v.name

    def print_element(self, e):
        return f"{self.expression(e.array)}[{self.expression(e.index)}]"

    def print_member(self, e):
        return f"{self.expression(e.record)}.{e.field.name}"

    def print_unary(self, e):
        return f"({e.op}{self.expression(e.operand)})"

    def print_binary(self, e):
        return f"({self.expression(e.left)} {e.op} {self.expression(e.right)})"

    def print_choose(self, e):
        return f"({self.expression(e.condition)} ? {self.expression(e.yes)} : {self.expression(e.no)})"

    def print_convert(self, e):
        return f"(({e.type.name}){self.expression(e.operand)})"

    def print_call(self, e):
        return f"{e.function.name}({', '.join(self.arguments(e.function.parameters, e.arguments))})"

    def print_math(self, e):
        return f"{e.function.name}({', '.join(self.expression(a) for a in e.arguments)})"

    def arguments(self, parameters, arguments):
        return [self.converted(a, p.type) for p, a in zip(parameters, arguments)]

    def converted(self, e, type):
        """Prints a value that C converts: assignments, initialisers, arguments, results."""
        return self.expression(e)

    # ---- statements ----

    def statements(self, body):
        for s in body:
            getattr(self, "print_" + type(s).__name__.lower())(s)

    def block(self, head, body):
        self.put(head + " {")
        self.depth += 1
        self.statements(body)
        self.depth -= 1
        self.put("}")

    def initializer(self, type, value):
        if isinstance(value, list):
            inner = [f.type for f in type.fields] if isinstance(type, Record) else [type.element] * type.count
            return "{" + ", ".join(self.initializer(t, v) for t, v in zip(inner, value)) + "}"
        return self.converted(value, type)

    def print_declare(self, s):
        v = s.variable
        const = "const " if v.is_const else ""
        self.put(f"{const}{self.declarator(v.type, v.name)} = {self.initializer(v.type, s.value)};")

    def print_assign(self, s):
        if s.is_compound:
            self.put(f"{self.expression(s.place)} {s.value.op}= {self.expression(s.value.right)};")
        else:
            self.put(f"{self.expression(s.place)} = {self.converted(s.value, s.place.type)};")

    def print_if(self, s):
        self.block(f"if ({self.expression(s.condition)})", s.then)
        if s.otherwise:
            self.block("else", s.otherwise)

    def print_for(self, s):
        v = s.variable
        condition = f" && {self.expression(s.condition)}" if s.condition else ""
        condition = f"{v.name} < {self.expression(s.count)}{condition}"
        if s.is_unrolled:
            self.put("unroll(4)")
        if s.is_endless:
            self.put(f"for ({v.type.name} {v.name} = 0;; {v.name}++) {{")
            self.put(f"    if (!({condition}))")
            self.put("        break;")
            self.block("", s.body)
            self.put("}")
        else:
            self.block(f"for ({v.type.name} {v.name} = 0; {condition}; {v.name}++)", s.body)

    def print_switch(self, s):
        self.block(f"switch ({self.expression(s.value)})", s.cases)

    def print_case(self, s):
        for label in s.labels:
            self.put(f"case {label}:")
        if not s.labels:
            self.put("default:")
        self.depth += 1
        self.put("{")
        self.depth += 1
        self.statements(s.body)
        self.depth -= 1
        self.put("}")
        if not s.falls:
            self.put("break;")
        self.depth -= 1

    def print_break(self, _):
        self.put("break;")

    def print_continue(self, _):
        self.put("continue;")

    def print_return(self, s):
        self.put("return;" if s.value is None else f"return {self.returned(s.value)};")

    def returned(self, value):
        return self.converted(value, self.function.result)

    def print_evaluate(self, s):
        inputs = [p for p in s.call.function.parameters if p.space != "pointer"]
        arguments = self.arguments(inputs, s.call.arguments) + ["&" + self.expression(p) for p in s.places]
        self.put(f"{s.call.function.name}({', '.join(arguments)});")

    # ---- functions ----

    def parameter(self, p):
        return f"{self.type_name(p.type)} {'*' if p.space == 'pointer' else ''}{p.name}"

    def head(self, function):
        result = self.type_name(function.result) if function.result else "void"
        parameters = ", ".join(self.parameter(p) for p in function.parameters)
        return f"{function.keywords} {result} {function.name}({parameters})"

    def print_function(self, function, first_lines=()):
        self.function = function
        self.put(self.head(function))
        self.put("{")
        self.depth += 1
        self.lines += first_lines
        self.statements(function.body)
        self.depth -= 1
        self.put("}")
        self.put("")

    def table(self, v):
        values = ", ".join(literal_text(v.type.element, value) for value in v.values)
        self.put(f"static const {self.declarator(v.type, v.name)} = {{{values}}};")
