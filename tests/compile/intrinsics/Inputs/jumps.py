"""The polynomials by which xoroshiro128+ jumps ahead by 2^64 * 2^k steps, k = 0 … 31, as <gpucc/random.h> has them.

One step is linear over GF(2), so its minimal polynomial P, of degree 128, follows from 256 successive bits (Massey,
"Shift-register synthesis and BCH decoding", 1969).  A jump by n steps is x^n mod P, applied to the state."""

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


def minimal_polynomial(sequence):
    """Berlekamp and Massey; coefficient i of the connection polynomial is bit i."""
    connection, previous, length, since = 1, 1, 0, 1
    for n in range(len(sequence)):
        discrepancy = sum(sequence[n - i] for i in range(length + 1) if connection >> i & 1) & 1
        if not discrepancy:
            since += 1
            continue
        before = connection
        connection ^= previous << since
        if 2 * length <= n:
            length, previous, since = n + 1 - length, before, 1
        else:
            since += 1
    return int(format(connection, f"0{length + 1}b")[::-1], 2), length


def modulo(a, p):
    while a.bit_length() >= p.bit_length():
        a ^= p << (a.bit_length() - p.bit_length())
    return a


def square(a, p):
    return modulo(int("0".join(bin(a)[2:]), 2), p)


def main():
    polynomial, degree = minimal_polynomial(list(bits(512)))
    assert degree == 128
    jump = 2
    for k in range(63 + 32):
        jump = square(jump, polynomial)
        if k >= 63:
            print(f"{{0x{jump & MASK:016x}, 0x{jump >> 64:016x}}},")


main()
