# same.sh GPUCC PROGRAMS OUT: runs kernels checked, in several orders, and unchecked, and compares what they write.
gpucc=$1 programs=$2 out=$3

# outputs COUNT KIND: the options that save as many outputs.
outputs() {
    for k in $(seq "$1"); do
        printf ' -o %s.%s.%s.npy' "$out" "$k" "$2"
    done
}

# same COUNT FILE NAME INPUT…, of a function with as many outputs
same() {
    count=$1 file=$2
    shift 2
    "$gpucc" run "$file" "$@" --device=cpu $(outputs "$count" plain) || exit 1
    "$gpucc" run "$file" "$@" --check --schedules=2 $(outputs "$count" checked) || { echo "checked: $*"; exit 1; }
    for k in $(seq "$count"); do
        cmp "$out.$k.plain.npy" "$out.$k.checked.npy" || { echo "other values: $*"; exit 1; }
    done
}

# alone FILE NAME INPUT…: nothing is reported by each check without the others.
alone() {
    for check in race uninitialized address undefined; do
        "$gpucc" run "$@" --check=$check >"$out.txt" 2>&1 || { echo "checked by $check: $*"; cat "$out.txt"; exit 1; }
    done
}

case $programs in
*suite_hopper.c)
    same 1 "$programs" product_f16_96 map:64x64:128:random:64x64:float16 map:96x64:128:random:96x64:float16 128 zeros:64x96:float32 --grid=1 --block=128
    same 1 "$programs" product_tf32_8 map:64x8:32:random:64x8:float32 map:8x8:32:random:8x8:float32 32 zeros:64x8:float32 --grid=1 --block=128
    same 1 "$programs" product_s8_8 map:64x64:64:ones:64x64:int8 map:8x64:64:ones:8x64:int8 64 zeros:64x8:int32 --grid=1 --block=128
    same 1 "$programs" columns_bf16_both map:64x64:128:random:64x64:bfloat16 map:64x64:128:random:64x128:bfloat16 zeros:64x128:float32 --grid=1 --block=128
    same 1 "$programs" spread map:1x64:0:random:8x64:float32 zeros:2048:uint32 --grid=8 --block=64
    same 1 "$programs" pipeline arange:8192:uint32 zeros:64:uint32 16 --grid=2 --block=64
    same 1 "$programs" written zeros:1024:uint32 --grid=4 --block=256
    alone "$programs" product_f16_8 map:64x64:128:random:64x64:float16 map:8x64:128:random:8x64:float16 128 zeros:64x8:float32 --grid=1 --block=128
    alone "$programs" spread map:1x64:0:random:8x64:float32 zeros:2048:uint32 --grid=8 --block=64
    alone "$programs" written zeros:1024:uint32 --grid=4 --block=256
    ;;
*.c)
    n=3001 wide=96 high=72
    real=random:$n:float32
    same 1 "$programs" vector_add $real $real:2 zeros:$n:float32 $n --grid=12 --block=256
    same 1 "$programs" saxpy $n 0.37 $real $real:2 --grid=12 --block=256
    same 1 "$programs" stencil random:6912:float32 zeros:6912:float32 $wide $high 0.2 --grid=3x9 --block=32x8
    same 1 "$programs" matmul_tiled random:600:float32 random:1140:float32 zeros:1520:float32 20 30 38 --grid=3x2 --block=16x16
    same 1 "$programs" transpose random:6912:float32 zeros:6912:float32 $wide $high --grid=3x3 --block=32x8
    same 1 "$programs" histogram full:$n:uint8:7 zeros:256:uint32 $n --grid=4 --block=256
    same 1 "$programs" reduce $real zeros:4:float32 $n --grid=4 --block=256
    same 2 "$programs" scan $real zeros:$n:float32 zeros:12:float32 $n --grid=12 --block=256
    same 1 "$programs" nbody random:1204:float32 zeros:1204:float32 301 0.01 --grid=2 --block=256
    same 2 "$programs" black_scholes $real $real:2 $real:3 zeros:$n:float32 zeros:$n:float32 0.02 0.3 $n --grid=12 --block=256
    ;;
*)
    same 1 "$programs/add_kernel.c" add_kernel 1000 arange:1000:int32 ones:1000:int32 zeros:1000:int32 --threads=1000
    same 1 "$programs/batched.c" apply_matrix random:3x20x40:float32 random:40:float32
    same 1 "$programs/batched.c" convolve random:5x40:float32 random:7:float32
    same 1 "$programs/cluster_histogram.c" histogram 3000 arange:3000:uint16 zeros:65536:uint32 --grid=8 --block=64
    same 1 "$programs/column_sum.c" column_sum 50 60 70 ones:50x60:float32 ones:60x70:float32 zeros:70:float32 --threads=70x50
    same 2 "$programs/diffusion.c" diffuse 50 60 random:50x60:float32 zeros:50x60:float32 zeros:50x60:float32 0.1 --grid=8x8 --block=8x8
    same 2 "$programs/diffusion.c" diffuse_strips 50 60 random:50x60:float32 zeros:50x60:float32 zeros:50x60:float32 0.1 --grid=1x16 --block=128
    same 1 "$programs/doublify.c" doublify_1d zeros:64:float32 --grid=1 --block=64
    same 1 "$programs/doublify.c" doublify_2d zeros:4x4:float32 --grid=1 --block=4x4
    same 1 "$programs/doublify.c" doublify_3d zeros:4x4x4:float32 --grid=1 --block=4x4x4
    same 1 "$programs/fft.c" fft random:3x64:complex64
    same 1 "$programs/gemm_bf16.c" gemm_bf16 40 48 32 random:40x32:bfloat16 random:32x48:bfloat16 zeros:40x48:bfloat16 --grid=1 --block=256 --shared=131072
    same 1 "$programs/gemm_wgmma.c" gemm_wgmma map:128x64:128:random:200x136:bfloat16 map:64x64:128:random:136x264:bfloat16 200 264 136 zeros:200x264:bfloat16 --grid=2 --block=384 --shared=197632
    same 1 "$programs/attention.c" attention map:1x128x64:128:random:1x140x128:bfloat16 map:1x128x64:128:random:1x140x128:bfloat16 map:1x128x64:128:random:1x140x128:bfloat16 140 0.127 zeros:1x140x128:bfloat16 --grid=2 --block=384 --shared=164864
    same 1 "$programs/kmeans.c" assign 300 random:3600:float32 random:8x12:float32 zeros:104:float32 --grid=1 --block=128
    same 2 "$programs/kmeans.c" update random:8x12:float32 ones:104:float32 --grid=1 --block=8
    same 1 "$programs/matmul.c" matmul 30 40 50 random:30x40:float32 random:40x50:float32 zeros:30x50:float32 --threads=50x30
    same 1 "$programs/matmul.c" matmul_tiled 30 40 50 random:30x40:float32 random:40x50:float32 zeros:30x50:float32 --grid=4x4 --block=16x16
    same 1 "$programs/quicksort.c" sort_rows 30 40 random:30x40:float32 --threads=30
    same 1 "$programs/quicksort.c" sort_rows_local 30 40 random:30x40:float32 --threads=30
    same 1 "$programs/sgemm.c" sgemm 130 132 36 random:130x36:float32 random:36x132:float32 zeros:130x132:float32 --grid=3x3 --block=256
    same 1 "$programs/softmax.c" softmax random:6x300:float32
    ;;
esac
