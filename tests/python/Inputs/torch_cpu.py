"""Every kind of call on PyTorch's tensors on the CPU, first and later, beside the same on gpucc's arrays."""
import numpy as np
import torch

import gpucc
from check import raises

program = gpucc.compile("""
#include <gpucc.h>
#include <stdbool.h>
typevar(T, float32, float64);
vectorize() bool less(T x, T y) { return x < y; }
vectorize() identity(0) reorderable T add(T x, T y) { return x + y; }
vectorize() void split(T x, T *a, bool *b) { *a = x / 2; *b = x > 1; }
vectorize() identity(0) reorderable int32 add_i(int32 x, int32 y) { return x + y; }
vectorize() bfloat16 add_b(bfloat16 x, bfloat16 y) { return x + y; }
vectorize() float16 add_h(float16 x, float16 y) { return x + y; }
fuse(twice_sum, reduce(add, add(x, y)));
guvectorize((n),(n)->()) void inner(size_t n, const T x[n], const T y[n], T *s)
{
    T sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    *s = sum;
}
kernel void scale(size_t n, float by, float x[n])
{
    const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}
""")
add, less = program.add, program.less
X, I = torch.arange(6.0).reshape(2, 3), torch.arange(6, dtype=torch.int32)
CALLS = {
    "less": lambda x, i: less(x, x), "broadcast": lambda x, i: less(x, x[0]), "number": lambda x, i: less(x, 1),
    "turned": lambda x, i: add(x.T, x.T), "integers": lambda x, i: program.add_i(i, i), "mixed": lambda x, i: add(i, 1.5),
    "outer": lambda x, i: less.outer(x[0], x[0]), "two": lambda x, i: program.split(x)[1],
    "reduce": lambda x, i: add.reduce(x), "all": lambda x, i: add.reduce(x, axis=None), "rows": lambda x, i: add.reduce(x, 1),
    "keepdims": lambda x, i: add.reduce(x, 1, keepdims=True), "integer sum": lambda x, i: program.add_i.reduce(i),
    "accumulate": lambda x, i: add.accumulate(x, 1), "reduceat": lambda x, i: add.reduceat(x, [0, 1], 1),
    "fused": lambda x, i: program.twice_sum(x, x), "fused rows": lambda x, i: program.twice_sum(x, x, axis=1),
    "gufunc": lambda x, i: program.inner(x, x), "empty": lambda x, i: add(x[:0], x[:0]),
    "nothing": lambda x, i: add.reduce(x[:0]), "scalars": lambda x, i: add(x[0, 0], x[0, 0]),
    "where": lambda x, i: add.reduce(x, where=less(x, 3)), "dtype": lambda x, i: add(x, x, dtype="float64"),
}
for name, call in CALLS.items():
    for count in range(3):
        mine = call(X, I)
        assert type(mine) is torch.Tensor, (name, count, mine)
        theirs = np.asarray(call(X.numpy(), I.numpy()))
        assert mine.numpy().dtype == theirs.dtype and np.array_equal(mine.numpy(), theirs), (name, count, mine, theirs)
for dtype, function in ((torch.bfloat16, program.add_b), (torch.float16, program.add_h)):
    for _ in range(3):
        mine = function(X.to(dtype), X.to(dtype))
        assert mine.dtype == dtype and torch.equal(mine, 2 * X.to(dtype))

# In place, and beside NumPy's arrays.
out, x = torch.zeros(2, 3), X.clone()
for _ in range(3):
    assert add(X, X, out=out) is out and torch.equal(out, 2 * X)
    assert torch.equal(add(X, np.ones((2, 3), "f4")), X + 1) and torch.equal(add(np.ones(3, "f4"), X), X + 1)
    total = np.zeros(3, "f4")
    assert add.reduce(X, out=total) is total and np.array_equal(total, X.sum(0))
    before = x.clone()
    assert add.at(x, [0, 0], 1.0) is None and torch.equal(x[0], before[0] + 2)
    add.at(x, torch.tensor([1]), X[:1])
    assert torch.equal(x[1], before[1] + X[0])
    before = x.clone()
    program.scale[1, 32](6, 2.0, x)
    assert torch.equal(x, 2 * before)
expanded = torch.ones(1).expand(4)
assert torch.equal(add(expanded, expanded), torch.full((4,), 2.0)) and add.reduce(expanded) == 4

# Calls that are refused.
with raises(ValueError, "broadcast"):
    add(X, torch.ones(5))
with raises(TypeError, "int32"):
    add(X, X, out=I.reshape(2, 3))
with raises(TypeError, "detach"):
    add.reduce(X.clone().requires_grad_())
with raises(TypeError, "no memory"):
    add(torch._efficientzerotensor(3), 1)
with raises(TypeError, "resolve_neg"):
    add(torch._neg_view(X), 1)
print("all right")
