"""Random cases, as numbers that can be drawn again and made smaller.

A tester takes all that is random from Draws.  What has been drawn, lists of numbers and of lists, is the case: given
again it makes the same case, and where it ends zeros follow.  Of everything zero is the simplest: the first of several
choices, no option, one element.  So shrink() makes a case smaller by smaller and fewer numbers, without knowing what
they stand for."""
import copy
import json
import random
import time

import numpy as np


class Draws:
    """Draws from a random.Random, or repeats earlier draws.  Draws from a part() do not change those beside it: each operand
    and each dimension is one."""

    def __init__(self, source=None, again=None, warn=None):
        self.drawn, self._source, self._warn = [], source, warn
        self._numbers = iter([x for x in again or [] if isinstance(x, int)])
        self._parts = iter([x for x in again or [] if isinstance(x, list)])

    def _next(self, value):
        self.drawn.append(value)
        if self._warn:
            self._warn()
        return value

    def number(self, n):
        """Below n."""
        return self._next(self._source.randrange(n) if self._source else min(next(self._numbers, 0), max(n - 1, 0)))

    def one_in(self, n):
        """Whether what happens in one of n cases happens."""
        return self._next(int(self._source.randrange(n) == 0) if self._source else min(next(self._numbers, 0), 1)) == 1

    def integers(self, low, high=None):
        return self.number(low) if high is None else low + self.number(high - low)

    def choice(self, options):
        return options[self.number(len(options))]

    def permutation(self, n):
        order = list(range(n))
        for i in range(n - 1):
            j = i + self.number(n - i)
            order[i], order[j] = order[j], order[i]
        return order

    def values(self):
        """A generator of NumPy's, for the elements of an array."""
        return np.random.default_rng(self.number(1000))

    def part(self):
        part = Draws(self._source, None if self._source else next(self._parts, []), self._warn)
        self._next(part.drawn)
        return part

    def parts(self, count):
        return [self.part() for _ in range(count)]


def seeded(seed, case, warn=None):
    return Draws(random.Random(f"{seed} {case}"), warn=warn)


# ---- smaller ----

def text(tree):
    """Without the zeros that follow anyway."""
    def trimmed(x):
        if isinstance(x, int):
            return x
        x = [trimmed(y) for y in x]
        while x and not x[-1]:
            x.pop()
        return x
    return json.dumps(trimmed(tree), separators=(",", ":"))


def _size(tree):
    """Numbers in all, then how many there are."""
    if isinstance(tree, int):
        return tree, 1
    sizes = [_size(x) for x in tree]
    return sum(s[0] for s in sizes), 1 + sum(s[1] for s in sizes)


def _places(tree, path=()):
    for i, x in enumerate(tree):
        yield path + (i,), x
        if isinstance(x, list):
            yield from _places(x, path + (i,))


def _list_at(tree, path):
    for i in path:
        tree = tree[i]
    return tree


def _edited(tree, path, *new):
    """With `new` in the place's place."""
    tree = copy.deepcopy(tree)
    _list_at(tree, path[:-1])[path[-1]:path[-1] + 1] = new
    return tree


def _simpler_parts(tree):
    for path, x in sorted(_places(tree), key=lambda place: len(place[0])):
        if isinstance(x, list) and _size(x)[0]:
            yield _edited(tree, path, [])


def _fewer_parts(tree):
    """One part less: an operand, or a dimension, the number of which is often one of those beside it."""
    for path, x in _places(tree):
        if isinstance(x, list):
            less = _edited(tree, path)
            for i, number in enumerate(_list_at(tree, path[:-1])):
                if isinstance(number, int) and number and i < path[-1]:
                    yield _edited(less, path[:-1] + (i,), number - 1)
            yield less


def _fewer_dimensions(tree):
    """One number less by one, and the part of the same place missing from every list of as many parts."""
    lists = [((), tree)] + [(path, x) for path, x in _places(tree) if isinstance(x, list)]
    counts = {sum(isinstance(y, list) for y in x) for _, x in lists}
    for path, number in list(_places(tree)):
        if isinstance(number, int) and number:
            for count in sorted(counts - {0}):
                for k in range(count):
                    less = _edited(tree, path, number - 1)
                    for at, x in sorted(lists, key=lambda place: -len(place[0])):
                        parts = [i for i, y in enumerate(x) if isinstance(y, list)]
                        if len(parts) == count:
                            del _list_at(less, at)[parts[k]]
                    yield less


def _smaller_numbers(tree):
    for path, x in _places(tree):
        if isinstance(x, int) and x:
            for less in sorted({0, 1, x // 2, x - x // 8, x - 1} - {x}):
                yield _edited(tree, path, less)


def shrink(tree, fails, seconds):
    """The smallest tree that is found; fails(tree) gives what was drawn of it, or None where it does not fail."""
    end, tried, progress = time.monotonic() + seconds, set(), True
    while progress:
        progress = False
        for edits in (_simpler_parts, _fewer_parts, _smaller_numbers, _fewer_dimensions):
            again = True
            while again:
                again = False
                for candidate in edits(tree):
                    if time.monotonic() > end:
                        return tree
                    if text(candidate) in tried:
                        continue
                    tried.add(text(candidate))
                    drawn = fails(candidate)
                    if drawn is not None and _size(drawn) < _size(tree):
                        tree, again, progress = drawn, True, True
                        break
    return tree
