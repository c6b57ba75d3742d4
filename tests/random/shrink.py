"""Makes a failing program smaller while it still fails, within what the rules for trees allow."""
import time

from scalars import Scalar
from tree import (Array, Assign, Break, Continue, Convert, Declare, Expression, For, If, Literal, Name, Return, Switch,
                  convert, is_fused_alike, is_within, literal)

# Attributes that hold what is stored to, or what has to stay.
_PLACES = {"place", "places", "array", "record", "target", "thread"}


class Edit:
    """One attribute of one object, and what it becomes."""

    def __init__(self, owner, attribute, new):
        self.owner, self.attribute, self.old, self.new = owner, attribute, getattr(owner, attribute), new

    def apply(self):
        setattr(self.owner, self.attribute, self.new)

    def undo(self):
        setattr(self.owner, self.attribute, self.old)

    @property
    def is_current(self):
        return getattr(self.owner, self.attribute) is self.old


# ---- edits ----


def _bodies(owner):
    """(owner, attribute) of every list of statements below."""
    for attribute in ("body", "then", "otherwise", "cases"):
        body = getattr(owner, attribute, None)
        if isinstance(body, list):
            yield owner, attribute
            for statement in body:
                yield from _bodies(statement)


def _inner(statement):
    """Returns a statement's body without its condition."""
    if isinstance(statement, If):
        return statement.then + statement.otherwise
    if isinstance(statement, For):
        return statement.body
    if isinstance(statement, Switch):
        return [s for case in statement.cases for s in case.body]
    return None


def _statement_edits(program):
    for function in reversed(program.functions):
        for owner, attribute in list(_bodies(function)):
            body = getattr(owner, attribute)
            size = len(body)
            while size > 0:
                for start in range(0, len(body), size):
                    yield Edit(owner, attribute, body[:start] + body[start + size:])
                size //= 2
            for index, statement in enumerate(body):
                inner = _inner(statement)
                if inner is not None:
                    yield Edit(owner, attribute, body[:index] + inner + body[index + 1:])


def _replaced(owner, attribute, index, new):
    if index is None:
        return Edit(owner, attribute, new)
    items = list(getattr(owner, attribute))
    items[index] = new
    return Edit(owner, attribute, items)


def _simpler(e):
    """Yields simpler expressions of the same type."""
    if isinstance(e, Literal) or not isinstance(e.type, Scalar):
        return
    if not e.type.is_complex:
        for value in (0, 1):
            yield literal(e.type, float(value) if e.type.is_float else value)
    for node in list(e.walk())[1:]:
        if isinstance(node, Expression) and isinstance(node.type, Scalar):
            yield node if node.type is e.type else convert(e.type, node)


def _expression_edits(program):
    for function in reversed(program.functions):
        for statement in function.body:
            for node in list(statement.walk()):
                if isinstance(node, Assign) and node.is_compound:
                    yield Edit(node, "is_compound", False)
                    continue
                for owner, attribute, index, child in node.slots():
                    if attribute in _PLACES or not isinstance(child, Expression):
                        continue
                    for new in _simpler(child):
                        if is_within(new, child) and not (isinstance(child, Name) and isinstance(new, Literal)
                                                          and isinstance(owner, Convert)):
                            yield _replaced(owner, attribute, index, new)


def _unused_edits(program):
    used = {id(node.function) for f in program.functions for s in f.body for node in s.walk()
            if hasattr(node, "function")}
    for function in program.functions[:-1]:
        if id(function) not in used:
            yield Edit(program, "functions", [f for f in program.functions if f is not function])
    for kind in ("tables", "records"):
        for item in getattr(program, kind, ()):
            yield Edit(program, kind, [other for other in getattr(program, kind) if other is not item])


# ---- what stays valid C ----


def _check(statements, known, in_loop, in_switch):
    """Whether names are declared and jumps have somewhere to go; `known` are the variables in scope."""
    known = set(known)
    for s in statements:
        if isinstance(s, (Break, Continue)) and not (in_loop or in_switch and isinstance(s, Break)):
            return False
        own = known | {v for v in (s.variable if isinstance(s, For) else None, getattr(s, "counter", None)) if v}
        for owner in [s, *(s.cases if isinstance(s, Switch) else [])]:
            for attribute in ("then", "otherwise", "body"):
                body = getattr(owner, attribute, None)
                if isinstance(body, list) and not _check(body, own, in_loop or isinstance(s, For),
                                                         in_switch or isinstance(s, Switch)):
                    return False
        if not _names_known(s, own):
            return False
        if isinstance(s, Declare):
            known.add(s.variable)
    return True


def _names_known(statement, known):
    """Tests the statement's own expressions, not those of the statements inside."""
    for _, _, _, child in statement.slots():
        if isinstance(child, Expression):
            if any(isinstance(n, Name) and n.variable not in known for n in child.walk()):
                return False
    return True


def _records_known(program):
    known = {id(r) for r in getattr(program, "records", ())}

    def is_known(type):
        while isinstance(type, Array):
            type = type.element
        return isinstance(type, Scalar) or type is None or id(type) in known

    for function in program.functions:
        types = [function.result, *(p.type for p in function.parameters)]
        types += [n.variable.type for s in function.body for n in s.walk() if isinstance(n, Declare)]
        if not all(map(is_known, types)):
            return False
    return True


def is_kernel_valid(kernel):
    return _check(kernel.body, set(kernel.prologue) | set(kernel.values), False, False)


def is_valid(program):
    tables = getattr(program, "tables", [])
    for function in program.functions:
        if function.result and not (function.body and isinstance(function.body[-1], Return)):
            return False
        written = {s.place.variable for s in function.body if isinstance(s, Assign) and isinstance(s.place, Name)}
        if not written.issuperset(function.outputs):
            return False
        if not _check(function.body, set(tables) | set(function.parameters), False, False):
            return False
        if not all(is_fused_alike(node) for s in function.body for node in s.walk()):
            return False
    called = {n.function.name for f in program.functions for s in f.body for n in s.walk()
              if type(n).__name__ == "Call"}
    return called <= {f.name for f in program.functions} and _records_known(program)


# ---- the search ----


def shrink(program, fails, text, seconds, is_allowed=is_valid):
    """Edits the program for as long as fails(program) holds, text(program) gets shorter and there is time."""
    end = time.monotonic() + seconds
    size = len(text(program))
    progress = True
    while progress:
        progress = False
        for edits in (_statement_edits, _unused_edits, _expression_edits):
            for edit in edits(program):
                if time.monotonic() > end:
                    return
                if not edit.is_current:
                    continue
                edit.apply()
                if len(text(program)) < size and is_allowed(program) and fails(program):
                    progress, size = True, len(text(program))
                else:
                    edit.undo()
