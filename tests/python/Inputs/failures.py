"""failures.py PROGRAM SCENE [STEP]: a scene with the stand-in for a GPU, or for two, in which each call of the driver, or each
STEPth, fails in turn, in a process of its own."""
import ctypes
import gc
import os
import sys

import numpy as np

import gpucc

program = gpucc.load(sys.argv[1], name="functions")
fake = ctypes.CDLL(os.environ["GPUCC_LIBCUDA"])
fake.fake_cuda_fail_nth.argtypes = [ctypes.c_long, ctypes.c_char_p]
fake.fake_cuda_failed.restype = ctypes.c_char_p
DONE, RAISED, WRONG, UNTOLD = 0, 3, 4, 5  # untold: of a release, say, nobody learns that it failed


class Foreign:
    def __init__(self, array, stream):
        self.array, self.__cuda_array_interface__ = array, {**array.__cuda_array_interface__, "stream": stream}


def one_device():
    stream = ctypes.c_void_p()
    x = gpucc.asarray(np.arange(6, dtype="f4").reshape(2, 3), device="cuda")
    assert fake.cuStreamCreate(ctypes.byref(stream), 1) == 0 or fake.fake_cuda_failed()
    y = program.add(x, x)
    program.add(Foreign(y, stream.value or 2), 1, out=Foreign(x, stream.value or 2))
    program.add.reduce(y, axis=None)
    program.matmul(y, y.T)
    program.scale_f32(6, 2.0, y, threads=6)
    program.add.at(y, [1, 0, 1], 1)
    assert y.to_numpy().tolist() == [[1, 5, 9], [14, 18, 22]]
    gpucc.from_dlpack(y)
    gpucc.synchronize()


def two_devices():
    x = np.arange(6000, dtype="f4").reshape(300, 20)
    a = gpucc.asarray(x, device="cuda:0,1")
    assert 0 < a.parts["cuda:1"].start < a.parts["cuda:1"].stop == 300
    b = program.add(a, a)
    assert program.add.reduce(b, axis=None).item() == 35994000
    part = gpucc.asarray(a[a.parts["cuda:1"]], device="cuda:1")
    program.scale_f32(part.size, 2.0, part, threads=part.size)
    gpucc.synchronize()
    assert (a.to_numpy()[a.parts["cuda:1"]] == 2 * x[a.parts["cuda:1"]]).all()
    told = []
    device = gpucc.Devices("cuda:0,1", 16000, lambda *n: told.append(n))
    assert (program.add(x, x, device=device) == x + x).all() and told[-1][0] == told[-1][1]
    gpucc.synchronize()


def attempt(n):
    code = WRONG
    try:
        fake.fake_cuda_fail_nth(n, None)
        globals()[sys.argv[2]]()
        code = DONE
    except gpucc.Error as error:
        code = RAISED if fake.fake_cuda_failed() and str(error) else WRONG
    finally:
        gc.collect()
        sys.stdout.flush()
        os._exit(UNTOLD if code == DONE and fake.fake_cuda_failed() else code)


step = int(sys.argv[3]) if len(sys.argv) > 3 else 1
failures = n = 0
while True:
    n += step
    child = os.fork()
    if child == 0:
        attempt(n)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == DONE:
        break
    assert status in (RAISED, UNTOLD), f"call {n} fails: status {status}"
    failures += status == RAISED
print(failures, "failures")
