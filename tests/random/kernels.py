"""Grows random kernels whose results do not depend on the order in which threads run."""
from expressions import Expressions
from kernel_tree import (BLOCK, THREAD, WARP, Atomic, Barrier, Cell, Fill, Kernel, Part, Phase, Race, Rules, Slot, Vote,
                         Warp, bijections)
from scalars import (BOOLEAN, FLOAT16, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, INTEGERS, UINT8, UINT16, UINT32,
                     UINT64, Scalar)
from tree import (Array, Assign, Break, Case, Continue, Declare, For, If, Overflow, Return, Switch, Variable, binary,
                  convert, element, literal, name)

_BLOCKS = ((1, 1, 1), (32, 1, 1), (33, 1, 1), (64, 1, 1), (64, 1, 1), (100, 1, 1), (128, 1, 1), (256, 1, 1), (16, 8, 1),
           (8, 4, 4), (3, 5, 7), (1, 32, 2))
_GRIDS = ((1, 1, 1), (2, 1, 1), (3, 1, 1), (2, 2, 1), (1, 2, 2))
_TYPES = INTEGERS + (INT32, UINT32, FLOAT32, FLOAT32, FLOAT64, INT64, UINT64)
_ATOMICS = ("add", "min", "max", "and", "or", "xor")
_REDUCTIONS = ("reduce_add", "reduce_min", "reduce_max", "reduce_and", "reduce_or", "reduce_xor")
_VOTES = ("all", "any", "eq", "ballot", "rank")

# The prologue of every kernel (kernel_files.py): the thread's and the block's number and position.
PROLOGUE = ("t", "b", "x", "y", "z", "lane", "warp", "lanes")


