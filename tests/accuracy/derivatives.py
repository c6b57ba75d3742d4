#!/usr/bin/env python3
"""derivatives.py GPUCC [--points=N] [--table]: the derivatives of the math library's functions against mpmath's
numerical ones in 60 digits, in units in the last place, away from zeros of the derivative where terms cancel.  Exit
status 1 where one is beyond its bound, 77 without mpmath.  GPUCC_SHARE="K/N" selects share K of N of the functions."""
import argparse
import ctypes
import math
import os
import random
import subprocess
import sys
import tempfile

try:
    import mpmath
    from mpmath import mp, mpf
except ImportError:
    print("skipped: mpmath is not installed")
    sys.exit(77)

mp.dps = 60


def uniform(a, b):
    return lambda r: r.uniform(a, b)


def spread(a, b):
    """Returns a drawer of positive numbers of all magnitudes between."""
    return lambda r: math.exp(r.uniform(math.log(a), math.log(b)))


def signed(draw):
    return lambda r: draw(r) * r.choice((-1, 1))


def normcdfinv(p):
    return -mp.sqrt(2) * mp.erfinv(1 - 2 * mpf(p))


def erfcinv(y):
    return mp.erfinv(1 - mpf(y))


def norm(*x):
    return mp.sqrt(sum(v * v for v in x))


