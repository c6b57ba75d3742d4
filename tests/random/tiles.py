#!/usr/bin/env python3
"""Random nests of loops around sums: products of matrices, convolutions, distances, and what resembles them.

A thread of a team makes several of the sums at once (compiler/bridge/team_tiles.h).  Some nests have loops whose bounds
depend on another one, sums that start with an element, code before and behind the inner loop, or indices that are not
the loops' own.  Inputs begin at multiples of 16 bytes, or do not.  The stand-in for a GPU, by teams of several sizes,
gives the CPU's bits.  Exit status 1 where something differs, with the function.
"""
import sys

from stand_in import by_teams, run

EXTENTS = 0, 1, 2, 3, 4, 5, 8, 9, 12, 16, 17
WIDTHS = *EXTENTS, 31, 33, 64, 70, 130
TEAMS = None, "4", "8", "32", "64", "32x4"


class Grower:
    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.spice = rng.choice((0, 0, 0, 8, 25))  # percent of indices and bounds that are not the plain ones

    def chance(self, percent):
        return self.rng.randrange(100) < percent

    def odd(self, plain, *others):
        return self.rng.choice(others) if self.chance(self.spice) else plain

    def leaf(self):
        return self.rng.choice((
            f"a[i][{self.odd('l', 'k - 1 - l', 'l / 2')}]", f"b[l][{self.odd('j', 'n - 1 - j', 'j / 2')}]",
            f"b[{self.odd('l', 'k - 1 - l')}][j]", "c[j][l]", f"a[{self.odd('i', 'm - 1 - i', 'i / 2')}][l]",
            f"v[{self.odd('j + l', 'n + k - 1 - j - l')}]", "v[l]", f"{self.rng.choice(('even', 'odd'))}[l]", "s",
            "(T)0.75"))

    def term(self):
        a, b = self.leaf(), self.leaf()
        return self.rng.choice((f"{a} * {b}", f"{a} * {b}", f"{a} * {b}", f"({a} - {b}) * ({a} - {b})", f"{a} + {b}",
                                f"fma({a}, {b}, {self.leaf()})", f"fabs({a} - {b})", f"({a} > {b} ? {a} : {b})"))

    def grow(self):
        count = self.rng.choice((1, 1, 1, 2))
        first, second = self.rng.choice((("i < m", "j < n"), ("i < m", "j < n"), ("j < n", "i < m")))
        start = {"i": self.odd("0", "m > 2"), "j": self.odd("0", "n > 2" if first[0] == "j" else "i & 1")}
        inner = self.odd("l < k", "l < k && l <= i", "l < k && l <= j")
        index = self.odd("size_t", "unsigned", "int64_t", "uint16_t")
        text = f"guvectorize((m,k),(k,n),(n,k),(p),()->(m,n),(m,n)) {self.rng.choice(('', '', '', 'reorderable '))}\n"
        text += (f"void {self.name}(size_t m, size_t k, size_t n, size_t p, const T a[m][k], const T b[k][n], "
                 f"const T c[n][k], const T v[p], T s, T y[m][n], T z[m][n])\n{{\n")
        for constant in ("even", "odd"):
            numbers = ", ".join(str(self.rng.randrange(9)) for _ in range(max(EXTENTS)))
            text += f"    static const T {constant}[] = {{{numbers}}};\n"
        text += "    for (size_t i = 0; i < m; i++)\n        for (size_t j = 0; j < n; j++)\n            "
        text += f"y[i][j] = {self.rng.choice(('-1', 's', 'k'))}, z[i][j] = {self.rng.choice(('2', 's', 'j'))};\n"
        depth = self.rng.choice((2, 2, 2, 1))
        if depth == 1:
            first, second, start["i"] = "j < n", None, "0"
            text += f"    for (size_t i = 0; i < {self.odd('(m > 0)', 'm')}; i++)\n"
        for head in (first, second):
            if head:
                text += f"    for (size_t {head[0]} = {start[head[0]]}; {head}; {head[0]}++) {{\n"
        for q in range(count):
            text += f"        T t{q} = {self.rng.choice(('0', '0', '1', 's', 'v[j]', 'y[i][j]'))};\n"
        text += f"        for ({index} l = {self.odd('0', 'k > 3')}; {inner}; l++) {{\n"
        for q in range(count):
            text += f"            t{q} {self.rng.choice(('+=', '+=', '-='))} {self.term()};\n"
        text += "        }\n"
        for q, output in zip(range(2), ("y", "z")):
            value, to = f"t{min(q, count - 1)}", f"{output}[i][{self.odd('j', 'n - 1 - j')}]"
            if q == 0 or self.chance(30):
                text += f"        {to} = {self.rng.choice((value, value, f'{value} * s'))};\n"
        return text + "    }" * (1 + (second is not None)) + "\n}\n"


def compare(numpy, program, names, generator):
    def draw(dtype, *shape):
        """With 16 bytes before it or less."""
        size, before = int(numpy.prod(shape)), int(generator.integers(2))
        return generator.standard_normal(size + before).astype(dtype)[before:].reshape(shape)

    for name in names:
        for dtype in ("float32", "float64"):
            m, k = (EXTENTS[int(generator.integers(len(EXTENTS)))] for _ in range(2))
            n = WIDTHS[int(generator.integers(len(WIDTHS)))]
            inputs = (draw(dtype, 2, m, k), draw(dtype, 2, k, n), draw(dtype, 2, n, k), draw(dtype, 2, n + k),
                      draw(dtype, 2))
            for team in by_teams(numpy, getattr(program, name), inputs, TEAMS):
                yield name, dtype, m, k, n, team


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, lambda rng, name: Grower(rng, name).grow(), compare))
