#!/bin/sh
# build.sh SOURCE BUILD CONFIGURATION OPTION…: configures the project with these options, builds and runs it, and looks
# at what is built again: nothing the second time, and of a touched header what includes it.
set -eu
source=$1 build=$2 config=$3
shift 3

fail() {
    echo "$build: $1" >&2
    cat "$build.log" >&2
    exit 1
}

# The steps of a build that make something, one a line.
build() {
    cmake --build "$build" --config "$config" >"$build.log" 2>&1 || fail "does not build"
    sed -n -E 's/^\[[^]]*\] (\x1b\[[0-9;]*m)*((gpucc|Building|Linking) .*)/\2/p' "$build.log" >"$build.steps"
}

nothing_to_do() {
    build
    [ ! -s "$build.steps" ] || fail "something is built again $1"
}

# run PROGRAM EXPECTED
run() {
    program=$build/$1
    [ -x "$program" ] || program=$build/$config/$1
    result=$("$program") || fail "$1 fails"
    [ "$result" = "$2" ] || fail "$1 says '$result', not '$2'"
}

find "$source" | sort >"$build.before"
# Newer CMakes have the linker name what it read, and GNU's does not quote the blanks of paths.
cmake -S "$source" -B "$build" -DCMAKE_LINK_DEPENDS_USE_LINKER=OFF "$@" >"$build.log" 2>&1 ||
    fail "cannot be configured"
build
run host "4.25 9.25, 8 27"
run header_only "2 images, the newest sm_120: GPUCC_UNSUPPORTED"
ls "$build/out/work.sm_80.ptx" "$build/out/work.sm_90.ptx" "$build/out/work.json" >>"$build.log" || fail "PTX is missing"
nothing_to_do "without a change"
sleep 0.05
touch "$source/include/shared.h"
build
sort "$build.steps" | grep '^gpucc' >"$build.compiled" || fail "nothing is built"
printf '%s\n' "gpucc first/work.c" "gpucc inline/embedded.c" "gpucc ptx" | cmp - "$build.compiled" ||
    fail "what is compiled for a touched header"
! grep -q Building "$build.steps" || fail "C files are compiled, though no header has changed"
nothing_to_do "after a touched header"
find "$source" | sort | cmp - "$build.before" || fail "the source tree has other files now"
echo "$(basename "$build"): built, run, and nothing too much built again"
