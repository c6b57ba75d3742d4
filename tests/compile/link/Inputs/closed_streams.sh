# closed_streams.sh GPUCC SOURCE OUT: makes a shared object with each set of closed streams.
gpucc=$1 source=$2 out=$3

for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
    rm -f "$out"
    eval "timeout 60 \"\$gpucc\" \"\$source\" -o \"\$out\" $closed" || { echo "exit status $? with $closed"; exit 1; }
    test -s "$out" || { echo "nothing is made with $closed"; exit 1; }
done
