"""Syntax trees of random programs, with C's types, and for integers the bounds that a value is known to keep.

Nodes are made by the functions at the end (binary(), convert() …), which find type and bounds.  A tree may use what
gpucc defines beyond C (docs/reference/numbers.md: wide shifts, division by zero, conversions out of range), but no signed
addition, subtraction, multiplication or negation that overflows, no negative shift, and no index out of bounds: the
bounds show it, binary() and its kin raise Overflow, and whoever replaces an expression keeps within its bounds.
"""
from dataclasses import dataclass, field, fields

import scalars
from scalars import BOOLEAN, INT32, UNSIGNED, promoted, usual


class Overflow(Exception):
    """A signed operation could overflow."""


# ---- types and variables ----


@dataclass(eq=False)
class Array:
    element: object
    count: int


@dataclass(eq=False)
class Field:
    name: str
    type: object
    width: int = 0  # of a bit-field


@dataclass(eq=False)
class Record:
    name: str
    fields: list


@dataclass(eq=False)
class Variable:
    """low and high where an integer keeps within less than its type.  What follows `values` is for kernels
    (kernel_tree.py); there an array of memory that threads share has the type of its elements."""

    name: str
    type: object
    low: int = None
    high: int = None
    is_const: bool = False
    declaration: object = None
    values: list = None  # of a constant table
    level: int = 0
    space: str = "local"
    size: int = 0  # elements of an array of global or shared memory
    width: int = 0  # of its rows, where it has two dimensions
    is_counter: bool = False  # it is for atomic operations alone

    def __post_init__(self):
        if isinstance(self.type, scalars.Scalar) and self.type.is_integer and self.low is None:
            self.low, self.high = self.type.low, self.type.high


@dataclass(eq=False)
class Function:
    name: str
    parameters: list
    result: object  # a type, or None for void
    body: list
    keywords: str = "static"
    outputs: tuple = ()  # the parameters that are pointers to results


@dataclass(eq=False)
class MathFunction:
    """A function of the device headers.  Where `plain` is set a C compiler knows it by the header too; other functions
    are gpucc's own, and the reference calls its native code."""

    name: str
    parameters: tuple
    result: object
    plain: bool = False


# ---- nodes ----


class Node:
    def slots(self):
        """(owner, attribute, index, node) of every child; the index is None where the attribute is no list."""
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, Node):
                yield self, f.name, None, value
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, Node):
                        yield self, f.name, index, item

    def walk(self):
        yield self
        for _, _, _, child in self.slots():
            yield from child.walk()


@dataclass(eq=False)
class Expression(Node):
    type: object
    low: int = field(default=None, kw_only=True)
    high: int = field(default=None, kw_only=True)

    def __post_init__(self):
        if self.low is None and isinstance(self.type, scalars.Scalar) and self.type.is_integer:
            self.low, self.high = self.type.low, self.type.high


@dataclass(eq=False)
class Literal(Expression):
    value: object


@dataclass(eq=False)
class Name(Expression):
    variable: Variable


@dataclass(eq=False)
class Element(Expression):
    array: Expression
    index: Expression


@dataclass(eq=False)
class Member(Expression):
    record: Expression
    field: Field


@dataclass(eq=False)
class Unary(Expression):
    op: str
    operand: Expression


@dataclass(eq=False)
class Binary(Expression):
    op: str
    left: Expression
    right: Expression


@dataclass(eq=False)
class Choose(Expression):
    condition: Expression
    yes: Expression
    no: Expression


@dataclass(eq=False)
class Convert(Expression):
    operand: Expression


@dataclass(eq=False)
class Call(Expression):
    function: Function
    arguments: list


@dataclass(eq=False)
class Math(Expression):
    function: MathFunction
    arguments: list


class Statement(Node):
    pass


@dataclass(eq=False)
class Declare(Statement):
    """With a value, or a list of them for an array or a record."""

    variable: Variable
    value: object

    def __post_init__(self):
        self.variable.declaration = self


@dataclass(eq=False)
class Assign(Statement):
    """place = value; or, where the value is Binary(op, place, x), `place op= x`."""

    place: Expression
    value: Expression
    is_compound: bool = False


