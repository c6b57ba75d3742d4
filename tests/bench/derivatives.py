"""derivatives.py PROGRAM: the derivatives of samples/derivatives.c on a GPU, beside PyTorch's.  PROGRAM is that sample as a
shared object.  It compares the GPU's bits with the CPU's, and prints median microseconds between two events."""
import sys

import numpy
import torch

import gpucc
from torch_clock import show

PROGRAM = gpucc.load(sys.argv[1])
COUNT, OPTIONS = 10**8, 2 * 10**7


def outputs(function, arguments, device):
    results = function(*arguments, device=device)
    return results if isinstance(results, tuple) else (results,)


def compare_bits():
    generator = numpy.random.default_rng(7)
    for dtype in ("float32", "float64"):
        x, direction = (generator.standard_normal(1_000_003).astype(dtype) for _ in range(2))
        ranges = ((50, 150), (50, 150), (0.1, 2), (0, 0.1), (0.1, 0.6))
        option = [generator.uniform(low, high, x.size).astype(dtype) for low, high in ranges]
        for name, arguments in (("selu_prime", [x]), ("selu_vjp", [x, direction]), ("greeks", option)):
            function = getattr(PROGRAM, name)
            pairs = zip(outputs(function, arguments, "cpu"), outputs(function, arguments, "cuda"))
            if not all(numpy.array_equal(a, b, equal_nan=True) for a, b in pairs):
                sys.exit(f"{name} of {dtype} has other bits on the GPU")


def measure_selu():
    x, cotangent, y, z = (torch.randn(COUNT, device="cuda") for _ in range(4))
    show("copy", lambda: y.copy_(x))
    show("selu_prime", lambda: PROGRAM.selu_prime(x, out=y))
    show("add", lambda: torch.add(x, cotangent, out=y))
    show("selu_vjp", lambda: PROGRAM.selu_vjp(x, cotangent, out=y))
    show("selu, selu_vjp", lambda: (PROGRAM.selu(x, out=z), PROGRAM.selu_vjp(x, cotangent, out=y)))
    leaf = x.clone().requires_grad_(True)
    compiled = torch.compile(torch.nn.functional.selu)
    for who, function in (("eager", torch.nn.functional.selu), ("compile", compiled)):
        def step(function=function):
            leaf.grad = None
            function(leaf).backward(cotangent)
        show(f"selu forward and backward, torch {who}", step)


def torch_price(spot, strike, years, rate, volatility):
    deviation = volatility * torch.sqrt(years)
    d1 = (torch.log(spot / strike) + (rate + volatility * volatility / 2) * years) / deviation
    return (spot * 0.5 * torch.erfc(-d1 / 2**0.5) -
            strike * torch.exp(-rate * years) * 0.5 * torch.erfc(-(d1 - deviation) / 2**0.5))


def measure_greeks():
    ranges = ((50, 100), (50, 100), (0.1, 1), (0, 0.1), (0.1, 0.5))
    option = [low + width * torch.rand(OPTIONS, device="cuda") for low, width in ranges]
    greeks = tuple(torch.empty_like(value) for value in option)
    show("greeks", lambda: PROGRAM.greeks(*option, out=greeks))
    leaves = [value.clone().requires_grad_(True) for value in option]
    ones = torch.ones_like(option[0])

    def step():
        for leaf in leaves:
            leaf.grad = None
        torch_price(*leaves).backward(ones)
    show("price and greeks, torch eager", step)


compare_bits()
measure_selu()
measure_greeks()
