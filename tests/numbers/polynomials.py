"""Polynomials over GF(2), as integers whose bit i is coefficient i: for the tables by which random generators jump ahead."""


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
