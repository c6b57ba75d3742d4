"""The functions of the device headers that random programs call, by what they take and give."""
from scalars import FLOAT32, FLOAT64, INT32, INT64, UINT32, UINT64
from tree import MathFunction

_ONE = """sin cos tan asin acos atan sinpi cospi tanpi asinpi acospi atanpi sinh cosh tanh asinh acosh atanh
    exp exp2 exp10 expm1 exp2m1 exp10m1 log log2 log10 log1p log2p1 log10p1 sqrt rsqrt cbrt rcbrt erf erfc erfcx erfinv
    erfcinv normcdf normcdfinv lgamma tgamma j0 j1 y0 y1 cyl_bessel_i0 cyl_bessel_i1 floor ceil trunc round roundeven
    rint logb fabs nextup nextdown""".split()
_CHEAP = "sin cos exp exp2 log log2 sqrt rsqrt floor ceil trunc round rint fabs".split()  # half of all calls
_TWO = """atan2 atan2pi pow powr hypot rhypot fmod remainder nextafter fdim fmax fmin fmaximum fminimum fmaximum_num
    fminimum_num fmaximum_mag fminimum_mag""".split()
_THREE = "fma norm3d rnorm3d".split()
_WITH_INTEGER = {"ldexp": INT32, "scalbn": INT32, "scalbln": INT64, "pown": INT64, "rootn": INT64, "compoundn": INT64}
_TO_INTEGER = {"lrint": INT64, "llrint": INT64, "lround": INT64, "llround": INT64, "ilogb": INT32, "llogb": INT64}


def _both(name, parameters, result):
    """For double, and with an f behind the name for float; `None` stands for that type."""
    for number, suffix in ((FLOAT32, "f"), (FLOAT64, "")):
        yield MathFunction(name + suffix, tuple(p or number for p in parameters), result or number)


def _make():
    for name in _ONE:
        yield from _both(name, (None,), None)
    for name in _TWO:
        yield from _both(name, (None, None), None)
    for name in _THREE:
        yield from _both(name, (None, None, None), None)
    for name, integer in _WITH_INTEGER.items():
        yield from _both(name, (None, integer), None)
    for name, integer in _TO_INTEGER.items():
        yield from _both(name, (None,), integer)


REAL = tuple(_make())  # of <math.h>; the reference takes gpucc's own native code for them
CHEAP = tuple(f for f in REAL if f.name.removesuffix("f") in _CHEAP or f.name in _CHEAP)

# Functions of <gpucc.h> and <gpucc/arithmetic.h>, which have them in C for other compilers.
INTEGER = tuple(
    MathFunction(name, parameters, result, plain=True)
    for name, parameters, result in (
        [(n, (t,), t if n == "gpucc_brev" else INT32) for n in ("gpucc_popc", "gpucc_clz", "gpucc_ffs", "gpucc_brev")
         for t in (UINT32, UINT64)]
        + [("gpucc_byte_perm", (UINT32,) * 3, UINT32), ("gpucc_dp4a", (INT32,) * 3, INT32),
           ("gpucc_dp4a", (UINT32,) * 3, UINT32), ("gpucc_sad", (INT32, INT32, UINT32), UINT32),
           ("gpucc_sad", (UINT32,) * 3, UINT32)]
        + [(f"gpucc_funnelshift_{n}", (UINT32,) * 3, UINT32) for n in ("l", "r", "lc", "rc")]
        + [("gpucc_mulhi", (t, t), t) for t in (INT32, UINT32, INT64, UINT64)]
        + [("gpucc_mul24", (t, t), t) for t in (INT32, UINT32)]
        + [(f"gpucc_{n}", (t, t), t) for n in ("floor_divide", "modulo", "remainder_of", "left_shift", "right_shift")
           for t in (INT32, INT64, UINT32, UINT64)]
        + [("gpucc_gcd", (t, t), t) for t in (INT32, UINT64)]))