ANY = signed(spread(1e-6, 1e3))
UNIT = uniform(-0.999, 0.999)
# name: mpmath's function, draws of its arguments, bounds in ULP of float and of double
FUNCTIONS = {
    "sin": (mp.sin, [ANY], 2, 2), "cos": (mp.cos, [ANY], 2, 2), "tan": (mp.tan, [uniform(-1.5, 1.5)], 4, 4),
    "asin": (mp.asin, [UNIT], 4, 4), "acos": (mp.acos, [UNIT], 4, 4), "atan": (mp.atan, [ANY], 4, 4),
    "atan2": (mp.atan2, [ANY, ANY], 4, 4),
    "sinpi": (mp.sinpi, [uniform(-4, 4)], 4, 4), "cospi": (mp.cospi, [uniform(-4, 4)], 4, 4),
    "tanpi": (lambda x: mp.tan(mp.pi * x), [uniform(-0.45, 0.45)], 4, 4),
    "asinpi": (lambda x: mp.asin(x) / mp.pi, [UNIT], 4, 4), "acospi": (lambda x: mp.acos(x) / mp.pi, [UNIT], 4, 4),
    "atanpi": (lambda x: mp.atan(x) / mp.pi, [ANY], 4, 4),
    "atan2pi": (lambda y, x: mp.atan2(y, x) / mp.pi, [ANY, ANY], 4, 4),
    "sinh": (mp.sinh, [uniform(-20, 20)], 2, 2), "cosh": (mp.cosh, [signed(spread(1e-4, 20))], 2, 2),
    "tanh": (mp.tanh, [uniform(-20, 20)], 4, 4), "asinh": (mp.asinh, [ANY], 4, 4),
    "acosh": (mp.acosh, [spread(1.01, 1e6)], 4, 4), "atanh": (mp.atanh, [UNIT], 4, 4),
    "exp": (mp.exp, [uniform(-60, 60)], 2, 2), "exp2": (lambda x: mpf(2) ** x, [uniform(-60, 60)], 4, 4),
    "exp10": (lambda x: mpf(10) ** x, [uniform(-30, 30)], 4, 4), "expm1": (mp.expm1, [uniform(-60, 60)], 2, 2),
    "exp2m1": (lambda x: mpf(2) ** x - 1, [uniform(-60, 60)], 4, 4),
    "exp10m1": (lambda x: mpf(10) ** x - 1, [uniform(-30, 30)], 4, 4),
    "log": (mp.log, [spread(1e-6, 1e6)], 1, 1), "log2": (lambda x: mp.log(x) / mp.log(2), [spread(1e-6, 1e6)], 2, 2),
    "log10": (mp.log10, [spread(1e-6, 1e6)], 2, 2), "log1p": (mp.log1p, [uniform(-0.99, 9)], 2, 2),
    "log2p1": (lambda x: mp.log1p(x) / mp.log(2), [uniform(-0.99, 9)], 4, 4),
    "log10p1": (lambda x: mp.log1p(x) / mp.log(10), [uniform(-0.99, 9)], 4, 4),
    "pow": (mp.power, [spread(0.01, 30), uniform(-8, 8)], 4, 4),
    "powr": (mp.power, [spread(0.01, 30), uniform(-8, 8)], 4, 4),
    "sqrt": (mp.sqrt, [spread(1e-6, 1e6)], 2, 2), "rsqrt": (lambda x: 1 / mp.sqrt(x), [spread(1e-6, 1e6)], 4, 4),
    "cbrt": (mp.cbrt, [spread(1e-6, 1e6)], 4, 4), "rcbrt": (lambda x: 1 / mp.cbrt(x), [spread(1e-6, 1e6)], 4, 4),
    "hypot": (norm, [ANY, ANY], 4, 4), "rhypot": (lambda *x: 1 / norm(*x), [ANY, ANY], 8, 8),
    "norm3d": (norm, [ANY] * 3, 4, 4), "rnorm3d": (lambda *x: 1 / norm(*x), [ANY] * 3, 8, 8),
    "norm4d": (norm, [ANY] * 4, 4, 4), "rnorm4d": (lambda *x: 1 / norm(*x), [ANY] * 4, 8, 8),
    "erf": (mp.erf, [uniform(-6, 6)], 4, 4), "erfc": (mp.erfc, [uniform(-6, 6)], 4, 4),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), [uniform(-2, 2)], 8, 8),
    "erfinv": (mp.erfinv, [UNIT], 8, 8), "erfcinv": (erfcinv, [uniform(0.01, 1.99)], 8, 8),
    "normcdf": (mp.ncdf, [uniform(-8, 8)], 4, 4), "normcdfinv": (normcdfinv, [uniform(0.01, 0.99)], 8, 8),
    "lgamma": (mp.loggamma, [spread(1.8, 1e4)], 8, 8), "tgamma": (mp.gamma, [uniform(1.8, 20)], 12, 16),
    "j0": (mp.j0, [uniform(0.5, 3)], 8, 8), "j1": (mp.j1, [uniform(0, 1.5)], 8, 8),
    "y0": (lambda x: mp.bessely(0, x), [uniform(0.2, 1.8)], 8, 8),
    "y1": (lambda x: mp.bessely(1, x), [uniform(0.1, 1.5)], 8, 8),
    "cyl_bessel_i0": (lambda x: mp.besseli(0, x), [uniform(0.1, 10)], 8, 8),
    "cyl_bessel_i1": (lambda x: mp.besseli(1, x), [uniform(0.5, 3)], 12, 12),
    "fmod": (lambda x, y: x - y * mp.floor(x / y), [uniform(1, 20), uniform(0.5, 3)], 0.5, 0.5),
}
INTEGERS = { # functions of an order or an exponent, which is 3
    "jn": (lambda x: mp.besselj(3, x), [uniform(0.5, 3)], "3, x", 12, 12),
    "yn": (lambda x: mp.bessely(3, x), [uniform(0.5, 3)], "3, x", 12, 12),
    "pown": (lambda x: x ** 3, [ANY], "x, 3", 4, 4),
    "rootn": (mp.cbrt, [spread(1e-6, 1e6)], "x, 3", 4, 4),
    "compoundn": (lambda x: (1 + x) ** 3, [uniform(-0.9, 9)], "x, 3", 4, 4),
    "ldexp": (lambda x: 8 * x, [ANY], "x, 3", 0, 0), "scalbn": (lambda x: 8 * x, [ANY], "x, 3", 0, 0),
}


