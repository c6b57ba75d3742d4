"""unload.py PROGRAM: programs are unloaded when nothing refers to them, and not before."""
import gc
import pickle
import sys
import weakref
from pathlib import Path

import numpy as np

import gpucc

data = Path(sys.argv[1]).read_bytes()
number = 0


def fresh():
    """A program that the process has not had: the linker ignores what stands behind its sections."""
    global number
    number += 1
    path = Path(f"program{number}.so")
    path.write_bytes(data + b"\0" * number)
    program = gpucc.load(path, name="functions")
    path.unlink()
    return program


def use(program):
    x = np.ones(3)
    assert program.add(x, 1).tolist() == [2, 2, 2]
    program.scale_f64[1, 32](3, 2.0, x)
    assert x.tolist() == [2, 2, 2] and program.add.reduce(x) == 6 and program.dot(x, x) == 12
    ours = gpucc.asarray(x, device="cpu")
    assert program.add(ours, ours).to_numpy().tolist() == [4, 4, 4] and program.matmul(np.eye(2), np.eye(2))[0, 0] == 1


def used():
    """KB in memory, and mappings."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        size = int(file.read().split()[1]) * 4
    with open("/proc/self/maps", encoding="ascii") as file:
        return size, sum(1 for _ in file)


def test_growth():
    for k in range(16):
        if k == 4:
            before = used()
        use(fresh())
        gc.collect()
    after = used()
    growth = after[0] - before[0], after[1] - before[1]
    assert growth[0] < 4000 and growth[1] < 10, f"{growth[0]} KB and {growth[1]} mappings more after 12 programs"


def is_gone(reference):
    gc.collect()
    return reference() is None


def test_what_holds_a_program():
    x = np.ones(3)
    kept = {"function": lambda p: p.add, "numpy": lambda p: p.add.numpy, "kernel": lambda p: p.scale_f64[1, 32],
            "variable": lambda p: p.variable("weights", "cpu"), "pickle": lambda p: pickle.dumps(p.add),
            "method": lambda p: p.add.reduce}
    for name, take in kept.items():
        program = fresh()
        reference, held = weakref.ref(program), take(program)
        del program
        assert is_gone(reference) == (name == "pickle"), name
        if name == "pickle":
            assert pickle.loads(held)(x, 1).tolist() == [2, 2, 2]
        elif name == "kernel":
            held(3, 1.0, x)
        elif name == "variable":
            assert held.to_numpy().tolist() == [1, 2, 4]
        else:
            assert np.all(held(x) == 3 if name == "method" else held(x, 1) == 2)
        del held
        assert is_gone(reference), name


def test_graphs():
    program, x, out = fresh(), np.ones(3), np.zeros(3)
    reference = weakref.ref(program)
    with gpucc.graph("cpu") as g:
        program.add(x, x, out=out)
        program.scale_f64[1, 32](3, 2.0, out)
    del program
    assert not is_gone(reference)
    g.launch()
    assert out.tolist() == [4, 4, 4]
    del g
    assert is_gone(reference)


def test_the_same_program():
    program = fresh()
    assert pickle.loads(pickle.dumps(program)) is program
    assert pickle.loads(pickle.dumps(program.add.numpy)) is program.add.numpy
    assert pickle.loads(pickle.dumps(np.add)) is np.add


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
print("all right")
