"""The polynomials by which xoroshiro128+ jumps ahead by 2^64 * 2^k steps, k = 0 … 31, as <gpucc/random.h> has them.

One step is linear over GF(2), so its minimal polynomial P, of degree 128, follows from 256 successive bits (Massey,
"Shift-register synthesis and BCH decoding", 1969).  A jump by n steps is x^n mod P, applied to the state."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "numbers"))
from polynomials import minimal_polynomial, square  # noqa: E402

MASK = (1 << 64) - 1


def rotate(x, n):
    return (x << n | x >> (64 - n)) & MASK


def step(s0, s1):
    s1 ^= s0
    return rotate(s0, 55) ^ s1 ^ (s1 << 14 & MASK), rotate(s1, 36)


def bits(count):
    state = (1, 2)
    for _ in range(count):
        yield state[0] & 1
        state = step(*state)


def main():
    polynomial, degree = minimal_polynomial(list(bits(512)))
    assert degree == 128
    jump = 2
    for k in range(63 + 32):
        jump = square(jump, polynomial)
        if k >= 63:
            print(f"{{0x{jump & MASK:016x}, 0x{jump >> 64:016x}}},")


main()
