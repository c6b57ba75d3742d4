"""check_poisson.py DRAWS: whether each row of an .npy file of unsigned numbers is a sample of Poisson's distribution of
its lambda, by a chi-squared test of which one in a hundred thousand fails by chance."""
import array
import math
import sys

LAMBDAS = (0.25, 3, 9.9, 10, 80.5, 5000)
COUNT = 20000


def frequency(k, x):
    return math.exp(k * math.log(x) - x - math.lgamma(k + 1))


def chi_squared(sample, x):
    """The sum and its degrees of freedom, of bins in which 20 or more are expected."""
    counts = {k: sample.count(k) for k in set(sample)}
    total, bins, expected, found, seen = 0.0, 0, 0.0, 0, 0.0
    for k in range(max(0, int(x - 8 * math.sqrt(x) - 8)), int(x + 8 * math.sqrt(x) + 16)):
        expected += COUNT * frequency(k, x)
        found += counts.pop(k, 0)
        if expected >= 20 and COUNT - seen - expected >= 20:
            total += (found - expected) ** 2 / expected
            bins, seen, expected, found = bins + 1, seen + expected, 0.0, 0
    total += (found + sum(counts.values()) - expected) ** 2 / expected
    return total, bins


data = open(sys.argv[1], "rb").read()
draws = array.array("I", data[10 + int.from_bytes(data[8:10], "little"):])
assert len(draws) == 3 * len(LAMBDAS) * COUNT
wrong = 0
for row in range(3 * len(LAMBDAS)):
    x = LAMBDAS[row % len(LAMBDAS)]
    total, freedom = chi_squared(draws[row * COUNT:(row + 1) * COUNT], x)
    # Wilson and Hilferty: the cube root is about normal.
    deviation = ((total / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom))
    if abs(deviation) > 4.5:
        wrong += 1
        print(f"generator {row // len(LAMBDAS)}, lambda {x}: chi-squared {total:.1f} of {freedom}")
print(3 * len(LAMBDAS), "samples,", wrong, "that are not Poisson's")
