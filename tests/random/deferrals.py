#!/usr/bin/env python3
"""Adjoints of random gufuncs of several loops, which add to the same elements one after another.

A team of threads has only the last such loop store (compiler/bridge/loop_deferral.h).  Some loops run backwards, over
fewer elements, under a condition, or at other elements.  The stand-in for a GPU, by teams of several sizes, gives the
CPU's bits.  Exit status 1 where something differs, with the function.
"""
import sys

from stand_in import by_teams, run

LENGTHS = 0, 1, 2, 5, 31, 32, 33, 100, 129, 300, 1025
TEAMS = "1", "32", "64", "256", "64x2"


class Grower:
    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.values, self.spice = ["k"], rng.choice((0, 0, 8, 25))

    def chance(self, percent):
        return self.rng.randrange(100) < percent

    def leaf(self, i):
        if self.chance(self.spice):
            return self.rng.choice((f"x[n - 1 - {i}]", f"x[{i} / 2]", "u[0]"))
        return self.rng.choice((f"x[{i}]", f"x[{i}]", f"u[{i}]", self.rng.choice(self.values), "(T)0.75",
                                f"(T)({i} & 3)"))

    def expression(self, i, depth=2):
        if not depth or self.chance(25):
            return self.leaf(i)
        a, b = self.expression(i, depth - 1), self.expression(i, depth - 1)
        return self.rng.choice((f"({a} + {b})", f"({a} - {b})", f"{a} * {b}", f"fma({a}, {b}, {self.leaf(i)})",
                                f"exp({a} - 3)", f"({a} > {b} ? {a} : {self.leaf(i)})", f"fmax({a}, {b})",
                                f"{a} / (2 + {b} * {b})"))

    def loop(self, number, outputs):
        i, s = f"i{number}", f"s{number}"
        lines = [f"{output}[{i}] = {self.expression(i)};" for output in outputs]
        if not outputs or self.chance(40):
            term = self.rng.choice((f"{s} += {self.expression(i)};", f"{s} += {self.expression(i)};",
                                    f"{s} -= {self.expression(i)};", f"{s} = fmax({s}, {self.expression(i)});"))
            lines.append(f"if ({self.leaf(i)} > 0) {term}" if "+=" in term and self.chance(self.spice) else term)
        self.rng.shuffle(lines)
        head = f"for (size_t {i} = n; {i}-- > 0;)" if self.chance(15) else f"for (size_t {i} = 0; {i} < n; {i}++)"
        if not outputs and self.chance(self.spice):
            head = f"for (size_t {i} = {self.rng.choice((1, 2))}; {i} < n; {i}++)"
        text = f"    T {s} = {self.rng.choice(('0', '0', '-1', '2'))};\n    {head} {{\n"
        text += "".join(f"        {line}\n" for line in lines) + "    }\n"
        self.values.append(s)
        if self.chance(40):
            text += f"    T r{number} = {s} / (2 + {self.rng.choice(self.values)} * {s});\n"
            self.values.append(f"r{number}")
        return text

    def grow(self):
        text = f"guvectorize((n),(n),()->(n),(n)) {self.rng.choice(('reorderable ', 'reorderable ', ''))}\n"
        text += f"void {self.name}(size_t n, const T x[n], const T u[n], T k, T y[n], T z[n])\n{{\n"
        left, count = ["y", "z"], self.rng.randrange(1, 6)
        for number in range(count):
            outputs = left if number == count - 1 else left[:1] if self.chance(20) else []
            left = left[len(outputs):]
            text += self.loop(number, outputs)
        return text + f"}}\nadjoint({self.name}_vjp, {self.name});\n"


def compare(numpy, program, names, generator):
    for name in names:
        for dtype in ("float32", "float64"):
            n = LENGTHS[int(generator.integers(len(LENGTHS)))]
            x, u, y, z = (generator.integers(-4, 5, (3, n)).astype(dtype) / 2 for _ in range(4))
            u += generator.standard_normal((3, n)).astype(dtype)
            k = generator.standard_normal(3).astype(dtype)
            for team in by_teams(numpy, getattr(program, f"{name}_vjp"), (x, u, k, y, z), TEAMS):
                yield name, dtype, n, team


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, lambda rng, name: Grower(rng, name).grow(), compare))
