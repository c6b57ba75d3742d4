"""public_libraries.py [--each] [--run] [--loops KIND,…] [--keep FOLDER] FOLDER…: what gpucc makes of C libraries as people
write them.  Each FOLDER has the sources of one library, such as GSW-C, ERFA, Cephes or astropy-healpix; LIBRARIES says which
of its files count.  `gpucc wrap` of GPUCC_BUILD (default: build) makes a source of each, which is compiled to PTX and native
code.

  --each         also compiles each function alone, and assembles it where there is a ptxas; names those above 10 s
  --run          also compares each function on the CPU with the library's own code, compiled by cc; needs NumPy
  --time         and times it on one thread beside that code, and beside the ufuncs of the library's package, if this
                 Python has it: gsw, pyerfa, scipy
  --loops KIND,… these loops of ufuncs alone, as for gpucc
  --select=…     wraps the functions of these names alone, as for gpucc wrap
  --keep FOLDER  leaves the files there

Prints how many functions each library declares, how many are wrapped and compiled, sizes and processor times, and why
others are left out.  The exit status is 1 where a wrapped source does not compile.
"""
import argparse
import collections
import ctypes
import fnmatch
import importlib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("GPUCC_BUILD", ROOT / "build")).resolve()
GPUCC = BUILD / "bin/gpucc"
PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
SLOW = 10  # seconds
HUNG = 1800 # as long as another program may use the processors
ENDLESS = {"smirnovi"} # for some arguments, in plain C too
UNWRITTEN = 77 # in outputs that the library does not write
ROWS, TIMED_ROWS = 200, 20000


