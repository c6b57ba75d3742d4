"""gpucc's PTX and manifest in hosts that are not ours: cuda.core, CuPy, PyCUDA, Numba, PyTorch and JAX.

    gpucc ptx_hosts.c -o ptx_hosts.ptx -o ptx_hosts.json
    python3 ptx_hosts.py

The PTX has the loops of ufuncs as kernels, which take their inputs, their output and the number of elements, whatever the
grid; the manifest says what they are called, and the grid that suits them.  docs/howto/ptx-hosts.md
has the same, explained."""
import ctypes
import json
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit()

manifest = json.load(open("ptx_hosts.json"))
function = next(f for f in manifest["functions"] if f["name"] == "wave")
loop = next(loop for loop in function["loops"] if loop["kind"] == "contiguous")


def grid_of(n):
    """Blocks, so that a thread has as many elements as it takes at a time."""
    each = loop["block"] * loop["elements_per_thread"]
    return (n + each - 1) // each


def with_cuda_core(x):
    from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, ObjectCode, launch

    device = Device()
    device.set_current()
    stream = device.create_stream()
    kernel = ObjectCode.from_ptx("ptx_hosts.ptx").get_kernel(loop["entry"])
    pinned = LegacyPinnedMemoryResource()  # memory of the host that the GPU reads and writes too
    given, made = pinned.allocate(x.nbytes), pinned.allocate(x.nbytes)
    np.from_dlpack(given).view(np.float32)[:] = x
    launch(stream, LaunchConfig(grid=grid_of(x.size), block=loop["block"]), kernel, given, made, np.uint64(x.size))
    stream.sync()
    return np.from_dlpack(made).view(np.float32).copy()


def with_cupy(x):
    import cupy

    wave = cupy.RawModule(path="ptx_hosts.ptx").get_function(loop["entry"])
    given = cupy.asarray(x)
    made = cupy.empty_like(given)
    wave((grid_of(x.size),), (loop["block"],), (given, made, cupy.uint64(x.size)))
    return made.get()


def with_pycuda(x):
    import pycuda.autoinit  # makes a context
    from pycuda import driver, gpuarray

    wave = driver.module_from_file("ptx_hosts.ptx").get_function(loop["entry"])
    given = gpuarray.to_gpu(x)
    made = gpuarray.empty_like(given)
    wave(given, made, np.uint64(x.size), grid=(grid_of(x.size), 1), block=(loop["block"], 1, 1))
    return made.get()


def with_numba(x):
    from numba import cuda

    decay = cuda.declare_device("decay", "float32(float32)", link="ptx_hosts.ptx", abi="c")

    @cuda.jit
    def wave(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = decay(x[i])

    made = cuda.device_array_like(x)
    wave.forall(x.size)(cuda.to_device(x), made)
    return made.copy_to_host()


def with_torch(x):
    import torch
    from cuda.core import Device, LaunchConfig, ObjectCode, launch

    class CurrentStream:  # PyTorch's, as cuda.core takes streams of others
        def __cuda_stream__(self):
            return (0, torch.cuda.current_stream().cuda_stream)

    given = torch.from_numpy(x).cuda()
    made = torch.empty_like(given)
    device = Device(given.get_device())
    device.set_current()
    kernel = ObjectCode.from_ptx("ptx_hosts.ptx").get_kernel(loop["entry"])
    config = LaunchConfig(grid=grid_of(x.size), block=loop["block"])
    stream = device.create_stream(CurrentStream())
    launch(stream, config, kernel, given.data_ptr(), made.data_ptr(), np.uint64(x.size))
    return made.cpu().numpy()


def with_jax(x):
    import cupy
    import jax

    wave = cupy.RawModule(path="ptx_hosts.ptx").get_function(loop["entry"])
    given = cupy.from_dlpack(jax.device_put(x, jax.devices("gpu")[0]))  # the same memory
    made = cupy.empty_like(given)
    wave((grid_of(x.size),), (loop["block"],), (given, made, cupy.uint64(x.size)))
    cupy.cuda.get_current_stream().synchronize()
    return np.asarray(jax.dlpack.from_dlpack(made))


def has_gpu():
    try:
        return ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        return False


def main():
    if not has_gpu():
        print("skipped: no CUDA driver, or no GPU")
        return
    x = np.linspace(-10, 10, 1_000_003, dtype=np.float32)
    wave = (np.sin(x, dtype=np.float64) * np.exp(-x.astype(np.float64) ** 2 / 50)).astype(np.float32)
    decay = np.exp(-x.astype(np.float64) ** 2 / 50).astype(np.float32)
    wrong = 0
    for host in (with_cuda_core, with_cupy, with_pycuda, with_numba, with_torch, with_jax):
        name = host.__name__.removeprefix("with_")
        try:
            made = host(x)
        except ImportError as error:
            print(f"{name}: skipped: {error}")
            continue
        except Exception as error:  # the others are tried all the same
            print(f"{name}: failed: {error}")
            wrong += 1
            continue
        right = np.allclose(made, decay if host is with_numba else wave, rtol=0, atol=1e-6)
        print(f"{name}: {'right' if right else 'wrong'}")
        wrong += not right
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