@dataclass(eq=False)
class If(Statement):
    condition: Expression
    then: list
    otherwise: list


@dataclass(eq=False)
class For(Statement):
    """for (variable = 0; variable < count && condition; variable++); the condition may be None.  Where it is endless, the
    loop has no condition, and the body leaves it."""

    variable: Variable
    count: Expression
    condition: object
    body: list
    is_unrolled: bool = False
    is_endless: bool = False


@dataclass(eq=False)
class Case(Statement):
    labels: list  # of integers; empty: default
    body: list
    falls: bool = False


@dataclass(eq=False)
class Switch(Statement):
    value: Expression
    cases: list


@dataclass(eq=False)
class Break(Statement):
    pass


@dataclass(eq=False)
class Continue(Statement):
    pass


@dataclass(eq=False)
class Return(Statement):
    value: object


@dataclass(eq=False)
class Evaluate(Statement):
    """A call for what it stores through its pointers: places, behind the arguments."""

    call: Call
    places: list


# ---- bounds ----


def _reduced(type, low, high):
    """The bounds of a value that is converted to an integer type."""
    return (low, high) if type.holds(low, high) else (type.low, type.high)


def _ones(value):
    return (1 << value.bit_length()) - 1


def _quotient_bounds(op, type, x, y):
    most = max(abs(x[0]), abs(x[1]))
    if op == "%":
        most = min(most, max(abs(y[0]), abs(y[1]), 1) - 1)
    return (0, most) if x[0] >= 0 and (op == "%" or y[0] >= 0) else (max(-most, type.low), min(most, type.high))


def _bit_bounds(op, type, x, y):
    if op == "&" and (x[0] >= 0 or y[0] >= 0):
        return 0, min(v[1] for v in (x, y) if v[0] >= 0)
    if x[0] >= 0 and y[0] >= 0:
        return 0, _ones(max(x[1], y[1]))
    return type.low, type.high


def _shift_bounds(op, type, x, y):
    if op == ">>":
        return min(x[0], 0), max(x[1], 0)
    high = x[1] << y[1] if x[0] >= 0 and y[1] < type.bits else type.high + 1
    return (0, high) if high <= type.high else (type.low, type.high)


def _sum_bounds(op, type, x, y):
    if op == "+":
        low, high = x[0] + y[0], x[1] + y[1]
    elif op == "-":
        low, high = x[0] - y[1], x[1] - y[0]
    else:
        corners = [a * b for a in x for b in y]
        low, high = min(corners), max(corners)
    if type.holds(low, high):
        return low, high
    if type.is_signed:
        raise Overflow
    return type.low, type.high


def _bounds(op, type, left, right):
    if op in ("<<", ">>"):
        if right.low < 0:
            raise Overflow
        return _shift_bounds(op, type, _reduced(type, left.low, left.high), (right.low, right.high))
    x, y = (_reduced(type, side.low, side.high) for side in (left, right))
    if op in "+-*":
        return _sum_bounds(op, type, x, y)
    return _quotient_bounds(op, type, x, y) if op in "/%" else _bit_bounds(op, type, x, y)


# ---- making nodes ----

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def literal(type, value):
    return Literal(type, value, low=value, high=value) if type.is_integer else Literal(type, value)


def name(variable):
    if isinstance(variable.type, scalars.Scalar) and variable.type.is_integer:
        return Name(variable.type, variable, low=variable.low, high=variable.high)
    return Name(variable.type, variable)


def element(array, index):
    inner = array.type.element if isinstance(array.type, Array) else array.type
    table = array.variable.values if isinstance(array, Name) else None
    if table and inner.is_integer:
        return Element(inner, array, index, low=min(table), high=max(table))
    return Element(inner, array, index)


def member(record, field):
    if not field.width or field.type is BOOLEAN:
        return Member(field.type, record, field)
    half = 1 << field.width - 1
    low, high = (-half, half - 1) if field.type.is_signed else (0, 2 * half - 1)
    return Member(field.type, record, field, low=low, high=high)


