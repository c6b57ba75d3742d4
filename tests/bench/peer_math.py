"""The functions of functions_measured.def by a peer: cupy (ElementwiseKernel), torch (its own functions) or triton
(kernels that call libdevice, on PyTorch's tensors).

    peer_math.py cupy|torch|triton
"""
import importlib.util
import pathlib
import sys
import tempfile

import measure
from measure import N, row, section

TRITON_HEAD = """
import triton
import triton.language as tl
try:
    from triton.language.extra import libdevice
except ImportError:
    from triton.language.extra.cuda import libdevice
"""
TRITON_KERNEL = """
@triton.jit
def {name}_kernel({pointers}, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, libdevice.{base}({loads}), mask=inside)
"""
BLOCKS = (512, 1024, 2048)
ARGUMENTS = ("x", "y")


def triton_source(functions):
    """The text of a module with a kernel for each function; Triton reads its kernels from a file."""
    text = TRITON_HEAD
    for function in functions:
        names = ARGUMENTS[:len(function.ranges)]
        text += TRITON_KERNEL.format(name=function.name, base=function.base, pointers=", ".join(names),
                                     loads=", ".join(f"tl.load({name} + i, mask=inside)" for name in names))
    return text


def load_module(text, folder):
    path = pathlib.Path(folder, "libdevice_kernels.py")
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def with_cupy():
    import cupy

    def call(function):
        names = ARGUMENTS[:len(function.ranges)]
        parameters = ", ".join(f"{function.dtype} {name}" for name in names)
        kernel = cupy.ElementwiseKernel(parameters, f"{function.dtype} z", f"z = {function.name}({', '.join(names)})",
                                        f"measured_{function.name}")
        arguments = [cupy.asarray(measure.spread(function, i)) for i in range(len(names))]
        out = cupy.empty_like(arguments[0])
        return lambda: kernel(*arguments, out)

    def device_us(work):
        return measure.device_us(work, cupy.cuda.Event, cupy.cuda.get_elapsed_time)

    measure_all("cupy", lambda function: device_us(call(function)))


def torch_tools():
    import torch
    from torch_clock import device_us

    def tensors(function):
        arguments = [torch.from_numpy(measure.spread(function, i)).cuda() for i in range(len(function.ranges))]
        return arguments, torch.empty_like(arguments[0])

    return torch, device_us, tensors


def with_torch():
    torch, device_us, tensors = torch_tools()

    def time_of(function):
        ours = getattr(torch, function.base, None)
        if ours is None:
            return None
        arguments, out = tensors(function)
        return device_us(lambda: ours(*arguments, out=out))

    measure_all("torch", time_of)


def with_triton():
    import triton

    _, device_us, tensors = torch_tools()
    with tempfile.TemporaryDirectory() as folder:
        kernels = load_module(triton_source(measure.functions()), folder)

        def time_of(function):
            arguments, out = tensors(function)
            kernel = getattr(kernels, f"{function.name}_kernel")
            return min(device_us(lambda: kernel[(triton.cdiv(N, block),)](*arguments, out, N, BLOCK=block))
                       for block in BLOCKS)

        measure_all("triton", time_of)


def measure_all(peer, time_of):
    """Each function's row; time_of(function) gives microseconds, or None where the peer has no such function."""
    for function in measure.functions():
        def one():
            microseconds = time_of(function)
            if microseconds is not None:
                row(f"{function.name}_1e8", peer, measure.function_bandwidth(function, microseconds), "GB/s")

        one.__name__ = f"{peer}_{function.name}"
        section(one)


if __name__ == "__main__":
    section({"cupy": with_cupy, "torch": with_torch, "triton": with_triton}[sys.argv[1]])
