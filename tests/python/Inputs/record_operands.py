"""Structured arrays as operands of gufuncs: record_operands.py [DEVICE]"""
import sys

import gpucc
import numpy as np

program = gpucc.compile("""
#include <gpucc.h>
struct place { double x, y; };
struct star { struct place at; float colours[3]; unsigned char kind; double power; };
struct pair { short a, b, c; };
typedef struct { float re, im; } number;

guvectorize((),()->()) void scale(const struct star *from, double by, double *out)
{
    *out = by * (from->at.x + from->at.y) * from->power + (double)from->colours[1];
}
guvectorize((n),()->()) void total(size_t n, const struct star s[n], double by, double *out)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += by * s[i].power + s[i].kind;
    *out = sum;
}
guvectorize((),()->()) void moved(const struct star *from, double by, struct star *to)
{
    *to = *from;
    to->at.x += by;
    to->kind++;
}
guvectorize((n)->(n),()) void turned(size_t n, const struct pair p[n], struct pair out[n], int *sum)
{
    int s = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct pair){p[i].c, p[i].a, p[i].b};
        s += p[i].a;
    }
    *sum = s;
}
guvectorize((),()->()) void product(const number *a, const number *b, number *c)
{
    *c = (number){a->re * b->re, a->im * b->im};
}
""", options=["-O3"])
device = {"device": sys.argv[1]} if len(sys.argv) > 1 else {}
star = np.dtype([("at", [("x", "f8"), ("y", "f8")]), ("colours", "f4", 3), ("kind", "u1"), ("power", "f8")], align=True)
pair = np.dtype([("a", "i2"), ("b", "i2"), ("c", "i2")])
number = np.dtype([("re", "f4"), ("im", "f4")])
count = 0


def expect(found, want):
    global count
    count += 1
    assert np.asarray(found).dtype == np.asarray(want).dtype and np.array_equal(found, want), (found, want)


def refused(call, *operands):
    global count
    count += 1
    try:
        call(*operands)
    except gpucc.BadType as error:
        assert "lays fields out as C does" in str(error), error
    else:
        raise AssertionError(f"{operands} were not refused")


stars = np.zeros(12, star)
stars["at"]["x"], stars["at"]["y"], stars["power"] = np.arange(12), 2, np.arange(12) + 1
stars["colours"], stars["kind"] = np.arange(36).reshape(12, 3), np.arange(12)


def scaled(s, by):
    return by * (s["at"]["x"] + s["at"]["y"]) * s["power"] + s["colours"][..., 1]


for view in (stars, stars[::-1], stars[::3], stars.reshape(3, 4), stars.reshape(3, 4).T, stars[:1], stars[:0]):
    expect(program.scale(view, 2.0, **device), scaled(view, 2.0))
    moved = program.moved(view, 0.5, **device)
    want = view.copy()
    want["at"]["x"] += 0.5
    want["kind"] += 1
    expect(moved, want)
expect(program.scale(stars[3], 2.0, **device), scaled(stars[3], 2.0))
expect(program.scale(stars[3], [1.0, 2.0], **device), scaled(stars[3], np.array([1.0, 2.0])))
expect(program.total(stars, 2.0, **device), (2.0 * stars["power"] + stars["kind"]).sum())
expect(program.total(stars.reshape(3, 4), 2.0, **device), (2.0 * stars["power"] + stars["kind"]).reshape(3, 4).sum(1))
out = np.zeros(12, star)
assert program.moved(stars, 1.0, out=out, **device) is out
expect(out["at"]["x"], stars["at"]["x"] + 1)
pairs = np.array([[(1, 2, 3), (4, 5, 6)], [(7, 8, 9), (10, 11, 12)]], pair)
turned, sums = program.turned(pairs, **device)
expect(turned, np.array([[(3, 1, 2), (6, 4, 5)], [(9, 7, 8), (12, 10, 11)]], pair))
expect(sums, np.array([5, 17], "i4"))
numbers = np.array([(1, 2), (3, 4)], number)
expect(program.product(numbers, numbers[1], **device), np.array([(3, 8), (9, 16)], number))
packed = np.dtype([("at", [("x", "f8"), ("y", "f8")]), ("colours", "f4", 3), ("kind", "u1"), ("power", "f8")])
refused(program.scale, stars.astype(packed), 1.0)
refused(program.scale, np.zeros(3), 1.0)
refused(program.product, numbers, numbers.view([("re", "f4"), ("imaginary", "f4")]))
refused(program.product, numbers, numbers.view([("re", "i4"), ("im", "f4")]))
print(count, "comparisons")
