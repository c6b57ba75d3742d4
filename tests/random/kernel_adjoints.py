#!/usr/bin/env python3
"""Random kernels: adjoint() against central differences of the kernel itself, on the CPU.

Kernels are stencils in one to three dimensions with guards and clamps at the borders, loops over rows, grid-stride
loops, arrays that are read and written, atomic additions, branches that leave, warp shuffles, and barriers with shared
arrays.  For random directions u and
v of the arrays, <v, J u> by differences must be <J^T v, u> by the adjoint.  Grids are larger than arrays, or, where
kernels keep a border, smaller.
Points at which the differences do not settle are passed over.  Exit status 1 where something differs.
"""
import argparse
import os
import random
import sys

import numpy as np

import gpucc

AXES = ("i", "j", "k")
SIZES = ("n", "m", "l")


class Kernel:
    def __init__(self, seed, number):
        self.random = random.Random(f"{seed}/{number}")
        self.name, self.axes = f"k{number}", self.random.randint(1, 3)
        self.form = self.pick(["stencil", "stencil", "stencil", "stencil", "rows", "in place", "stride", "scatter",
                               "block", "block", "tiles", "flow", "flow", "warp", "warp"])
        if self.form != "stencil":
            self.axes = 1
        self.is_flat = self.random.random() < 0.4
        self.border = self.random.random() < 0.3
        self.threads, self.shared, self.names = 8, 0, 0
        self.outputs = ["y"] + (["z"] if self.random.random() < 0.4 else [])
        getattr(self, self.form.replace(" ", "_"))()

    def pick(self, choices):
        return self.random.choice(choices)

    def function(self, terms, depth=2):
        if depth == 0:
            return self.pick(terms + ["c", f"{self.random.uniform(-2, 2):.2f}"])
        a, b = self.function(terms, depth - 1), self.function(terms, depth - 1)
        return self.pick([f"({a} + {b})", f"({a} - {b})", f"({a} + {b})", f"({a} * {b})", f"sin({a})", f"tanh({a})",
                          f"({a} < {b} ? {a} : {b} * 0.5)", f"fma({a}, {b}, {a})"])

    def open(self, body):
        shape = "".join(f"[{s}]" for s in SIZES[:self.axes])
        declared = [f"size_t {s}" for s in SIZES[:self.axes]]
        for name in ("a", "b"):
            declared.append(f"const T *{name}" if self.is_flat else f"const T {name}{shape}")
        for name in self.outputs:
            declared.append(f"T *{name}" if self.is_flat else f"T {name}{shape}")
        self.text = (f"kernel void {self.name}({', '.join(declared)}, T c)\n{{\n{body}}}\n"
                     f"adjoint({self.name}_vjp, {self.name});\n")

    def at(self, name, indices):
        if not self.is_flat:
            return name + "".join(f"[{i}]" for i in indices)
        text = f"({indices[0]})"
        for size, index in zip(SIZES[1:], indices[1:]):
            text = f"({text} * {size} + ({index}))"
        return f"{name}[{text}]"

    def neighbour(self, axis, reach):
        x, n = AXES[axis], SIZES[axis]
        by = self.random.randint(-reach, reach)
        if by == 0:
            return x
        if self.border:
            return f"{x} + {by}" if by > 0 else f"{x} - {-by}"
        if by < 0:
            return self.pick([f"({x} >= {-by} ? {x} - {-by} : {x})", f"({x} >= {-by} ? {x} - {-by} : 0)"]) \
                if by == -1 else f"({x} >= {-by} ? {x} - {-by} : {x})"
        return self.pick([f"({x} + {by} < {n} ? {x} + {by} : {x})", f"smaller({x} + {by}, {n} - 1)"])

    def stencil(self):
        reach = self.random.randint(1, 2)
        kind = self.pick(["size_t", "size_t", "int"]) if self.border else "size_t"
        grid = ["grid(1)"] if self.axes == 1 else [f"at.{c}" for c in ("yx" if self.axes == 2 else "zyx")]
        body = f"    dim{self.axes} at = grid({self.axes});\n" if self.axes > 1 else ""
        shift = f" + {reach}" if self.border and self.random.random() < 0.7 else ""
        for x, g in zip(AXES, grid):
            body += f"    {kind} {x} = ({kind})({g}){shift};\n"
        guard = []
        for x, n in zip(AXES, SIZES[:self.axes]):
            size = n if kind == "size_t" else f"(int){n}"
            if self.border:
                guard += [] if shift else [f"{x} < {reach}"]
                guard += [f"{x} + {reach} >= {size}"]
            else:
                guard.append(f"{x} >= {size}")
        body += f"    if ({' || '.join(guard)})\n        return;\n"
        terms = []
        for _ in range(self.random.randint(2, 5)):
            if self.pick([True, False]):
                axis = self.random.randrange(self.axes)
                indices = [self.neighbour(k, reach) if k == axis else AXES[k] for k in range(self.axes)]
            else:
                indices = [self.neighbour(k, reach) for k in range(self.axes)]
            terms.append(self.at(self.pick(["a", "a", "b"]), indices))
        branch = self.random.random() < 0.3
        if branch:
            body += f"    T extra = 0;\n    if (sin({terms[0]}) > 0.1)\n        extra = {self.function(terms)};\n"
        for name in self.outputs:
            body += f"    {self.at(name, AXES[:self.axes])} = {self.function(terms)}{' + extra' if branch else ''};\n"
        self.open(body)

    def rows(self):
        self.is_flat = True
        body = "    size_t i = grid(1);\n    if (i >= n)\n        return;\n    T sum = 0;\n"
        body += f"    for (size_t j = 0; j < n; j++)\n        sum += {self.function(['a[j]', 'b[i]', 'a[i]'])};\n"
        for name in self.outputs:
            body += f"    {name}[i] = {self.function(['sum', 'b[i]'])};\n"
        self.open(body)

    def in_place(self):
        self.is_flat = True
        body = "    size_t i = grid(1);\n    if (i >= n)\n        return;\n"
        if self.pick([True, False]):
            body += "    T old = y[i];\n" + f"    if (old > 0.2)\n        y[i] = {self.function(['old', 'a[i]', 'b[0]'])};\n"
        else:
            body += f"    y[i] {self.pick(['+=', '-=', '*='])} {self.function(['a[i]', 'b[n - 1 - i]', 'y[i]'])};\n"
        if "z" in self.outputs:
            body += f"    z[i] = {self.function(['a[i]', 'b[i]'])};\n"
        self.open(body)

    def stride(self):
        self.is_flat = True
        body = "    for (size_t i = grid(1); i < n; i += gridsize(1)) {\n"
        for name in self.outputs:
            body += f"        {name}[i] {self.pick(['=', '+='])} {self.function(['a[i]', 'b[n - 1 - i]', 'b[0]'])};\n"
        self.open(body + "    }\n")

    def scatter(self):
        self.is_flat, self.outputs = True, ["y"]
        body = "    size_t i = grid(1);\n    if (i >= n)\n        return;\n"
        body += f"    atomic_add(&y[i * i % n], {self.function(['a[i]', 'b[n - 1 - i]'])});\n"
        self.open(body)

    # ---- branches that leave, loops with break and continue, integers that numbers decide about ----

    def flow_step(self, terms, depth):
        """Returns statements that change w, v and the integer k, of which some leave the loop or the kernel."""
        kind = self.pick(["set", "add", "branch", "branch", "nest", "choose", "array"])
        value = self.function(terms)
        if depth == 0 or kind == "set":
            return f"w = {value};\n"
        if kind == "add":
            return f"v {self.pick(['+=', '-=', '*='])} tanh({value});\n"
        if kind == "choose":
            return f"k = {self.pick(terms)} > {self.pick(terms)} ? k + 1 : (k ^ 1);\nw += {value} * (T)k;\n"
        if kind == "array":
            clear = self.pick(["", "", "memset(&local[(k + 1) & 3], 0, sizeof(T));\n"])
            return f"local[k & 3] = {value};\n{clear}w -= local[(k + {self.pick([1, 1, 3])}) & 3] * v;\n"
        if kind == "branch":
            other = self.pick(["", f"else {{\n{self.flow_step(terms, depth - 1)}}}\n"])
            condition = f"{self.pick(terms)} > {self.pick(['0.1', 'w', '-0.2'])}"
            return f"if ({condition}) {{\n{self.flow_step(terms, depth - 1)}}}\n{other}"
        leave = self.pick(["", "if (w > 0.8)\nbreak;\n", "if (sin(v) < -0.3)\ncontinue;\n",
                           f"if (v > 0.9) {{\nz[i] = v * w;\ny[i] = {value};\nreturn;\n}}\n"])
        bound = self.random.randint(2, 4)
        return (f"for (int e{depth} = 0; e{depth} < {bound}; e{depth}++) {{\n{self.flow_step(terms, depth - 1)}{leave}"
                f"{self.flow_step(terms, depth - 1)}}}\n")

    def flow(self):
        self.is_flat, self.outputs = True, ["y", "z"]
        terms = ["w", "v", "a[i]", "b[i]", "b[n - 1 - i]", "local[1]"]
        body = "    size_t i = grid(1);\n    if (i >= n)\n        return;\n"
        body += "    T w = a[i], v = b[i], local[4] = {w, v, 0.5, c};\n    int k = (int)(i & 1);\n"
        body += f"    if (b[i] > 0.9) {{\n        y[i] = {self.function(terms)};\n"
        body += "        z[i] = v;\n        return;\n    }\n"
        for _ in range(self.random.randint(2, 4)):
            body += self.flow_step(terms, self.random.randint(1, 3))
        body += f"    z[i] = {self.function(terms)};\n"
        if self.pick([True, False]):
            body += f"    if (w < 0.2 && v > -0.5) {{\n        y[i] = {self.function(terms)};\n        return;\n    }}\n"
        body += f"    y[i] = {self.function(terms)};\n"
        self.open(body)

    # ---- warps: lanes that are not there, as blocks have 8, 32 or 40 threads, give a lane its own number ----

    def fresh(self):
        self.names += 1
        return f"part{self.names}"

    def shuffle(self, value):
        mode = self.pick(["shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync"])
        width = self.pick([32, 32, 8, 4])
        by = self.pick(["1", "2", "3", "5", "(n & 3)", "(laneid + 1)", "(laneid & 3)", "33", "(laneid + 62)"])
        return f"{mode}(0xffffffff, {value}, {by}{'' if width == 32 else f', {width}'})"

    def one_of(self, mask):
        return self.pick([f"ffs({mask}) - 1", f"31 - clz({mask})"])

    def warp(self):
        self.is_flat, self.threads = True, self.pick([8, 32, 40])
        early = self.random.random() < 0.4
        body = "    size_t i = grid(1);\n" + ("    if (i >= n)\n        return;\n" if early else "")
        body += "    T w = i < n ? a[i] : 0.2, v = i < n ? b[i] : 0.1, got;\n"
        terms = ["w", "v"]
        for _ in range(self.random.randint(1, 3)):
            kind = self.pick(["one", "one", "tree", "butterfly", "scan", "loop", "chosen", "part", "vote", "votes",
                              "struct", "struct", "sides", "named", "left"])
            name, value = self.pick(terms), self.function(terms, 1)
            if kind == "one":
                body += f"    got = {self.shuffle(value)};\n    {name} = {self.function(terms + ['got'])};\n"
            elif kind == "chosen":
                body += f"    got = {self.shuffle(f'sqrt({name} * {name})')};\n"
                body += f"    {name} = {self.pick(['got', 'w', 'v'])} > 0.1 ? {name} : 0.5 * got;\n"
            elif kind == "sides":
                body += f"    if (any_sync(0xffffffff, {name} > {self.random.uniform(-0.3, 0.9):.2f}))\n"
                body += f"        {name} = tanh({self.shuffle(value)});\n    else\n"
                body += f"        {name} = 0.5 * {self.shuffle(self.function(terms, 1))};\n"
            elif kind == "named":  # lanes that a mask names
                mask, part = self.fresh(), self.fresh()
                condition = f"{value} > {self.random.uniform(-0.3, 0.5):.2f}"
                body += f"    const int {part} = {condition};\n"
                body += f"    const unsigned {mask} = ballot_sync(0xffffffff, {part});\n    if ({part})\n"
                body += f"        {name} += 0.3 * shfl_sync({mask}, {self.function(terms, 1)}, {self.one_of(mask)});\n"
            elif kind == "left":  # loops that lanes run differently often
                mask, end = self.fresh(), self.pick(["0.4 * e - 0.3", "0.2", "-0.5 + 0.1 * laneid"])
                body += f"    unsigned {mask} = 0xffffffff;\n    for (int e = 0; e < 3; e++) {{\n"
                body += f"        {mask} = ballot_sync({mask}, {name} > {end});\n        if (!({name} > {end}))\n"
                body += f"            break;\n        {name} = 0.6 * {name} + 0.3 * shfl_sync({mask}, "
                body += f"{self.function(terms, 1)}, {self.one_of(mask)});\n    }}\n"
            elif kind == "struct":
                part, to = self.fresh(), self.pick(["x", "w[1]"])
                body += f"    trio {part} = {{{value}, (int)(i & 3), {{v, {self.function(terms, 1)}}}}};\n"
                body += f"    {part} = {self.shuffle(part)};\n"
                body += f"    {name} = {self.function(terms + [f'{part}.x', f'{part}.w[0]', f'{part}.{to}'])}"
                body += f" * (1 + {part}.k);\n"
            elif kind == "vote":
                vote = self.pick(["any_sync", "all_sync", "eq_sync", "popc(laneid + ballot_sync"])
                closed = ")" if vote.startswith("popc") else ""
                body += f"    if ({vote}(0xffffffff, {name} > {self.random.uniform(-0.3, 0.5):.2f}){closed} & 1)\n"
                body += f"        {name} = {self.function(terms)};\n"
            elif kind == "votes":
                end, other = self.pick(["3", "(int)n"]), "v" if name == "w" else "w"
                free = other if end != "3" else name  # a loop without a bound keeps nothing
                body += f"    for (int e = 0; e < {end} && any_sync(0xffffffff, {self.function([other], 1)} < 0.4 + e); e++)"
                body += f"\n        {name} += 0.1 * tanh({self.function([free, other], 1)}) * "
                body += self.pick(["reduce_add_sync(0xffffffff, e)", "popc(match_any_sync(0xffffffff, (int)i & 3))",
                                   self.shuffle(free)]) + ";\n"
            elif kind == "part":
                body += f"    if (n > 4 && blockIdx.x < 2)\n        {name} += tanh({self.shuffle(value)});\n"
            elif kind == "loop":
                body += f"    for (size_t e = 0; e < {self.pick(['3', '20', 'n'])}; e++)\n"
                body += f"        {name} {self.pick(['+=', '-='])} 0.1 * {self.shuffle(self.pick(terms))};\n"
            elif kind == "scan":
                step = self.pick([f"{name} + got", f"{name} * tanh(got)"])
                body += f"    for (unsigned e = 1; e < 32; e *= 2) {{\n        got = shfl_up_sync(0xffffffff, {name}, e);\n"
                body += f"        if (laneid >= e)\n            {name} = {step};\n    }}\n"
            else:
                step = self.pick([f"{name} +=", f"{name} +=", f"{name} = 0.7 * {name} +", f"{name} = tanh({name}) *"])
                mode = "shfl_down_sync" if kind == "tree" else "shfl_xor_sync"
                body += f"    for (int e = {self.pick([16, 16, 4])}; e > 0; e /= 2)\n"
                body += f"        {step} {mode}(0xffffffff, {name}, e);\n"
        body += "" if early else "    if (i >= n)\n        return;\n"
        for name in self.outputs:
            body += f"    {name}[i] = {self.function(terms)};\n"
        self.open(body)

    # ---- shared arrays of a block of 8 threads ----

    def arrays(self, first, second, forms):
        """Declares s and q: static arrays, dynamic shared memory, or one of each."""
        form = self.pick(forms)
        if form == "static":
            return f"    shared T s[{first}], q[{second}];\n"
        if form == "both":
            self.shared = 8 * second
            return f"    shared T s[{first}];\n    dynamic_shared(T, q);\n"
        self.shared = 8 * (first + second)
        return f"    dynamic_shared(T, s);\n    dynamic_shared(T, q, {first} * sizeof(T));\n"

    def step(self, name):
        other = self.pick([f"{name}[(t + {self.random.randint(1, 7)}) % 8]", f"{name}[7 - t]", f"{name}[3]"])
        return (f"T w = tanh({self.function([f'{name}[t]', other, 'own'])});\n        syncthreads();\n"
                f"        {name}[t] {self.pick(['=', '=', '+=', '-='])} w;\n        syncthreads();\n")

    def block(self):
        self.is_flat = True
        body = self.arrays(8, 8, ["static", "static", "dynamic", "both"])
        body += "    unsigned t = threadIdx.x;\n    size_t i = grid(1);\n"
        body += "    T own = i < n ? b[i] : 0.3;\n"
        body += f"    q[t] = own;\n    s[t] = i < n ? {self.function(['a[i]', 'own'])} : 0.4;\n    syncthreads();\n"
        for _ in range(self.random.randint(1, 3)):
            name = self.pick(["s", "s", "q"])
            kind = self.pick(["halves", "doubles", "step", "times", "branch", "part", "clear"])
            if kind == "halves":
                body += "    for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {\n        if (t < k)\n"
                body += f"            {name}[t] = {self.function([f'{name}[t]', f'{name}[t + k]'])};\n"
                body += "        syncthreads();\n    }\n"
            elif kind == "doubles":
                body += f"    for (unsigned k = 1; k < blockDim.x; k *= 2) {{\n        T w = t >= k ? "
                body += f"{self.function([f'{name}[t]', f'{name}[t - k]', 'own'])} : {name}[t];\n"
                body += f"        syncthreads();\n        {name}[t] = w;\n        syncthreads();\n    }}\n"
            elif kind == "times":
                body += f"    for (int k = 0; k < {self.random.choice([2, 3, 20])}; k++) {{\n        {self.step(name)}    }}\n"
            elif kind == "clear":
                condition = self.pick(["", "if (t & 1) ", "if (own > 0) "])
                body += f"    own = tanh(own + {name}[t]);\n    syncthreads();\n    {condition}memset(&{name}[t], 0, "
                body += f"sizeof(T));\n    syncthreads();\n"
            elif kind == "part":
                body += f"    if (t >= {self.random.randint(1, 7)} && own > 0)\n        {name}[t] = "
                body += f"{self.function([f'{name}[t]', 'own'])};\n    syncthreads();\n"
            else:
                condition = "if (n > 4 && blockIdx.x < 2) " if kind == "branch" else ""
                body += f"    {condition}{{\n        {self.step(name)}    }}\n"
        body += "    if (i >= n)\n        return;\n"
        for name in self.outputs:
            body += f"    {name}[i] = {self.function(['s[t]', 's[7 - t]', 'q[0]', 'q[t]', 'own'])};\n"
        self.open(body)

    def tiles(self):
        self.is_flat = True
        fills_both = self.random.random() < 0.5  # which dynamic shared memory, being one array, does not support
        body = self.arrays(8, 16, ["static", "static", "both", "both" if fills_both else "dynamic"])
        body += "    unsigned t = threadIdx.x;\n    size_t i = grid(1);\n"
        body += "    T own = i < n ? b[i] : 0.3, sum = 0;\n    q[t] = own;\n    q[8 + t] = 0.25 * own;\n    syncthreads();\n"
        body += "    for (size_t first = 0; first < n; first += blockDim.x) {\n        size_t j = first + t;\n"
        if self.pick([True, False]):
            body += "        for (unsigned k = t; k < 8; k += blockDim.x)\n            s[k] = first + k < n ? "
            body += f"{self.function(['a[first + k]', 'own'])} : 0.1;\n"
        else:
            body += f"        s[t] = j < n ? {self.function(['a[j]', 'own'])} : 0.1;\n"
        body += "        syncthreads();\n"
        if fills_both:
            body += "        if (t < 3)\n            q[t] = s[t] + s[7 - t];\n        syncthreads();\n"
        end = self.pick(["8", "blockDim.x"])
        body += f"        for (unsigned k = 0; k < {end}; k++)\n"
        body += f"            sum += {self.function(['s[k]', 's[t]', 'q[k]', 'own'])};\n"
        body += "        syncthreads();\n    }\n    if (i >= n)\n        return;\n"
        for name in self.outputs:
            body += f"    {name}[i] = {self.function(['sum', 'own'])};\n"
        self.open(body)

    # ---- points ----

    def launch(self, kernel, shape, arrays):
        extents = list(reversed([max(s - (4 if self.form == "stencil" and self.border and self.small else 0), 1)
                                 for s in shape]))
        block = {1: (self.threads,), 2: (4, 3), 3: (3, 2, 2)}[self.axes]
        grid = tuple(-(-e // b) for e, b in zip(extents, block))
        if self.form == "stride":
            grid = (2,)
        copies = 2 if len(arrays) > 2 + len(self.outputs) else 1  # an adjoint has shadows of dynamic shared memory
        kernel[grid, block, None, copies * self.shared](*shape, *arrays, 0.7)

    def run(self, program, shape, inputs):
        outputs = [np.array(x) for x in inputs[2:]]
        self.launch(getattr(program, self.name), shape, [np.array(x) for x in inputs[:2]] + outputs)
        return outputs

    def slope(self, program, shape, inputs, u, v, width):
        high = self.run(program, shape, [x + width * d for x, d in zip(inputs, u)])
        low = self.run(program, shape, [x - width * d for x, d in zip(inputs, u)])
        return sum(float(np.vdot(w, (a - b))) for w, a, b in zip(v, high, low)) / (2 * width)

    def check(self, program):
        draws = np.random.default_rng(self.random.randrange(1 << 30))
        self.small = self.random.random() < 0.5
        sizes = {1: [1, 2, 5, 9, 20], 2: [1, 2, 3, 6, 9], 3: [1, 2, 4, 5]}[self.axes]
        shape = [self.random.choice(sizes) for _ in range(self.axes)]
        draw = lambda: draws.uniform(-1, 1, shape)
        inputs = [draw() for _ in range(2 + len(self.outputs))]
        in_out = self.form in ("in place", "stride", "scatter")
        u = [draw() for _ in inputs]
        v = [draw() for _ in self.outputs]
        before = [0.5 * draw() for _ in range(2)]
        bars = [np.array(x) for x in before] + [np.array(x) for x in v]
        pairs = [x for pair in zip([np.array(x) for x in inputs], bars) for x in pair]
        self.launch(getattr(program, self.name + "_vjp"), shape, pairs)
        if not in_out:  # what an array held before is no input
            u = u[:2] + [np.zeros(shape) for _ in self.outputs]
        exact = sum(float(np.vdot(d, b - a)) for d, b, a in zip(u[:2], bars, before))
        for name, direction, bar, old in zip(self.outputs, u[2:], bars[2:], v):
            reads = in_out and (f"{name}[i] +=" in self.text or f"{name}[i] -=" in self.text or
                                f"{name}[i] *=" in self.text or "old" in self.text or self.form == "scatter")
            if name == "z" and self.form == "in place":
                reads = False
            if reads:
                exact += float(np.vdot(direction, bar))
            else:
                direction[...] = 0
                if not np.array_equal(bar, old):
                    return f"{self.name}: the adjoint of '{name}' has changed"
        slopes = [self.slope(program, shape, inputs, u, v, w) for w in (1e-4, 5e-5, 2.5e-5)]
        size = 1e-6 + sum(float(np.abs(x).sum()) for x in bars)
        if max(slopes) - min(slopes) > 1e-6 * size:
            return None
        if not abs(exact - slopes[1]) < 1e-5 * size:
            return f"{self.name}, shape {shape}: {exact} by the adjoint, {slopes[1]} by differences"
        return ""


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=40)
    arguments.add_argument("--batch", type=int, default=20)
    arguments.add_argument("--points", type=int, default=6)
    arguments.add_argument("--show", type=int, help="print one kernel")
    given = arguments.parse_args()
    passed = skipped = failed = 0
    if given.show is not None:
        print(Kernel(given.seed, given.show).text)
        return 0
    for first in range(0, given.count, given.batch):
        kernels = [Kernel(given.seed, n) for n in range(first, min(first + given.batch, given.count))]
        text = ("#include <gpucc.h>\n#include <gpucc/atomic.h>\n#include <math.h>\n#include <string.h>\ntypedef double T;\n"
                "typedef struct { T x; int k; T w[2]; } trio;\n"
                "static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }\n" +
                "".join(k.text for k in kernels))
        try:
            program = gpucc.compile(text)
        except Exception as error:  # shown with the source
            print(f"{error}\n{text}")
            return 1
        for kernel in kernels:
            for _ in range(given.points):
                wrong = kernel.check(program)
                passed, skipped, failed = passed + (wrong == ""), skipped + (wrong is None), failed + bool(wrong)
                if wrong:
                    print(f"seed {given.seed}: {wrong}\n{kernel.text}")
                    break
    print(f"{given.count} kernels, {passed} points agree, {skipped} passed over, {failed} wrong")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
