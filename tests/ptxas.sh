#!/usr/bin/env bash
# ptxas.sh [RESULTS.xml]: assembles the PTX of every sample and of every test that compiles, with GPUCC_BUILD's gpucc
# (default: build).  PTX for the lowest target must do for every newer one, and each target's own for itself.
# Writes a JUnit file where one is named.  Exit status 1 where something failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
BUILD=$(realpath "${GPUCC_BUILD:-build}")
GPUCC=$BUILD/bin/gpucc
PTXAS=$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)
TARGETS="sm_75 sm_80 sm_86 sm_90 sm_100"
OUT=$BUILD/ptxas
RESULTS=${1:-$OUT/results.xml}

# What ptxas says of one PTX file for one target; nothing is good.
assemble() {
    "$PTXAS" -arch="$2" "$1" -o /dev/null 2>&1 || echo "ptxas -arch=$2 $1 failed"
}

# Compiles one source for all targets that the compiler has, and assembles what comes out.  Clusters need sm_90.
check() {
    local source=$1 name own=() target standard known=$KNOWN
    grep -qE 'gpucc/cluster.h|__cluster_' "$source" && known=$(tr ' ' '\n' <<<"$KNOWN" | awk -F_ '$2 >= 90')
    name=$(echo "${source%.c}" | tr / _)
    standard=$(grep -m 1 -oE -- 'RUN:.* -std=[a-z0-9]+' "$source" | grep -oE -- '-std=.*' || true)
    for target in $known; do
        grep -qx "$target" "$OUT/targets" && own+=("$target")
    done
    "$GPUCC" -w $standard -Itests/accuracy --arch="$(IFS=,; echo "${own[*]}")" "$source" -o "$OUT/$name.ptx" 2>&1 ||
        { echo "gpucc failed"; return; }
    [ ${#own[@]} -gt 1 ] || mv "$OUT/$name.ptx" "$OUT/$name.${own[0]}.ptx"
    for target in $known; do
        assemble "$OUT/$name.${own[0]}.ptx" "$target"
    done
    for target in "${own[@]:1}"; do
        assemble "$OUT/$name.$target.ptx" "$target"
    done
}

# One <testcase> for a source.
testcase() {
    local said
    said=$(check "$1" | sed 's/]]>/]] >/g')
    if [ -z "$said" ]; then
        printf '<testcase name="%s"/>\n' "$1"
    else
        printf '%s:\n%s\n' "$1" "$said" >&2
        printf '<testcase name="%s"><failure><![CDATA[%s]]></failure></testcase>\n' "$1" "$said"
    fi
}

# Sources that compile by themselves: every one but those whose tests expect diagnostics, make nothing, or need other
# files (those run ptxas themselves).
sources() {
    ls samples/*.c stdlib/runtime/*.c tests/gpu/programs/*.c 2>/dev/null | grep -v '_host\.c$'
    find tests/compile -name '*.c' -not -path '*/Inputs/*' -not -path '*/link/*' \
        -exec grep -L -E 'RUN:.*(%exits [123]|not %gpucc|-fsyntax-only)' {} + | sort
}

mkdir -p "$OUT"
if [ ! -x "$PTXAS" ]; then
    echo "skipped: no ptxas"
    echo '<testsuite><testcase name="ptxas"><skipped message="no ptxas"/></testcase></testsuite>' >"$RESULTS"
    exit
fi
"$GPUCC" --print-targets | grep -o '^ *sm_[0-9a-z]*' | tr -d ' ' >"$OUT/targets"
help=$("$PTXAS" --help)
KNOWN=
for target in $TARGETS; do
    if grep -qw "$target" <<<"$help"; then
        KNOWN+="$target "
    else
        echo "skipped: this ptxas has no $target"
    fi
done
export BUILD GPUCC PTXAS OUT KNOWN
export -f assemble check testcase
{
    echo '<testsuite name="ptxas">'
    sources | xargs -P "$(nproc)" -I{} bash -c 'testcase {}'
    echo '</testsuite>'
} >"$RESULTS"
echo "$(grep -c '<testcase' "$RESULTS") sources assembled for $KNOWN"
! grep -q '<failure>' "$RESULTS"