class KernelGrower(Expressions):
    def __init__(self, rng, prefix):
        super().__init__(rng, "mixed")
        self.prefix, self.names = prefix, 0
        self.types = _TYPES + ((FLOAT16, BOOLEAN) if self.chance(30) else ())
        self.math_budget = 1 if self.chance(20) else 0
        self.limit = THREAD  # expressions are to be the same in the threads of this level
        self.control, self.phase, self.loops = BLOCK, Phase(), []
        self.first = []  # what has to stand before the statement that is being grown
        self.may_return = self.chance(35)

    def fresh(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    # ---- the kernel's data ----

    def kernel(self):
        block, grid = self.rng.choice(_BLOCKS), self.rng.choice(_GRIDS)
        self.made = k = Kernel(self.prefix, grid, block, self.chance(70), [], [], [], [])
        k.values = [Variable(f"p{i}", self.any_of(*INTEGERS, FLOAT32), level=BLOCK)
                    for i in range(self.rng.randrange(1, 4))]
        total = k.threads * k.blocks
        for i in range(self.any_of(1, 2)):
            k.arrays.append(self.array(f"in{i}", "input", self.any_of(32, 64, 100)))
        for i in range(self.any_of(1, 1, 2)):
            k.arrays.append(self.array(f"own{i}", "own", total))
        if self.chance(40):
            k.arrays.append(self.array("slice", "slice", total))
        for i in range(self.any_of(0, 1, 1, 2)):
            k.arrays.append(self.counter(f"total{i}", "total", self.any_of(1, 4, 16)))
        k.shared = self.shared_arrays()
        self.rules = Rules(k)
        k.body = self.body()
        return k

    def array(self, name, space, size):
        return Variable(name, self.any_of(*INTEGERS, FLOAT32, FLOAT64), space=space, size=size)

    def counter(self, name, space, size):
        type = self.any_of(*INTEGERS, FLOAT32, FLOAT64)
        return Variable(name, type, space=space, size=size, is_counter=type.is_float or space == "total")

    def shared_arrays(self):
        threads, arrays = self.made.threads, []
        for i in range(self.any_of(1, 1, 2, 3)):
            if self.chance(25):
                arrays.append(self.counter(f"{self.prefix}_c{i}", "shared", self.any_of(1, 8, 16)))
                continue
            v = self.array(f"{self.prefix}_s{i}", "shared", threads)
            v.width = next((w for w in (8, 5, 4) if threads % w == 0 and threads > w), 0) if self.chance(30) else 0
            arrays.append(v)
        if self.chance(25):
            arrays.append(self.array("dynamic", "dynamic", threads))
        return arrays

    def prologue(self):
        k = self.made
        levels = {"b": BLOCK, "warp": WARP, "lanes": WARP}
        highs = {"t": k.threads, "b": k.blocks, "x": k.block[0], "y": k.block[1], "z": k.block[2],
                 "lane": min(k.threads, 32), "warp": (k.threads + 31) // 32, "lanes": 33}
        return {n: Variable(n, UINT32, low=int(n == "lanes"), high=highs[n] - 1, is_const=True,
                            level=levels.get(n, THREAD)) for n in PROLOGUE}

    def body(self):
        k = self.made
        self.thread = self.prologue()
        k.prologue = list(self.thread.values())
        self.scope = k.prologue + k.values
        k.body = body = []  # fills are known by their place in it
        for v in k.shared:
            self.add(body, self.fill(v))
        self.add(body, Barrier())
        for _ in range(self.rng.randrange(4, 11)):
            self.extend(body, 3)
        for v in k.arrays:
            if v.space == "own":
                self.add(body, Assign(self.own_cell(v), self.limited(v.type, 2, THREAD)))
        return body

    def fill(self, v):
        i = Variable(self.fresh("i"), UINT32, low=0, high=v.size - 1, is_const=True, level=THREAD)
        self.scope.append(i)
        value = self.of(v.type, 2)
        if v.is_counter:
            value = literal(v.type, 0.0 if v.type.is_float else 0)
        self.scope.pop()
        return Fill(v, i, value)

    # ---- following the rules ----

    def add(self, body, statement):
        """Appends a statement, which keeps the rules, or raises Race."""
        body.append(statement)
        try:
            self.phase = self.rules.statement(statement, self.phase, self.control)
        except Race:
            body.pop()
            raise

    def extend(self, body, depth):
        """Appends some statement."""
        for _ in range(4):
            if self.control == BLOCK and self.chance(25):
                self.add(body, Barrier())
            phase, stay, mark, self.first = self.phase, self.rules.all_lanes_stay, len(self.scope), []
            try:
                statement = self.statement(depth)
                first, self.first, self.phase = self.first, [], phase
                for s in first + [statement]:
                    self.add(body, s)
                return
            except (Race, Overflow):
                self.phase, self.rules.all_lanes_stay = phase, stay
                del self.scope[mark:]

    def block(self, depth, control, count=None):
        """Statements that threads of the level `control` come to together."""
        mark, saved = len(self.scope), self.control
        self.control = max(control, saved)
        body = []
        for _ in range(count or self.rng.randrange(1, 4)):
            self.extend(body, depth - 1)
        self.control = saved
        del self.scope[mark:]
        return body

    def limited(self, type, depth, limit):
        """An expression that is the same in all threads of a level."""
        saved, self.limit = self.limit, limit
        e = self.of(type, depth)
        self.limit = saved
        return e

    def condition_of(self, limit):
        saved, self.limit = self.limit, limit
        e = self.truth(2)
        self.limit = saved
        return e

    def some_level(self):
        return self.any_of(BLOCK, BLOCK, WARP, THREAD, THREAD)

    # ---- expressions ----

    def readable(self):
        return [v for v in self.scope if v.level <= self.limit]

    def leaf(self, type):
        if self.chance(30):
            cell = self.cell()
            if cell:
                return cell if cell.type is type else convert(type, cell)
        return super().leaf(type)

    def cell(self):
        """An element of memory that may be read now."""
        v = self.rng.choice(self.made.arrays + self.made.shared)
        if v.space == "own":
            return self.own_cell(v) if self.limit == THREAD else None
        if v.space == "total" or v.space in ("shared", "dynamic") and v not in self.rules.filled:
            return None
        if self.limit == THREAD and v.size >= self.made.threads and v.space != "input" and self.chance(40):
            slot = self.slot(v)
            access = ("read", "own") + slot.permutation
            index = slot
        else:
            access = ("read", "anywhere")
            index = self.index(self.made.threads if v.space == "slice" else v.size)
        if v.space != "input":
            if not self.phase.allows(v, access):
                return None
            self.phase = self.phase.with_access(v, access)
        return Cell(v.type, v, index)

    def slot(self, v):
        """A thread's own cell: where a bijection is in use already, by that one."""
        used = sorted(a[2:] for array, a in self.phase.done if array is v and a[1:2] == ("own",))  # a set has no order
        kind, by = self.rng.choice(used or bijections(self.rng, self.made.threads))
        return Slot(UINT32, name(self.thread["t"]), kind, by, self.made.threads, low=0, high=self.made.threads - 1)

    def own_cell(self, v):
        t = name(self.thread["t"])
        return Cell(v.type, v, Slot(UINT32, t, "same", 0, self.made.threads, low=0, high=self.made.threads - 1))

    # ---- statements ----

    def statement(self, depth):
        kinds = ["assign"] * 5 + ["declare"] * 4 + ["store"] * 4 + ["atomic"] * 2 + ["sums"]
        if depth > 0:
            kinds += ["branch"] * 3 + ["loop"] * 3 + ["switch"]
        if self.control == BLOCK:
            kinds += ["vote"] + (["part"] if depth > 0 and not self.loops and self.chance(50) else [])
        if self.control <= WARP:
            kinds += ["warp_operation"] * 2
        if self.loops or self.may_return:
            kinds += ["leave"]
        kind = self.rng.choice(kinds)
        return getattr(self, kind)(depth) if kind in ("branch", "loop", "switch", "part") else getattr(self, kind)()

    def declare(self):
        if self.chance(12):
            v = Variable(self.fresh("v"), Array(self.type(), self.any_of(2, 4, 5)), level=THREAD)
            value = [self.limited(v.type.element, 1, THREAD) for _ in range(v.type.count)]
        else:
            v = Variable(self.fresh("v"), self.type(), level=self.any_of(BLOCK, WARP, THREAD, THREAD, THREAD))
            value = self.limited(v.type, 3, v.level)
        self.scope.append(v)
        return Declare(v, value)

    def changeable(self):
        return [v for v in self.scope if not v.is_const and v not in self.made.values and v.level >= self.control]

    def assign(self):
        found = self.changeable()
        if not found:
            return self.declare()
        v = self.rng.choice(found)
        place = name(v)
        if isinstance(v.type, Array):
            place = element(place, self.index(v.type.count))
        return self.assignment(place, v.level)

    def assignment(self, place, limit):
        value = self.limited(place.type, 3, limit)
        if self.chance(30):
            try:
                op = self.any_of("+", "-", "*", "^", "&") if place.type.is_integer else self.any_of("+", "-", "*")
                return Assign(place, binary(op, place, value), is_compound=True)
            except Overflow:
                pass
        return Assign(place, value)

    def store(self):
        arrays = [v for v in self.made.arrays if v.space in ("own", "slice")]
        arrays += [v for v in self.made.shared if not v.is_counter and v.size == self.made.threads]
        if not arrays:
            return self.declare()
        v = self.rng.choice(arrays)
        if v.space == "own":
            return self.assignment(self.own_cell(v), THREAD)
        return self.assignment(Cell(v.type, v, self.slot(v)), THREAD)

    def atomic(self):
        arrays = [v for v in self.made.arrays if v.space == "total"]
        arrays += [v for v in self.made.shared if v.is_counter or v.type.is_integer]
        if not arrays:
            return self.store()
        v = self.rng.choice(arrays)
        used = sorted(a[1] for array, a in self.phase.done if array is v and a[0] == "atomic")
        used += [self.rules.operations[v]] if v in self.rules.operations else []
        op = self.rng.choice(used or (_ATOMICS if v.type.is_integer else ("add",)))
        if v.type.is_float:  # sums of small integers are exact in any order
            value = convert(v.type, binary("&", self.limited(INT32, 2, THREAD), literal(INT32, 15)))
        else:
            value = self.limited(v.type, 2, THREAD)
        scope = "_block" if v.space != "total" and self.chance(30) else ""
        return Atomic(op, v, self.index(v.size), value, scope)

    def sums(self):
        """A loop that adds several sums to one cell, under conditions: the order of the stores counts."""
        places = [v for v in self.made.arrays if v.space == "own" and v.type in (UINT8, UINT16, UINT32, UINT64)]
        sources = [v for v in self.made.arrays if v.space == "input" and v.type.is_integer]
        if not places or not sources:
            return self.store()
        place, count, before = self.own_cell(self.rng.choice(places)), self.any_of(13, 16, 24, 32), self.phase
        i = Variable(self.fresh("i"), INT32, low=0, high=count - 1, is_const=True, level=self.control)
        self.scope.append(i)
        body = []
        for _ in range(self.rng.randrange(2, 5)):
            source = self.rng.choice(sources)
            value = convert(place.type, Cell(source.type, source, name(i)))
            change = Assign(place, binary(self.any_of("+", "+", "+", "^", "|"), place, value), is_compound=True)
            body.append(If(self.condition_of(THREAD), [change], []) if self.chance(70) else change)
        self.scope.remove(i)
        return self.settled(For(i, literal(INT32, count), None, body), before)

    def vote(self):
        kind = self.any_of("count", "and", "or")
        condition = self.condition_of(THREAD)
        return Vote(self.target(INT32, BLOCK), kind, condition)

    def leave(self):
        if self.loops and self.loops[-1] == self.control and self.chance(60):
            return If(self.condition_of(self.control), [self.any_of(Break, Continue)()], [])
        if self.may_return:
            return If(self.condition_of(THREAD), [Return(None)], [])
        return self.assign()

    def branch(self, depth):
        level = self.some_level()
        condition = self.condition_of(level)
        before = self.phase
        then = self.block(depth, level)
        after = self.phase
        self.phase = before if max(level, self.control) == BLOCK else before | after
        otherwise = self.block(depth, level) if self.chance(50) else []
        self.phase = after | self.phase
        return If(condition, then, otherwise)

    def loop(self, depth):
        level = self.some_level()
        bound = self.rng.randrange(1, 6)
        count = literal(INT32, bound)
        if self.chance(40):
            count = binary("&", self.limited(self.any_of(INT32, UINT16, INT8), 1, level), literal(INT32, 3))
            bound = 3
        v = Variable(self.fresh("i"), INT32, low=0, high=max(bound - 1, 0), is_const=True, level=level)
        condition = self.condition_of(level) if self.chance(20) else None
        before = self.phase
        self.scope.append(v)
        self.loops.append(max(level, self.control))
        self.rules.loops.append([])
        body = self.block(depth, level)
        self.rules.loops.pop()
        self.loops.pop()
        self.scope.remove(v)
        loop = For(v, count, condition, body)
        return self.settled(loop, before)

    def settled(self, loop, before):
        """The loop, with what it takes for its rounds to follow one another."""
        for last in (None, Barrier()):
            if last:
                loop.body.append(last)
            try:
                loop.variable.level = max(loop.variable.level, self.rules.for_level(loop))
                self.rules.statement(loop, before, self.control)
                return loop
            except Race:
                continue
        raise Race("no barrier helps")

    def switch(self, depth):
        level = self.some_level()
        value = binary("%", self.limited(UINT32, 2, level), literal(UINT32, self.any_of(2, 3, 5)))
        labels = list(range(value.high + 1))
        self.rng.shuffle(labels)
        loops, self.loops = self.loops, []  # a break would be the switch's
        before, cases = self.phase, []
        for label in labels[:self.rng.randrange(1, 3)]:
            cases.append(Case([label], self.block(depth, level), falls=self.chance(25)))
            self.phase = self.phase | before
        cases.append(Case([], self.block(depth, level)))
        self.phase, self.loops = self.phase | before, loops
        return Switch(value, cases)

    def part(self, depth):
        loops, self.loops = self.loops, []
        may_return, self.may_return = self.may_return, False
        body = self.block(depth, BLOCK, self.rng.randrange(2, 5))
        self.loops, self.may_return = loops, may_return
        return Part(f"{self.prefix}_{self.fresh('part')}", body, self.chance(75))

    # ---- warp operations ----

    def warp_operation(self):
        kinds = ["vote", "reduce", "match"] + ([] if self.may_return else ["shuffle", "shuffle"])
        return getattr(self, "warp_" + self.rng.choice(kinds))()

    def target(self, type, level):
        """A variable to be set to what is the same in the threads of a level."""
        found = [v for v in self.changeable() if v.level >= level and v.type is type]
        if found and self.chance(80):
            return name(self.rng.choice(found))
        v = Variable(self.fresh("v"), type, level=max(level, self.control))
        self.scope.append(v)
        self.first.append(Declare(v, self.literal(type)))
        return name(v)

    def lanes_that(self):
        return self.condition_of(THREAD) if self.chance(25) else None

    def warp_vote(self):
        op, condition = self.rng.choice(_VOTES), self.lanes_that()
        level = THREAD if condition or op == "rank" else WARP
        return Warp(self.target(UINT32 if op == "ballot" else INT32, level), op, [self.condition_of(THREAD)], condition)

    def warp_reduce(self):
        type, condition = self.any_of(INT32, UINT32, INT64, UINT64), self.lanes_that()
        return Warp(self.target(type, THREAD if condition else WARP), self.rng.choice(_REDUCTIONS),
                    [self.limited(type, 2, THREAD)], condition)

    def warp_match(self):
        type = self.any_of(INT8, UINT16, INT16, INT32, UINT32, INT64, UINT64)
        few = convert(type, binary("&", self.limited(INT32, 2, THREAD), literal(INT32, 3)))
        return Warp(self.target(UINT32, THREAD), self.any_of("match_any", "match_all"), [few], self.lanes_that())

    def warp_shuffle(self):
        type = self.type()
        value = self.limited(type, 2, THREAD)
        if self.made.threads % 32 == 0 and self.chance(70):
            width = self.any_of(32, 32, 16, 8, 4, 2)
            by = literal(INT32, self.rng.randrange(width) + self.any_of(0, 0, 0, 32, 96))
            return Warp(self.target(type, THREAD), self.any_of("shfl_up", "shfl_down", "shfl_xor"), [value, by],
                        width=width)
        lane = binary("%", self.limited(UINT32, 2, THREAD), name(self.thread["lanes"]))
        return Warp(self.target(type, THREAD), "shfl", [value, lane])
