"""pickling.py write PROGRAM: pickles of functions; read: they are the same functions in another process."""
import copy
import multiprocessing
import pickle
import sys

import numpy as np

import gpucc


def write(path):
    program = gpucc.load(path, name="functions")
    assert gpucc.load(path, name="functions") is program
    for thing in (program, program.add, program.matmul, program.product, program.add.numpy, np.add):
        assert pickle.loads(pickle.dumps(thing)) is thing and copy.copy(thing) is thing
    taken = program["key"]
    assert program.key != taken and taken(3) == 3 and pickle.loads(pickle.dumps(taken)) is taken
    things = [program.add, program.product, program.add.numpy, program, np.add]
    one, all_of_them = len(pickle.dumps(program.add)), len(pickle.dumps(things))
    assert all_of_them < one + 1000, "the program travels more than once"
    with open(path, "rb") as file:
        assert one < len(file.read()) / 2, "the program travels as it is"
    with open("functions.pickle", "wb") as file:
        pickle.dump(things, file)


def read():
    with open("functions.pickle", "rb") as file:
        data = file.read()
    add, product, numpy_add, program, theirs = pickle.loads(data)
    again = pickle.loads(data)
    assert again[0] is add and again[1] is product and again[2] is numpy_add and again[3] is program and theirs is np.add
    assert add(np.arange(3), 1).tolist() == [1, 2, 3] and numpy_add(1, 2) == 3
    out = np.zeros((2, 2), "f4")
    product[1, (8, 8)](2, 1, 2, np.ones((2, 1), "f4"), np.ones((1, 2), "f4"), out)
    assert out.tolist() == [[1, 1], [1, 1]]
    with multiprocessing.get_context("spawn").Pool(1) as pool:  # a worker that knows nothing of it
        assert pool.apply(add, (20, 22)) == 42


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](*sys.argv[2:])
