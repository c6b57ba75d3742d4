"""Runs gpucc and its peers one after the other and prints a table.  README.md says what its rows mean.

    bench.py [--gpu | --math | --cpu | --compile] [--gpucc FILE] [--json FILE] [PEER…]

Without an option everything that this machine allows is run.  PEER (gpucc numba cupy jax torch) runs these alone.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

import measure

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = ("gpucc", "numba", "cupy", "jax", "torch", "triton", "other")
OTHERS = ("driver", "glibc", "sleef", "nvcc")
MORE, LESS = ">=", "<="

SINGLE = ("sinf expf logf powf tanhf erff").split()
TEN = ("vector_add saxpy stencil matmul_tiled transpose histogram reduce scan nbody black_scholes").split()

# The better of the peers that call libdevice, and a plain copy, which moves as much as any function could.
LIBDEVICE = "triton cupy"
MATH_ROWS = tuple(
    (f"{f.name}_1e8", f"{f.base}, 10^8 {f.dtype}", "GB/s",
     ((MORE, 1.00, LIBDEVICE), (MORE, 0.95, "driver of copy_1e8")) if f.size == 4 else (MORE, 0.95, LIBDEVICE))
    for f in measure.functions())

# (name, what it is, unit, goal or goals: (sign, factor, the figure compared with: a peer, the better of several, a
# peer's figure of another row, the name of another row of gpucc's, or None: the factor is the figure))
ROWS = (
    ("copy_1e8", "copy, 10^8 float32", "GB/s", None),
    ("add_1e8", "x + y, 10^8", "GB/s", (MORE, 1.00, "torch")),
    ("add_odd_size", "x + y, 10^8 - 3", "GB/s", (MORE, 0.97, "add_1e8")),
    ("add_offset_one", "x + y, x one element off", "GB/s", (MORE, 0.97, "add_1e8")),
    ("add_offset_out", "x + y, the output one off", "GB/s", (MORE, 0.97, "add_1e8")),
    ("add_offset_all", "x + y, all one off", "GB/s", (MORE, 0.97, "add_1e8")),
    ("row_1e8", "matrix + row", "GB/s", (MORE, 0.90, "add_1e8")),
    ("column_1e8", "matrix + column", "GB/s", (MORE, 0.90, "add_1e8")),
    ("transposed_1e8", "transposed + matrix", "GB/s", (MORE, 0.75, "add_1e8")),
    ("sum_1e8", "sum of 10^8", "GB/s", (MORE, 1.00, "cupy")),
    ("sum_axis_0", "sums of columns, 10^4 x 10^4", "GB/s", (MORE, 0.90, "cupy of sum_1e8")),
    ("sum_axis_1", "sums of rows, 10^4 x 10^4", "GB/s", (MORE, 0.90, "cupy of sum_1e8")),
    ("sum_middle", "sums along the middle axis, 1000 x 100 x 1000", "GB/s", (MORE, 0.90, "cupy of sum_1e8")),
    ("sum_tall_axis_0", "sums of columns, 10^6 x 100", "GB/s", (MORE, 0.90, "cupy of sum_1e8")),
    ("sum_short_rows", "sums of rows, 10^6 x 100", "GB/s", (MORE, 0.90, "cupy of sum_1e8")),
    ("sum_wide_axis_0", "sums of columns, 100 x 10^6", "GB/s", (MORE, 0.90, "cupy of sum_1e8")),
    ("sum_wide_axis_1", "sums of rows, 100 x 10^6", "GB/s", (MORE, 0.90, "cupy of sum_1e8")),
    ("cumsum_1e8", "cumulative sums of 10^8", "GB/s", (MORE, 2.0, "cupy")),
    ("cumsum_int32", "the same of int32", "GB/s", (MORE, 0.80, "driver of copy_1e8")),
    ("cumsum_axis_0", "cumulative sums of columns, 10^4 x 10^4", "GB/s", None),
    ("cumsum_axis_1", "cumulative sums of rows, 10^4 x 10^4", "GB/s", None),
    ("cumsum_short_rows", "cumulative sums of rows, 10^6 x 100", "GB/s", None),
    ("at_int32", "10^8 increments of 10^6 cells", "ms", (LESS, 1.00, "cupy")),
    ("at_float32", "the same, float32, in order", "ms", None),
    ("cast_1e8", "trig of int16", "GB/s", None),
    ("cast_add_1e8", "int16 + float32", "GB/s", (MORE, 1.40, "torch")),
    ("cast_half_1e8", "float16 + float32", "GB/s", (MORE, 1.40, "torch")),
    ("cast_into_half_1e8", "x + y into float16", "GB/s", None),
    ("where_1e8", "x + y where half is true", "GB/s", (MORE, 0.85, "add_1e8")),
    ("trig_1e8", "cos²x + sin²x, 10^8", "GB/s", (MORE, 1.05, "triton")),
    ("trig_odd_size", "trig, 10^8 - 3", "GB/s", (MORE, 0.97, "trig_1e8")),
    ("trig_offset_one", "trig, x one element off", "GB/s", (MORE, 0.97, "trig_1e8")),
    ("trig_offset_out", "trig, the output one off", "GB/s", (MORE, 0.97, "trig_1e8")),
    ("trig_offset_all", "trig, both one off", "GB/s", (MORE, 0.97, "trig_1e8")),
    ("trig_1e7", "trig, 10^7, one call", "us", None),
    ("selu_1e8", "SELU, 10^8", "GB/s", (MORE, 1.35, "jax")),
    *MATH_ROWS,
    ("call_1000", "one ufunc call, 1000 elements, host", "us", (LESS, 0.60, "torch")),
    ("call_1000_above", "the same, above the driver's own launch beside it", "us", None),
    ("call_1000_header", "the same by the generated header", "us", None),
    ("launch", "one kernel launch, host", "us", (LESS, 1.20, "driver")),
    ("launch_above", "the same, above the driver's own launch beside it", "us", None),
    ("launch_16", "one of a kernel with 16 arrays, host", "us", (LESS, 1.30, "driver")),
    ("launch_16_above", "the same, above the driver's own launch beside it", "us", None),
    ("launch_automatic", "the same, grid and block chosen", "us", None),
    ("host_trig_1e7", "trig, 10^7, host arrays in and out", "ms", (LESS, 0.50, "numba")),
    ("diffusion_2000", "diffusion 2000 x 2000, a step, tiles of 8 x 8", "us", (LESS, 0.40, "numba")),
    ("diffusion_2000_wide", "tiles of 32 x 8", "us", (LESS, 0.40, "numba of diffusion_2000")),
    ("diffusion_2000_direct", "no tile (Numba: along rows)", "us", None),
    ("diffusion_2000_strips", "strips in registers, tuned", "us", (LESS, 0.40, "numba of diffusion_2000")),
    ("sgemm", "SGEMM 10000 x 5000 x 7000, tuned", "TFLOP/s", (MORE, 0.60, "cupy")),
    ("sgemm_tile", "the same by tiles of 16 x 16", "TFLOP/s", (MORE, 1.00, "numba")),
    ("gemm_bf16", "bfloat16 matrices of 8192 x 8192", "TFLOP/s", (MORE, 0.50, "torch")),
    ("kmeans_step", "k-means, 2·10^6 x 12, k = 8, a step", "ms", (LESS, 0.10, "cupy")),
    ("softmax_rows", "softmax of rows, 10^5 x 1000", "GB/s", (MORE, 0.85, "driver of copy_1e8")),
    ("products_4x4", "products of 4 x 4 matrices, 10^7", "GB/s", (MORE, 0.85, "driver of copy_1e8")),
    ("products_4x4_turned", "the same, one operand transposed", "GB/s", None),
    ("products_4x4_given", "the same, into an array that is given", "GB/s", None),
    ("matrix_by_vectors", "150 x 100 matrix by 10 vectors, waited for", "us", (LESS, 0.30, "jax")),
    *((f"ten_{name}", f"{name}, against nvcc -O3", "us", (LESS, 1.10, "nvcc")) for name in TEN),
    ("ten_mean", "geometric mean of the ten", "us", (LESS, 1.02, "nvcc")),
    ("cpu_add_1e7", "CPU, all cores: x + y, 10^7", "ms", (LESS, 1.00, "numba")),
    ("cpu_trig_1e7", "CPU, all cores: trig, 10^7", "ms", (LESS, 1.00, "numba")),
    ("cpu_trig_single", "CPU, one core: trig, 10^7", "ms", (LESS, 0.25, "glibc")),
    *((f"cpu_{name}", f"CPU, one core: {name}, 10^7, SLEEF", "ms", (LESS, 1.00, "sleef")) for name in SINGLE),
    *((f"cpu_{name}_scalar", f"the same, C library", "ms", (LESS, 0.25, "glibc")) for name in SINGLE),
    ("compile_trig", "trig.c to PTX, a process", "ms", (LESS, 0.15, "nvcc")),
    ("memory_trig", "its memory", "MiB", (LESS, 1.50, "nvcc")),
    ("compile_trig_all", "trig.c to all artefacts", "ms", (LESS, 0.30, "nvcc of compile_trig")),
    ("memory_trig_all", "its memory", "MiB", None),
    ("compile_three", "three functions to PTX, a process", "ms", None),
    ("compile_arithmetic", "the same with arithmetic in their place", "ms", None),
    ("library_three", "of that, finding and linking the library's functions", "ms", (LESS, 10, None)),
)

# (section, peer, command, seconds that it may take)
PYTHON = [sys.executable]
COMMANDS = (
    ("gpu", "gpucc",
     [str(HERE / "bench_gpu"), *"copy large edges broadcast casts reductions scatter calls launches host".split()], 120),
    ("gpu", "gpucc", [str(HERE / "bench_samples")], 60),
    ("gpu", "nvcc", PYTHON + [str(HERE / "peer_nvcc.py")], 90),
    ("gpu", "torch", PYTHON + [str(HERE / "peer_torch.py")], 120),
    ("gpu", "jax", PYTHON + [str(HERE / "peer_jax.py")], 120),
    ("gpu", "cupy", PYTHON + [str(HERE / "peer_cupy.py")], 90),
    ("gpu", "numba", PYTHON + [str(HERE / "peer_numba.py"), "gpu"], 120),
    ("math", "gpucc", [str(HERE / "bench_gpu"), "copy", "functions"], 120),
    *(("math", peer, PYTHON + [str(HERE / "peer_math.py"), peer], 180) for peer in ("triton", "cupy", "torch")),
    ("cpu", "gpucc", [str(HERE / "bench_cpu")], 60),
    ("cpu", "gpucc", [str(HERE / "bench_math")], 60),
    ("cpu", "numba", PYTHON + [str(HERE / "peer_numba.py"), "cpu"], 90),
    ("compile", "gpucc", PYTHON + [str(HERE / "compile_time.py")], 90),
)


def run(label, command, seconds, figures):
    """Adds the command's lines to figures[name][peer]; whatever it breaks on is told and passed over."""
    start = time.perf_counter()
    try:
        process = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=seconds)
        output, problem = process.stdout, process.returncode and f"ended with status {process.returncode}"
    except subprocess.TimeoutExpired as late:
        output = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        problem = f"took more than {seconds} s"
    except OSError as error:
        output, problem = "", str(error)
    for line in output.splitlines():
        words = line.split()
        try:
            name, peer, value, _ = words
            figures.setdefault(name, {})[peer] = float(value)
        except ValueError:
            print(f"  {line}", file=sys.stderr)
    print(f"  {label}: {problem or 'done'}, {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)


def compared(figures, name, goal):
    """gpucc's figure divided by what the goal compares it with, or None."""
    own = figures.get(name, {}).get("gpucc")
    if goal[2] is None:
        return own
    peers, _, other_row = goal[2].partition(" of ")
    if peers in figures:
        others = [figures[peers].get("gpucc")]
    else:
        others = [figures.get(other_row or name, {}).get(peer) for peer in peers.split()]
    others = [other for other in others if other]
    better = max if goal[0] == MORE else min
    return own / better(others) if own and others else None


def judgement(figures, name, goal):
    """The last two columns: the ratio and the goal, marked where it is missed; several goals side by side."""
    if goal and isinstance(goal[0], tuple):
        ratios, texts = zip(*(judgement(figures, name, each) for each in goal))
        return ", ".join(ratios), ", ".join(texts)
    if not goal:
        return "", ""
    ratio = compared(figures, name, goal)
    text = f"{goal[0]} {goal[1]:g}" + (f" x {goal[2]}" if goal[2] else "")
    if ratio is None:
        return "", text
    reached = ratio >= goal[1] if goal[0] == MORE else ratio <= goal[1]
    return f"{ratio:.3f}", text if reached else f"**missed:** {text}"


def figure(value):
    return "" if value is None else f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def table(figures):
    lines = [["work", "unit", *COLUMNS, "ratio", "goal"]]
    for name, title, unit, goal in ROWS:
        values = figures.get(name)
        if not values:
            continue
        other = next((values[peer] for peer in OTHERS if peer in values), None)
        cells = [figure(other if column == "other" else values.get(column)) for column in COLUMNS]
        lines.append([title, unit, *cells, *judgement(figures, name, goal)])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines)


def machine():
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        gpu = subprocess.run(query, capture_output=True, text=True, timeout=20).stdout.strip().splitlines()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        gpu = "no GPU"
    cpu = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return f"{time.strftime('%Y-%m-%d')}, {gpu}, {cpu[0] if cpu else 'unknown CPU'} x {len(cpu)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for section in ("gpu", "math", "cpu", "compile"):
        parser.add_argument(f"--{section}", action="append_const", dest="sections", const=section)
    parser.add_argument("--gpucc", metavar="FILE", help="the compiler, for --compile")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    parser.add_argument("peers", nargs="*", metavar="PEER")
    options = parser.parse_args()
    figures = {}
    for section, peer, command, seconds in COMMANDS:
        if (options.sections and section not in options.sections) or (options.peers and peer not in options.peers):
            continue
        extra = [options.gpucc] if section == "compile" and options.gpucc else []
        run(f"{peer}, {section}", command + extra, seconds, figures)
    print(f"{machine()}\n\n{table(figures)}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")


main()
