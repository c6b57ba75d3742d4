"""Grows random scalar functions: what becomes ufuncs, or kernels that call them for each element."""
from dataclasses import dataclass

from expressions import THEMES, Expressions
from scalars import (BOOLEAN, ELEMENTS, INT32, INT64, INTEGERS, UINT8, UINT16, UINT32, UINT64, Scalar)
from tree import (Array, Assign, Break, Call, Case, Continue, Declare, Evaluate, Field, For, Function, If, Member,
                  Overflow, Record, Return, Switch, Variable, binary, element, literal, member, name)

# Sizes in bits of the inputs and, last, of the result.
_READY = ((8, 8), (16, 16), (32, 32), (64, 64), (16, 8), (32, 8), (64, 8), (32, 64), (64, 32), (8, 8, 8), (16, 16, 16),
          (32, 32, 32), (64, 64, 64), (16, 16, 8), (32, 32, 8), (64, 64, 8), (32, 64, 64), (64, 32, 64),
          (32, 32, 32, 32), (64, 64, 64, 64))


@dataclass(eq=False)
class Program:
    """One function with what it needs.  `form` is "ufunc" or "kernel"."""

    name: str
    form: str
    contracts: bool
    records: list
    tables: list
    functions: list  # helpers first, the entry last
    data_seed: str = ""

    @property
    def entry(self):
        return self.functions[-1]

    @property
    def inputs(self):
        return [p for p in self.entry.parameters if p.space != "pointer"]

    @property
    def outputs(self):
        """Types."""
        pointers = [p.type for p in self.entry.parameters if p.space == "pointer"]
        return pointers or [self.entry.result]


