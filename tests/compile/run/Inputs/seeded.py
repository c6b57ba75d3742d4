"""seeded.py SEED COUNT: the first numbers of random:COUNT:float64:SEED, by the formula in docs/reference/run.md."""
import sys

MASK = (1 << 64) - 1


def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


seed, count = int(sys.argv[1]), int(sys.argv[2])
print("  first  ", *((mix(mix(seed) + (i + 1) * 0x9E3779B97F4A7C15 & MASK) >> 11) / 2**53 for i in range(count)))
