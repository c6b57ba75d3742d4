"""typed_wrong.py: what a type checker finds in a user's program."""
import gpucc

program = gpucc.compile(b"int x;")
program = gpucc.load(["trig.so"])
array = gpucc.empty(1.5)
array = gpucc.asarray([1.0], device=0)
array.shape = (1,)
array.sum()
gpucc.Devices("cuda:all", memory_limit="8 GiB")
gpucc.Devices("cuda:all", progress=len)
kernel: gpucc.Kernel = program.scale
kernel[32](array)
kernel(array, threads="64")
ufunc: gpucc.Ufunc = program.add
ufunc.accumulate(array, axis="rows")
ufunc.reduce(array, device=("cuda:0", "cuda:1"))
count: str = gpucc.device_count()
