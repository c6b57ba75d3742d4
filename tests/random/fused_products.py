#!/usr/bin/env python3
"""Random products of matrices with what is fused to them: fuse() against the same steps one by one, bit by bit.

Elements are small whole numbers, so that a sum of products is exact in any order, on the matrix units too; those of
tf32 have bits below, which do not count.  Some of float32 and float64 are fractions, whose sums have the CPU's bits on
other devices.  Shapes lie around those of tiles, operands are transposed, strided, reversed,
begin at any element, broadcast and lack dimensions.  With --device arrays lie on another device too.  Exit status 1
where something differs.
"""
import argparse
import random
import sys

try:
    import gpucc
    import numpy as np
except ModuleNotFoundError as missing:
    print(missing)
    sys.exit(77)

# The type of the operands, the one in which their sums are not rounded, and those of results.
TYPES = {
    "float16": ("float32", ["float16", "float32"]),
    "bfloat16": ("float32", ["bfloat16", "float32"]),
    "float32": ("float32", ["float32", "bfloat16"]),
    "tf32": ("float32", ["float32", "float16"]),
    "float64": ("float64", ["float64"]),
    "int8": ("int32", ["int32", "int8"]),
    "uint8": ("uint32", ["uint32", "uint8"]),
    "int32": ("int32", ["int32"]),
    "float8_e4m3fn": ("float32", ["float32", "bfloat16", "float8_e4m3fn"]),
    "float8": ("float32", ["float32", "float8_e5m2"]),  # one type on the left, another on the right
}
PAIR = {"a": "float8_e4m3fn", "b": "float8_e5m2"}


def is_float8(element):
    return element.startswith("float8")


def converted(element, x):
    """C of x as an element."""
    return f"{element}_from((float)({x}))" if is_float8(element) else f"({element})({x})"
SOURCE = """#include <gpucc.h>
#define E @element@
#define S @sum@
#define TO_E(x) @to@
#define VALUE(x) @value@
vectorize() E to_element(float64 x) { return TO_E(x); }
vectorize() float8_e5m2 to_other(float64 x) { return float8_e5m2_from((float)x); }
vectorize() E twice(E x) { return TO_E(VALUE(x) + VALUE(x)); }
vectorize() E times(E x, E y) { return TO_E(VALUE(x) * VALUE(y)); }
vectorize() S of_sum(float64 x) { return (S)x; }
vectorize() E of_sum_rounded(float64 x) { return TO_E((S)x); }
vectorize() S same(S x) { return x; }
vectorize() E rounded(E x) { return x; }
vectorize() S add(S x, S y) { return (S)(x + y); }
vectorize() S sub(S x, S y) { return (S)(x - y); }
vectorize() S mul(S x, S y) { return (S)(x * y); }
vectorize() S pick(S x, S y) { return x < y ? (S)(y * 3) : x; }
vectorize() S bend(S x) { return (S)(x < 0 ? x * x : x / (S)3); }
"""
EXTENTS = [1, 2, 3, 8, 16, 17, 24, 31, 40, 64, 65]
LARGE = [120, 128, 129, 136, 192, 200, 256, 264, 328]