class Library:
    """The files of a library below a folder, as patterns; `marker` is a file that only this library has.  `ranges` are
    the values of parameters whose names match a pattern, the first that does.  `folders` are those of the files, beside
    the marker's.  `instead` is C in place of files that are left out.  `package` is a module with ufuncs of the library,
    and the prefix of functions that their names lack."""

    def __init__(self, name, marker, headers, sources, without=(), listed="", ranges=(), options=(), folders=(),
                 instead="", package=None):
        self.name, self.marker, self.headers, self.sources = name, marker, headers, sources
        self.without, self.listed, self.ranges, self.options = without, listed, ranges, options
        self.folders, self.instead, self.package = folders, instead, package

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
ERFA_LIST = """
[eraAtciqn]
b = "in[n]"
[eraAticqn]
b = "in[n]"
[eraLdn]
b = "in[n]"
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
GSL_ERROR = """
void gsl_error(const char *reason, const char *file, int line, int number)
{
    (void)reason, (void)file, (void)line, (void)number;
}
"""
GSL_RANGES = [("mode", 0, 0), ("n", 1, 4), ("l", 1, 4), ("m", 1, 1), ("k", 0.1, 0.9), ("two_*", 2, 4), ("s", 1.5, 6)]
SGP4_LIST = """
[ConvertTLEToSGP4]
initial_r = "out[3]"
initial_v = "out[3]"
[sgp4init]
initial_r = "out[3]"
initial_v = "out[3]"
"""
SGP4_RANGES = [("epochYear", 0, 30), ("epoch*", 18000, 20000), ("year", 1970, 2030), ("mon", 1, 12),
               ("day", 1, 28), ("days", 1, 365), ("hr", 0, 23), ("minute", 0, 59), ("jd*", 2450000, 2460000),
               ("which*", 0, 2), ("e*", 0.01, 0.2)]

CHEALPIX_RANGES = [("nside*", 8, 8), ("ipix*", 0, 700), ("npix", 768, 768), ("theta", 0, 3.14), ("phi", 0, 6.28),
                   ("z", -1, 1), ("s", 0, 1), ("vec", 0.577, 0.578), ("ip*", 0, 700), ("face_num", 0, 11), ("i?", 0, 7)]

MUSL_OPTIONS = ["-Dhidden=", "-Dweak_alias(f, g)=", "-Dpredict_true(x)=(x)", "-Dpredict_false(x)=(x)"]

LIBRARIES = [
    Library("GSW", "gswteos-10.h", ["gswteos-10.h"], ["gsw_oceanographic_toolbox.c", "gsw_saar.c"], listed=GSW_LIST,
            ranges=GSW_RANGES, package=("gsw._gsw_ufuncs", "gsw_")),
    Library("ERFA", "erfa.h", ["erfa.h"], ["*.c"], ["t_erfa_c*.c", "erfaversion.c"], ERFA_LIST, ERFA_RANGES,
            package=("erfa.ufunc", "era")),
    Library("HEALPix", "healpix-utils.h", ["healpix.h"],
            ["healpix.c", "healpix-utils.c", "mathutil.c", "starutil.c"], listed=HEALPIX_LIST,
            ranges=HEALPIX_RANGES),
    Library("Cephes", "incbet.c", [], ["*.c"],
            ["drand.c", "ellf.c", "simpsn.c", "revers.c", "polylog.c", "planck.c", "cmplx.c", "*tst*.c", "setprec.c",
             "dtestvec.c", "clog.c", "mod2pi.c"], CEPHES_LIST, CEPHES_RANGES, package=("scipy.special", "")),
    # With libm.h of src/internal, fp_arch.h of arch/generic and an atomic.h; without features.h and long double, and for
    # --run without names that glibc declares: __sin, __cos, __tan.
    Library("musl", "__rem_pio2_large.c", [], ["*.c"], ["*l.c", "nan*.c"], options=MUSL_OPTIONS),
    # After `./configure` and `make -C gsl`.  Its error handler ends the process.
    Library("GSL", "gsl_sf_result.h", ["gsl_sf_*.h"], ["*.c"], ["*test*.c", "*_source.c", "cheb_eval*.c", "inline.c"],
            ranges=GSL_RANGES, folders=("specfunc", "sys", "complex"), instead=GSL_ERROR),
    # Its files are headers with static functions.
    Library("SGP4", "csgp4.h", ["csgp4.h"], [], listed=SGP4_LIST, ranges=SGP4_RANGES,
            options=["-DCSGP4_DECORATOR=", "-include", "stdio.h", "-include", "sys/types.h"]),
    Library("SPA", "spa.h", ["spa.h"], ["spa.c"]),
    Library("chealpix", "chealpix.h", ["chealpix.h"], ["chealpix.c"], ranges=CHEALPIX_RANGES),
]
# Cephes has a copy of common files in each folder, and folders of other precisions.
CEPHES_FOLDERS = ("cprob", "misc", "bessel", "ellf", "cmath")
CEPHES_MATH = {"acosh", "asin", "asinh", "atan", "atanh", "cosh", "exp", "fabs", "floor", "log", "log10", "pow", "sin",
               "sinh", "sqrt", "tan", "tanh"}  # of C's own library

FUNCTION = re.compile(r"gpucc_(?:vectorize\(\)|guvectorize\((?P<layout>.*)\))\s(?P<result>[\w ]+?[ *]+)"
                      r"(?P<name>\w+)\((?P<parameters>[^)]*)\)")
LEFT_OUT = re.compile(r"/\* Left out: (\w+): (.*?)\. \*/", re.DOTALL)


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
        elif self.library.folders:
            every = [path for path in every if path.parent.parent == place.parent and
                     path.parent.name in self.library.folders]
        elif self.library.marker:
            every = [path for path in every if path.parent == place]
        self.headers = [path for path in every if self.matches(path, self.library.headers)]
        self.sources = [path for path in every if path.suffix == ".c" and self.matches(path, self.library.sources)]
        self.include = sorted({path.parent.parent if self.library.folders else path.parent for path in every})

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

    def write_instead(self, place):
        """Adds the file of what others are left out for."""
        if self.library.instead:
            path = place / "instead.c"
            path.write_text(self.library.instead)
            self.sources.append(path)

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

    def __init__(self, text, names):
        found = re.match(r"(const )?(.*?)\s*(\*?)(\w+)((?:\[[^]]*\])*)$", text.strip())
        self.is_const, self.type, self.is_pointer, self.name = bool(found[1]), found[2], bool(found[3]), found[4]
        self.extents = re.findall(r"\[([^]]*)\]", found[5])
        self.is_size = self.name in names and not self.extents
        self.is_output = not self.is_const and (self.is_pointer or bool(self.extents))
        self.dtype = None

    def shape(self, sizes):
        return tuple(int(eval(extent, {}, sizes)) for extent in self.extents)

    def elements(self):
        return "".join(f"[{extent}]" for extent in self.extents)


class Function:
    """A function of a wrapped source, with the dtypes that the compiled program has."""

    def __init__(self, found):
        self.name, self.result = found["name"], found["result"].strip()
        texts = found["parameters"].replace("\n", " ").split(",")
        names = set(re.findall(r"[a-zA-Z_]\w*", " ".join(re.findall(r"\[([^]]*)\]", found["parameters"]))))
        self.operands = [Operand(text, names) for text in texts]
        self.sizes = {operand.name: 7 for operand in self.operands if operand.is_size}
        self.arrays = [operand for operand in self.operands if not operand.is_size]

    def set_dtypes(self, ufunc):
        """The result is the last operand."""
        import numpy
        inputs = [operand for operand in self.arrays if not operand.is_output]
        outputs = [operand for operand in self.arrays if operand.is_output]
        records = getattr(ufunc, "_records", [None] * (ufunc.nin + ufunc.nout))
        letters = ufunc.types[0].replace("->", "")
        dtypes = [record.dtype if record else numpy.dtype(letter) for record, letter in zip(records, letters)]
        for operand, dtype in zip(inputs + outputs, dtypes):
            operand.dtype = dtype
        self.result_dtype = dtypes[-1]

    def rows(self):
        """C that calls the function for each of some rows of its operands."""
        arguments = []
        for k, operand in enumerate(self.arrays):
            place = f"(({operand.type} (*){operand.elements()})a[{k}])[i]" if operand.extents else \
                    f"(({operand.type} *)a[{k}])[i]"
            by_address = operand.is_pointer and not operand.extents
            arguments.append(f"&{place}" if by_address else f"(void *){place}" if operand.extents else place)
        given = [f"{self.sizes[o.name]}" if o.is_size else arguments[self.arrays.index(o)] for o in self.operands]
        kept = "" if self.result == "void" else f"(({self.result} *)a[{len(self.arrays)}])[i] = "
        sizes = "".join(f"    enum {{ {name} = {size} }};\n" for name, size in self.sizes.items())
        return (f"void rows_of_{self.name}(size_t row_count, char **a)\n{{\n{sizes}"
                "    for (size_t i = 0; i < row_count; i++)\n"
                f"        {kept}{self.name}({', '.join(given)});\n}}\n")


def draw(random, dtype, shape, low, high):
    import numpy
    array = numpy.zeros(shape, dtype)
    if dtype.names:
        for name in dtype.names:
            array[name] = draw(random, array[name].dtype, array[name].shape, low, high)
    elif dtype.kind in "iub":
        array[...] = random.integers(int(low), int(high) + 1, shape)
    elif dtype.kind in "fc":
        array[...] = random.uniform(low, high, shape)
        if dtype.kind == "c":
            array.imag = random.uniform(low, high, shape)
    return array


def call_plain(library, function, inputs, count):
    """The outputs of the C function, called for each row of the inputs, and the seconds that it takes."""
    import numpy
    given, outputs = iter(inputs), []
    for operand in function.arrays:
        if operand.is_output:
            is_struct = operand.dtype.names is not None
            outputs.append(numpy.zeros((count, *operand.shape(function.sizes)), operand.dtype) if is_struct else
                           numpy.full((count, *operand.shape(function.sizes)), UNWRITTEN, operand.dtype))
    if function.result != "void":
        outputs.append(numpy.zeros(count, function.result_dtype))
    made = iter(outputs)
    arrays = [next(made) if operand.is_output else next(given) for operand in function.arrays] + list(made)
    addresses = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
    start = time.perf_counter()
    getattr(library, f"rows_of_{function.name}")(ctypes.c_size_t(count), addresses)
    return outputs, time.perf_counter() - start


def difference(a, b):
    """The largest difference from `b`, where that was written, relative to the largest element of each call; 0 where all
    bits agree."""
    import numpy
    if b.dtype.names:
        return max(difference(a[name], b[name]) for name in b.dtype.names)
    a = numpy.where(b == b.dtype.type(UNWRITTEN), b, a)
    if ((a == b) | ((a != a) & (b != b))).all():
        return 0.0
    if b.dtype.kind != "c":
        a, b = a.astype(float), b.astype(float)
    with numpy.errstate(all="ignore"):
        largest = numpy.abs(b).reshape(len(b), -1).max(axis=1).reshape(-1, *(1,) * (b.ndim - 1))
        error = numpy.abs(a - b) / numpy.maximum(largest, 1e-300)
    return float(numpy.where((a == b) | ((a != a) & (b != b)), 0, numpy.nan_to_num(error, nan=numpy.inf)).max())


def build_plain(files, wrapped, place, functions):
    """The library compiled by cc with a loop around each function; null after printing the error."""
    plain, loops = place / "plain.so", place / "rows.c"
    loops.write_text(f'#include "{wrapped}"\n' + "".join(function.rows() for function in functions))
    # GCC makes calls of sincos(), of which Cephes has another one.
    command = ["cc", "-w", "-std=gnu17", "-O2", "-fno-builtin", "-ffp-contract=off", "-DNDEBUG", "-fPIC", "-shared",
               "-Wl,-z,defs", "-Wl,-Bsymbolic", f"-I{ROOT / 'include'}", *files.options(), loops, *files.sources,
               "-o", plain, "-lm"]
    _, said = run(*command)
    missing = set(re.findall(r"undefined reference to `(\w+)'", said)) # in functions that are left out
    if missing:
        _, said = run(*command, *(f"-Wl,--defsym,{name}=0" for name in sorted(missing)))
    if said:
        print(f"  cc: {first_error(said)}")
    return None if said else ctypes.CDLL(str(plain))


def seconds_of(call, repeats=3):
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


class Package:
    """The ufuncs of the library's package, and how much faster ours are on one thread."""

    def __init__(self, library):
        self.name, self.prefix = library.package or ("", "")
        self.ratios = []
        try:
            self.module = importlib.import_module(self.name) if self.name else None
        except ImportError:
            self.module = None

    def time(self, name, inputs, ours):
        other = getattr(self.module, name.removesuffix("_wrapped").removeprefix(self.prefix).lower(), None)
        if other is None or getattr(other, "nin", 0) != len(inputs):
            return
        try:
            self.ratios.append((seconds_of(lambda: other(*inputs)) / ours, name))
        except (TypeError, ValueError): # other dtypes, or another layout
            return

    def print(self):
        print_ratios(f"beside {self.name}", self.ratios)


