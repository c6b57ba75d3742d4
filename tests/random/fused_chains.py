#!/usr/bin/env python3
"""Random expressions of ufuncs, gufuncs and reductions: fuse() against the same steps one by one, bit by bit, on the CPU.

Arrays have NaN, infinities and zeros of both signs among their elements; some operands broadcast.  With --gpu arrays lie
on a GPU too, and its bits are compared.  Exit status 1 where something differs.
"""
import argparse
import random
import re
import sys

import numpy as np

import gpucc

SOURCE = """#include <gpucc.h>
#include <tgmath.h>
typevar(F, @dtype@);
identity(0) reorderable vectorize() F add(F x, F y) { return x + y; }
identity(1) reorderable vectorize() F prod(F x, F y) { return x * y; }
identity(-INFINITY) reorderable vectorize() F most(F x, F y) { return fmax(x, y); }
identity(INFINITY) reorderable vectorize() F least(F x, F y) { return fmin(x, y); }
vectorize() F sub(F x, F y) { return x - y; }
vectorize() F mul(F x, F y) { return x * y; }
vectorize() F pick(F x, F y) { return x < y ? y * (F)0.5 : x; }
vectorize() F bend(F x) { return x / (1 + fabs(x)); }
vectorize() F root(F x) { return sqrt(fabs(x) + (F)0.25); }
vectorize() F wave(F x) { return sin(x); }
guvectorize((n)->()) reorderable void mean(size_t n, const F x[n], F *y)
{ F s = 0; for (size_t i = 0; i < n; i++) s += x[i]; *y = n ? s / n : 0; }
guvectorize((n)->()) reorderable void variance(size_t n, const F x[n], F *y)
{ F m, s = 0; mean(n, x, &m); for (size_t i = 0; i < n; i++) s += (x[i] - m) * (x[i] - m); *y = n ? s / n : 0; }
guvectorize((n),(n)->()) reorderable void inner(size_t n, const F x[n], const F y[n], F *s)
{ *s = 0; for (size_t i = 0; i < n; i++) *s += x[i] * y[i]; }
guvectorize((n),()->(n)) reorderable void scaled(size_t n, const F x[n], F by, F y[n])
{ for (size_t i = 0; i < n; i++) y[i] = x[i] * by; }
fuse(dot, reduce(add, mul(x, y)));
"""
REDUCERS = ("add", "prod", "most", "least")


class Value:
    """C of fuse(), the value by separate steps, and whether it is an array for each row."""

    def __init__(self, text, value, is_array):
        self.text, self.value, self.is_array = text, value, is_array


