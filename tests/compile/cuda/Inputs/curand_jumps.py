"""Prints stdlib/include/curand_jumps.h: by what the generators of curand_kernel.h jump ahead.

XORWOW's shift register (Marsaglia, "Xorshift RNGs", 2003) is linear over GF(2), and MRG32k3a (L'Ecuyer, "Good parameters
and implementations for combined multiple recursive random number generators", 1999) is two linear recurrences modulo
primes.  2^j steps are x^(2^j) modulo the register's minimal polynomial, of degree 160 (Massey, "Shift-register synthesis
and BCH decoding", 1969), and a matrix to the power of 2^j."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "numbers"))
from polynomials import minimal_polynomial, square  # noqa: E402

MASK = (1 << 32) - 1
MODULI = (4294967087, 4294944443)
STEPS = ([[0, 1, 0], [0, 0, 1], [-810728, 1403580, 0]], [[0, 1, 0], [0, 0, 1], [-1370589, 0, 527612]])


def bits(count):
    v = [1, 2, 3, 4, 5]
    for _ in range(count):
        yield v[0] & 1
        t = v[0] ^ v[0] >> 2
        v = v[1:] + [(v[4] ^ v[4] << 4 ^ t ^ t << 1) & MASK]


def product(a, b, m):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) % m for j in range(3)] for i in range(3)]


def power(matrix, m, squarings):
    for _ in range(squarings):
        matrix = product(matrix, matrix, m)
    return [[x % m for x in row] for row in matrix]


def main():
    print("/* By what curand_kernel.h's generators jump ahead: python3 tests/compile/cuda/Inputs/curand_jumps.py */")
    print("#ifndef GPUCC_CURAND_JUMPS_H\n#define GPUCC_CURAND_JUMPS_H\n")
    print("/* 2^j steps of XORWOW, j = 0 ... 130, as polynomials, the lowest 32 coefficients first. */")
    print("static const unsigned gpucc_xorwow_jumps[131][5] __attribute__((unused)) = {")
    polynomial, degree = minimal_polynomial(list(bits(640)))
    assert degree == 160
    jump = 2
    for _ in range(131):
        print("    {" + ", ".join(f"0x{jump >> 32 * k & MASK:08x}" for k in range(5)) + "},")
        jump = square(jump, polynomial)
    print("};\n")
    print("/* 1, 2^76 and 2^127 steps of MRG32k3a's first recurrence, and of its second. */")
    print("static const unsigned gpucc_mrg32k3a_jumps[2][3][3][3] __attribute__((unused)) = {")
    for step, m in zip(STEPS, MODULI):
        print("    {")
        for squarings in (0, 76, 127):
            rows = ("{" + ", ".join(f"{x}u" for x in row) + "}" for row in power(step, m, squarings))
            print("        {" + ",\n         ".join(rows) + "},")
        print("    },")
    print("};\n\n#endif")


main()
