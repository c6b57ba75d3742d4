#!/usr/bin/env python3
"""Random differentiable functions: gradient(), tangent() and adjoint() against dual numbers.

Each function is written twice: in plain C for gpucc, and with a call for each operation in dual numbers (dual.h) for
gcc.  gcc's runs in double and in long double; how far these are apart says how far gpucc's may be.  Functions have
loops with break and continue, nested loops of dynamic extents, branches on inputs, arrays, structs by value and by
pointer, pointers that are chosen, and calls, also recursive ones.  A part of
them has so many inputs that gradient() and adjoint() use reverse mode.  Exit status 1 where something differs, 77 where gcc
is not installed.
"""
import argparse
import ctypes
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
POINTS = 48
WIDE = 9        # inputs of functions that are derived in reverse mode
UNARY = ["sin", "cos", "tanh", "atan", "erf", "fabs", "floor"]
BINARY = ["hypot", "fmax", "fmin", "atan2", "copysign"]


class Function:
    """Text pairs: plain C and dual numbers."""

    def __init__(self, seed, number, wide):
        self.random = random.Random(f"{seed}/{number}")
        self.name = f"f{number}"
        self.wide = self.random.random() < wide
        self.reals = self.random.randint(1, 3)
        self.outputs = self.random.choice([1, 1, 1, 2])
        self.more = [f"w{k}" for k in range(self.reals, WIDE)] if self.wide else []
        self.helpers = []
        self.names = 0
        self.plain = self.dual = ""
        self.write()

    def pick(self, choices):
        return self.random.choice(choices)

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    # ---- expressions: pairs of texts ----

    def constant(self):
        value = round(self.random.uniform(-2, 2), 3)
        return f"{value!r}", f"number({value!r}L)"

    def real(self, scope, depth):
        r = self.random
        if depth <= 0 or r.random() < 0.15:
            kind = r.random()
            if kind < 0.7 and scope.reals:
                name = self.pick(scope.reals)
                return name, name
            if kind < 0.8 and scope.ints:
                name = self.pick(scope.ints)
                return f"(T){name}", f"number({name})"
            return self.constant()
        kind = r.randrange(16)
        if kind < 5:
            operator, call = self.pick([("+", "add"), ("-", "sub"), ("*", "mul")])
            a, b = self.real(scope, depth - 1), self.real(scope, depth - 1)
            return f"({a[0]} {operator} {b[0]})", f"{call}({a[1]}, {b[1]})"
        if kind == 5:
            a, b = self.real(scope, depth - 1), self.real(scope, depth - 1)
            return f"({a[0]} / (1.5 + {b[0]} * {b[0]}))", f"quotient({a[1]}, add(number(1.5L), mul({b[1]}, {b[1]})))"
        if kind < 9:
            name, a = self.pick(UNARY), self.real(scope, depth - 1)
            return f"{name}({a[0]})", f"d_{name}({a[1]})"
        if kind == 9:
            a = self.real(scope, depth - 1)
            form = self.pick(["sqrt", "log1p", "exp", "cbrt"])
            inner = {"sqrt": ("0.25 + {0} * {0}", "add(number(0.25L), mul({0}, {0}))"),
                     "cbrt": ("0.25 + {0} * {0}", "add(number(0.25L), mul({0}, {0}))"),
                     "log1p": ("{0} * {0}", "mul({0}, {0})"),
                     "exp": ("-fabs({0})", "negative(d_fabs({0}))")}[form]
            return f"{form}({inner[0].format(a[0])})", f"d_{form}({inner[1].format(a[1])})"
        if kind < 12:
            name = self.pick(BINARY)
            a, b = self.real(scope, depth - 1), self.real(scope, depth - 1)
            return f"{name}({a[0]}, {b[0]})", f"d_{name}({a[1]}, {b[1]})"
        if kind == 12:
            c = self.condition(scope, depth - 1)
            a, b = self.real(scope, depth - 1), self.real(scope, depth - 1)
            return f"({c[0]} ? {a[0]} : {b[0]})", f"({c[1]} ? {a[1]} : {b[1]})"
        if kind == 13:
            a, b = self.real(scope, depth - 1), self.real(scope, depth - 1)
            form = self.pick(["pow", "fmod", "fma"])
            if form == "pow":
                return (f"pow(1.25 + fabs({a[0]}), sin({b[0]}))",
                        f"d_pow(add(number(1.25L), d_fabs({a[1]})), d_sin({b[1]}))")
            if form == "fmod":
                return (f"fmod({a[0]}, 1.25 + fabs({b[0]}))",
                        f"d_fmod({a[1]}, add(number(1.25L), d_fabs({b[1]})))")
            return f"fma({a[0]}, {b[0]}, {a[0]})", f"d_fma({a[1]}, {b[1]}, {a[1]})"
        if kind == 14 and scope.arrays:
            name, i = self.pick(scope.arrays), self.integer(scope)
            return f"{name}[{i} & 3]", f"{name}[{i} & 3]"
        if self.helpers and scope.calls:
            helper = self.pick(self.helpers)
            a, b = self.real(scope, depth - 1), self.real(scope, depth - 1)
            i = self.integer(scope)
            return f"{helper}({a[0]}, {b[0]}, {i})", f"d{helper}({a[1]}, {b[1]}, {i})"
        return self.constant()

    def integer(self, scope):
        choices = ["1", "2", "3"] + scope.ints
        return self.pick(choices)

    def condition(self, scope, depth):
        if scope.ints and self.random.random() < 0.3:
            text = f"({self.pick(scope.ints)} & 1)"
            return text, text
        a, b = self.real(scope, min(depth, 1)), self.real(scope, min(depth, 1))
        return f"({a[0]} < {b[0]})", f"less({a[1]}, {b[1]})"

    # ---- statements ----

    def emit(self, plain, dual=None):
        self.plain += "    " + plain + "\n"
        self.dual += "    " + (dual or plain) + "\n"

    def bounded(self, scope, depth=3):
        a = self.real(scope, depth)
        form = self.pick(["tanh({})", "sin({})", "atan({})"])
        return form.format(a[0]), "d_" + form.format(a[1])

    def assignment(self, scope):
        if scope.arrays and self.random.random() < 0.4:
            name, i = self.pick(scope.arrays), self.integer(scope)
            target = f"{name}[({i}) & 3]"
        else:
            target = self.pick(scope.written)
        a = self.bounded(scope)
        if self.random.random() < 0.5:
            self.emit(f"{target} = {target} * 0.5 + {a[0]};",
                      f"{target} = add(mul({target}, number(0.5L)), {a[1]});")
        else:
            self.emit(f"{target} = {a[0]};", f"{target} = {a[1]};")

    def branch(self, scope, depth):
        c = self.condition(scope, 2)
        self.emit(f"if ({c[0]}) {{", f"if ({c[1]}) {{")
        self.block(scope, depth - 1)
        if self.random.random() < 0.5:
            self.emit("} else {")
            self.block(scope, depth - 1)
        self.emit("}")

    def loop(self, scope, depth):
        i = self.fresh("i")
        kind = self.random.random()
        if kind < 0.5:
            bound = self.pick(["3", "4"] + [f"({n} & 3) + 1" for n in scope.ints])
            self.emit(f"for (int {i} = 0; {i} < {bound}; {i}++) {{")
        else:
            a = self.real(scope, 1)
            self.emit(f"for (int {i} = 0; {i} < 2 + ((int)(3 * tanh({a[0]})) & 3); {i}++) {{",
                      f"for (int {i} = 0; {i} < 2 + (to_int(mul(number(3), d_tanh({a[1]}))) & 3); {i}++) {{")
        inner = scope.inside(i)
        self.block(inner, depth - 1)
        if self.random.random() < 0.5:
            c = self.condition(inner, 1)
            word = self.pick(["break", "continue"])
            self.emit(f"if ({c[0]}) {word};", f"if ({c[1]}) {word};")
            self.assignment(inner)
        self.emit("}")

    def switch(self, scope, depth):
        self.emit(f"switch ({self.integer(scope)} & 3) {{")
        for k in range(3):
            self.emit(f"case {k}:")
            self.assignment(scope)
            if self.random.random() < 0.7:
                self.emit("break;")
        self.emit("default: break; }")

    def use_struct(self, scope):
        s = self.fresh("s")
        a, i = self.bounded(scope), self.integer(scope)
        self.emit(f"state {s} = make({a[0]}, {i});", f"state {s} = make({a[1]}, {i});")
        form = self.random.randrange(3)
        if form == 0:
            self.emit(f"advance(&{s}, {i});")
        elif form == 1:
            self.emit(f"{s} = turned({s});")
        else:
            other = self.fresh("s")
            self.emit(f"state {other} = {s}; {other}.u[1] = {scope.written[0]}; {s} = {other};")
        target = self.pick(scope.written)
        self.emit(f"{target} = {s}.w + {s}.u[{s}.k & 1];", f"{target} = add({s}.w, {s}.u[{s}.k & 1]);")

    def use_pointer(self, scope):
        p = self.fresh("p")
        c = self.condition(scope, 1)
        a, b = scope.written[0], scope.written[-1]
        self.emit(f"T *{p} = {c[0]} ? &{a} : &{b};", f"D *{p} = {c[1]} ? &{a} : &{b};")
        e = self.bounded(scope, 2)
        self.emit(f"*{p} = {e[0]}; {a} = {a} + *{p};", f"*{p} = {e[1]}; {a} = add({a}, *{p});")

    def use_sincos(self, scope):
        e = self.real(scope, 2)
        a, b = scope.written[0], scope.written[-1]
        if a != b:
            self.emit(f"sincos({e[0]}, &{a}, &{b});", f"d_sincos({e[1]}, &{a}, &{b});")

    def block(self, scope, depth):
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.randrange(10)
            if depth <= 0 or kind < 4:
                self.assignment(scope)
            elif kind < 6:
                self.branch(scope, depth)
            elif kind < 8:
                self.loop(scope, depth)
            elif kind == 8:
                self.pick([self.switch, lambda s, d: self.use_struct(s)])(scope, depth)
            else:
                self.pick([self.use_pointer, self.use_sincos])(scope)

    # ---- functions ----

    def helper(self, recursive):
        name = self.fresh(f"{self.name}_h")
        scope = Scope(["x", "y"], ["n"], [], ["r"], False)
        self.plain += f"static T {name}(T x, T y, int n)\n{{\n"
        self.dual += f"static D d{name}(D x, D y, int n)\n{{\n"
        self.emit("T r = x * 0.5;", "D r = mul(x, number(0.5L));")
        scope.reals.append("r")
        self.block(scope, 1)
        if recursive:
            self.emit(f"if (n > 0) r = tanh(r + {name}(y, r, (n & 3) - 1));",
                      f"if (n > 0) r = d_tanh(add(r, d{name}(y, r, (n & 3) - 1)));")
        self.emit("return r;")
        self.plain += "}\n\n"
        self.dual += "}\n\n"
        self.helpers.append(name)

    def write(self):
        for _ in range(self.random.randint(0, 2)):
            self.helper(self.random.random() < 0.4 and not self.wide)
        inputs = "xyz"[:self.reals]
        plain = ", ".join(f"T {x}" for x in [*inputs, *self.more]) + ", int n"
        dual = ", ".join(f"D {x}" for x in inputs) + ", int n"
        if self.outputs == 1:
            self.plain += f"vectorize() T {self.name}({plain})\n{{\n"
            self.dual += f"static D d{self.name}({dual})\n{{\n"
        else:
            self.plain += f"vectorize() void {self.name}({plain}, T *p, T *q)\n{{\n"
            self.dual += f"static void d{self.name}({dual}, D *p, D *q)\n{{\n"
        scope = Scope(list(inputs) + ["a", "b"], ["n"], ["v"], ["a", "b"], True)
        x = inputs[-1]
        self.emit(f"T a = x, b = {x} * 0.5, v[4] = {{x, {x}, 1, 0.5}};",
                  f"D a = x, b = mul({x}, number(0.5L)), v[4] = {{x, {x}, number(1), number(0.5L)}};")
        self.block(scope, 3)
        self.block(scope, 2)
        e = self.real(scope, 2)
        more = "".join(f" + {w} * 0.25" for w in self.more)
        if self.outputs == 1:
            self.emit(f"return a + b * {e[0]} + v[n & 3]{more};", f"return add(add(a, mul(b, {e[1]})), v[n & 3]);")
        else:
            self.emit(f"*p = a + v[1]{more}; *q = b * {e[0]};", f"*p = add(a, v[1]); *q = mul(b, {e[1]});")
        self.plain += "}\n"
        self.dual += "}\n\n"
        for kind in self.kinds():
            self.plain += f"{kind}({self.name}_{kind}, {self.name});\n"
        self.plain += "\n"

    def kinds(self):
        return ["tangent"] * (not self.wide) + ["adjoint"] + ["gradient"] * (self.outputs == 1)


