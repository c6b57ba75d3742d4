"""Shared by the peers: a line for each figure, guarded sections, and the clocks."""
import pathlib
import re
import statistics
import sys
import time
import traceback
import typing

HERE = pathlib.Path(__file__).resolve().parent
N = 10**8
SIDE = 10**4
SMALL = 1000
REPEATS = 30
# The shape and the axis of each row's sum.
SUMS = {
    "sum_1e8": ((1, N), 1),
    "sum_axis_0": ((SIDE, SIDE), 0),
    "sum_axis_1": ((SIDE, SIDE), 1),
    "sum_middle": ((1000, 100, 1000), 1),
    "sum_tall_axis_0": ((N // 100, 100), 0),
    "sum_short_rows": ((N // 100, 100), 1),
    "sum_wide_axis_0": ((100, N // 100), 0),
    "sum_wide_axis_1": ((100, N // 100), 1),
}


def row(name, peer, value, unit):
    print(name, peer, f"{value:.6g}", unit, flush=True)


def section(function):
    """Runs the function now; what goes wrong in it is told and stops nothing else."""
    try:
        function()
    except BaseException as error:  # also what a library raises instead of an Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        print(f"{function.__name__} failed: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
        traceback.print_exc(limit=-2)
    return function


class Function(typing.NamedTuple):
    """A function of the math library as functions_measured.def has it: for sinf, base is sin and dtype float32."""

    name: str
    base: str
    dtype: str
    size: int
    ranges: tuple  # (low, high) of each argument


def functions():
    path = next(place for place in (HERE / "functions_measured.def", HERE / "programs/functions_measured.def")
                if place.exists())
    for count, words in re.findall(r"^MEASURED_(\d)\((.*)\)", path.read_text(), re.MULTILINE):
        name, type_name, *bounds = (word.strip() for word in words.split(","))
        narrow, ends = type_name == "float", [float(bound) for bound in bounds]
        yield Function(name, name[:-1] if narrow else name, "float32" if narrow else "float64", 4 if narrow else 8,
                       tuple((ends[2 * i], ends[2 * i + 1]) for i in range(int(count))))


def spread(function, position):
    """Argument `position` of all elements: golden-section steps through its range, the same for all peers."""
    import numpy

    low, high = function.ranges[position]
    steps = numpy.arange(N, dtype=numpy.uint32) * numpy.uint32((2654435769, 2246822519)[position])
    return (low + (high - low) * (steps * 2.0**-32)).astype(function.dtype)


def function_bandwidth(function, microseconds):
    return gigabytes((len(function.ranges) + 1) * function.size * N, microseconds)


def gigabytes(size, microseconds):
    return size / microseconds / 1e3


def device_us(call, new_event, elapsed_ms, repeats=REPEATS):
    """Median microseconds of a call on the device, between two events, once its clocks are up."""
    times = []
    start = None
    while start is None or time.perf_counter() - start < 0.1 or len(times) < repeats:
        before, after = new_event(), new_event()
        before.record()
        call()
        after.record()
        after.synchronize()
        start = start or time.perf_counter()  # the first call may have compiled something
        if time.perf_counter() - start >= 0.1:
            times.append(elapsed_ms(before, after) * 1e3)
    return statistics.median(times)


def host_us(call, synchronize, batch=500, batches=21, warm=3):
    """Median microseconds that the host spends in a call, in batches too short to fill the device's queue."""
    times = []
    for i in range(-warm, batches):
        start = time.perf_counter()
        for _ in range(batch):
            call()
        took = (time.perf_counter() - start) / batch * 1e6
        synchronize()
        if i >= 0:
            times.append(took)
    return statistics.median(times)


def wall_ms(call, repeats=11, warm=2):
    """Median milliseconds of a call that returns when all is done."""
    times = []
    for i in range(-warm, repeats):
        start = time.perf_counter()
        call()
        if i >= 0:
            times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def mend_numpy():
    """Numba still imports names that NumPy has dropped."""
    import numpy

    for gone, there in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
        if not hasattr(numpy, gone) and hasattr(numpy, there):
            setattr(numpy, gone, getattr(numpy, there))
