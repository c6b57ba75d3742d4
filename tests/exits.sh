#!/bin/sh
# exits.sh N COMMAND…: runs COMMAND and fails unless it ends with status N.
expected=$1
shift
"$@"
status=$?
[ "$status" -eq "$expected" ] || {
    echo "exit status $status instead of $expected: $*" >&2
    exit 1
}
