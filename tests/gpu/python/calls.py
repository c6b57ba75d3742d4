"""calls.py: what one call from Python takes of the host's time on 1000 float32 elements, beside PyTorch's and NumPy's.

Runs in the folder that `cmake --build build --target gpu-suite-python` makes, on a machine with or without a GPU, PyTorch and
the package's extension (GPUCC_PYTHON_ALONE=1 does without it).  Each line is the best of 25 rounds; what is compared takes
turns, so that both see the same machine."""
import os
import sys
import timeit

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


print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}, PyTorch {torch and torch.__version__},",
      "with" if getattr(gpucc._library, "native", None) else "without", "extension")
on_host()
on_device("cpu")
if gpucc.device_count():
    print(gpucc.device_info("cuda")["name"])
    on_device("cuda")