class FunctionGrower(Expressions):
    def __init__(self, rng, prefix):
        super().__init__(rng, rng.choice(tuple(THEMES)))
        self.prefix, self.names = prefix, 0
        self.records, self.tables = [], []
        self.budget = 0  # statements that may still be grown
        self.loops = 0

    def fresh(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    # ---- types ----

    def field(self, index):
        if self.chance(35):
            type = self.any_of(INT32, UINT32, BOOLEAN, INT64, UINT64, UINT8)
            return Field(f"f{index}", type, 1 if type is BOOLEAN else self.rng.randrange(1, type.bits + 1))
        type = self.type()
        return Field(f"f{index}", Array(type, self.rng.randrange(2, 5)) if self.chance(15) else type)

    def record_type(self):
        fields = [self.field(i) for i in range(self.rng.randrange(2, 6))]
        return Record(f"{self.prefix}_{self.fresh('s')}", fields)

    def table(self):
        type, count = self.any_of(*INTEGERS), self.any_of(4, 5, 8, 16)
        values = [self.literal(type).value for _ in range(count)]
        return Variable(f"{self.prefix}_{self.fresh('t')}", Array(type, count), is_const=True, values=values)

    # ---- declarations ----

    def initial(self, type, depth):
        if isinstance(type, Array):
            return [self.initial(type.element, 0) for _ in range(type.count)]
        if isinstance(type, Record):
            return [self.of(f.type, 0) if f.width else self.initial(f.type, 0) for f in type.fields]
        return self.near(type, depth)

    def declare(self):
        kind = self.rng.randrange(10)
        if kind == 0 and self.records:
            type = self.rng.choice(self.records)
        elif kind == 1:
            type = Array(self.type(), self.any_of(2, 3, 4, 7, 8))
        else:
            type = self.type()
        value = self.initial(type, self.rng.randrange(1, 4))
        v = Variable(self.fresh("v"), type, is_const=isinstance(type, Scalar) and self.chance(25))
        self.scope.append(v)
        return Declare(v, value)

    # ---- statements ----

    def targets(self):
        """Places that can be written."""
        for v in self.scope:
            if v.is_const:
                continue
            place = name(v)
            if isinstance(v.type, Array):
                place = element(place, self.index(v.type.count))
            elif isinstance(v.type, Record) and self.chance(80):
                place = member(place, self.rng.choice(v.type.fields))
                if isinstance(place.type, Array):
                    place = element(place, self.index(place.type.count))
            yield place

    def assign(self):
        places = list(self.targets())
        if not places:
            return self.declare()
        place = self.rng.choice(places)
        if isinstance(place, Member) and place.field.width:
            return Assign(place, self.of(place.type, 2))
        if not isinstance(place.type, Record) and self.chance(45):
            try:
                return self.compound(place)
            except Overflow:
                pass
        return Assign(place, self.near(place.type, self.rng.randrange(1, 4)))

    def compound(self, place):
        type = place.type
        right = self.of(type, 2)
        if type.is_integer:
            op = self.any_of("+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%")
            if op in ("<<", ">>"):
                right = binary("&", self.of(self.any_of(*INTEGERS), 1), literal(INT32, self.any_of(7, 31, 63)))
        else:
            op = self.any_of("+", "-", "*") if type.is_complex else self.any_of("+", "-", "*", "/")
        return Assign(place, binary(op, place, right), is_compound=True)

    def block(self, depth, count):
        mark = len(self.scope)
        body = [self.statement(depth) for _ in range(count)]
        del self.scope[mark:]
        return body

    def small_block(self, depth):
        return self.block(depth - 1, self.rng.randrange(1, 4))

    def statement(self, depth):
        self.budget -= 1
        if depth <= 0 or self.budget <= 0:
            return self.assign()
        kind = self.rng.choice(("assign",) * 5 + ("declare",) * 4 + ("condition", "condition", "loop", "loop", "switch",
                                                                   "evaluate", "leave"))
        return getattr(self, kind)() if kind in ("assign", "declare") else getattr(self, kind)(depth)

    def condition(self, depth):
        condition = self.truth(2)
        return If(condition, self.small_block(depth), self.small_block(depth) if self.chance(50) else [])

    def loop(self, depth):
        bound = self.rng.randrange(1, 9)
        count = literal(INT32, bound)
        if self.chance(40):
            count = binary("&", self.of(self.any_of(*INTEGERS), 1), literal(INT32, self.any_of(3, 7)))
            bound = count.high
        type = INT32 if count.type.bits < 64 and self.chance(70) else self.any_of(INT64, UINT32, UINT64)
        v = Variable(self.fresh("i"), type, low=0, high=max(bound - 1, 0), is_const=True)
        condition = self.truth(1) if self.chance(25) else None
        self.scope.append(v)
        self.loops += 1
        saved, self.math_budget = self.math_budget, min(self.math_budget, 1)
        body = self.small_block(depth)
        self.math_budget += saved - min(saved, 1)
        self.loops -= 1
        self.scope.pop()
        is_endless = self.chance(25)
        return For(v, count, condition, body, is_unrolled=not is_endless and self.chance(15), is_endless=is_endless)

    def leave(self, depth):
        """Out of a loop, or of the function, on a condition."""
        if self.loops and self.chance(70):
            return If(self.truth(2), [self.any_of(Break, Continue)()], [])
        if self.function.result is None:
            return self.assign()
        return If(self.truth(2), [Return(self.result())], [])

    def switch(self, depth):
        value = binary("%", self.of(self.any_of(UINT32, UINT64, UINT8), 2), literal(UINT32, self.any_of(3, 4, 7)))
        labels = list(range(value.high + 1))
        self.rng.shuffle(labels)
        cases = []
        loops, self.loops = self.loops, 0  # a break would be the switch's
        for _ in range(self.rng.randrange(1, 4)):
            taken = [labels.pop() for _ in range(min(len(labels), self.any_of(1, 1, 2)))]
            if taken:
                cases.append(Case(taken, self.small_block(depth), falls=self.chance(25)))
        cases.append(Case([], self.small_block(depth)))
        self.loops = loops
        return Switch(value, cases)

    def evaluate(self, depth):
        known = [f for f in self.calls if f.outputs and all(isinstance(p.type, Scalar) for p in f.parameters)]
        if not known:
            return self.declare()
        f = self.rng.choice(known)
        inputs = [p for p in f.parameters if p.space != "pointer"]
        places = []
        for p in f.outputs:
            found = [name(v) for v in self.scope if v.type is p.type and not v.is_const
                     and v not in [place.variable for place in places]]
            if not found:
                return self.assign()
            places.append(self.rng.choice(found))
        return Evaluate(Call(None, f, [self.near(p.type, 2) for p in inputs]), places)

    # ---- functions ----

    def result(self):
        return self.near(self.function.result, 2)

    def helper(self):
        kind = self.rng.randrange(4)
        count = self.rng.randrange(1, 4)
        parameters = [Variable(f"a{i}", self.type()) for i in range(count)]
        if self.records and self.chance(40):
            parameters.append(Variable("r", self.rng.choice(self.records)))
        outputs, result = (), self.type()
        if kind == 0:
            outputs, result = (Variable("o", self.type(), space="pointer"),), None
        elif kind == 1 and self.records:
            result = self.rng.choice(self.records)
        keywords = "static __attribute__((noinline))" if self.chance(15) else "static"
        return self.function_of(Function(f"{self.prefix}_{self.fresh('h')}", parameters, result, [], keywords, outputs),
                                self.rng.randrange(1, 4))

    def sums(self):
        """A helper that adds up an array in one place, under conditions: the order of the stores counts."""
        type, count = self.any_of(UINT8, UINT16, UINT32, UINT64), self.any_of(13, 16, 24, 32)
        a, x, o = (Variable("a", Array(type, count)), Variable("x", self.any_of(*INTEGERS)),
                   Variable("o", type, space="pointer"))
        i = Variable("i", INT32, low=0, high=count - 1, is_const=True)
        self.scope = [*self.tables, x]
        first = Declare(a, self.initial(a.type, 0))
        self.scope.append(i)
        fill = Assign(element(name(a), name(i)), self.near(type, 2))
        self.scope.append(a)
        changes = []
        for _ in range(self.rng.randrange(2, 5)):
            value = element(name(a), name(i)) if self.chance(60) else self.of(type, 1)
            change = Assign(name(o), binary(self.any_of("+", "+", "+", "^", "|"), name(o), value), is_compound=True)
            changes.append(If(self.truth(1), [change], []) if self.chance(70) else change)
        body = [first, For(i, literal(INT32, count), None, [fill]),
                Assign(name(o), self.literal(type)), For(i, literal(INT32, count), None, changes)]
        keywords = self.any_of("static", "static __attribute__((noinline))")
        return Function(f"{self.prefix}_{self.fresh('h')}", [x, o], None, body, keywords, (o,))

    def function_of(self, function, statements):
        self.function = function
        self.scope = list(self.tables) + list(function.parameters)
        self.budget = 3 * statements
        body = []
        if isinstance(function.result, Record):  # there is something to return
            v = Variable(self.fresh("v"), function.result)
            body.append(Declare(v, self.initial(v.type, 0)))
            self.scope.append(v)
        body += [self.statement(3) for _ in range(statements)]
        body += [Assign(name(p), self.near(p.type, 3)) for p in function.outputs]
        if function.result:
            body.append(Return(self.near(function.result, 3)))
        function.body = body
        function.parameters = list(function.parameters) + list(function.outputs)
        return function

    def ready_entry(self):
        """With operands of sizes for which loops stand ready in gpucc (compiler/CMakeLists.txt), or None."""
        known = {8 * t.size for t in self.types if t in ELEMENTS}
        fitting = [sizes for sizes in _READY if known.issuperset(sizes)]
        if not fitting:
            return None
        found = [[t for t in self.types if t in ELEMENTS and 8 * t.size == size] for size in self.rng.choice(fitting)]
        parameters = [Variable(f"x{i}", self.rng.choice(types)) for i, types in enumerate(found[:-1])]
        return self.function_of(Function(self.prefix, parameters, self.rng.choice(found[-1]), [], "", ()),
                                self.rng.randrange(3, 8))

    def entry(self, form):
        ready = self.ready_entry() if form == "ufunc" and self.chance(95) else None
        if ready:
            return ready
        elements = [t for t in self.types if t in ELEMENTS]
        parameters = [Variable(f"x{i}", self.rng.choice(elements)) for i in range(self.any_of(1, 2, 2, 3))]
        outputs, result = (), self.rng.choice(elements)
        if self.chance(20):
            outputs, result = tuple(Variable(f"o{i}", self.rng.choice(elements), space="pointer")
                                    for i in range(self.any_of(1, 2, 2, 3))), None
        return self.function_of(Function(self.prefix, parameters, result, [], "", outputs), self.rng.randrange(2, 8))

    def program(self):
        contracts = self.chance(70)
        self.records = [self.record_type() for _ in range(self.any_of(0, 0, 1, 2))]
        self.tables = [self.table() for _ in range(self.any_of(0, 0, 1))]
        for _ in range(self.any_of(0, 1, 1, 2)):
            self.calls.append(self.sums() if self.chance(25) else self.helper())
        form = "ufunc" if self.chance(75) else "kernel"
        entry = self.entry(form)
        return Program(self.prefix, form, contracts, self.records, self.tables,
                       self.calls + [entry])
