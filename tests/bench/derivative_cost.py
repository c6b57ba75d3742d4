#!/usr/bin/env python3
"""derivative_cost.py GPUCC [ROUNDS]: how long gradient(), tangent() and adjoint() take to compile, and their PTX.

A file has a function and a derivative.  Its twins have the function alone, and, in the derivative's place, a function of
as many inputs and outputs that adds: loops of an unusual number of operands take long.  They are compiled to PTX in turn.
Times are the processor's, and the least of all rounds; bytes of PTX are without comments.  Columns: ms and KB of the
function alone, then for each derivative the file's time and size divided by the twins', function alone and with a sum.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile

HEAD = "#include <gpucc.h>\n#include <tgmath.h>\ntypevar(T, float32, float64);\n"
FUNCTIONS = {
    "selu": "vectorize() T selu(T x) { return (T)1.0507 * (x > 0 ? x : (T)1.6733 * expm1(x)); }\n",
    "gelu": "vectorize() T gelu(T x) { return (T)0.5 * x * (1 + erf(x * (T)0.7071067811865476)); }\n",
    "softplus": "vectorize() T softplus(T x) { return fmax(x, (T)0) + log1p(exp(-fabs(x))); }\n",
    "density": "vectorize() T density(T x, T mean, T width) { T z = (x - mean) / width;\n"
               "    return -z * z / 2 - log(width) - (T)0.9189385332046727; }\n",
    "call_price": """vectorize() T call_price(T spot, T strike, T years, T rate, T volatility)
{
    T deviation = volatility * sqrt(years);
    T d1 = (log(spot / strike) + (rate + volatility * volatility / 2) * years) / deviation;
    return spot * (T)0.5 * erfc(-d1 / (T)1.4142135623730951) -
           strike * exp(-rate * years) * (T)0.5 * erfc(-(d1 - deviation) / (T)1.4142135623730951);
}
""",
}
STATEMENTS = ["gradient", "tangent", "adjoint"]


def compile_time(gpucc, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([gpucc, path, "-o", path + ".ptx"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ptx_size(path):
    with open(path + ".ptx", encoding="utf-8") as file:
        return len(re.sub(r"//.*", "", file.read()))


def sums(inputs, outputs):
    """A ufunc of so many operands."""
    given, made = [f"x{k}" for k in range(inputs)], [f"y{k}" for k in range(outputs)]
    if outputs == 1:
        return f"vectorize() T sums({', '.join('T ' + x for x in given)}) {{ return {' + '.join(given)}; }}\n"
    return (f"vectorize() void sums({', '.join(['T ' + x for x in given] + ['T *' + y for y in made])}) {{ " +
            " ".join(f"*{y} = {' + '.join(given)};" for y in made) + " }\n")


def main():
    gpucc, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 7
    print("function: ms, KB; " + "; ".join(STATEMENTS) + ": time / alone, / with a sum, size / alone, / with a sum")
    for name, text in FUNCTIONS.items():
        count = text[text.index(name + "("):text.index(")", text.index(name + "("))].count("T ")
        counts = {"gradient": (count, count), "tangent": (2 * count, 2), "adjoint": (count + 1, count)}
        texts = [text]
        for s in STATEMENTS:
            texts += [f"{text}{s}({name}_made, {name});\n", text + sums(*counts[s])]
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, f"f{k}.c") for k in range(len(texts))]
            for path, body in zip(paths, texts):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(HEAD + body)
            times = [min(each) for each in zip(*[[compile_time(gpucc, p) for p in paths] for _ in range(rounds)])]
            sizes = [ptx_size(p) for p in paths]
        row = [f"{name}: {1000 * times[0]:.0f} ms, {sizes[0] / 1000:.0f} KB"]
        for k in range(1, len(paths), 2):
            row.append(", ".join(f"{values[k] / values[other]:.2f}" for values in (times, sizes) for other in (0, k + 1)))
        print("; ".join(row), flush=True)


if __name__ == "__main__":
    sys.exit(main())
