"""Nodes that kernels have beyond functions: shared memory, barriers, warp and atomic operations; and the rules
under which what a kernel computes does not depend on the order in which its threads run.

Every expression and variable has a level, how many threads agree about it: BLOCK, all of a block; WARP, all of a warp;
THREAD, each has its own.  Barriers stand where all threads that are left of a block come by, warp operations where
all of a warp do; a variable of a level is changed only where threads of that level go together.

Between two barriers a shared array is only read; or each thread reads and writes a cell of its own, the one that a
bijection gives it; or it is changed by one kind of atomic operation, whose order does not matter and whose result is
not used.
"""
from dataclasses import dataclass, field
from math import gcd

from tree import Break, Continue, Element, Expression, For, If, Name, Return, Statement, Switch

BLOCK, WARP, THREAD = 0, 1, 2


@dataclass(eq=False)
class Kernel:
    """`values` are parameters passed by value.  Arrays have a `space`:
    input   read by all, anywhere
    own     an element for each thread of the grid, which it alone reads and writes
    slice   an element for each thread of the grid; a block's elements are shared by its threads
    total   of the whole grid, for atomic operations alone
    shared, dynamic   a block's
    """

    name: str
    grid: tuple
    block: tuple
    contracts: bool
    values: list
    arrays: list  # parameters
    shared: list
    body: list
    data_seed: str = ""
    prologue: list = field(default_factory=list)  # variables that tell where a thread stands

    @property
    def threads(self):
        """Returns the number of threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def blocks(self):
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def functions(self):  # for the shrinker: one without parameters
        return [self]

    parameters, outputs, result = (), (), None


# ---- nodes ----


@dataclass(eq=False)
class Slot(Expression):
    """The cell of its own that a bijection of [0, threads) gives each thread."""

    thread: Expression
    kind: str  # same rotate reverse xor times
    by: int
    threads: int

    @property
    def permutation(self):
        return self.kind, self.by


@dataclass(eq=False)
class Cell(Expression):
    """An element of memory that threads share; of a slice or an own array the index counts from the block's first."""

    variable: object
    index: Expression


@dataclass(eq=False)
class Barrier(Statement):
    pass


@dataclass(eq=False)
class Vote(Statement):
    """target = syncthreads_KIND(value), KIND count, and, or."""

    target: Name
    kind: str
    value: Expression


@dataclass(eq=False)
class Fill(Statement):
    """All threads together set every element of an array: for (i = t; i < size; i += threads) array[i] = value."""

    variable: object
    counter: object
    value: Expression


@dataclass(eq=False)
class Atomic(Statement):
    """add min max and or xor inc; `limit` is the second argument of inc."""

    op: str
    variable: object
    index: Expression
    value: Expression
    scope: str = ""  # or _block


@dataclass(eq=False)
class Warp(Statement):
    """target = OP(mask, arguments…), by all lanes of the warp; or, where there is a condition, by the lanes for which
    it holds, with the mask that they have voted for."""

    target: Name
    op: str
    arguments: list
    condition: object = None
    width: int = 32


@dataclass(eq=False)
class Part(Statement):
    """Statements that stand in a function of their own."""

    name: str
    body: list
    is_inlined: bool


def bijections(rng, threads):
    kinds = [("same", 0), ("reverse", 0), ("rotate", rng.randrange(1, threads + 1))]
    if threads & (threads - 1) == 0:
        kinds.append(("xor", rng.randrange(threads)))
    factors = [k for k in (3, 5, 7, 11) if gcd(k, threads) == 1]
    if factors:
        kinds.append(("times", rng.choice(factors)))
    return kinds


# ---- rules ----


class Race(Exception):
    """A rule is broken; the message says which."""


def level(e):
    """How many threads agree about an expression."""
    if isinstance(e, Slot):
        return THREAD
    own = THREAD if isinstance(e, Cell) and e.variable.space == "own" else BLOCK
    if isinstance(e, Name):
        own = e.variable.level
    return max([own, *(level(child) for _, _, _, child in e.slots())])


def _accesses(e):
    """(array, kind of access) for what an expression reads."""
    for node in e.walk():
        if isinstance(node, Cell) and node.variable.space in ("shared", "dynamic", "slice"):
            how = ("own",) + node.index.permutation if isinstance(node.index, Slot) else ("anywhere",)
            yield node.variable, ("read",) + how


class Phase:
    """The accesses to shared arrays since the last barrier; several variants if control flow joins."""

    def __init__(self, done=()):
        self.done = frozenset(done)

    def __or__(self, other):
        return Phase(self.done | other.done)

    def allows(self, array, access):
        return all(_go_together(access, other) for a, other in self.done if a is array)

    def with_access(self, array, access):
        if not self.allows(array, access):
            raise Race(f"{array.name}: {access} among {[o for a, o in self.done if a is array]}")
        return Phase(self.done | {(array, access)})


def _go_together(one, other):
    if one[0] == "read" and other[0] == "read":
        return True
    if "atomic" in (one[0], other[0]) or "fill" in (one[0], other[0]):
        return one == other and one[0] == "atomic"
    return one[1:] == other[1:] and one[1] == "own"