def convert(type, operand):
    if type is BOOLEAN or not type.is_integer or not operand.type.is_integer:
        return Convert(type, operand)
    low, high = _reduced(type, operand.low, operand.high)
    return Convert(type, operand, low=low, high=high)


def unary(op, operand):
    if op == "!":
        return Unary(INT32, op, operand, low=0, high=1)
    type = promoted(operand.type)
    if not type.is_integer:
        return Unary(type, op, operand)
    low, high = _reduced(type, operand.low, operand.high)
    if op == "-":
        low, high = -high, -low
        if not type.holds(low, high):
            if type.is_signed:
                raise Overflow
            low, high = type.low, type.high
    elif op == "~":
        low, high = (-high - 1, -low - 1) if type.is_signed else (type.high - high, type.high - low)
    return Unary(type, op, operand, low=low, high=high)


def binary(op, left, right):
    if op in COMPARISONS or op in ("&&", "||"):
        return Binary(INT32, op, left, right, low=0, high=1)
    type = promoted(left.type) if op in ("<<", ">>") else usual(left.type, right.type)
    if not type.is_integer:
        return Binary(type, op, left, right)
    low, high = _bounds(op, type, left, right)
    return Binary(type, op, left, right, low=low, high=high)


def wrapping(op, left, right):
    """The same where it could overflow: in the unsigned type, and back."""
    try:
        return binary(op, left, right)
    except Overflow:
        type = usual(left.type, right.type)
        other = UNSIGNED[type.bits]
        return convert(type, binary(op, convert(other, left), convert(other, right)))


def wrapping_negation(operand):
    try:
        return unary("-", operand)
    except Overflow:
        type = promoted(operand.type)
        return convert(type, unary("-", convert(UNSIGNED[type.bits], operand)))


def choose(condition, yes, no):
    if yes.type is no.type and not isinstance(yes.type, scalars.Scalar):
        return Choose(yes.type, condition, yes, no)
    type = usual(yes.type, no.type)
    if not type.is_integer:
        return Choose(type, condition, yes, no)
    bounds = [_reduced(type, v.low, v.high) for v in (yes, no)]
    return Choose(type, condition, yes, no, low=min(b[0] for b in bounds), high=max(b[1] for b in bounds))


def call(function, arguments):
    return Call(function.result, function, arguments)


def math(function, arguments):
    return Math(function.result, function, arguments)


def is_within(inner, outer):
    """Whether an expression may stand where the other one was."""
    if inner.type is not outer.type:
        return False
    return outer.low is None or outer.low <= inner.low and inner.high <= outer.high


def is_constant(e):
    """Whether Clang computes it at once."""
    return not any(isinstance(node, (Call, Math)) or isinstance(node, Name) and not _begins_constant(node.variable)
                   for node in e.walk())


def may_fold(e):
    """Whether Clang might: what is_constant() says, and where one side of && || ?: is enough, or a table's element."""
    if isinstance(e, Binary) and e.op in ("&&", "||"):
        return may_fold(e.left) or may_fold(e.right)
    if isinstance(e, Choose):
        return may_fold(e.condition) and (may_fold(e.yes) or may_fold(e.no))
    if isinstance(e, Name):
        v = e.variable
        return bool(v.values or v.is_const and v.declaration and may_fold(v.declaration.value))
    return not isinstance(e, Call) and all(may_fold(child) for _, _, _, child in e.slots())


def is_fused_alike(e):
    """Whether it is sure what Clang fuses.  Where a condition is folded, c ? x * y : z is a product."""
    if isinstance(e, Choose) and isinstance(e.type, scalars.Scalar) and e.type.is_float:
        return not may_fold(e.condition)
    if isinstance(e, Binary) and e.op == "*" and e.type.is_float:
        return may_fold(e) == is_constant(e)
    return True


def _begins_constant(variable):
    """A const variable is to Clang what it begins with."""
    declaration = variable.declaration
    return bool(variable.is_const and isinstance(variable.type, scalars.Scalar) and declaration
                and is_constant(declaration.value))
