"""calls.py: what one call from Python takes of the host's time on 1000 float32 elements, beside PyTorch's and NumPy's; what
importing the package and making an array of a tensor take; and calls on 10^8 elements, beside the C API and NumPy.

Runs in the folder that `cmake --build build --target gpu-suite-python` makes, on a machine with or without a GPU, PyTorch and
the package's extension (GPUCC_PYTHON_ALONE=1 does without it).  Each line is the best of 25 rounds; what is compared takes
turns, so that both see the same machine."""
import os
import subprocess
import sys
import time
import timeit
from ctypes import byref, c_void_p

import numpy as np

import gpucc

try:
    import torch
except ImportError:
    torch = None

ROUNDS, CALLS = 25, 2000
HERE = os.path.dirname(os.path.abspath(__file__))
program = gpucc.load(os.environ.get("GPUCC_FUNCTIONS") or os.path.join(HERE, "functions.so"))
values = np.linspace(0, 1, 1000, dtype="f4")


def measure(calls, wait):
    """The best time of each call, in ns; `calls` is {what it is: text}."""
    best = {}
    for _ in range(ROUNDS):
        for name, text in calls.items():
            timer = timeit.Timer(text, globals=globals())
            timer.timeit(CALLS // 20)
            wait()
            taken = timer.timeit(CALLS) / CALLS * 1e9
            wait()
            best[name] = min(taken, best.get(name, taken))
    return best


def show(best, peer):
    for name, taken in best.items():
        print(f"{name:44} {taken:8.0f} ns  {taken / best[peer]:5.2f} of {peer}")


def on_host():
    globals().update(x=values, y=values + 1, z=np.empty_like(values), add=program.add, bare=program.add.numpy)
    best = measure({"numpy.add(x, y)": "np.add(x, y)", "program.add(x, y)": "add(x, y)",
                    "program.add.numpy(x, y)": "bare(x, y)"}, lambda: None)
    show(best, "numpy.add(x, y)")
    best = measure({"numpy.add(x, y, out=z)": "np.add(x, y, out=z)", "program.add(x, y, out=z)": "add(x, y, out=z)"},
                   lambda: None)
    show(best, "numpy.add(x, y, out=z)")


def on_device(device):
    globals().update(a=gpucc.asarray(values, device=device), b=gpucc.asarray(values, device=device),
                     c=gpucc.empty(values.shape, "f4", device))
    calls = {"program.add(a, b, out=c), the package's": "add(a, b, out=c)", "program.add(a, b)": "add(a, b)"}
    peer = next(iter(calls))
    if torch is not None and device != "cpu" and torch.cuda.is_available():
        globals().update(x=torch.as_tensor(values, device="cuda"), y=torch.as_tensor(values, device="cuda"),
                         z=torch.empty(1000, device="cuda"))
        peer = "torch.add(x, y, out=z)"
        calls = {peer: "torch.add(x, y, out=z)", "x + y, PyTorch": "x + y", **calls,
                 "program.add(x, y, out=z), tensors": "add(x, y, out=z)", "program.add(x, y), tensors": "add(x, y)"}
    show(measure(calls, gpucc.synchronize), peer)
    if "x + y, PyTorch" in calls:
        with torch.cuda.stream(torch.cuda.Stream()):
            calls = {"torch.add(x, y, out=z), a stream": "torch.add(x, y, out=z)",
                     "program.add(x, y, out=z), a stream": "add(x, y, out=z)"}
            show(measure(calls, torch.cuda.synchronize), next(iter(calls)))


def arrays_of_tensors():
    """Arrays of the package over memory of others."""
    globals().update(x=values, loan=gpucc.asarray(values, device="cpu", copy=True))
    calls = {"numpy.from_dlpack(x)": "np.from_dlpack(x)",
             "gpucc.asarray(x), NumPy's": 'gpucc.asarray(x, device="cpu")',
             "gpucc.from_dlpack(x), NumPy's": "gpucc.from_dlpack(x)",
             "numpy.from_dlpack(a), the package's": "np.from_dlpack(loan)"}
    if torch is not None and torch.cuda.is_available():
        globals().update(t=torch.as_tensor(values, device="cuda"))
        calls["gpucc.asarray(t), PyTorch's"] = "gpucc.asarray(t)"
        calls["torch.from_dlpack(t)"] = "torch.from_dlpack(t)"
    show(measure(calls, gpucc.synchronize), "numpy.from_dlpack(x)")


def large():
    """On the CPU, in the best of seven rounds."""
    x = np.linspace(0, 1, 10**8, dtype="f4")
    y, z = x + 1, np.zeros_like(x)
    a, b, c = [gpucc.asarray(each, device="cpu") for each in (x, y, z)]
    add, in_c = program.add, gpucc._library.library.gpucc_ufunc_call
    handle, inputs, out = add._handle(a._context), (c_void_p * 2)(a._handle, b._handle), c_void_p(c._handle)
    calls = {"gpucc_ufunc_call(), 10^8": lambda: gpucc._library.check(in_c(handle, inputs, byref(out), None)),
             "program.add(a, b, out=c), the package's": lambda: add(a, b, out=c),
             "program.add(x, y, out=z)": lambda: add(x, y, out=z),
             "numpy.add(x, y, out=z)": lambda: np.add(x, y, out=z)}
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(7):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            best[name] = min(best[name], (time.perf_counter() - begin) * 1e9)
    show(best, next(iter(calls)))


def importing():
    """A process that imports the package, and one that imports NumPy alone."""
    taken = {"import numpy": [], "import numpy, gpucc": []}
    for _ in range(ROUNDS):
        for text, times in taken.items():
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", text], check=True)
            times.append((time.perf_counter() - begin) * 1e3)
    alone, both = [min(times) for times in taken.values()]
    print(f"import gpucc beside NumPy's own {alone:.1f} ms: {both - alone:.1f} ms")


print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}, PyTorch {torch and torch.__version__},",
      "with" if getattr(gpucc._library, "native", None) else "without", "extension")
importing()
on_host()
arrays_of_tensors()
on_device("cpu")
large()
if gpucc.device_count():
    print(gpucc.device_info("cuda")["name"])
    on_device("cuda")