class Rules:
    """Walks over a kernel's statements in order.  `control` is the level on which threads go together here."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.loops = []  # of each loop around: the phases in which it is left or begun again
        self.all_lanes_stay = True
        self.filled = set()
        self.operations = {}  # of arrays of the whole grid

    def check(self):
        self.statements(self.kernel.body, Phase(), BLOCK)

    def statements(self, body, phase, control):
        for statement in body:
            phase = self.statement(statement, phase, control)
        return phase

    def statement(self, s, phase, control):
        walk = {For: self.loop, If: self.branch, Switch: self.switch, Part: self.part}.get(type(s))
        if walk:
            return walk(s, phase, control)
        if isinstance(s, (Break, Continue)):
            self.loops[-1].append(phase)
            return phase
        if isinstance(s, Return):
            if control > BLOCK:
                self.all_lanes_stay = False
            return phase
        for _, _, _, child in s.slots():
            if isinstance(child, Expression):
                phase = self.reads(child, phase)
        return getattr(self, type(s).__name__.lower())(s, phase, control)

    def reads(self, e, phase):
        for array, access in _accesses(e):
            phase = self.access(array, access, phase)
        return phase

    def access(self, array, access, phase):
        if array.space != "slice" and array not in self.filled:
            raise Race(f"{array.name} is not filled yet")
        return phase.with_access(array, access)

    # ---- statements ----

    def changes(self, variable, values, control):
        if max([control, *map(level, values)]) > variable.level:
            raise Race(f"{variable.name} is to be the same in more threads than what it becomes")

    def declare(self, s, phase, control):
        values = s.value if isinstance(s.value, list) else [s.value]
        self.changes(s.variable, values, BLOCK)  # nobody sees it who was not there
        for value in values:
            phase = self.reads(value, phase)
        return phase

    def assign(self, s, phase, control):
        place = s.place
        if isinstance(place, Cell):
            return self.store(place, phase)
        root = place.array if isinstance(place, Element) else place
        self.changes(root.variable, [s.value] + ([place.index] if isinstance(place, Element) else []), control)
        return phase

    def store(self, cell, phase):
        if cell.variable.space == "own":
            return phase
        if not isinstance(cell.index, Slot):
            raise Race(f"{cell.variable.name} is written at a cell that is nobody's own")
        if cell.variable.is_counter:
            raise Race(f"{cell.variable.name} is for atomic operations")
        return self.access(cell.variable, ("write", "own") + cell.index.permutation, phase)

    def barrier(self, s, phase, control):
        if control > BLOCK:
            raise Race("a barrier where not all threads come by")
        return Phase()

    def vote(self, s, phase, control):
        self.changes(s.target.variable, [], control)
        return self.barrier(s, phase, control)

    def fill(self, s, phase, control):
        if s not in self.kernel.body or not self.all_lanes_stay:
            raise Race("an array may be filled by some threads only")
        self.filled.add(s.variable)
        return phase.with_access(s.variable, ("fill",))

    def atomic(self, s, phase, control):
        if s.variable.space != "total":
            return self.access(s.variable, ("atomic", s.op), phase)
        if self.operations.setdefault(s.variable, s.op) != s.op:
            raise Race(f"{s.variable.name} has another operation elsewhere")
        return phase

    def warp(self, s, phase, control):
        if control > WARP:
            raise Race("a warp operation where not all lanes come by")
        if s.op.startswith("shfl") and not self.all_lanes_stay:
            raise Race("a shuffle may read a lane that has ended")
        agree = WARP if not s.condition and not s.op.startswith(("shfl", "match")) else THREAD
        if s.target.variable.level < max(agree, control):
            raise Race(f"{s.target.variable.name} is to be the same in more threads than what it becomes")
        return phase

    # ---- control flow ----

    def part(self, s, phase, control):
        return self.statements(s.body, phase, control)

    def switch(self, s, phase, control):
        phase = self.reads(s.value, phase)
        control = max(control, level(s.value))
        before = after = phase
        for case in s.cases:
            # Threads may fall in from the case before.
            after = self.statements(case.body, before | after, control)
            before = before | after
        return before

    def for_level(self, s):
        """The level on which threads go through a loop together."""
        conditions = [s.count] + ([s.condition] if s.condition else [])
        return max([level(c) for c in conditions] + list(_leave_levels(s.body, BLOCK)))

    def reads_all(self, conditions, phase):
        for c in conditions:
            phase = self.reads(c, phase)
        return phase

    def branch(self, s, phase, control):
        phase = self.reads(s.condition, phase)
        control = max(control, level(s.condition))
        then = self.statements(s.then, phase, control)
        # If the condition differs between threads, both branches are under way at once.
        return then | self.statements(s.otherwise, phase if control == BLOCK else phase | then, control)

    def loop(self, s, phase, control):
        inside = max(control, self.for_level(s))
        if self.for_level(s) > s.variable.level:
            raise Race(f"{s.variable.name} counts what not all threads do")
        conditions = [s.count] + ([s.condition] if s.condition else [])
        phase = self.reads_all(conditions, phase)
        for _ in range(2):  # the second time with what the first has left
            self.loops.append([])
            try:
                end = self.statements(s.body, phase, inside)
            finally:
                left = self.loops.pop()
            for earlier in left:
                end = end | earlier
            phase = self.reads_all(conditions, phase | end)
        return phase


def _leave_levels(body, control):
    """The levels on which threads leave the loop whose body this is, or begin its next round, before the others."""
    for s in body:
        if isinstance(s, (Break, Continue)):
            yield control
        elif isinstance(s, If):
            inside = max(control, level(s.condition))
            yield from _leave_levels(s.then, inside)
            yield from _leave_levels(s.otherwise, inside)
        elif isinstance(s, Switch):  # out of which no loop is left
            continue
        elif isinstance(s, Part):
            yield from _leave_levels(s.body, control)


def is_race_free(kernel):
    try:
        Rules(kernel).check()
        return True
    except Race:
        return False
