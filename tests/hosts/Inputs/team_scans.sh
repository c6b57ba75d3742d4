# team_scans.sh FAKE GPUCC…: runs the gufuncs of team_scans.c by teams, and compares with the CPU's results.
set -e
fake=$1
shift
input=random:3x1537:float32:7
run() {
    env GPUCC_GUFUNC_TEAM="$team" GPUCC_LIBCUDA="$fake" LD_PRELOAD="$fake ./natives.so" "$@" --device=cuda 2> log.txt
}
for team in 32 256 64x4; do
    run "$@" run natives.c every $input -o b0.npy -o b1.npy -o b2.npy -o b3.npy -o b4.npy -o b5.npy
    for k in 0 1 2 3 4 5; do
        cmp a$k.npy b$k.npy
    done
    run "$@" run natives.c rises $input -o s0.npy -o s1.npy -o s2.npy
    for k in 0 1 2; do
        cmp r$k.npy s$k.npy
    done
done
run "$@" run natives.c in_order $input -o p0.npy -o p1.npy
cmp o0.npy p0.npy
cmp o1.npy p1.npy
echo "teams agree"
