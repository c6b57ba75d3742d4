"""Calls of functions with adjoints are steps of PyTorch's automatic differentiation; GPUCC_TEST_DEVICE is the device."""
import os

import numpy as np
import torch

import gpucc
from check import raises

DEVICE = os.environ.get("GPUCC_TEST_DEVICE", "cpu")
program = gpucc.compile("""
#include <gpucc.h>
#include <tgmath.h>
typevar(T, float32, float64);
vectorize() T selu(T x, int32 k) { return (T)1.05 * (x > 0 ? x : (T)1.67 * exp(x) - (T)1.67) * k; }
adjoint(selu_vjp, selu);
adjoint(selu_vjp_vjp, selu_vjp);
vectorize() T plain(T x, T y) { return x * y; }
guvectorize((n)->(n),()) reorderable void softmax(size_t n, const T x[n], T y[n], T *s)
{
    T most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    for (size_t i = 0; i < n; i++)
        sum += exp(x[i] - most);
    for (size_t i = 0; i < n; i++)
        y[i] = exp(x[i] - most) / sum;
    *s = log(sum) + most;
}
adjoint(softmax_vjp, softmax);
guvectorize((n),(n)->()) void inner(size_t n, const T x[n], const T y[n], T *s)
{
    T sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    *s = sum;
}
adjoint(inner_vjp, inner);
""")


def tensor(values, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype, device=DEVICE, requires_grad=True)


def near(tensor, values):
    np.testing.assert_allclose(tensor.detach().cpu().numpy(), values, rtol=1e-6)


x = tensor([-2.0, -1, 0, 1, 2])
inside = np.array([np.exp(-2), np.exp(-1), 1, 0, 0]) * 1.05 * 1.67 * 3
first, = torch.autograd.grad(program.selu(x, 3).sum(), x, create_graph=True)
near(first, inside + [0, 0, 0, 3.15, 3.15])
near(torch.autograd.grad(first.sum(), x)[0], inside)

# An operand that is broadcast gets the sum, in its own type.
narrow = tensor([1.0, 1.0], torch.float32)
repeated = torch.tensor([[1], [2]], dtype=torch.int32, device=DEVICE)
program.selu(narrow, repeated).sum().backward()
assert narrow.grad.dtype == torch.float32 and narrow.grad.shape == (2,)
near(narrow.grad, [3.15, 3.15])

torch.manual_seed(1)
rows, weights = (tensor(torch.randn(*shape).tolist()) for shape in ((3, 4), (4,)))
assert torch.autograd.gradcheck(program.softmax, (rows,))
assert torch.autograd.gradcheck(program.inner, (rows, weights))
mine, = torch.autograd.grad((program.softmax(rows)[0] * weights).sum(), rows)
near(mine, torch.autograd.grad((torch.softmax(rows, 1) * weights).sum(), rows)[0].cpu())

with raises(TypeError, "'plain' has no adjoint", "adjoint(plain_vjp, plain);"):
    program.plain(x, x)
with raises(TypeError, "inputs alone"):
    program.selu(x, 3, out=torch.zeros(5, dtype=torch.float64, device=DEVICE))
with raises(TypeError, "takes 2 inputs"):
    program.selu(x)
with raises(TypeError, "'softmax_vjp' has no adjoint"):
    torch.autograd.grad(program.softmax(rows)[0].sum(), rows, create_graph=True)
with torch.no_grad():
    near(torch.as_tensor(program.plain(x, 2.0)), [-4, -2, 0, 2, 4])
print("all right")
