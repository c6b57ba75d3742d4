"""bad_calls.py PROGRAM DEVICE: mistakes that a new user makes, and what is said of each: which operand it is, and the shapes,
types, sizes and rules that do not go together."""
import sys

import numpy as np

import gpucc

program, device = gpucc.load(sys.argv[1], name="functions"), sys.argv[2]


def array(*shape, dtype="f4"):
    return gpucc.asarray(np.ones(shape, dtype), device=device, copy=True)


def scalar():
    return gpucc.asarray(np.float32(1), device=device, copy=True)


def repeated():
    """Three times one element of NumPy's memory."""
    return gpucc.asarray(np.lib.stride_tricks.as_strided(np.ones(1, "f4"), (3,), (0,)), device="cpu")


def fixed():
    """NumPy's memory that may not be written."""
    numbers = np.ones(3, "f4")
    numbers.flags.writeable = False
    return gpucc.asarray(numbers, device="cpu")


f, row, mask = program, array(6), array(3, dtype="?")
f32, f64, i32, c64 = array(3), array(3, dtype="f8"), array(3, dtype="i4"), array(3, dtype="c8")

# Each call, and all that is said of it.
CASES = {
    # ---- shapes ----
    "add: operands could not be broadcast together with shapes (2, 3) (4,)": lambda: f.add(array(2, 3), array(4)),
    "add: operands could not be broadcast together with shapes (2, 3) (3, 2)": lambda: f.add(array(2, 3), array(3, 2)),
    "add: where= of shape (4,) could not be broadcast to the inputs' shape (3,)":
        lambda: f.add(f32, f32, where=array(4, dtype="?")),
    "add: where= must be boolean, not float32": lambda: f.add(f32, f32, where=array(3)),
    "add: output 0 has shape (3,), but the inputs broadcast to (2, 3)": lambda: f.add(array(2, 3), f32, out=array(3)),
    "add: the output has shape (2,), but a reduction makes (3,)": lambda: f.add.reduce(array(2, 3), out=array(2)),
    "add: the output has shape (2, 4), but an accumulation makes (2, 3)":
        lambda: f.add.accumulate(array(2, 3), out=array(2, 4)),
    "add: where= of shape (2,) could not be broadcast to the elements' shape (2, 3)":
        lambda: f.add.reduce(array(2, 3), where=array(2, dtype="?")),
    "add: the operand of shape (3,) could not be broadcast to the cells' shape (2,)":
        lambda: f.add.at(array(3), [0, 1], array(3)),
    # ---- how many operands ----
    "add() takes 2 inputs, but 1 is given": lambda: f.add(f32),
    "add() takes 2 inputs and 1 output, but 4 are given": lambda: f.add(f32, f32, array(3), array(3)),
    "add() has 1 output, but 2 are given for outputs": lambda: f.add(f32, f32, out=(array(3), array(3))),
    "split() has 2 outputs, but 1 is given for outputs": lambda: f.split(f32, out=array(3)),
    "negate makes 1 output from 1 input; a reduction requires a ufunc with two inputs and one output":
        lambda: f.negate.reduce(f32),
    "inner: a reduction is not supported for gufuncs": lambda: f.inner.reduce(f32),
    # ---- outputs that may not be written, or that overlap ----
    "add: output 0 is read-only": lambda: f.add(fixed(), fixed(), out=fixed()),
    "add: the array is read-only": lambda: f.add.at(fixed(), [0], 1.0),
    "add: output 0 is broadcast: its stride is 0 along dimension 0": lambda: f.add(fixed(), fixed(), out=repeated()),
    "add: the array overlaps itself: several of its elements share memory": lambda: f.add.at(repeated(), [0], 1.0),
    "split: outputs 0 and 1 share memory": lambda: f.split(f32, out=(row[:3], row[1:4])),
    # ---- axes ----
    "add: axis 2 is out of bounds for array of 2 dimensions": lambda: f.add.reduce(array(2, 3), axis=2),
    "add: axis -3 is out of bounds for array of 2 dimensions": lambda: f.add.reduce(array(2, 3), axis=(1, -3)),
    "add: axis 5 is out of bounds for array of 1 dimension": lambda: f.add.accumulate(f32, axis=5),
    "add: axis 4 is out of bounds for array of 1 dimension": lambda: f.add.reduceat(f32, [0], axis=4),
    "add: axis 0 is repeated": lambda: f.add.reduce(array(2, 3), axis=(0, -2)),
    "add: a scalar has no axis for an accumulation": lambda: f.add.accumulate(scalar()),
    "inner: axis 1 is out of bounds for input 0, which has 1 dimension": lambda: f.inner(f32, f32, axis=1),
    "matmul: axis 2 is out of bounds for output 0, which has 2 dimensions":
        lambda: f.matmul(array(2, 3), array(3, 4), axes=[(0, 1), (0, 1), (0, 2)]),
    "matmul: axes has 1 item, but there are 3 operands":
        lambda: f.matmul(array(2, 3), array(3, 4), axes=[(0, 1)]),
    "subtract: the operation is not reorderable, so at most one axis may be specified, not 2; if it is associative, "
    "write 'reorderable' before it": lambda: f.subtract.reduce(array(2, 3), axis=(0, 1)),
    # ---- types ----
    "divide has no loop matching types (complex64, float32) with casting='safe'; its loops are: float64, float64":
        lambda: f.divide(c64, f32),
    "divide has no loop matching types (complex64, float32) with casting='same_kind'; its loops are: float64, float64":
        lambda: f.divide(c64, f32, casting="same_kind"),
    "subtract has no loop matching types (float64, float64) with casting='safe' and dtype=float32; its loops are: "
    "float32, float32 to float32; float64, float64 to float64": lambda: f.subtract(f64, f64, dtype="f4", casting="safe"),
    "subtract has no loop matching types (float32, float32) with casting='same_kind' and dtype=int8; its loops are: "
    "float32, float32 to float32; float64, float64 to float64": lambda: f.subtract(f32, f32, dtype="i1"),
    "subtract has no loop matching types (float32, float32) with casting='same_kind' and signature float32, any "
    "to float64; its loops are: float32, float32 to float32; float64, float64 to float64":
        lambda: f.subtract(f32, f32, signature=("f4", None, "f8")),
    "add: cannot cast output 0 from float32 to int32 with casting='same_kind'":
        lambda: f.add(f32, f32, out=array(3, dtype="i4")),
    "add: cannot cast output 0 from float64 to float32 with casting='safe'":
        lambda: f.add(f64, f64, out=array(3), casting="safe"),
    "add: input 1 is 1099511627776, out of bounds for int32": lambda: f.add(i32, 2**40),
    "add: initial is 1099511627776, out of bounds for int32": lambda: f.add.reduce(i32, initial=2**40),
    "add: initial has dtype complex128, but the loop has float32": lambda: f.add.reduce(f32, initial=1j),
    "add: initial has 2 elements, not one": lambda: f.add.reduce(f32, initial=array(2)),
    "add: indices must be integers, not float64": lambda: f.add.reduceat(f32, np.array([0.5])),
    # ---- core dimensions ----
    "matmul: input 1 of shape (4, 5) has a mismatch in its core dimension n: 4, but earlier operands have 3":
        lambda: f.matmul(array(2, 3), array(4, 5)),
    "matmul: output 0 of shape (2, 5) has a mismatch in its core dimension p: 5, but earlier operands have 4":
        lambda: f.matmul(array(2, 3), array(3, 4), out=array(2, 5)),
    "cross: input 0 of shape (2, 4) has a mismatch in a core dimension of fixed size: expected 3, got 4":
        lambda: f.cross(array(2, 4), array(2, 4)),
    "matmul: input 0 of shape (3,) does not have enough dimensions: the signature requires 2 core dimensions":
        lambda: f.matmul(f32, array(3, 3)),
    "matmul: loop dimensions (4,) of input 1 could not be broadcast with those of earlier operands, (5,)":
        lambda: f.matmul(array(5, 2, 3), array(4, 3, 4)),
    "convolve: output 0 of shape (3,) has a mismatch in its core dimension p: 3, expected 5":
        lambda: f.convolve(f32, f32, out=array(3)),
    # ---- nothing to combine ----
    "subtract: zero-size array of shape (0, 3) to a reduction operation which has no identity: pass initial":
        lambda: f.subtract.reduce(array(0, 3)),
    "subtract: the operation has no identity, so to use a where mask one has to specify initial":
        lambda: f.subtract.reduce(f32, where=mask),
    # ---- indices ----
    "add: index 3 is out of bounds for axis with size 3": lambda: f.add.reduceat(f32, [0, 3]),
    "add: index -4 is out of bounds for axis with size 3": lambda: f.add.at(array(3), [-4], 1.0),
}


def message_of(call):
    try:
        return f"nothing, and made {call()!r}"
    except Exception as error:
        return str(error)


wrong = [f"expected: {text}\ngot:      {said}"
         for text, said in ((text, message_of(call)) for text, call in CASES.items())
         if said != text]
print(f"{len(CASES)} messages")
sys.exit("\n".join(wrong) or 0)
