"""random_numbers.py DEVICE…: gpucc.random against Philox by NumPy, on these devices."""
import sys

import numpy as np

import gpucc


def words(key, stream, count):
    """The first `count` words of a key's stream, as 64-bit numbers below 2^32."""
    block = np.arange((count + 3) // 4, dtype=np.uint64)
    low, shift = np.uint64(0xffffffff), np.uint64(32)
    x = [block & low, block >> shift, np.full_like(block, stream), np.zeros_like(block)]
    k = [np.uint64(key) & low, np.uint64(key) >> shift]
    for _ in range(10):
        a, b = x[0] * np.uint64(0xd2511f53), x[2] * np.uint64(0xcd9e8d57)
        x = [(b >> shift) ^ x[1] ^ k[0], b & low, (a >> shift) ^ x[3] ^ k[1], a & low]
        k = [(k[0] + np.uint64(0x9e3779b9)) & low, (k[1] + np.uint64(0xbb67ae85)) & low]
    return np.stack(x, 1).ravel()[:count]


def doubles(key, count):
    w = words(key, 0, 2 * count).reshape(-1, 2)
    return w[:, 1] << np.uint64(32) | w[:, 0]


KEY = 0x123456789abcdef1
COUNTS = 1, 2, 3, 4, 5, 1001
compared = 0


def same(x, y):
    global compared
    compared += 1
    x = x.to_numpy() if isinstance(x, gpucc.Array) else x
    assert x.dtype == y.dtype and np.array_equal(x, y), (x, y)


def check_device(device):
    random = gpucc.random
    for n in COUNTS:
        singles = (words(KEY, 0, n) >> np.uint64(8)).astype("f4") * np.float32(2**-24)
        same(random.uniform(KEY, n, device=device), singles)
        same(random.uniform(KEY, n, "f8", device=device), (doubles(KEY, n) >> np.uint64(11)).astype("f8") * 2.0**-53)
        wide = [int(w) for w in doubles(KEY, n)]
        for dtype, low, high in (("i8", -2**63, 2**63), ("i4", -7, 1000), ("u1", 0, 256), ("u8", 5, 6), ("i2", -1, 2**15)):
            expected = np.array([low + ((high - low) * w >> 64) for w in wide], dtype)
            same(random.integers(KEY, low, high, n, dtype, device=device), expected)
    same(random.uniform(KEY, (3, 5, 7), device=device).reshape(-1), random.uniform(KEY, 105, device=device).to_numpy())
    for dtype, low, high in (("f4", 1e8, 1e8 + 8), ("f4", 1e8, 1e8 + 64), ("f8", 2.0**53, 2.0**53 + 4),
                             ("f4", 5, 5), ("f4", 0, 1e-44)):
        made = random.uniform(KEY, 1000, dtype, low, high, device=device).to_numpy()
        assert low <= made.min() and made.max() < np.dtype(dtype).type(high) or low == high == made.max(), (made, low, high)
    for low, high in (0, np.inf), (-3e38, 3e38), (0, 1e39), (np.nan, 1):
        try:
            random.uniform(KEY, 8, "f4", low, high, device=device)
            raise AssertionError((low, high))
        except ValueError as error:
            assert "a finite float32" in str(error)
    with np.errstate(all="raise"):
        random.uniform(KEY, 8, "f4", 0, 1e-44, device=device)
    assert random.uniform(KEY, 99, "f4", 3, 1, device=device).to_numpy().min() < 2  # falls from 3
    assert random.uniform(KEY, (), device=device).shape == () and random.uniform(KEY, (0, 3), device=device).size == 0


def check_normal(device):
    uniform = {"f4": (words(KEY, 0, 10**5) >> np.uint64(8)) * 2.0**-24, "f8": (doubles(KEY, 10**5) >> np.uint64(11)) * 2.0**-53}
    for dtype, u in uniform.items():
        radius, turn = np.sqrt(-2 * np.log(1 - u[::2])), 2 * np.pi * u[1::2]
        expected = np.stack([radius * np.cos(turn), radius * np.sin(turn)], 1).ravel()
        made = gpucc.random.normal(KEY, 10**5, dtype, device=device).to_numpy()
        assert np.abs(made - expected).max() < (2e-6 if dtype == "f4" else 1e-14)
        assert abs(made.mean()) < 0.015 and abs(made.std() - 1) < 0.01
        same(gpucc.random.normal(KEY, 10**5, dtype, device="cpu"), made)
        shifted = gpucc.random.normal(KEY, 1001, dtype, mean=3, deviation=2, device=device).to_numpy()
        assert np.abs(shifted - (3 + 2 * made[:1001])).max() < 1e-5


def check_keys():
    pairs = [int(a) | int(b) << 32 for a, b in words(KEY, 1, 10).reshape(-1, 2)]
    assert gpucc.random.split(KEY, 5) == pairs and gpucc.random.split(KEY) == pairs[:2]
    folded = [gpucc.random.fold(KEY, i) for i in (0, 1, 2)]
    assert folded == [int(a) | int(b) << 32 for a, b in words(KEY, 2, 6).reshape(-1, 2)]


def check_out():
    out = np.zeros((2, 3), "f8")
    assert gpucc.random.uniform(KEY, out=out) is out
    same(out.ravel(), gpucc.random.uniform(KEY, 6, "f8", device="cpu").to_numpy())
    view = np.zeros(9, "f4")[1:8]  # its elements lie on no multiple of 16 bytes
    gpucc.random.uniform(KEY, out=view)
    same(view, gpucc.random.uniform(KEY, 7, device="cpu").to_numpy())


def check_refusals():
    for wrong, call in ((ValueError, lambda: gpucc.random.uniform(-1, 3)), (ValueError, lambda: gpucc.random.uniform(2**64, 3)),
                        (TypeError, lambda: gpucc.random.uniform(1.5, 3)), (TypeError, lambda: gpucc.random.normal(1, 3, "i4")),
                        (ValueError, lambda: gpucc.random.fold(1, 2**63)), (ValueError, lambda: gpucc.random.fold(1, -1)),
                        (ValueError, lambda: gpucc.random.integers(1, 3, 3)),
                        (ValueError, lambda: gpucc.random.integers(1, 0, 257, dtype="u1")),
                        (TypeError, lambda: gpucc.random.integers(1, 0, 2, dtype="f4")),
                        (ValueError, lambda: gpucc.random.uniform(1, out=np.zeros((4, 4), "f4").T))):
        try:
            call()
        except wrong:
            continue
        raise AssertionError("not refused")


assert words(0, 0, 1)[0] == 0x6627e8d5  # the authors' known answer
for where in sys.argv[1:]:
    check_device(where)
    check_normal(where)
check_keys()
check_out()
check_refusals()
print(compared, "comparisons")
