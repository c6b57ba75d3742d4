"""public_libraries.py [--each] [--run] [--loops KIND,…] [--keep FOLDER] FOLDER…: what gpucc makes of C libraries as people
write them.  Each FOLDER has the sources of one library, such as GSW-C, ERFA, Cephes or astropy-healpix; LIBRARIES says which
of its files count.  `gpucc wrap` of GPUCC_BUILD (default: build) makes a source of each, which is compiled to PTX and native
code.

  --each         also compiles each function alone, and assembles it where there is a ptxas; names those above 10 s
  --run          also compares each function on the CPU with the library's own code, compiled by cc; needs NumPy
  --loops KIND,… these loops of ufuncs alone, as for gpucc
  --keep FOLDER  leaves the files there

Prints how many functions each library declares, how many are wrapped and compiled, sizes and processor times, and why
others are left out.  The exit status is 1 where a wrapped source does not compile.
"""
import argparse
import collections
import ctypes
import fnmatch
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("GPUCC_BUILD", ROOT / "build")).resolve()
GPUCC = BUILD / "bin/gpucc"
PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
SLOW = 10  # seconds
HUNG = 1800 # as long as another program may use the processors
ENDLESS = {"smirnovi"} # for some arguments, in plain C too
UNWRITTEN = 77 # in outputs that the library does not write


class Library:
    """The files of a library below a folder, as patterns; `marker` is a file that only this library has.  `ranges` are
    the values of parameters whose names match a pattern, the first that does."""

    def __init__(self, name, marker, headers, sources, without=(), listed="", ranges=(), options=()):
        self.name, self.marker, self.headers, self.sources = name, marker, headers, sources
        self.without, self.listed, self.ranges, self.options = without, listed, ranges, options

    def range_of(self, name):
        return next(((low, high) for pattern, low, high in self.ranges if fnmatch.fnmatch(name, pattern)), (0.1, 3))


# The extents of arrays that C's types do not show, for `gpucc wrap`.
GSW_LIST = """
[gsw_add_barrier]
input_data = "in[4]"
output_data = "out[4]"
[gsw_add_mean]
data_in = "in[4]"
data_out = "out[4]"
[gsw_ipv_vs_fnsquared_ratio]
sa = "in[nz]"
ct = "in[nz]"
p = "in[nz]"
ipv_vs_fnsquared_ratio = "out[nz - 1]"
p_mid = "out[nz - 1]"
[gsw_nsquared]
sa = "in[nz]"
ct = "in[nz]"
p = "in[nz]"
lat = "in[nz]"
n2 = "out[nz - 1]"
p_mid = "out[nz - 1]"
[gsw_turner_rsubrho]
sa = "in[nz]"
ct = "in[nz]"
p = "in[nz]"
tu = "out[nz - 1]"
rsubrho = "out[nz - 1]"
p_mid = "out[nz - 1]"
[gsw_util_indx]
x = "in[n]"
[gsw_util_xinterp1]
x = "in[n]"
y = "in[n]"
"""
HEALPIX_LIST = """
[healpixl_get_neighbours]
neighbour = "out[8]"
[healpix_get_neighbours_within_range]
xyz = "in[3]"
healpixes = "out[9]"
[healpix_get_neighbours_within_range_radec]
healpixes = "out[9]"
"""
CEPHES_LIST = """
[p1evl]
coef = "in[N]"
[chbevl]
array = "in[n]"
"""

GSW_RANGES = [("sa*", 1, 40), ("sp", 1, 40), ("ct*", 0, 30), ("t", 0, 30), ("pt*", 0, 30), ("p", 1, 5000), ("p_*", 1, 5000),
              ("lon", 0, 360), ("lat", -60, 60), ("rho", 1000, 1030), ("w_*", 0, 0.9), ("saturation*", 0, 1),
              ("h*", 1e4, 1e5), ("t_ih", -10, -2), ("t_ice", -10, -2), ("t_seaice", -10, -3)]
ERFA_RANGES = [("date1", 2450000, 2460000), ("dj1", 2450000, 2460000), ("u*1", 2450000, 2460000), ("t*1", 2450000, 2460000),
               ("iy", 1970, 2020), ("im", 1, 12), ("id", 1, 28), ("n", 1, 2), ("ep*", 1950, 2020)]
CEPHES_RANGES = [("n", 1, 3), ("p", 0.01, 0.99), ("y*", 0.01, 0.99), ("x*", 0.05, 0.95), ("e", 0.01, 0.9), ("m", 0.05, 0.9)]
HEALPIX_RANGES = [("xyz", 0.577, 0.578), ("range", 0.01, 0.1), ("[nN]side", 8, 8), ("outnside", 8, 8), ("bighp", 0, 11),
                  ("ring", 1, 20), ("longind", 0, 3), ("*hp", 0, 700), ("*_index", 0, 700),
                  ("pix", 0, 700), ("?", 0, 1), ("d?", 0, 1)]

