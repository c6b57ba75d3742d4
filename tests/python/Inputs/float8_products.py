"""float8_products.py DEVICE [OPTION…]: products of 8-bit floating-point matrices beside exact ones."""
import sys

import numpy as np

import gpucc
from float8 import E4M3, VALUES, array, codes, device, nearest, rng

SOURCE = """
#include <gpucc.h>
vectorize() float8_e4m3fn quantise(float x, float scale) { return float8_e4m3fn_from(x * scale); }
vectorize() float same(float x) { return x; }
vectorize() bfloat16 scaled_sum(float x, float rows, float columns) { return (bfloat16)(x * rows * columns); }
fuse(product44, same(matmul(float8_e4m3fn(a), float8_e4m3fn(b))));
fuse(product45, same(matmul(float8_e4m3fn(a), float8_e5m2(b))));
fuse(product54, same(matmul(float8_e5m2(a), float8_e4m3fn(b))));
fuse(product55, matmul(float8_e5m2(a), float8_e5m2(b)));
fuse(product_scaled, scaled_sum(matmul(float8_e4m3fn(a), float8_e4m3fn(b)), rows, columns));
fuse(product_quantised, quantise(matmul(float8_e4m3fn(a), float8_e4m3fn(b)), scale));
fuse(quantised_product, matmul(quantise(a, scale), float8_e4m3fn(b)));
"""


def check(made, exact, sizes, digits):
    """Errors are below some parts of the sum of magnitudes."""
    worst = np.max(abs(made - exact) / np.maximum(sizes, 1e-30))
    assert worst <= 2.0**-digits, worst


def test_products():
    cases = ((program.product44, "float8_e4m3fn", "float8_e4m3fn"), (program.product45, "float8_e4m3fn", "float8_e5m2"),
             (program.product54, "float8_e5m2", "float8_e4m3fn"), (program.product55, "float8_e5m2", "float8_e5m2"))
    for i, (m, k, n) in enumerate(((1, 1, 1), (17, 33, 9), (130, 272, 200), (64, 128, 64), (5, 700, 300))):
        for function, left, right in cases if i < 2 else cases[i % 4:i % 4 + 1]:
            a, b = rng.integers(0, 0x78, (m, k)), rng.integers(0, 0x78, (k, n))
            a, b = a | rng.integers(0, 2, (m, k)) << 7, b | rng.integers(0, 2, (k, n)) << 7
            x, y = array(a, left), array(b.T.copy() if i % 2 else b, right)
            made = function(x, y.T if i % 2 else y)
            u, v = VALUES[left][a], VALUES[right][b]
            assert str(made.dtype) == "float32"
            check(made.to_numpy(), u @ v, abs(u) @ abs(v), 20)
    a, b = rng.integers(0x20, 0x40, (65, 96)), rng.integers(0x20, 0x40, (96, 40))
    x, y, u, v = array(a, "float8_e4m3fn"), array(b, "float8_e4m3fn"), E4M3[a], E4M3[b]
    rows, columns = rng.random((65, 1), "f4"), rng.random(40, "f4")
    give = [gpucc.asarray(each, device=device, copy=True) for each in (rows, columns)]
    made = program.product_scaled(x, y, *give).astype("f4").to_numpy()
    check(made, u @ v * rows * columns, u @ v, 8)
    made = program.product_quantised(x, y, np.float32(0.25))
    assert (codes(made) == nearest((u @ v).astype("f4") * np.float32(0.25), "float8_e4m3fn")).mean() > 0.99
    z = rng.standard_normal((65, 96)).astype("f4")
    made = program.quantised_product(gpucc.asarray(z, device=device, copy=True), np.float32(2), y).to_numpy()
    w = E4M3[nearest(z * np.float32(2), "float8_e4m3fn")]
    check(made, w @ v, abs(w) @ v, 20)
    made = x @ array(b, "float8_e5m2")  # an operator's loop is for these types
    check(made.to_numpy(), u @ VALUES["float8_e5m2"][b], u @ VALUES["float8_e5m2"][b], 20)
    if "--arch=sm_80,sm_90a" in sys.argv:  # on 16 multiprocessors in four bands
        a, b = rng.integers(0x20, 0x40, (8, 1, 160)), rng.integers(0x20, 0x40, (256, 160))
        x, y = array(a, "float8_e4m3fn"), array(b, "float8_e5m2")
        exact = E4M3[a] @ VALUES["float8_e5m2"][b].T
        check(program.product45(x, y.T).to_numpy(), exact, exact, 20)


if __name__ == "__main__":
    program = gpucc.compile(SOURCE, options=sys.argv[2:])
    test_products()
    print("products are right")
