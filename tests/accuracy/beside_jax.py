#!/usr/bin/env python3
"""beside_jax.py GPUCC [--count=N]: gradients of N functions, and adjoints of gufuncs, beside JAX's in float64 on the CPU.

The functions are those of the math library, alone and in sums, products and compositions.  Exit status 1 where a
derivative differs by more than 1e-9 of its terms, 77 without JAX.
"""
import argparse
import ctypes
import os
import random
import subprocess
import sys
import tempfile

try:
    import jax
    import jax.numpy as jnp
    from jax.scipy import special
except ImportError:
    sys.exit(77)
import numpy as np

jax.config.update("jax_enable_x64", True)
POINTS = 40
UNARY = {  # in C, and JAX's
    "sin": jnp.sin, "cos": jnp.cos, "tanh": jnp.tanh, "sinh": jnp.sinh, "cosh": jnp.cosh, "atan": jnp.arctan,
    "asinh": jnp.arcsinh, "exp": jnp.exp, "expm1": jnp.expm1, "exp2": jnp.exp2, "fabs": jnp.abs, "erf": special.erf,
    "erfc": special.erfc, "floor": jnp.floor, "cbrt": jnp.cbrt, "positive": None, "log1p": None, "lgamma": None,
    "log": None, "log2": None, "log10": None, "sqrt": None, "acosh": None, "asin": None, "acos": None, "atanh": None,
    "tgamma": None}
RESTRICTED = {  # arguments from 0.3 to 2.3, or inside of (-0.9, 0.9)
    "log1p": jnp.log1p, "lgamma": special.gammaln, "log": jnp.log, "log2": jnp.log2, "log10": jnp.log10,
    "sqrt": jnp.sqrt, "tgamma": lambda x: jnp.exp(special.gammaln(x))}
INSIDE = {"asin": jnp.arcsin, "acos": jnp.arccos, "atanh": jnp.arctanh}
BINARY = {"atan2": jnp.arctan2, "hypot": jnp.hypot, "fmax": jnp.maximum, "fmin": jnp.minimum, "fmod": jnp.fmod,
          "pow": None}


def functions(count):
    """(C, JAX's) of x and y."""
    source = random.Random(1)

    def positive(f):
        return f"(0.3 + 2 / (1 + {f[0]} * {f[0]}))", lambda x, y: 0.3 + 2 / (1 + f[1](x, y) ** 2)

    def call(name, f):
        if name in RESTRICTED:
            g, of = RESTRICTED[name], positive(f)
        elif name == "acosh":
            g, inner = jnp.arccosh, positive(f)
            of = f"(1 + {inner[0]})", lambda x, y: 1 + inner[1](x, y)
        elif name in INSIDE:
            g, of = INSIDE[name], (f"(0.9 * sin({f[0]}))", lambda x, y: 0.9 * jnp.sin(f[1](x, y)))
        else:
            g, of = UNARY[name], f
        return f"{name}({of[0]})", lambda x, y: g(of[1](x, y))

    def join(operator, f, g):
        if operator == "pow":
            base = positive(f)
            return f"pow({base[0]}, {g[0]})", lambda x, y: base[1](x, y) ** g[1](x, y)
        if operator in BINARY:
            return f"{operator}({f[0]}, {g[0]})", lambda x, y: BINARY[operator](f[1](x, y), g[1](x, y))
        if operator == "?":
            return (f"({f[0]} < {g[0]} ? {f[0]} : {g[0]} * {g[0]})",
                    lambda x, y: jnp.where(f[1](x, y) < g[1](x, y), f[1](x, y), g[1](x, y) ** 2))
        if operator == "/":
            return f"({f[0]} / (1.5 + {g[0]} * {g[0]}))", lambda x, y: f[1](x, y) / (1.5 + g[1](x, y) ** 2)
        return f"({f[0]} {operator} {g[0]})", lambda x, y: (f[1](x, y) + g[1](x, y) if operator == "+" else
                                                           f[1](x, y) * g[1](x, y))

    leaves = [("x", lambda x, y: x), ("y", lambda x, y: y)]
    names = [name for name in UNARY if name != "positive"]
    made = [call(name, leaves[0]) for name in names] + [join(name, *leaves) for name in (*BINARY, "?", "/", "+", "*")]
    while len(made) < count:
        f, g = (call(source.choice(names), source.choice(leaves)) for _ in range(2))
        made.append(join(source.choice([*BINARY, "?", "/", "+", "*", "*"]), f, g))
    return made[:count]


