set pagination off
set breakpoint pending on
break smooth.c:13
gpucc block 3 thread 17,0,0
run
gpucc where
gpucc threads
print $threadIdx
print $blockIdx.x * $blockDim.x + $threadIdx.x
print i
print sum
print tile[t]
print *x@4
info args
next
next
print sum
gpucc all
condition 1 t == 30
gpucc block 4
continue
gpucc where
gpucc all
info breakpoints
condition 1
continue
gpucc where
gpucc thread 17,0,x