class Scope:
    def __init__(self, reals, ints, arrays, written, calls):
        self.reals, self.ints, self.arrays, self.written, self.calls = reals, ints, arrays, written, calls

    def inside(self, i):
        return Scope(self.reals, self.ints + [i], self.arrays, self.written, self.calls)


STATE = """typedef struct { T u[2]; int k; T w; } state;
static state make(T x, int k) { state s = {{x, 1}, k, x * 2}; return s; }
static void advance(state *s, int n)
{
    for (int i = 0; i < (n & 3); i++) {
        s->u[i & 1] = sin(s->w) + s->k;
        s->k++;
        s->w = s->u[0] * 0.5;
    }
}
static state turned(state s) { T t = s.u[0]; s.u[0] = s.u[1]; s.u[1] = t * s.w; s.k += 1; return s; }

"""
DUAL_STATE = """typedef struct { D u[2]; int k; D w; } state;
static state make(D x, int k) { state s = {{x, number(1)}, k, mul(x, number(2))}; return s; }
static void advance(state *s, int n)
{
    for (int i = 0; i < (n & 3); i++) {
        s->u[i & 1] = add(d_sin(s->w), number(s->k));
        s->k++;
        s->w = mul(s->u[0], number(0.5L));
    }
}
static state turned(state s) { D t = s.u[0]; s.u[0] = s.u[1]; s.u[1] = mul(t, s.w); s.k += 1; return s; }

"""