MUSL_OPTIONS = ["-Dhidden=", "-Dweak_alias(f, g)=", "-Dpredict_true(x)=(x)", "-Dpredict_false(x)=(x)"]

LIBRARIES = [
    Library("GSW", "gswteos-10.h", ["gswteos-10.h"], ["gsw_oceanographic_toolbox.c", "gsw_saar.c"], listed=GSW_LIST,
            ranges=GSW_RANGES),
    Library("ERFA", "erfa.h", ["erfa.h"], ["*.c"], ["t_erfa_c*.c", "erfaversion.c"], ranges=ERFA_RANGES),
    Library("HEALPix", "healpix-utils.h", ["healpix.h"],
            ["healpix.c", "healpix-utils.c", "mathutil.c", "starutil.c"], listed=HEALPIX_LIST,
            ranges=HEALPIX_RANGES),
    Library("Cephes", "incbet.c", [], ["*.c"],
            ["drand.c", "ellf.c", "simpsn.c", "revers.c", "polylog.c", "planck.c", "cmplx.c", "*tst*.c", "setprec.c",
             "dtestvec.c", "clog.c", "mod2pi.c"], CEPHES_LIST, CEPHES_RANGES),
    # With libm.h of src/internal, fp_arch.h of arch/generic and an atomic.h; without features.h and long double, and for
    # --run without names that glibc declares: __sin, __cos, __tan.
    Library("musl", "__rem_pio2_large.c", [], ["*.c"], ["*l.c", "nan*.c"], options=MUSL_OPTIONS),
    Library("SGP4", "SGP4.h", ["SGP4.h"], ["SGP4.c"]),
    Library("SPA", "spa.h", ["spa.h"], ["spa.c"]),
]
# Cephes has a copy of common files in each folder, and folders of other precisions.
CEPHES_FOLDERS = ("cprob", "misc", "bessel", "ellf", "cmath")
CEPHES_MATH = {"acosh", "asin", "asinh", "atan", "atanh", "cosh", "exp", "fabs", "floor", "log", "log10", "pow", "sin",
               "sinh", "sqrt", "tan", "tanh"}  # of C's own library

FUNCTION = re.compile(r"gpucc_(?:vectorize\(\)|guvectorize\((?P<layout>.*)\))\s(?P<result>[\w ]+?[ *]+)"
                      r"(?P<name>\w+)\((?P<parameters>[^)]*)\)")
LEFT_OUT = re.compile(r"/\* Left out: (\w+): (.*?)\. \*/", re.DOTALL)
TYPES = {"double": ctypes.c_double, "float": ctypes.c_float, "int": ctypes.c_int, "int64_t": ctypes.c_int64,
         "long": ctypes.c_long, "long long": ctypes.c_longlong, "size_t": ctypes.c_size_t, "_Bool": ctypes.c_bool,
         "char": ctypes.c_byte, "unsigned int": ctypes.c_uint, "short": ctypes.c_short}


class Files:
    """The files of the library in a folder."""

    def __init__(self, folder):
        every = sorted(path for path in folder.rglob("*") if path.suffix in (".c", ".h"))
        names = {path.name for path in every}
        self.library = next((library for library in LIBRARIES if library.marker in names),
                            Library(folder.name, "", ["*.h"], ["*.c"]))
        place = next((path.parent for path in every if path.name == self.library.marker), folder)
        if self.library.name == "Cephes":
            every = self.first_of_each(place.parent)
        elif self.library.marker:
            every = [path for path in every if path.parent == place]
        self.headers = [path for path in every if self.matches(path, self.library.headers)]
        self.sources = [path for path in every if path.suffix == ".c" and self.matches(path, self.library.sources)]
        self.include = sorted({path.parent for path in every})

    @staticmethod
    def first_of_each(root):
        found = {}
        for folder in CEPHES_FOLDERS:
            for path in sorted((root / folder).glob("*.[ch]")):
                if path.suffix == ".c" and path.stem not in CEPHES_MATH:
                    found.setdefault(path.name, path)
        return list(found.values())

    def matches(self, path, patterns):
        is_match = any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns)
        return is_match and not any(fnmatch.fnmatch(path.name, pattern) for pattern in self.library.without)

    def options(self):
        return [f"-I{folder}" for folder in self.include] + list(self.library.options)


