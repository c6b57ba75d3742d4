"""Random numbers by another way than <gpucc/random.h>: checks what a kernel has saved.

    check_random.py philox|xoroshiro128p SEED COUNT WORDS.npy UNIFORM.npy     uint64 [threads, COUNT] and float32 alike
    check_random.py normal NORMAL.npy                                        moments"""
import ast
import struct
import sys

MASK = (1 << 64) - 1


def load(path):
    """The numbers of a file that `gpucc run` saved, one after the other."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<H", data, 8)[0]
    kind = ast.literal_eval(data[10 : 10 + size].decode())["descr"]
    letter = {"<u8": "Q", "<f4": "f", "<f8": "d"}[kind]
    return [x for x, in struct.iter_unpack("<" + letter, data[10 + size :])]


def moments(x):
    mean = sum(x) / len(x)
    return [mean + 0.0] + [sum((v - mean) ** k for v in x) / len(x) + 0.0 for k in (2, 3, 4)]


def philox_words(seed, stream):
    block = 0
    while True:
        c = [block & 0xffffffff, block >> 32, stream & 0xffffffff, stream >> 32]
        k = [seed & 0xffffffff, seed >> 32]
        for _ in range(10):
            a, b = 0xd2511f53 * c[0], 0xcd9e8d57 * c[2]
            c = [b >> 32 ^ c[1] ^ k[0], b & 0xffffffff, a >> 32 ^ c[3] ^ k[1], a & 0xffffffff]
            k = [(k[0] + 0x9e3779b9) & 0xffffffff, (k[1] + 0xbb67ae85) & 0xffffffff]
        yield from c
        block += 1


def rotate(x, n):
    return (x << n | x >> (64 - n)) & MASK


def step(s):
    mixed = s[0] ^ s[1]
    return rotate(s[0], 55) ^ mixed ^ (mixed << 14 & MASK), rotate(mixed, 36)


def jump(s):
    far = [0, 0]
    for word in (0xbeac0467eba5facb, 0xd86b048b86aa9922):
        for bit in range(64):
            if word >> bit & 1:
                far = [far[0] ^ s[0], far[1] ^ s[1]]
            s = step(s)
    return tuple(far)


def xoroshiro_first(seed):
    z = (seed + 0x9e3779b97f4a7c15) & MASK
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
    z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
    z ^= z >> 31
    return z, z


def expected(generator, seed, threads, count):
    """For each thread `count` 64-bit integers, then as many float32."""
    state = xoroshiro_first(seed)
    for thread in range(threads):
        if generator == "philox":
            words = philox_words(seed, thread)
            integers = [next(words) | next(words) << 32 for _ in range(count)]
            uniform = [(next(words) >> 8) / 2**24 for _ in range(count)]
        else:
            s, integers, uniform = state, [], []
            for k in range(2 * count):
                (integers if k < count else uniform).append((s[0] + s[1]) & MASK)
                s = step(s)
            uniform = [(x >> 40) / 2**24 for x in uniform]
            state = jump(state)
        yield integers, uniform


def main():
    if sys.argv[1] == "normal":
        print("mean %.2f, variance %.2f, skewness %.2f, kurtosis %.1f" % tuple(moments(load(sys.argv[2]))))
        return
    generator, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    words, uniform = load(sys.argv[4]), load(sys.argv[5])
    threads = len(words) // count
    for thread, (w, u) in enumerate(expected(generator, seed, threads, count)):
        part = slice(thread * count, (thread + 1) * count)
        assert words[part] == w, (thread, words[part], w)
        assert uniform[part] == u, (thread, uniform[part], u)
    print(f"{threads} threads as expected")


main()