def plain_source(functions):
    return ("#include <gpucc.h>\n#include <math.h>\ntypedef double T;\n\n" + STATE +
            "".join(f.plain for f in functions))


def dual_source(functions):
    text = '#include "dual.h"\n\n' + DUAL_STATE + "".join(f.dual for f in functions)
    for f in functions:
        arguments = ", ".join(f"in[{k}]" for k in range(f.reals)) + ", n"
        call = f"out[0] = d{f.name}({arguments});" if f.outputs == 1 else f"d{f.name}({arguments}, &out[0], &out[1]);"
        text += (f"void run_{f.name}(const double *x, int n, double *result)\n{{\n    D in[3], out[2];\n"
                 f"    for (int k = 0; k < {f.reals}; k++) {{ in[k] = number(x[k]); in[k].d[k] = 1; }}\n    {call}\n"
                 f"    for (int k = 0; k < {f.outputs}; k++) {{\n        *result++ = out[k].v;\n"
                 f"        for (int i = 0; i < DIRECTIONS; i++) *result++ = out[k].d[i];\n    }}\n}}\n\n")
    return text


class Batch:
    def __init__(self, gpucc, functions, folder, extra):
        self.functions, self.folder, self.compared = functions, folder, 0
        self.write("plain.c", plain_source(functions))
        self.write("dual.c", dual_source(functions))
        self.execute([gpucc, *extra, "plain.c", "-o", "plain.so"])
        for name, real in (("dual", "double"), ("exact", "long double")):
            self.execute(["gcc", "-O1", "-ffp-contract=off", "-w", "-shared", "-fPIC", f"-DR={real}", f"-I{HERE}",
                          "dual.c", "-o", f"{name}.so", "-lm"])
        self.libraries = {name: ctypes.CDLL(os.path.join(folder, name + ".so")) for name in ("plain", "dual", "exact")}

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def execute(self, command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr}")

    def reference(self, library, f, x, n):
        result = (ctypes.c_double * 8)()
        singular = ctypes.c_int.in_dll(self.libraries[library], "singular")
        singular.value = 0
        self.libraries[library][f"run_{f.name}"]((ctypes.c_double * 3)(*x), ctypes.c_int(n), result)
        if singular.value:
            return [[math.nan] * 4]
        return [list(result[4 * k:4 * k + 4]) for k in range(f.outputs)]

    def loop(self, f, kind, operands, count):
        """Calls NAME_..._loop on operands of one number each; returns `count` outputs."""
        codes = "".join("i32" if isinstance(o, int) else "f64" for o in operands)
        symbol = f"{f.name}_{kind}_{codes}_{'f64' * count}_loop"
        cells = [(ctypes.c_int32 if isinstance(o, int) else ctypes.c_double)(o) for o in operands]
        cells += [ctypes.c_double(0) for _ in range(count)]
        pointers = (ctypes.c_void_p * len(cells))(*[ctypes.addressof(c) for c in cells])
        steps = (ctypes.c_ssize_t * len(cells))(*[8] * len(cells))
        self.libraries["plain"][symbol](pointers, (ctypes.c_ssize_t * 1)(1), steps, None)
        return [c.value for c in cells[len(operands):]]

    def check(self, f, x, n, weights):
        """A message, or None; what depends on how a sum is rounded is passed over."""
        dual, exact = self.reference("dual", f, x, n), self.reference("exact", f, x, n)
        numbers = [v for row in dual + exact for v in row]
        if not all(math.isfinite(v) and abs(v) < 1e6 for v in numbers):
            return None
        jacobian = [row[1:1 + f.reals] for row in exact]
        slack = 1e-9 + 100 * max(abs(a - b) for p, q in zip(dual, exact) for a, b in zip(p, q))
        if slack > 1e-5:
            return None
        self.compared += 1
        scale = 1 + max(abs(v) for row in exact for v in row)
        more = [0.5] * len(f.more)
        inputs = [*x[:f.reals], *more, n]
        results = {"adjoint": self.loop(f, "adjoint", [*inputs, *weights[:f.outputs]], f.reals + len(more))}
        wanted = {"adjoint": [sum(w * row[i] for w, row in zip(weights, jacobian)) for i in range(f.reals)] +
                  [weights[0] * 0.25] * len(more)}
        if not f.wide:
            results["tangent"] = self.loop(f, "tangent", [*inputs, *weights[:f.reals]], 2 * f.outputs)
            wanted["tangent"] = [row[0] for row in exact] + [sum(j * w for j, w in zip(row, weights))
                                                             for row in jacobian]
        if f.outputs == 1:
            results["gradient"] = self.loop(f, "gradient", inputs, f.reals + len(more))
            wanted["gradient"] = jacobian[0] + [0.25] * len(more)
        for kind, got in results.items():
            if any(not abs(a - b) <= 4 * slack * scale for a, b in zip(got, wanted[kind])):
                return f"{f.name}: {kind} at {x[:f.reals]}, n = {n}, weights {weights}: {got}, and not {wanted[kind]}"
        return None