def run(*command):
    """Returns the processor time that a command takes, in seconds, and its output where it fails, else nothing."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=HUNG)
    except subprocess.TimeoutExpired:
        return HUNG, f"error: takes more than {HUNG} s"
    said = "" if done.returncode == 0 else done.stdout or f"error: status {done.returncode}"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, said


def first_error(said):
    return next((line for line in said.splitlines() if "error: " in line), said.strip()[:200])


def size_of(path):
    return path.stat().st_size / 1e6 if path.exists() else 0


def wrap(files, out, *options):
    listed = out.parent / "list.toml"
    listed.write_text(files.library.listed)
    return run(GPUCC, "wrap", *files.headers, *files.sources, listed, *files.options(), "-w", "-o", out, *options)


def build(files, wrapped, out, loops):
    options = [f"--loops={loops}"] if loops else []
    return run(GPUCC, "-w", "-DNDEBUG", "-ffp-contract=off", *options, *files.options(), wrapped, *files.sources, "-o", out)


# ---- each function alone ----

def compile_each(files, names, place, loops):
    """Prints the functions that fail or are slow; returns how many pass."""
    passed = 0
    for name in names:
        wrapped, ptx = place / f"{name}.c", place / f"{name}.ptx"
        _, said = wrap(files, wrapped, f"--select={name}")
        seconds, said = (0, said) if said else build(files, wrapped, ptx, loops)
        assembly = 0
        if not said and PTXAS:
            assembly, said = run(PTXAS, "-arch=sm_80", ptx, "-o", os.devnull)
        if said:
            print(f"  {name}: {first_error(said)}")
        elif max(seconds, assembly) > SLOW:
            print(f"  {name}: {seconds:.1f} s to PTX of {size_of(ptx):.2f} MB, ptxas {assembly:.1f} s")
        passed += not said
    return passed


# ---- results beside the library's own code ----

class Operand:
    """A parameter of a function in a wrapped source: "const double r[3][3]"."""

    def __init__(self, text):
        found = re.match(r"(const )?(.*?)\s*(\*?)(\w+)((?:\[[^]]*\])*)$", text.strip())
        self.is_const, self.type, self.name = bool(found[1]), TYPES[found[2]], found[4]
        self.extents = re.findall(r"\[([^]]*)\]", found[5])
        self.is_output = bool(found[3]) or (bool(self.extents) and not self.is_const)


def draw(random, operand, sizes, count, low, high):
    import numpy
    shape = (count, *(int(eval(extent, {}, sizes)) for extent in operand.extents))
    dtype = numpy.dtype(operand.type)
    return (random.integers(int(low), int(high) + 1, shape) if dtype.kind in "iub" else
            random.uniform(low, high, shape)).astype(dtype)


def call_plain(function, operands, sizes, inputs, result, count):
    """The outputs of the C function, called for each row of the inputs."""
    import numpy
    outputs = [numpy.full((count, *(int(eval(extent, {}, sizes)) for extent in operand.extents)), UNWRITTEN, operand.type)
               for operand in operands if operand.is_output]
    values = numpy.zeros(count, result) if result else None
    function.restype = result
    for row in range(count):
        given, made, arguments = iter(inputs), iter(outputs), []
        for operand in operands:
            if operand.name in sizes:
                arguments.append(ctypes.c_size_t(sizes[operand.name]))
                continue
            array = next(made) if operand.is_output else next(given)
            if operand.is_output or operand.extents:
                arguments.append(array[row:row + 1].ctypes.data_as(ctypes.c_void_p))
            else:
                arguments.append(operand.type(array[row].item()))
        value = function(*arguments)
        if result:
            values[row] = value
    return [values] if result else outputs


def difference(a, b):
    """The largest difference from `b`, where that was written, relative to the largest element of each call; 0 where all
    bits agree."""
    import numpy
    a = numpy.where(b == b.dtype.type(UNWRITTEN), b, a)
    if ((a == b) | ((a != a) & (b != b))).all():
        return 0.0
    a, b = a.astype(float), b.astype(float)
    with numpy.errstate(all="ignore"):
        largest = numpy.abs(b).reshape(len(b), -1).max(axis=1).reshape(-1, *(1,) * (b.ndim - 1))
        error = numpy.abs(a - b) / numpy.maximum(largest, 1e-300)
    return float(numpy.where((a == b) | ((a != a) & (b != b)), 0, numpy.nan_to_num(error, nan=numpy.inf)).max())


def compare(files, wrapped, place, functions):
    """Counts functions whose results have the bits of the plain C build, are near them, or differ."""
    import numpy
    sys.path.insert(0, str(ROOT / "runtime/python"))
    os.environ.setdefault("GPUCC_LIBRARY", str(BUILD / "lib/libgpucc.so"))
    import gpucc
    plain = place / "plain.so"
    # GCC makes calls of sincos(), of which Cephes has another one.
    command = ["cc", "-w", "-std=gnu17", "-O1", "-fno-builtin", "-ffp-contract=off", "-DNDEBUG", "-fPIC", "-shared",
               "-Wl,-z,defs", "-Wl,-Bsymbolic", f"-I{ROOT / 'include'}", *files.options(), wrapped, *files.sources,
               "-o", plain, "-lm"]
    _, said = run(*command)
    missing = set(re.findall(r"undefined reference to `(\w+)'", said)) # in functions that are left out
    if missing:
        _, said = run(*command, *(f"-Wl,--defsym,{name}=0" for name in sorted(missing)))
    if said:
        print(f"  cc: {first_error(said)}")
        return
    library, program = ctypes.CDLL(str(plain)), gpucc.load(str(wrapped.with_suffix(".so")))
    random, counts, count = numpy.random.default_rng(1), collections.Counter(), 200
    for found in functions:
        if found["name"].removesuffix("_wrapped") in ENDLESS:
            continue
        operands = [Operand(text) for text in found["parameters"].replace("\n", " ").split(",")]
        names = set(re.findall(r"[a-zA-Z_]\w*", " ".join(" ".join(operand.extents) for operand in operands)))
        sizes = {operand.name: 7 for operand in operands if operand.name in names and not operand.extents}
        result = TYPES.get(found["result"].strip())
        inputs = [draw(random, operand, sizes, count, *files.library.range_of(operand.name))
                  for operand in operands if not operand.is_output and operand.name not in sizes]
        print(found["name"], file=sys.stderr, flush=True)
        signal.alarm(SLOW) # it ends this process
        expected = call_plain(getattr(library, found["name"]), operands, sizes, inputs, result, count)
        got = tuple(numpy.zeros_like(array) for array in expected)
        getattr(program, found["name"])(*inputs, out=got if len(got) > 1 else got[0])
        signal.alarm(0)
        worst = max(map(difference, got, expected))
        kind = "same bits" if worst == 0 else "within 1e-12" if worst < 1e-12 else "within 1e-8" if worst < 1e-8 else "other"
        counts[kind] += 1
        if kind in ("other", "within 1e-8"):
            print(f"  {found['name']}: relative difference {worst:.2g}")
    print(f"  on the CPU beside cc: {', '.join(f'{count} {kind}' for kind, count in counts.most_common())}")


def compare_apart(files, wrapped, place, functions):
    """In another process, which the library may end, and whose messages nobody reads."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        messages, own = os.open(place / "messages.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), os.dup(1)
        os.dup2(messages, 1)
        os.dup2(messages, 2)
        sys.stdout = os.fdopen(own, "w")
        compare(files, wrapped, place, functions)
        sys.stdout.flush()
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        print(f"  the comparison ends with status {status}: {place / 'messages.txt'}")


