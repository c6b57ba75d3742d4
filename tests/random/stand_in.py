"""Random gufuncs by teams of several sizes on the stand-in for a GPU, whose results have the CPU's bits."""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = "#include <gpucc.h>\n#include <tgmath.h>\ntypevar(T, float32, float64);\n\n"


def differs(numpy, result, expected):
    """Whether other bits than NaNs' differ."""
    bits, is_nan = f"u{expected.itemsize}", numpy.isnan(expected)
    return (not numpy.array_equal(result.view(bits)[~is_nan], expected.view(bits)[~is_nan]) or
            not numpy.array_equal(numpy.isnan(result), is_nan))


def by_teams(numpy, function, inputs, teams):
    """The teams with other results than the CPU."""
    expected = function(*inputs, device="cpu")
    expected, wrong = expected if isinstance(expected, tuple) else (expected,), []
    for team in teams:
        os.environ.pop("GPUCC_GUFUNC_TEAM", None)
        if team:
            os.environ["GPUCC_GUFUNC_TEAM"] = team
        out = tuple(numpy.full_like(result, 77) for result in expected)
        function(*inputs, out=out if len(out) > 1 else out[0], device="cuda")
        if any(differs(numpy, a, b) for a, b in zip(out, expected)):
            wrong.append(team)
    return wrong


def run(script, doc, grow, compare):
    """The exit status.  `grow(rng, name)` makes a gufunc's text; `compare(numpy, program, names, generator)` runs in a
    process that has the stand-in and the program loaded, and makes a line for each difference, which begins with the
    gufunc's name."""
    kind = pathlib.Path(script).stem
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpucc")
    parser.add_argument("--fake", help="the stand-in for libcuda (that of GPUCC's build)")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--compare", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.compare:
        sys.path.insert(0, str(ROOT / "runtime" / "python"))
        import numpy  # noqa: PLC0415
        import gpucc  # noqa: PLC0415
        program = gpucc.load(options.compare[0], name=kind)
        for failure in compare(numpy, program, options.compare[2:], numpy.random.default_rng(int(options.compare[1]))):
            print(*failure)
        return 0
    build, rng, bad = pathlib.Path(options.gpucc).resolve().parents[1], random.Random(f"{kind} {options.seed}"), 0
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, options.count, 20):
            names = [f"f{k}" for k in range(first, min(first + 20, options.count))]
            functions = {name: grow(rng, name) for name in names}
            source = pathlib.Path(folder, f"{kind}.c")
            source.write_text(HEAD + "\n".join(functions.values()))
            for text, to in ((source, f"{kind}.o"), (ROOT / "stdlib/runtime/cast.c", "cast.o")):
                subprocess.run([options.gpucc, text, "--emulate", "-o", pathlib.Path(folder, to)], check=True)
            library = pathlib.Path(folder, f"{kind}.so")
            subprocess.run(["cc", "-shared", pathlib.Path(folder, f"{kind}.o"), pathlib.Path(folder, "cast.o"), "-o",
                            library], check=True)
            fake = options.fake or build / "lib/libcuda-fake.so"
            environment = dict(os.environ, GPUCC_LIBRARY=str(build / "lib/libgpucc.so"), GPUCC_LIBCUDA=str(fake),
                               LD_PRELOAD=f"{fake} {library}", GPUCC_LOW_OCCUPANCY_WARNINGS="0")
            done = subprocess.run([sys.executable, script, "-", "--compare", library, str(first), *names],
                                  env=environment, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{done.returncode}: {done.stderr}")
            for line in done.stdout.splitlines():
                print(f"other bits: {line}\n{functions[line.split()[0]]}")
            bad += len(done.stdout.splitlines())
    print(f"{options.count} gufuncs, {bad} differences")
    return bad != 0