def points(source):
    special = [0.0, 1.0, -1.0, 0.5, 2.0, -0.25]
    for _ in range(POINTS):
        x = [source.choice(special) if source.random() < 0.15 else source.uniform(-2.5, 2.5) for _ in range(3)]
        if source.random() < 0.1:
            x[1] = x[0]
        yield x, source.randint(0, 9), [source.uniform(-2, 2) for _ in range(3)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--wide", type=float, default=0.08, help="the share of functions with nine inputs")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--together", type=int, default=20)
    parser.add_argument("--gpucc", default=os.path.join(ROOT, "build/bin/gpucc"))
    parser.add_argument("--option", action="append", default=["-O0"], help="of gpucc, besides -O0")
    parser.add_argument("--target", default="x86-64-v3" if os.uname().machine == "x86_64" else "aarch64-linux-gnu")
    arguments = parser.parse_args()
    if not shutil.which("gcc"):
        print("skipped: gcc is not installed")
        return 77
    failures = tested = compared = 0
    for first in range(arguments.first, arguments.first + arguments.count, arguments.together):
        last = min(first + arguments.together, arguments.first + arguments.count)
        functions = [Function(arguments.seed, k, arguments.wide) for k in range(first, last)]
        with tempfile.TemporaryDirectory() as folder:
            extra = [f"--target={arguments.target}", *arguments.option]
            batch = Batch(os.path.abspath(arguments.gpucc), functions, folder, extra)
            for f in functions:
                source = random.Random(f"{arguments.seed}/{f.name}")
                found = [m for m in (batch.check(f, *p) for p in points(source)) if m]
                tested += 1
                if found:
                    failures += 1
                    print(f"{found[0]}\n{len(found)} of {POINTS} points; --seed={arguments.seed} "
                          f"--first={f.name[1:]} --count=1\n{plain_source([f])}", flush=True)
            compared += batch.compared
    print(f"{tested} functions at {compared} points, of which {failures} have wrong derivatives")
    return 1 if failures or compared < tested * POINTS / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
