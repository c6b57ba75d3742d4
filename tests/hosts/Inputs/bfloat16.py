"""bfloat16 in NumPy, which has no such type: two bytes under a name, the upper half of a float32."""
import numpy as np

BFLOAT16 = np.dtype([("bfloat16", "<u2")])
STICKY = np.uint64(0x7ff)  # the bits of 64 that a float64's fraction may lose


def widen(x):
    """As float32, exactly; other arrays as they are."""
    x = np.asarray(x)
    if x.dtype != BFLOAT16:
        return x
    return (x["bfloat16"].astype("u4") << np.uint32(16)).view("f4")


def _odd_float64(x):
    """Rounds integers to odd, so that a second rounding to fewer bits acts as if it were the only one."""
    magnitude = np.where(x < 0, -x.astype("i8"), x).astype("u8") if x.dtype.kind == "i" else x.astype("u8")
    lost = (magnitude & STICKY != 0) & (magnitude > np.uint64(2**53))
    magnitude = np.where(lost, magnitude & ~STICKY | STICKY + np.uint64(1), magnitude).astype("f8")
    return np.where(x < 0, -magnitude, magnitude)


def _odd_float32(x):
    """Rounds float64 to odd."""
    near = x.astype("f4")
    beyond = abs(near.astype("f8")) > abs(x)
    inexact = near.astype("f8") != x
    bits = near.view("u4") - beyond.astype("u4")  # toward zero, whatever the sign
    return (bits | (inexact & ~np.isnan(x)).astype("u4")).view("f4")


def narrow(x):
    """Rounded once, to nearest and ties to even."""
    x = np.asarray(x)
    if x.dtype == BFLOAT16:
        return x
    with np.errstate(all="ignore"):
        x = x.real.astype("f8") if x.dtype.kind in "fc" else _odd_float64(x) if x.dtype.kind in "iu" else x.astype("f8")
        bits = _odd_float32(x).view("u4")
    rounded = (bits + np.uint32(0x7fff) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    made = np.empty(x.shape, BFLOAT16)
    made["bfloat16"] = np.where(np.isnan(x), 0x7fc0, rounded)
    return made


def can_cast(given, to, rule):
    """numpy.can_cast(), with bfloat16 as a float of 8 bits of precision and float32's range."""
    given, to = np.dtype(given), np.dtype(to)
    if BFLOAT16 not in (given, to):
        return np.can_cast(given, to, rule)
    if given == to or rule == "unsafe":
        return True
    if rule in ("no", "equiv"):
        return False
    if given == BFLOAT16:
        return to.kind in "fc" and (rule == "same_kind" or to != "f2")
    return given.kind in "biuf" if rule == "same_kind" else given in ("?", "i1", "u1")