def print_ratios(beside, ratios):
    """How many times as fast each function is: the least, the quartiles, the most."""
    if not ratios:
        return
    ratios = sorted(ratios)
    quarter = [ratios[len(ratios) * k // 4][0] for k in (1, 2, 3)]
    print(f"  on one thread {beside}: {len(ratios)} functions, times as fast: least {ratios[0][0]:.2g} ({ratios[0][1]}), "
          f"quartiles {', '.join(f'{ratio:.2g}' for ratio in quarter)}, most {ratios[-1][0]:.2g} ({ratios[-1][1]})")


def time_function(library, ufunc, function, inputs):
    """How many times as fast as plain C it is on one thread, and its seconds."""
    import numpy
    count = len(inputs[0])
    got = ufunc(*inputs)
    outputs = tuple(numpy.empty_like(array) for array in (got if isinstance(got, tuple) else (got,)))
    ours = seconds_of(lambda: ufunc(*inputs, out=outputs if len(outputs) > 1 else outputs[0]))
    return min(call_plain(library, function, inputs, count)[1] for _ in range(3)) / ours, ours


def compare(files, wrapped, place, found, is_timed):
    """Counts functions whose results have the bits of the plain C build, are near them, or differ."""
    import numpy
    numpy.seterr(all="ignore")
    sys.path.insert(0, str(ROOT / "runtime/python"))
    os.environ.setdefault("GPUCC_LIBRARY", str(BUILD / "lib/libgpucc.so"))
    os.environ["GPUCC_CPU_THREADS"] = "1"
    import gpucc
    functions = [Function(each) for each in found if each["name"].removesuffix("_wrapped") not in ENDLESS]
    library = build_plain(files, wrapped, place, functions)
    if not library:
        return
    program, package, ratios = gpucc.load(str(wrapped.with_suffix(".so"))), Package(files.library), []
    random, counts = numpy.random.default_rng(1), collections.Counter()

    def drawn(function, count):
        return [draw(random, operand.dtype, (count, *operand.shape(function.sizes)),
                     *files.library.range_of(operand.name))
                for operand in function.arrays if not operand.is_output]

    for function in functions:
        ufunc = getattr(program, function.name)
        function.set_dtypes(ufunc)
        inputs = drawn(function, ROWS)
        print(function.name, file=sys.stderr, flush=True)
        signal.alarm(SLOW) # it ends this process
        expected, _ = call_plain(library, function, inputs, ROWS)
        got = tuple(numpy.zeros_like(array) for array in expected)
        ufunc(*inputs, out=got if len(got) > 1 else got[0])
        worst = max(map(difference, got, expected))
        kind = "same bits" if worst == 0 else "within 1e-12" if worst < 1e-12 else "within 1e-8" if worst < 1e-8 else "other"
        counts[kind] += 1
        if kind in ("other", "within 1e-8"):
            print(f"  {function.name}: relative difference {worst:.2g}")
        if is_timed:
            signal.alarm(12 * SLOW)
            inputs = drawn(function, TIMED_ROWS)
            ratio, ours = time_function(library, ufunc, function, inputs)
            ratios.append((ratio, function.name))
            package.time(function.name, inputs, ours)
        signal.alarm(0)
    print(f"  on the CPU beside cc: {', '.join(f'{count} {kind}' for kind, count in counts.most_common())}")
    print_ratios("beside cc -O2", ratios)
    package.print()


def compare_apart(files, wrapped, place, functions, is_timed):
    """In another process, which the library may end, and whose messages nobody reads."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        messages, own = os.open(place / "messages.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), os.dup(1)
        os.dup2(messages, 1)
        os.dup2(messages, 2)
        sys.stdout = os.fdopen(own, "w")
        compare(files, wrapped, place, functions, is_timed)
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
    files.write_instead(place)
    wrapped = place / "wrapped.c"
    wrap_time, said = wrap(files, wrapped, *([f"--select={arguments.select}"] if arguments.select else []))
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
    if (arguments.run or arguments.time) and not native_said:
        compare_apart(files, wrapped, place, functions, arguments.time)
    return not (ptx_said or native_said)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--loops")
    parser.add_argument("--select")
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