def selected():
    """This run's share of the functions."""
    index, count = map(int, os.environ.get("GPUCC_SHARE", "0/1").split("/"))
    return dict(list({**FUNCTIONS, **INTEGERS}.items())[index::count])


def source():
    text = "#include <gpucc.h>\n#include <math.h>\n"
    for suffix, real in (("f", "float"), ("", "double")):
        for name, (_, draws, *rest) in selected().items():
            letters = "xyzw"[:len(draws)]
            arguments = rest[0] if name in INTEGERS else ", ".join(letters)
            parameters = ", ".join(f"{real} {x}" for x in letters)
            text += (f"vectorize() {real} of_{name}{suffix}({parameters}) {{ return {name}{suffix}({arguments}); }}\n"
                     f"gradient(d_{name}{suffix}, of_{name}{suffix});\n")
    return text


def compute(library, name, real, columns):
    """The gradient's outputs for columns of inputs."""
    count, length = len(columns), len(columns[0])
    code = "f32" if real is ctypes.c_float else "f64"
    arrays = [(real * length)(*column) for column in columns] + [(real * length)() for _ in columns]
    loop = library[f"d_{name}_{code * count}_{code * count}_loop"]
    pointers = (ctypes.c_void_p * (2 * count))(*[ctypes.addressof(a) for a in arrays])
    steps = (ctypes.c_ssize_t * (2 * count))(*[ctypes.sizeof(real)] * (2 * count))
    loop(pointers, (ctypes.c_ssize_t * 1)(length), steps, None)
    return [list(a) for a in arrays[count:]]


def ulp(value, digits, least):
    if value == 0:
        return mpf(2) ** least
    return mpf(2) ** max(int(mp.floor(mp.log(abs(value), 2))) + 1 - digits, least)


def errors(library, name, function, draws, real, points):
    """The largest error of each partial derivative, in units in the last place."""
    digits, least, suffix = (24, -149, "f") if real is ctypes.c_float else (53, -1074, "")
    source = random.Random(name)
    rows = [[real(d(source)).value for d in draws] for _ in range(points)]
    results = compute(library, name + suffix, real, [list(c) for c in zip(*rows)])
    worst = []
    for k, column in enumerate(results):
        most = 0
        for row, got in zip(rows, column):
            order = tuple(int(i == k) for i in range(len(row)))
            exact = mp.diff(function, tuple(mpf(v) for v in row) if len(row) > 1 else mpf(row[0]),
                            order if len(row) > 1 else 1)
            error = float(abs(mpf(got) - exact) / ulp(exact, digits, least)) if math.isfinite(got) else math.inf
            most = max(most, error)
        worst.append(most)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gpucc")
    parser.add_argument("--points", type=int, default=40)
    parser.add_argument("--table", action="store_true", help="print a table in Markdown")
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "functions.c"), "w") as file:
            file.write(source())
        target = "x86-64-v3" if os.uname().machine == "x86_64" else "aarch64-linux-gnu"
        command = [os.path.abspath(arguments.gpucc), "-O0", "--loops=contiguous", f"--target={target}", "functions.c"]
        subprocess.run([*command, "-o", "functions.so"], cwd=folder, check=True)
        library = ctypes.CDLL(os.path.join(folder, "functions.so"))
        for name, (function, draws, *rest) in selected().items():
            bounds = rest[-2:]
            found = [errors(library, name, function, draws, real, arguments.points)
                     for real in (ctypes.c_float, ctypes.c_double)]
            if arguments.table:
                cells = [", ".join(f"{e:.1f}" for e in row) for row in found]
                print(f"| `{name}` | {cells[0]} | {cells[1]} |", flush=True)
            for real, row, bound in zip(("float", "double"), found, bounds):
                if not max(row) <= bound:
                    failed += 1
                    print(f"the derivative of {name} in {real} has an error of {max(row):.3g} ULP, beyond {bound}",
                          flush=True)
    print(f"{len(selected())} functions, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