class Chain:
    def __init__(self, program, seed, number, dtype):
        self.random, self.program = random.Random(f"{seed}/{number}"), program
        self.name, self.dtype = f"f{number}", dtype
        numbers = np.random.default_rng([seed, number])
        self.n = self.random.choice([1, 2, 3, 5, 31, 64, 100, 257, 1000, 5000])
        self.rows = self.random.choice([1, 3, 40])
        self.arrays = {}
        for name in "xyz":
            self.arrays[name] = self.array(numbers, (self.rows, self.n))
        self.arrays["w"] = self.array(numbers, (self.n,))  # broadcasts
        self.arrays["c"] = self.array(numbers, (self.rows, 1))  # a number for each row
        self.whole = set()  # those that a gufunc takes or a reduction combines
        self.result = self.chain()

    def array(self, numbers, shape):
        array = numbers.standard_normal(shape).astype(self.dtype)
        if self.random.random() < 0.15:
            array.flat[numbers.integers(0, array.size, 2)] = self.random.choice([np.nan, np.inf, -np.inf, -0.0, 0.0])
        if self.random.random() < 0.1:
            array[...] = self.random.choice([-0.0, np.nan])
        return array

    def step(self, name, *values):
        value = getattr(self.program, name)(*[v.value for v in values])
        return Value(f"{name}({', '.join(v.text for v in values)})", value, any(v.is_array for v in values))

    def names(self, text):
        """The parameters in C, in the order of first use."""
        found = dict.fromkeys(word for word in re.findall(r"\w+", text) if word in self.arrays)
        return list(found)

    def parameter(self, name):
        return Value(name, self.arrays[name], name not in "c")

    def reduced(self, by, array):
        """In the tree, which NumPy's own reductions do not follow."""
        array = np.broadcast_to(array, (self.rows, self.n))
        return np.asarray(getattr(self.program, by).reduce(array, axis=-1, keepdims=True, device="cpu"))

    def number(self):
        """A number for each row."""
        form = self.random.choice(["reduce", "reduce", "reduce", "mean", "variance", "inner", "dot", "combined"])
        if form == "reduce":
            by, of = self.random.choice(REDUCERS), self.array_of(1)
            self.whole.update(self.names(of.text))
            value = self.reduced(by, of.value)
            return Value(f"reduce({by}, {of.text})", value, False)
        if form == "combined":
            value = self.step(self.random.choice(["root", "bend", "wave"]), self.number())
            return self.step(self.random.choice(["sub", "mul"]), value, self.parameter("c"))
        count = 2 if form in ("inner", "dot") else 1
        arrays = [self.parameter(self.random.choice("xyz")) for _ in range(count)]
        self.whole.update(a.text for a in arrays)
        if form == "dot":
            value = self.program.dot(*[a.value for a in arrays], axis=-1, keepdims=True)
        else:
            value = getattr(self.program, form)(*[a.value for a in arrays])[..., None]
        return Value(f"{form}({', '.join(a.text for a in arrays)})", value, False)

    def array_of(self, depth):
        """An array for each row, with a whole parameter in it."""
        if depth == 0 or self.random.random() < 0.2:
            return self.parameter(self.random.choice("xyz"))
        if self.random.random() < 0.3:
            return self.step(self.random.choice(["root", "bend", "wave"]), self.array_of(depth - 1))
        operands = [self.array_of(depth - 1), self.random.choice([self.number, lambda: self.array_of(depth - 1),
                                                                   lambda: self.parameter("w")])()]
        self.random.shuffle(operands)
        return self.step(self.random.choice(["sub", "mul", "pick"]), *operands)

    def chain(self):
        if self.random.random() < 0.3:
            return self.step("mul", self.number(), self.number())  # one number for each row
        result = self.step("sub", self.array_of(2), self.number())
        if self.random.random() < 0.2:
            x, by = self.parameter(self.random.choice("xyz")), self.number()
            scaled = Value(f"scaled({x.text}, {by.text})", self.program.scaled(x.value, by.value[..., 0]), True)
            self.whole.add(x.text)
            result = self.step("sub", result, scaled)
        for name in "xyz":  # others are numbers beside numbers
            if name in self.names(result.text) and name not in self.whole:
                x = self.parameter(name)
                total = Value(f"reduce(add, {name})", self.reduced("add", x.value), False)
                result = self.step("sub", result, total)
        return result

    def statement(self):
        return f"fuse({self.name}, {self.result.text});\n"

    def operands(self):
        """In the order of first use."""
        return [self.arrays[name][:, 0] if name == "c" else self.arrays[name] for name in self.names(self.result.text)]

    def wanted(self):
        if not self.result.is_array:
            return self.result.value[..., 0]
        return self.result.value

    def check(self, program, xp):
        wanted = self.wanted()
        with np.errstate(all="ignore"):
            got = getattr(program, self.name)(*[xp.asarray(a) for a in self.operands()])
        got = got if xp is np else xp.asnumpy(got)
        bits = f"u{wanted.dtype.itemsize}"
        same = got.shape == wanted.shape and got.dtype == wanted.dtype
        if same:
            different = (got.view(bits) != wanted.view(bits)) & ~(np.isnan(got) & np.isnan(wanted))
            same = not different.any()
        return "" if same else f"{self.name} of {self.rows} x {self.n} {self.dtype}: {got.ravel()[:4]}, not " \
                               f"{wanted.ravel()[:4]} by steps"


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=40)
    arguments.add_argument("--batch", type=int, default=20)
    arguments.add_argument("--gpu", action="store_true", help="on a GPU too, by CuPy's arrays")
    given = arguments.parse_args()
    spaces = [np]
    if given.gpu:
        import cupy
        spaces.append(cupy)
    failed = 0
    for number, first in enumerate(range(0, given.count, given.batch)):
        dtype = ("float32", "float64")[(number + given.seed) % 2]
        source = SOURCE.replace("@dtype@", dtype)
        steps = gpucc.compile(source)
        with np.errstate(all="ignore"):
            chains = [Chain(steps, given.seed, n, dtype) for n in range(first, min(first + given.batch, given.count))]
        text = source + "".join(c.statement() for c in chains)
        try:
            program = gpucc.compile(text)
        except Exception as error:  # shown with the source
            print(f"{error}\n{''.join(c.statement() for c in chains)}")
            return 1
        for chain in chains:
            for xp in spaces:
                wrong = chain.check(program, xp)
                if wrong:
                    failed += 1
                    print(f"seed {given.seed}: {wrong}\n{chain.statement()}")
    print(f"{given.count} expressions, {failed} wrong")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
