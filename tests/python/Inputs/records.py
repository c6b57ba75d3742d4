"""records.py: kernels take records whose fields lie as the C struct's members do, and refuse others."""
import ctypes

import numpy as np

import gpucc
from check import raises

program = gpucc.compile("""
#include <gpucc.h>
#include <gpucc/vector.h>
struct pair { float32 x; int32 k; };
struct cell {
    struct pair pairs[2]; uint8 name[4]; float32 at[3]; float64 *next;
    union { int32 whole; float32 real; };
    uint32 low : 3;
};
struct empty_ends { int8 tag; float64 value; };
kernel void sum(size_t n, const struct pair *pairs, float64 out[n])
{
    size_t i = grid(1);
    if (i < n)
        out[i] = (float64)pairs[i].x + 1000 * pairs[i].k;
}
kernel void one(struct pair p, float64 out[1]) { out[0] = (float64)p.x + 1000 * p.k; }
kernel void cells(const struct cell *c, float64 out[1]) { out[0] = c[0].pairs[1].k + c[0].name[3] + c[0].at[2] + c[0].whole; }
kernel void padded(const struct empty_ends *e, float64 out[1]) { out[0] = e[0].tag + e[0].value; }
kernel void vectors(const float4 *v, float64 out[1]) { out[0] = v[0].x + 10 * v[0].y + 100 * v[0].z + 1000 * v[0].w; }
""", name="records")
out = np.zeros(1)
PAIR = [("x", "f4"), ("k", "i4")]


def fields(*parts, itemsize=8):
    return np.dtype({"names": [p[0] for p in parts], "formats": [p[1] for p in parts], "offsets": [p[2] for p in parts],
                     "itemsize": itemsize})


def run(name, dtype, values):
    """Both ways of a record: in an array, and by value."""
    array = np.array([values], dtype)
    if name == "sum":
        program.one(array[0], out, threads=1)
        by_value = out[0]
        program.sum(1, array, out, threads=1)
        assert out[0] == by_value
    else:
        program[name](array, out, threads=1)
    return out[0]


def test_accepted():
    assert run("sum", PAIR, (2, 3)) == 3002
    assert run("sum", [("a", "f4"), ("b", "i4")], (2, 3)) == 3002  # names of their own
    assert run("sum", fields(("k", "i4", 4), ("x", "f4", 0)), (3, 2)) == 3002  # in another order, at the same places
    assert run("sum", fields(("k", "i4", 4)), (3,)) >= 3000  # a part of the fields
    cell = np.dtype([("pairs", PAIR, 2), ("name", "S4"), ("at", "f4", 3), ("next", "u8"), ("whole", "i4"),
                     ("bits", "u4")], align=True)
    assert cell.itemsize == 48
    assert run("cells", cell, ([(1, 2), (3, 4)], b"abcd", (5, 6, 7), 0, 8, 0)) == 4 + ord("d") + 7 + 8
    assert run("padded", np.dtype([("tag", "i1"), ("value", "f8")], align=True), (1, 2)) == 3
    assert run("padded", np.dtype([("tag", "i1"), ("gap", "V7"), ("value", "f8")]), (1, b"", 2)) == 3
    assert run("vectors", [(n, "f4") for n in "xyzw"], (1, 2, 3, 4)) == 4321
    program.one(b"\0" * 8, out, threads=1)
    assert out[0] == 0

    class Pair(ctypes.Structure):
        _fields_ = [("x", ctypes.c_float), ("k", ctypes.c_int32)]
    program.one(Pair(2, 3), out, threads=1)
    assert out[0] == 3002


def test_refused():
    for name, dtype, *parts in (
            ("sum", [("k", "i4"), ("x", "f4")], "struct pair", "field k", "int32 at byte 0", "x (float32 at byte 0)"),
            ("sum", [("x", "i4"), ("k", "i4")], "field x", "int32 at byte 0"),
            ("sum", [("x", "f4"), ("k", "u4")], "field k", "uint32"),
            ("sum", [("x", ">f4"), ("k", "i4")], "field x", ">f4"),
            ("sum", fields(("x", "f2", 0), ("k", "i4", 4)), "field x", "float16"),
            ("sum", fields(("x", "f4", 2)), "field x", "byte 2"),
            ("sum", [("k", "f4"), ("x", "i4")], "field k"),  # the types fit, and the names are exchanged
            ("sum", [("all", "f8")], "field all", "float64"),
            ("padded", fields(("value", "f8", 0), ("tag", "i1", 8), itemsize=16), "field value"),
            ("cells", np.dtype([("pairs", PAIR[::-1], 2), ("rest", "V32")]), "pairs"),
            ("vectors", [("x", "f4"), ("z", "f4"), ("y", "f4"), ("w", "f4")], "field z"),
            ("vectors", [("a", "f8"), ("b", "f8")], "field a")):
        for by_value in (False, True):
            with raises(gpucc.BadType, *parts):
                array = np.zeros(1, dtype)
                if by_value:
                    program.one(array[0], out, threads=1) if name == "sum" else program[name](array, out, threads=1)
                else:
                    run(name, dtype, array[0])

    class Turned(ctypes.Structure):
        _fields_ = [("k", ctypes.c_int32), ("x", ctypes.c_float)]
    with raises(gpucc.BadType, "field k"):
        program.one(Turned(2, 3), out, threads=1)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
print("all right")
