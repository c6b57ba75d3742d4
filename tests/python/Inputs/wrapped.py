"""wrapped.py: the ufuncs and gufuncs of wrapped.so against the C functions of plain.so, which ctypes calls."""
import ctypes

import numpy as np

import gpucc

solid, plain = gpucc.load("./wrapped.so"), ctypes.CDLL("./plain.so")
random = np.random.default_rng(5)


def call(name, *arguments, result=None):
    """Calls the C function with numbers as double and arrays as pointers."""
    function = getattr(plain, name)
    function.restype = result
    return function(*[x.ctypes.data_as(ctypes.c_void_p) if isinstance(x, np.ndarray) else
                      ctypes.c_double(x) if isinstance(x, float) else x for x in arguments])


def out(*shape, dtype=float):
    return np.full(shape, 99, dtype)


double = ctypes.c_double
xs = random.uniform(-50, 50, 100)
vectors, others = random.normal(size=(2, 40, 3))

for x, volume in zip(xs, solid.sphere_volume(xs)):
    assert volume == call("sphere_volume", float(x), result=double)
for x, area, volume in zip(xs, *solid.sphere(xs)):
    a, v = out(1), out(1)
    call("sphere", float(x), a, v)
    assert (area, volume) == (a[0], v[0])
for x, whole, rest in zip(xs, *solid.litres_wrapped(xs, 1000.0)):
    w, r = out(1, dtype=np.int64), out(1)
    call("litres", float(x), w, 1000.0, r)
    assert (whole, rest) == (w[0], r[0])
radii, failed = solid.sphere_radius_wrapped(xs)
assert failed.dtype == bool and (failed == (xs < 0)).all() and (radii[failed] == 0).all()
for x, radius in zip(xs, radii):
    r = out(1)
    call("sphere_radius", float(x), r, result=ctypes.c_int)
    assert abs(radius - r[0]) <= 1e-15 * r[0] # the C library's cbrt() is another one
for x, value, quotient in zip(xs, *solid.modulus_wrapped(xs)):
    q = out(1, dtype=np.int32)
    assert value == call("modulus", float(x), q, result=double) and quotient == q[0]
kept = xs.copy()
for x, angle in zip(xs, solid.normalize_angle_wrapped(xs)):
    a = np.array([x])
    call("normalize_angle", a)
    assert angle == a[0]
assert (xs == kept).all()
for a, b, product, dot in zip(vectors, others, solid.cross_wrapped(vectors, others), solid.dot_wrapped(vectors, others)):
    p = out(3)
    call("cross", a.copy(), b.copy(), p)
    assert (product == p).all() and dot == call("dot", a.copy(), b.copy(), result=double)
matrices = random.normal(size=(20, 3, 3))
kept = matrices.copy()
for m, rotated in zip(matrices, solid.rotate_x_wrapped(0.25, matrices)):
    r = m.copy()
    call("rotate_x", 0.25, r)
    assert np.allclose(rotated, r, rtol=1e-14, atol=1e-15)
assert (matrices == kept).all()
for points in (vectors, others[:7]):
    at = out(3)
    call("centre", len(points), np.ascontiguousarray(points), at)
    assert (solid.centre_wrapped(points) == at).all()
between = out(99)
call("differences", xs, len(xs), between)
assert (solid.differences_wrapped(xs) == between).all()
assert solid.average(xs) == call("mean", xs, ctypes.c_size_t(len(xs)), result=double)
assert (solid.squared_wrapped(xs) == xs * xs).all()
least = out(1)
call("minimum", vectors[0].copy(), least, result=ctypes.c_void_p)
assert (solid.minimum_wrapped(vectors)[0] == least).all()
assert not hasattr(solid, "buffered") and not hasattr(solid, "scaled")
body = np.dtype([("mass", "f8"), ("centre", "f8", 3)], align=True)
bodies = solid.body_new_wrapped(np.abs(xs[:40]) + 1, vectors)
assert bodies.dtype == body and (bodies["mass"] == np.abs(xs[:40]) + 1).all() and (bodies["centre"] == vectors).all()
heavy, status = solid.heavier_wrapped(0.5, bodies)
assert (heavy["mass"] == bodies["mass"] * 0.5).all() and (status == (heavy["mass"] > 1)).all()
assert (solid.body_mass_wrapped(bodies) == bodies["mass"]).all()
for a, b, distance in zip(bodies, bodies[::-1], solid.body_distance_wrapped(bodies, bodies[::-1])):
    assert distance == call("body_distance", np.array([a]), np.array([b]), result=double)
total, heaviest = solid.total_mass_wrapped(bodies)
assert total == call("total_mass", 40, bodies, np.zeros(1, body), result=double)
assert heaviest == bodies[bodies["mass"].argmax()]
shells = solid.shell_of_wrapped(xs, np.float32(0.25))
assert shells.dtype.names == ("inner", "outer") and (shells["inner"] == xs.astype("f4")).all()
assert not solid.shell_volume_wrapped(shells)[1].any()
print("all right")
