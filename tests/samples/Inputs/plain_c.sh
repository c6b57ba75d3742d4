# plain_c.sh ROOT CC…: every sample is plain C, for a host's compiler with all warnings.
root=$1
shift
status=0
for source in "$root"/samples/*.c "$root"/samples/mpi/*.c "$root"/samples/library/*.c; do
    case $source in
    *_host.c) continue ;;
    esac
    if grep -q bfloat16 "$source" && ! "$@" -dM -E -x c /dev/null | grep -q __BFLT16_MANT_DIG__; then
        echo "skipped: $source: this compiler has no bfloat16"
        continue
    fi
    "$@" -std=c17 -Wall -Wextra -pedantic -Werror -I"$root/include" -c "$source" -o /dev/null || status=1
done
exit $status