# ---- a library ----

def examine(folder, arguments, scratch):
    """Prints the figures of one library; returns whether all that is wrapped compiles."""
    files = Files(folder)
    place = scratch / files.library.name
    place.mkdir(parents=True, exist_ok=True)
    wrapped = place / "wrapped.c"
    wrap_time, said = wrap(files, wrapped)
    if said:
        print(f"{files.library.name} | gpucc wrap: {first_error(said)}")
        return False
    text = wrapped.read_text()
    functions, left_out = list(FUNCTION.finditer(text)), LEFT_OUT.findall(text)
    ptx_time, ptx_said = build(files, wrapped, place / "wrapped.ptx", arguments.loops)
    native_time, native_said = build(files, wrapped, place / "wrapped.so", arguments.loops)
    print(f"{files.library.name} | {len(functions) + len(left_out)} | {len(functions)} | "
          f"{0 if ptx_said else len(functions)} | {0 if native_said else len(functions)} | {wrap_time:.1f} s | "
          f"{ptx_time:.1f} s, {size_of(place / 'wrapped.ptx'):.1f} MB | "
          f"{native_time:.1f} s, {size_of(place / 'wrapped.so'):.1f} MB", flush=True)
    for said in filter(None, (ptx_said, native_said)):
        print(f"  {first_error(said)}")
    for name, reason in left_out:
        print(f"  left out: {name}: {' '.join(reason.replace(chr(10) + ' *', '').split())}")
    if arguments.each:
        names = [function["name"].removesuffix("_wrapped") for function in functions]
        print(f"  alone: {compile_each(files, names, place, arguments.loops)} of {len(functions)}")
    if arguments.run and not native_said:
        compare_apart(files, wrapped, place, functions)
    return not (ptx_said or native_said)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--loops")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    scratch = arguments.keep or pathlib.Path(tempfile.mkdtemp())
    print("library | functions | wrapped | to PTX | native | gpucc wrap | PTX | native")
    passed = [examine(folder.resolve(), arguments, scratch) for folder in arguments.folders]
    if not arguments.keep:
        shutil.rmtree(scratch)
    return int(not all(passed))


if __name__ == "__main__":
    sys.exit(main())