GUFUNCS = """
guvectorize((n),(n)->(n)) void softmax(size_t n, const double x[n], const double w[n], double y[n])
{
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    for (size_t i = 0; i < n; i++)
        sum += exp(x[i] - most) * (1 + w[i] * w[i]);
    for (size_t i = 0; i < n; i++)
        y[i] = exp(x[i] - most) / sum;
}
adjoint(softmax_vjp, softmax);
guvectorize((n),(n)->(n)) void layernorm(size_t n, const double x[n], const double w[n], double y[n])
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) / sqrt(sum / n + 1e-5) * w[i];
}
adjoint(layernorm_vjp, layernorm);
guvectorize((n),(n)->(n)) void convolve(size_t n, const double x[n], const double w[n], double y[n])
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k <= i; k++)
            sum += x[k] * w[i - k];
        y[i] = tanh(sum);
    }
}
adjoint(convolve_vjp, convolve);
guvectorize((n),(n)->(n)) void apart(size_t n, const double x[n], const double w[n], double y[n])
{
    for (size_t i = 0; i < n; i++) {
        double least = INFINITY;
        for (size_t k = 0; k < n; k++)
            if ((x[i] - w[k]) * (x[i] - w[k]) < least)
                least = (x[i] - w[k]) * (x[i] - w[k]);
        y[i] = sqrt(1 + least);
    }
}
adjoint(apart_vjp, apart);
"""
OF_ARRAYS = {
    "softmax": lambda x, w: jnp.exp(x - x.max()) / (jnp.exp(x - x.max()) * (1 + w * w)).sum(),
    "layernorm": lambda x, w: (x - x.mean()) / jnp.sqrt(((x - x.mean()) ** 2).mean() + 1e-5) * w,
    "convolve": lambda x, w: jnp.tanh(jnp.convolve(x, w)[:x.size]),
    "apart": lambda x, w: jnp.sqrt(1 + ((x[:, None] - w[None]) ** 2).min(1))}


def compiled(gpucc, made, folder):
    text = "#include <gpucc.h>\n#include <math.h>\n" + "".join(
        f"vectorize() double f{k}(double x, double y) {{ return {f[0]}; }}\ngradient(f{k}_prime, f{k});\n"
        for k, f in enumerate(made)) + GUFUNCS
    path = os.path.join(folder, "functions.c")
    with open(path, "w") as file:
        file.write(text)
    target = "x86-64-v3" if os.uname().machine == "x86_64" else "aarch64-linux-gnu"
    subprocess.run([gpucc, "-w", "-O1", "--loops=contiguous", f"--target={target}", path, "-o", path + ".so"], check=True)
    return ctypes.CDLL(path + ".so")


def call(library, name, inputs, core=None):
    outputs = [np.empty_like(inputs[0]) for _ in range(2)]
    operands = inputs + outputs
    pointers = (ctypes.c_void_p * len(operands))(*[a.ctypes.data for a in operands])
    counts = (ctypes.c_ssize_t * 2)(*((1, core) if core else (inputs[0].size, 0)))
    steps = [0 if core else 8] * len(operands) + ([8] * len(operands) if core else [])
    library[f"{name}_{'f64' * len(inputs)}_f64f64_loop"](pointers, counts, (ctypes.c_ssize_t * len(steps))(*steps), None)
    return outputs


def differs(name, got, wanted, size):
    wrong = [abs(np.asarray(g) - np.asarray(w)) > 1e-9 * (1 + size + abs(np.asarray(w))) for g, w in zip(got, wanted)]
    if not any(w.any() for w in wrong):
        return False
    print(f"{name}: {got}, and not {wanted}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gpucc")
    parser.add_argument("--count", type=int, default=200)
    arguments = parser.parse_args()
    made, failures = functions(arguments.count), 0
    generator = np.random.default_rng(3)
    x, y = (generator.uniform(-2, 2, POINTS) for _ in range(2))
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(os.path.abspath(arguments.gpucc), made, folder)
        for k, (text, f) in enumerate(made):
            wanted = jax.vmap(jax.grad(f, (0, 1)))(x, y)
            failures += differs(text, call(library, f"f{k}_prime", [x, y]), wanted, 0)
        for name, f in OF_ARRAYS.items():
            bar = generator.uniform(-2, 2, POINTS)
            wanted = jax.vjp(f, jnp.asarray(x), jnp.asarray(y))[1](jnp.asarray(bar))
            failures += differs(name, call(library, f"{name}_vjp", [x, y, bar], POINTS), wanted, 1)
    print(f"{len(made)} gradients and {len(OF_ARRAYS)} adjoints, of which {failures} differ from JAX's")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