class Product:
    def __init__(self, element, seed, number, has_large):
        self.random = random.Random(f"{seed}/{number}")
        self.numbers = np.random.default_rng([seed, number])
        self.name, self.element = f"f{number}", element
        self.sum, results = TYPES[element]
        self.result_type = self.random.choice(results)
        self.has_fractions = element in ("float32", "float64") and self.random.random() < 0.5
        self.m, self.k, self.n = (self.random.choice(EXTENTS) for _ in range(3))
        if has_large and self.random.random() < 0.4:
            self.m, self.n = self.random.choice(LARGE), self.random.choice(LARGE)
        is_many = has_large and self.random.random() < 0.1  # enough for the largest tiles
        if self.random.random() < 0.5:
            self.k, self.n = self.k + 7 & ~7, self.n + 7 & ~7  # rows that the copy engine reads as they lie
        self.outer = [self.random.choice([1, 2, 3]) for _ in range(self.random.choice([0, 0, 0, 1, 2]))]
        if is_many:
            self.m, self.k, self.n, self.outer = *(self.random.choice([1, 3, 17]) for _ in range(3)), [96]
        self.operands = []  # a name, its values and the function that makes its elements
        self.forms = {}
        self.text = self.expression()

    def layout(self, array):
        """The same elements, otherwise in memory."""
        form = self.random.choice(["", "", "", "turned", "stepped", "reversed", "shifted", "padded"])
        if form == "turned" and array.ndim > 1:
            return np.swapaxes(np.ascontiguousarray(np.swapaxes(array, -1, -2)), -1, -2)
        if form in ("stepped", "padded") and array.ndim > 0:
            wide = np.repeat(array, 2, axis=-1) if form == "stepped" else np.concatenate([array, array], axis=-1)
            return wide[..., ::2] if form == "stepped" else wide[..., :array.shape[-1]]
        if form == "reversed" and array.ndim > 0:
            return np.ascontiguousarray(array[..., ::-1])[..., ::-1]
        if form == "shifted":
            return np.concatenate([array.ravel()[:1], array.ravel()])[1:].reshape(array.shape)
        return array

    def values(self, shape):
        least = 0 if self.element == "uint8" else -3
        whole = self.numbers.integers(least, 4, shape).astype("f8")
        return self.numbers.standard_normal(shape) * 2.0**whole if self.has_fractions else whole

    def operand(self, prefix, shape, make):
        name = f"{prefix}{len(self.operands)}"
        self.operands.append((name, self.values(shape), make))
        return name

    def outer_shape(self):
        """Broadcast to the product's, by dimensions of 1 or by fewer ones."""
        shape = [d if self.random.random() < 0.7 else 1 for d in self.outer]
        return shape[self.random.randint(0, len(shape)):] if self.random.random() < 0.3 else shape

    def side(self, prefix, shape):
        is_other = self.element == "float8" and prefix == "b"
        name = self.operand(prefix, [*self.outer_shape(), *shape], "to_other" if is_other else "to_element")
        form = "" if self.element == "tf32" or is_other else self.random.choice(["", "", "", "twice", "times"])
        self.forms[prefix] = form
        if form == "times":
            scale = self.operand(prefix, self.random.choice([shape[-1:], [shape[0], 1], []]), "to_element")
            return f"times({name}, {scale})"
        return f"{form or (PAIR[prefix] if self.element == 'float8' else self.element)}({name})"

    def expression(self):
        product = f"matmul({self.side('a', [self.m, self.k])}, {self.side('b', [self.k, self.n])})"
        may_round = self.element != "tf32" and not is_float8(self.element)
        self.is_rounded = may_round and self.result_type == self.element and self.random.random() < 0.3
        self.steps = []
        if self.is_rounded:
            return f"rounded({product})"
        text = f"same({product})"
        for _ in range(self.random.choice([0, 1, 1, 2, 3])):
            step = self.random.choice(["bend", "add", "sub", "mul", "pick"])
            if step == "bend":
                self.steps.append((step, None, True))
                text = f"bend({text})"
                continue
            shape = self.random.choice([[*self.outer_shape(), self.m, self.n], [self.n], [self.m, 1], [1, 1], []])
            name, is_first = self.operand("c", shape, "of_sum"), self.random.random() < 0.8
            self.steps.append((step, name, is_first))
            text = f"{step}({text}, {name})" if is_first else f"{step}({name}, {text})"
        return f"last_{self.result_type}({text})"

    def statement(self):
        return f"fuse({self.name}, {self.text});\n"

    def arrays(self, program):
        """In the order of first use, as their types have them, and the numbers that they stand for."""
        made = {}
        for name, values, make in sorted(self.operands, key=lambda o: self.text.index(o[0])):
            array = np.asarray(getattr(program, make)(values, device="cpu")).reshape(values.shape)
            if self.element == "tf32" and make == "to_element":
                array = np.where(array != 0, array * np.float32(1 + 2.0**-12), array).astype("f4")
            made[name] = self.layout(array)
        return made

    def type_of(self, name, array):
        """Plain bytes of NumPy's need it said."""
        if array.dtype.kind != "V" or array.dtype.itemsize > 1:
            return None
        return "float8_e5m2" if self.element == "float8" and name[0] == "b" else "float8_e4m3fn"

    def side_values(self, prefix):
        values = [values for name, values, _ in self.operands if name[0] == prefix]
        return values[0] * {"": 1, "twice": 2, "times": values[-1]}[self.forms[prefix]]

    def wanted(self, program, made):
        total = np.matmul(self.side_values("a"), self.side_values("b"))
        if self.is_rounded:
            return program.of_sum_rounded(total, device="cpu")
        value = program.of_sum(total, device="cpu")
        for step, name, is_first in self.steps:
            operands = [value] if name is None else [value, made[name]] if is_first else [made[name], value]
            value = getattr(program, step)(*operands, device="cpu")
        return getattr(program, "last_" + self.result_type)(value, device="cpu")

    def check(self, program, devices):
        made = self.arrays(program)
        calls = getattr(program, self.name)
        wanted = np.asarray(calls(*made.values(), device="cpu") if self.has_fractions else self.wanted(program, made))
        wrong = ""
        for device in devices:
            operands = [gpucc.asarray(x, self.type_of(name, x), device=device) for name, x in made.items()]
            got = calls(*operands).to_numpy()
            if got.shape != wanted.shape or got.dtype != wanted.dtype or got.tobytes() != wanted.tobytes():
                wrong = f"{self.name} on {device}: {self.outer} x {self.m} x {self.k} x {self.n}: " \
                        f"{got.ravel()[:4]}, not {wanted.ravel()[:4]}{'' if self.has_fractions else ' by steps'}"
        return wrong


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--first", type=int, default=0)
    arguments.add_argument("--count", type=int, default=32)
    arguments.add_argument("--batch", type=int, default=4)
    arguments.add_argument("--arch", default="sm_80")
    arguments.add_argument("--device", action="append", default=[], help="such as cuda; beside the CPU")
    arguments.add_argument("--element", choices=list(TYPES), help="of all products")
    arguments.add_argument("--large", action="store_true", help="several tiles")
    given = arguments.parse_args()
    failed = 0
    for first in range(given.first, given.first + given.count, given.batch):
        element = given.element or list(TYPES)[(first // given.batch + given.seed) % len(TYPES)]
        total, results = TYPES[element]
        products = [Product(element, given.seed, n, given.large) for n in range(first, first + given.batch)]
        own = {"tf32": "float32", "float8": PAIR["a"]}.get(element, element)
        text = SOURCE.replace("@element@", own).replace("@sum@", total).replace("@to@", converted(own, "x"))
        text = text.replace("@value@", "float_from_float8(x)" if is_float8(own) else "(x)")
        text += "".join(f"vectorize() {r} last_{r}(S x) {{ return {converted(r, 'x')}; }}\n" for r in results)
        text += "".join(p.statement() for p in products)
        try:
            program = gpucc.compile(text, options=["--arch=" + given.arch])
        except Exception as error:  # shown with the source
            print(f"{error}\n{text}")
            return 1
        for product in products:
            wrong = product.check(program, ["cpu", *given.device])
            if wrong:
                failed += 1
                print(f"seed {given.seed}: {wrong}\n{product.statement()}")
    print(f"{given.count} products, {failed} wrong")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
