# The warnings of -Wperformance of all samples: samples.sh GPUCC SAMPLES PTX
for file in "$2"/*.c; do
    case $file in
    *_host.c) ;;
    *) "$1" -Wperformance -Wno-double-promotion --arch=sm_90a "$file" -o "$3" 2>&1 || exit 1 ;;
    esac
done | grep 'warning:\|error:'
