"""Prints trees as C for gcc, with plain_c.h: what is gpucc's own meaning of C is written out."""
from printer import Printer
from scalars import BFLOAT16, BOOLEAN, COMPLEX64, FLOAT16, FLOAT32, FLOAT64
from tree import Binary, Convert, Member, Unary, is_constant

_ARITHMETIC = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
_FMA = {BFLOAT16: "fmaf", FLOAT16: "fmaf", FLOAT32: "fmaf", FLOAT64: "fma"}


def conversion(text, source, target):
    """The text of a value of type `source` as one of type `target`."""
    if source is target or target is BOOLEAN:
        return text if source is target else f"((boolean)({text}))"
    if source.is_complex and not target.is_complex:
        part = FLOAT32 if source is COMPLEX64 else FLOAT64
        return conversion(f"creal{'f' if source is COMPLEX64 else ''}({text})", part, target)
    if source.is_float and target.is_integer:
        return f"convert_f64_{target.code}((double)({text}))"
    if target is BFLOAT16:
        if source.is_integer:
            return f"bfloat16_of_integer(({text}) < 0, ({text}) < 0 ? -(uint128)({text}) : (uint128)({text}))"
        return f"bfloat16_of_double((double)({text}))"
    return f"(({target.name})({text}))"


def _transparent(e):
    """Without conversions that change nothing, which do not keep Clang from fusing."""
    while isinstance(e, Convert) and e.operand.type is e.type:
        e = e.operand
    return e


def _product(e):
    """(negated, product) where e is a multiplication, perhaps negated; else (False, None)."""
    e, negated = _transparent(e), False
    if isinstance(e, Unary) and e.op == "-":
        e, negated = _transparent(e.operand), True
    is_product = isinstance(e, Binary) and e.op == "*" and e.type.is_float and not is_constant(e)
    return (negated, e) if is_product else (False, None)


class Reference(Printer):
    def __init__(self, contracts):
        super().__init__()
        self.contracts = contracts  # a * b + c of one expression is fused

    def converted(self, e, type):
        text = self.expression(e)
        return text if not hasattr(type, "kind") else conversion(text, e.type, type)

    def fused(self, e):
        """a * b + c as one operation, or None; the left product comes first, as Clang has it."""
        if not self.contracts or e.op not in "+-" or e.type not in _FMA:
            return None
        for factor, other, minus_factor, minus_other in ((e.left, e.right, False, e.op == "-"),
                                                         (e.right, e.left, e.op == "-", False)):
            negated, product = _product(factor)
            if product and product.type is e.type:
                a, b, c = (self.converted(x, e.type) for x in (product.left, product.right, other))
                sign = "-" if negated != minus_factor else ""
                text = f"{_FMA[e.type]}({sign}{a}, {b}, {'-' if minus_other else ''}{c})"
                return conversion(text, FLOAT64 if e.type is FLOAT64 else FLOAT32, e.type)
        return None

    def print_binary(self, e):
        if e.op in ("<<", ">>"):
            name = "shift_left" if e.op == "<<" else "shift_right"
            return f"{name}_{e.type.code}({self.expression(e.left)}, {self.expression(e.right)})"
        if e.type.is_integer:
            if e.op in "/%":
                name = "divide" if e.op == "/" else "modulo"
                return f"{name}_{e.type.code}({self.expression(e.left)}, {self.expression(e.right)})"
            return super().print_binary(e)
        fused = self.fused(e)
        if fused:
            return fused
        computed = FLOAT32 if e.type in (FLOAT16, BFLOAT16) else e.type
        x, y = self.converted(e.left, e.type), self.converted(e.right, e.type)
        text = f"{_ARITHMETIC[e.op]}_{computed.code}({x}, {y})"
        return conversion(text, computed, e.type)

    def print_convert(self, e):
        if isinstance(e.operand, Member) and e.operand.field.width:  # to gcc it has a type of its own
            return super().print_convert(e)
        return conversion(self.expression(e.operand), e.operand.type, e.type)

    def print_choose(self, e):
        if not hasattr(e.type, "kind"):
            return super().print_choose(e)
        return (f"({self.expression(e.condition)} ? {self.converted(e.yes, e.type)} : "
                f"{self.converted(e.no, e.type)})")

    def print_math(self, e):
        arguments = ", ".join(self.converted(a, p) for a, p in zip(e.arguments, e.function.parameters))
        return f"{'' if e.function.plain else 'native_'}{e.function.name}({arguments})"

    def print_assign(self, s):
        self.put(f"{self.expression(s.place)} = {self.converted(s.value, s.place.type)};")

    def print_for(self, s):
        s_unrolled, s.is_unrolled = s.is_unrolled, False
        super().print_for(s)
        s.is_unrolled = s_unrolled
