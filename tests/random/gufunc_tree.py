"""Statements of random gufuncs as text, which shrink.py makes smaller."""
from dataclasses import dataclass, field


@dataclass(eq=False)
class Text:
    """A statement, or with a body what stands before its braces; `plain` is for gcc, where that differs."""

    head: str
    body: list = None
    plain: str = None

    def walk(self):
        yield self
        for statement in self.body or []:
            yield from statement.walk()

    def slots(self):
        return []

    def lines(self, is_plain, indent):
        head = self.plain if is_plain and self.plain is not None else self.head
        if self.body is None:
            return [f"{indent}{line}" for line in head.split("\n")]
        inner = [line for statement in self.body for line in statement.lines(is_plain, indent + "    ")]
        return [f"{indent}{head} {{".replace("  {", " {"), *inner, indent + "}"]


@dataclass(eq=False)
class Operand:
    """`dimensions` are indices into the program's; in memory, element [0]… of the first call is the `offset`th of
    `count`, and strides are those of calls and of each dimension, in elements."""

    name: str
    type: object
    dimensions: tuple
    is_output: bool
    offset: int = 0
    count: int = 0
    strides: tuple = ()


@dataclass(eq=False)
class Body:
    body: list


@dataclass(eq=False)
class Gufunc:
    """With `is_exact` sums of floating-point numbers have no rounding, so that any order gives the same bits.  With
    `is_generic` the number k has two types, of which calls have the second one."""

    name: str
    dimensions: list
    extents: list
    calls: int
    operands: list
    helpers: str
    entry: Body
    is_reorderable: bool
    is_exact: bool
    is_generic: bool = False
    data_seed: str = ""
    functions: list = field(default_factory=list)

    def __post_init__(self):
        self.functions = [self.entry]  # as shrink.py has it

    @property
    def inputs(self):
        return [o for o in self.operands if not o.is_output]

    @property
    def outputs(self):
        return [o for o in self.operands if o.is_output]
