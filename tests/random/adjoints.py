#!/usr/bin/env python3
"""Random gufuncs of plain C: adjoint() and tangent() against central differences of the gufunc itself.

Each gufunc has reductions, also of what other reductions give, nested loops, extrema, branches on inputs, small local
arrays and loops of constant length.  For random directions u and v of inputs and outputs, <v, J u> by differences must
be <J^T v, u> by the adjoint.  Points at which the differences do not settle are passed over.  At all points, some with
equal elements, <v, J u> by the tangent must be <J^T v, u>, and a tangent gives the gufunc's own values, bit for bit.
The tangent of the adjoint is compared with differences of the adjoint.  Exit status 1 where something differs.
"""
import argparse
import ctypes
import math
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
POINTS = 12
INPUTS = {"a": ("m", "n"), "x": ("n",), "u": ("m",), "w": (3,), "t": ()}
OUTPUTS = {"y": ("m",), "z": ("n",), "s": ()}
LAYOUT = "(m,n),(n),(m),(3),()->(m),(n),()"


class Gufunc:
    def __init__(self, seed, number):
        self.random = random.Random(f"{seed}/{number}")
        self.name, self.text, self.names, self.scalars = f"g{number}", "", 0, ["t", "w[0]", "w[2]"]
        self.emit("guvectorize(" + LAYOUT + ")" + self.pick([" reorderable", ""]) + f" void {self.name}(size_t m, "
                  "size_t n, const T a[m][n], const T x[n], const T u[m], const T w[3], T t, T y[m], T z[n], T *s)\n"
                  "{\n    double last = 0;")
        for _ in range(self.random.randint(1, 3)):
            self.pick([self.sum, self.sum, self.extremum, self.array, self.nested_sum, self.branch, self.scaled,
                       self.scaled])()
        self.rows()
        self.columns()
        self.emit(f"    *s = {self.real([], 2)} + last;\n}}\nadjoint({self.name}_vjp, {self.name});\n")

        self.has_second = self.random.random() < 0.5
        self.emit(f"tangent({self.name}_jvp, {self.name});" +
                  (f"\ntangent({self.name}_hvp, {self.name}_vjp);" if self.has_second else ""))

    def pick(self, choices):
        return self.random.choice(choices)

    def emit(self, text):
        self.text += text + "\n"

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def real(self, more, depth):
        values = self.scalars + 2 * more
        if depth <= 0 or self.random.random() < 0.2:
            return self.pick(values) if self.random.random() < 0.85 else f"({self.random.uniform(-2, 2):.2f})"
        a, b = self.real(more, depth - 1), self.real(more, depth - 1)
        return self.pick([f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} * {b})", f"({a} / (2 + {b} * {b}))",
                          f"sin({a})", f"tanh({a})", f"exp(-{a} * {a})", f"sqrt(1 + {a} * {a})",
                          f"atan2({a}, 3 + {b} * {b})", f"({a} < {b} ? {a} : {b} * 0.5)", f"fma({a}, {b}, {a})",
                          f"helper({a}, {b})"])

    def term(self, more):
        return f"tanh({self.real(more, 2)})"

    def sum(self):
        r, i = self.fresh("r"), self.fresh("i")
        over, value = self.pick([("n", f"x[{i}]"), ("m", f"u[{i}]"), ("3", f"w[{i}]")])
        self.emit(f"    T {r} = {self.pick(['0', '0.5', self.real([], 1)])};\n"
                  f"    for (size_t {i} = 0; {i} < {over}; {i}++) {{")
        if self.random.random() < 0.3:
            self.emit(f"        if ({value} < {self.real([], 0)}) continue;")
        form = self.pick(["{r} += {e};", "{r} += {e};", "{r} -= {e} * {v};", "{r} = {r} * 0.5 + {e};",
                          "{r} += {v} * {v};"])
        self.emit("        " + form.format(r=r, v=value, e=self.term([value])) + "\n    }")
        self.scalars.append(r if self.random.random() < 0.5 else f"({r} / n)")

    def scaled(self):
        """Sums of terms with factors that all of them have, some of the same terms again."""
        r, q, i, j = self.fresh("r"), self.fresh("q"), self.fresh("i"), self.fresh("j")
        form = self.pick(["x[{i}]", "sin(x[{i}])", "exp(x[{i}] * 0.3)", "x[{i}] * x[{i}]"])
        e, c, d = form.format(i=j), self.real([], 0), self.real([], 1)
        term = self.pick([f"({e} - {r} / n) * {c}", f"{e} * {c} / (2 + {d} * {d})",
                          f"({e} - {r} / n) * ({e} - {r} / n)", f"{e} * x[{j}] / (1 + {r} * {r})", f"-({c} * ({d} * {e}))"])
        guard = self.pick(["", "", f"if ({self.real([], 0)} > 0)\n        "])
        self.emit(f"    T {r} = 0, {q} = {self.pick(['0', '0.5', r])};\n    {guard}for (size_t {i} = 0; {i} < n; {i}++)\n"
                  f"        {r} += {form.format(i=i)};\n    for (size_t {j} = 0; {j} < n; {j}++)\n"
                  f"        {q} {self.pick(['+=', '-='])} {term};")
        self.scalars += [f"tanh({r} / n)", f"tanh({q})"]

    def extremum(self):
        r, i = self.fresh("e"), self.fresh("i")
        value = self.pick([f"x[{i}]", f"x[{i}] * x[{i}]", f"sin(x[{i}])"])
        form = self.pick(["{r} = fmax({r}, {v});", "{r} = fmin({r}, {v});", "if ({v} > {r}) {r} = {v};",
                          "{r} = {v} < {r} ? {v} : {r};", "if ({v} > {r}) {{ {r} = {v}; last = (double){i}; }}"])
        self.emit(f"    T {r} = {self.pick(['x[0]', '0.1'])};\n    for (size_t {i} = 0; {i} < n; {i}++)\n        "
                  + form.format(r=r, v=value, i=i))
        self.scalars.append(r)

    def array(self):
        v, k = self.fresh("v"), self.fresh("k")
        self.emit(f"    T {v}[3];\n    for (int {k} = 0; {k} < 3; {k}++)\n        {v}[{k}] = {self.term([f'w[{k}]'])};")
        self.scalars += [f"{v}[1]", f"{v}[(m + n) % 3]"]

    def nested_sum(self):
        r, i, j, q = self.fresh("r"), self.fresh("i"), self.fresh("j"), self.fresh("q")
        self.emit(f"    T {r} = 0;\n    for (size_t {i} = 0; {i} < m; {i}++) {{\n        T {q} = 0;\n"
                  f"        for (size_t {j} = 0; {j} < n; {j}++)\n            {q} += "
                  f"{self.term([f'a[{i}][{j}]', f'x[{j}]', f'u[{i}]'])};\n        "
                  f"{r} += {self.real([q, f'u[{i}]'], 2)};\n    }}")
        self.scalars.append(f"tanh({r})")

    def branch(self):
        r = self.fresh("b")
        self.emit(f"    T {r} = {self.real([], 1)};\n    if ({self.real([], 1)} < {self.real([], 0)})\n        {r} = "
                  f"{self.real([], 2)};\n    else if (n > 2)\n        {r} = {r} * {self.real([], 1)};")
        self.scalars.append(r)

    def rows(self):
        in_memory = self.random.random() < 0.3
        self.emit(f"    for (size_t i = 0; i < m; i++) {{\n        {'y[i]' if in_memory else 'T q'} = 0;\n"
                  f"        for (size_t j = 0; j < n; j++)")
        if self.random.random() < 0.3 and not in_memory:  # a store that is skipped is no sum in a register
            self.emit("            if (j != i)")
        self.emit(f"            {'y[i]' if in_memory else 'q'} += {self.real(['a[i][j]', 'x[j]', 'u[i]'], 2)};")
        if not in_memory:
            self.emit(f"        y[i] = {self.real(['q', 'u[i]'], 2)};")
        self.emit("    }")

    def columns(self):
        form = self.random.randrange(3)
        self.emit("    for (size_t j = 0; j < n; j++) {")
        if form == 0:  # a convolution
            self.emit("        T q = 0;\n        for (size_t k = 0; k < 3; k++)\n"
                      "            if (j + k >= 1 && j + k < n + 1)\n"
                      f"                q += w[k] * {self.real(['x[j + k - 1]'], 1)};")
        elif form == 1:  # a sum over the rows
            self.emit(f"        T q = {self.real(['x[j]'], 1)};\n        for (size_t i = 0; i < m; i++)\n"
                      f"            q += {self.real(['a[i][j]', 'u[i]'], 2)};")
        else:  # values of an inner loop with a bound, each from the one before
            self.emit("        T q = 0.5;\n        for (unsigned k = 0; k < (j & 3); k++)\n            q = "
                      f"{self.term(['q', 'x[j]'])};")
        self.emit(f"        z[j] = {self.real(['q', 'x[j]'], 2)};\n    }}")


