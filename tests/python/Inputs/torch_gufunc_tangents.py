"""A gufunc with a tangent in torch.func, alone and as an operator; GPUCC_TEST_DEVICE is the device."""
import os

import torch
from torch.func import hessian, jacfwd, jvp, vmap

import gpucc

torch.set_default_dtype(torch.float64)
device = os.environ.get("GPUCC_TEST_DEVICE", "cpu")
with open(os.path.join(os.path.dirname(__file__), "inner.c"), encoding="utf-8") as file:
    program = gpucc.compile(file.read())
x, dx, y, dy = (torch.randn(shape, generator=torch.Generator().manual_seed(k)).to(device)
                for k, shape in enumerate([(3, 4), (3, 4), (4,), (4,)]))


def same(transformed, *given):
    theirs = transformed(lambda x, y: (torch.sin(x) * y * y).sum(-1))(*given)
    for mine in program.inner, gpucc.torch(program.inner):
        torch.testing.assert_close(transformed(mine)(*given), theirs, rtol=1e-9, atol=1e-12)


# y is broadcast along the loop dimension.
same(lambda f: lambda *given: jvp(f, given[:2], given[2:]), x, y, dx, dy)
same(lambda f: lambda x: jvp(lambda x: f(x, y), (x,), (dx,)), x)
same(lambda f: jacfwd(f, (0, 1)), x, y)
same(lambda f: hessian(lambda x: f(x, y)), x[0])
same(lambda f: hessian(lambda y: f(x, y).sum()), y)
same(lambda f: vmap(lambda x, dx: jvp(lambda x: f(x, y), (x,), (dx,)), (1, 1)), torch.stack([x, x], 1),
     torch.stack([dx, x], 1))
print("all right")
