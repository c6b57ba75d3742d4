#!/usr/bin/env python3
"""Draws the errors of the math library: an SVG for each function of one argument, and a page that shows them, with a
table of the other functions' worst arguments.

    draw_errors.py ACCURACY FOLDER PAGE [NAME…]

ACCURACY is the program of this folder's accuracy.c, FOLDER where the pictures go, PAGE the Markdown page, which is
written whole where no NAME chooses functions.  Needs nothing but Python.
"""
import os
import subprocess
import sys

SAMPLES = {"float32": 1 << 22, "float64": 1 << 16}
SEVERAL_SAMPLES = {"float32": 1 << 22, "float64": 1 << 18}
# Each bin is two units wide; an error of one unit in the last place is UNIT high.
BIN, MARGIN, UNIT = 1, 34, 40


def listed(file):
    """(kind, name, bound) of each line of a table in this folder."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), file)
    for line in open(path, encoding="ascii"):
        kind, parenthesis, rest = line.partition("(")
        if parenthesis and kind.startswith(("FLOAT_", "DOUBLE_")):
            columns = rest.rstrip().rstrip(")").split(", ")
            yield kind, columns[0], columns[-1]


def functions():
    """(name, type) of the functions of one argument."""
    for kind, name, _ in listed("functions.def"):
        if kind in ("FLOAT_1", "DOUBLE_1"):
            yield name, "float32" if kind == "FLOAT_1" else "float64"


def several(program):
    """Rows of the worst arguments of functions of several arguments, or of an order, that are not exact."""
    for kind, name, bound in [*listed("functions.def"), *listed("measured.def")]:
        if kind.endswith("_1") or bound == "0":
            continue
        samples = SEVERAL_SAMPLES["float32" if kind.startswith("FLOAT") else "float64"]
        command = [program, "--quiet", "--order", "8", "--samples", str(samples), "--function", name]
        words = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout.split()
        where = words[words.index("at") + 1:words.index("hash")]
        if kind.endswith(("_N", "_ORDER")):
            where[-1] = str(int(float.fromhex(where[-1])))
        if kind.endswith("_ORDER"):
            where.reverse()
        yield f"| {name} | {float(words[words.index('error') + 1]):.2f} | `{', '.join(where)}` |\n"


def measure(program, name, samples):
    """The largest error, where it is, and the largest error of each bin."""
    command = [program, "--quiet", "--profile", "--samples", str(samples), "--function", name]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout.splitlines()
    words, profile = output[0].split(), output[1].split()[1:]
    return float(words[words.index("error") + 1]), words[words.index("at") + 1], [float(e) for e in profile]


def label(x, text, y, anchor="middle"):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>'


def picture(name, kind, profile):
    """Bars of the bins' errors over the argument, from -2^32 by way of 0 to 2^32, with lines at 0.5 and 1."""
    top = max(1, -(-max(profile) // 0.5) * 0.5)
    width, height = len(profile) * BIN + 2 * MARGIN, int(top * UNIT) + 48
    floor, right = height - 24, width - MARGIN
    bars = "".join(f"M{MARGIN + i * BIN} {floor}v-{round(e * UNIT, 1):g}" for i, e in enumerate(profile) if e >= 0.005)
    lines = [f"M{MARGIN} {floor - half * UNIT // 2}H{right}" for half in range(int(top * 2) + 1)]
    ticks = [(k, MARGIN + (256 + (k + 32) * 4) * BIN) for k in (-16, 0, 16)] + \
            [(k, MARGIN + (256 - (k + 32) * 4) * BIN) for k in (16, 0, -16)]
    texts = [label(MARGIN - 4, f"{half / 2:g}", floor - half * UNIT // 2 + 3, "end") for half in range(int(top * 2) + 1)]
    texts += [label(x, ("−" if x < width / 2 else "") + f"2<tspan dy='-4' font-size='7'>{k}</tspan>", floor + 14)
              for k, x in ticks]
    texts += [label(width / 2, "0", floor + 14), label(MARGIN, f"{name}, {kind}: largest error in ULP", 14, "start")]
    marks = "".join(f"M{x} {floor}v4" for _, x in ticks) + f"M{width // 2} {floor}v4"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="9">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<path d="{"".join(lines)}{marks}" stroke="#bbb" stroke-width=".5"/>',
        f'<path d="{bars}" stroke="#246" stroke-width="{BIN}"/>', *texts, "</svg>", ""])


HEAD = """\
# Error plots

The largest error of each function of one argument, in units in the last place, over its argument. Four bars cover each
power of two from 2⁻³² to 2³². Negative arguments are on the left. The outermost bars of a side include arguments nearer
to 0 and farther out. A plot without bars means that all results are correctly rounded. float32 uses 2²² arguments,
float64 2¹⁶. Functions of several arguments are in a [table](#several-arguments). Command:

```sh
python3 tests/accuracy/draw_errors.py build/accuracy/accuracy docs/ulp docs/reference/math-errors.md
```

"""


SEVERAL = """\
## Several arguments

The largest error and its arguments: float32 on 2²² arguments, float64 on 2¹⁸, orders within ±8. Beside a zero, errors
of functions of an order are relative to the amplitude ([accuracy](math.md#accuracy)).

| function | error | at |
|---|---|---|
"""


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, folder, page, *chosen = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    relative = os.path.relpath(folder, os.path.dirname(page))
    lines = [HEAD]
    for name, kind in functions():
        if chosen and name not in chosen:
            continue
        error, where, profile = measure(program, name, SAMPLES[kind])
        with open(os.path.join(folder, name + ".svg"), "w", encoding="utf-8") as file:
            file.write(picture(name, kind, profile))
        lines.append(f"![{name}: {error:.2f} at {where}]({relative}/{name}.svg)\n")
    if not chosen:
        lines.append(SEVERAL + "".join(several(program)))
        with open(page, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))


main()