class Batch:
    def __init__(self, gpucc, gufuncs, folder, options):
        text = ("#include <gpucc.h>\n#include <math.h>\ntypedef double T;\n"
                "static T helper(T x, T y) { return x > 0.3 ? x * y : sin(y) - x; }\n" +
                "".join(g.text for g in gufuncs))
        path = os.path.join(folder, "gufuncs.c")
        with open(path, "w") as file:
            file.write(text)
        done = subprocess.run([gpucc, "-w", *options, path, "-o", path + ".so"], capture_output=True,
                              text=True)
        if done.returncode:
            raise RuntimeError(f"{done.stderr}\n{text}")
        self.library = ctypes.CDLL(path + ".so")

    def call(self, name, inputs, given, made, sizes):
        """`inputs` of the shapes `given`; returns lists of numbers for the shapes `made`."""
        cells = [(ctypes.c_double * max(len(v), 1))(*v) for v in inputs]
        cells += [(ctypes.c_double * max(count(s, sizes), 1))() for s in made]
        strides = [8 * count(shape[k + 1:], sizes) for shape in [*given, *made] for k in range(len(shape))]
        pointers = (ctypes.c_void_p * len(cells))(*[ctypes.addressof(c) for c in cells])
        symbol = f"{name}_{'f64' * len(inputs)}_{'f64' * len(made)}_loop"
        steps = [0] * len(cells) + strides
        self.library[symbol](pointers, (ctypes.c_ssize_t * 4)(1, sizes["m"], sizes["n"], 3),
                             (ctypes.c_ssize_t * len(steps))(*steps), None)
        return [list(c)[:count(s, sizes)] for c, s in zip(cells[len(inputs):], made)]

    def difference(self, call, x, u, v, h):
        """The slope of <v, call(x)> in the direction u, by central differences."""
        sides = [call([[a + s * h * b for a, b in zip(p, q)] for p, q in zip(x, u)]) for s in (1, -1, 2, -2)]
        weight = [dot(side, v) for side in sides]
        return (8 * (weight[0] - weight[1]) - (weight[2] - weight[3])) / (12 * h)

    def compare(self, call, x, u, v, got):
        """Compares a slope with differences: "" where they say nothing, a message, or None."""
        wanted = [self.difference(call, x, u, v, h) for h in (1e-4, 5e-5)]
        scale = 1 + max(map(abs, wanted))
        if not all(map(math.isfinite, wanted)) or abs(wanted[0] - wanted[1]) > 1e-7 * scale:
            return ""
        return None if abs(got - wanted[1]) <= 1e-6 * scale else f"{got}, and not {wanted[1]}"

    def check(self, g, source):
        """A message, "" where the point says nothing, or None."""
        sizes = {"m": source.randint(1, 4), "n": source.randint(1, 5)}
        inputs, outputs = [*INPUTS.values()], [*OUTPUTS.values()]
        x, u, v, w, t = [[[source.uniform(-2, 2) for _ in range(count(s, sizes))] for s in shapes]
                         for shapes in (inputs, inputs, outputs, outputs, inputs)]
        is_tied = source.random() < 0.2  # a kink of a maximum, of which differences say nothing
        if is_tied:
            x[1] = [source.choice(x[1][:2]) for _ in x[1]]

        def value(x):
            return self.call(g.name, x, inputs, outputs, sizes)

        def adjoint(x):
            return self.call(g.name + "_vjp", x, inputs + outputs, inputs, sizes)

        where = f"{g.name} of {sizes}, x = {x}, u = {u}, v = {v}"
        bars = adjoint(x + v)
        found = None if is_tied else self.compare(value, x, u, v, dot(bars, u))
        if found:
            return f"{where}: {found}"
        made = self.call(g.name + "_jvp", x + u, inputs + inputs, outputs + outputs, sizes)
        tangents, size = made[len(outputs):], dot(magnitudes(bars), magnitudes(u))
        if not is_same(made[:len(outputs)], value(x)):
            return f"{where}: its tangent's values are {made[:len(outputs)]}, and not {value(x)}"
        if math.isfinite(size) and not abs(dot(bars, u) - dot(tangents, v)) <= 1e-9 * (1 + size):
            return f"{where}: {dot(tangents, v)} by the tangent, {dot(bars, u)} by the adjoint"
        if g.has_second and not is_tied:
            made = self.call(g.name + "_hvp", x + v + u + w, 2 * (inputs + outputs), inputs + inputs, sizes)
            if not is_same(made[:len(inputs)], bars):
                return f"{where}: the second derivative's values are {made[:len(inputs)]}, and not {bars}"
            second = self.compare(adjoint, x + v, u + w, t, dot(made[len(inputs):], t))
            if second:
                return f"{where}, w = {w}, t = {t}: second derivative: {second}"
        return found


def dot(p, q):
    return sum(a * b for v, w in zip(p, q) for a, b in zip(v, w))


def magnitudes(vectors):
    return [[abs(a) for a in v] for v in vectors]


def is_same(p, q):
    return [[a.hex() for a in v] for v in p] == [[a.hex() for a in v] for v in q]


def count(shape, sizes):
    return math.prod(sizes.get(d, d) for d in shape)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--together", type=int, default=20)
    parser.add_argument("--gpucc", default=os.path.join(ROOT, "build/bin/gpucc"))
    parser.add_argument("--option", action="append", default=["-O1"], help="of gpucc, besides -O1")
    parser.add_argument("--target", default="x86-64-v3" if os.uname().machine == "x86_64" else "aarch64-linux-gnu")
    arguments = parser.parse_args()
    failures = compared = 0
    end = arguments.first + arguments.count
    for first in range(arguments.first, end, arguments.together):
        gufuncs = [Gufunc(arguments.seed, k) for k in range(first, min(first + arguments.together, end))]
        with tempfile.TemporaryDirectory() as folder:
            batch = Batch(os.path.abspath(arguments.gpucc), gufuncs, folder,
                          [f"--target={arguments.target}", *arguments.option])
            for g in gufuncs:
                source = random.Random(f"{arguments.seed}/{g.name}")
                results = [batch.check(g, source) for _ in range(POINTS)]
                compared += sum(r != "" for r in results)
                found = [r for r in results if r]
                failures += bool(found)
                if found:
                    print(f"{found[0]}\n{len(found)} of {POINTS} points; --seed={arguments.seed} --first={g.name[1:]} "
                          f"--count=1\n{g.text}", flush=True)
    print(f"{arguments.count} gufuncs at {compared} points, of which {failures} have wrong derivatives")
    return 1 if failures or compared < arguments.count * POINTS / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
