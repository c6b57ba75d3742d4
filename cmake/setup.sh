# For samples/run and tests/run, which source it from the repository's root: packages, configuration and build.
# Exit status 3 means that the environment is lacking.

LLVM=$(sed -n 's/^set(GPUCC_LLVM_VERSION \([0-9]*\))$/\1/p' CMakeLists.txt)
BUILD_PACKAGES="cmake ninja-build gcc g++ pkg-config llvm-$LLVM-dev libclang-$LLVM-dev libcjson-dev libzstd-dev zlib1g-dev"
TEST_PACKAGES="libcriterion-dev llvm-$LLVM-tools python3 python3-numpy make libmpfr-dev libmpc-dev locales"
# Tests that need these are skipped without.
WANTED_PACKAGES="ccache python3-editorconfig csmith libcsmith-dev python3-pip python3-setuptools python3-wheel"
WANTED_PACKAGES="$WANTED_PACKAGES gdb elfutils meson groff-base zsh fish dpkg-dev file lintian openmpi-bin libopenmpi-dev qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
WANTED_PACKAGES="$WANTED_PACKAGES python3-dask python3-distributed python3-dev python3-venv mypy mmdebstrap python3-pandas python3-xarray python3-pint"
TIDY_PACKAGES="clang-tidy-$LLVM"
FUZZ_PACKAGES="clang-$LLVM libclang-rt-$LLVM-dev"

say() {
    printf '%s\n' "$*" >&2
}

missing_packages() {
    local package
    for package in "$@"; do
        dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || printf ' %s' "$package"
    done
}

# Installs those of the named packages that are missing, where it may.
need_packages() {
    local missing sudo=
    if ! command -v dpkg-query >/dev/null; then
        say "This is no Debian system: making do with what is installed (needed: $(echo "$@"))."
        return
    fi
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    say "Missing packages:$missing"
    if [ "$(id -u)" -ne 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            say "Install them with"
            say "    sudo apt-get install$missing"
            exit 3
        fi
        sudo=sudo
    fi
    say "Installing them with apt-get; it takes a minute or two."
    if ! { $sudo apt-get update -q && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
            --no-install-recommends $missing; } >"$(log_file apt)" 2>&1; then
        tail -n 20 "$(log_file apt)" >&2
        say "apt-get failed; needed:$missing"
        exit 3
    fi
}

# The same, but going on without what cannot be had.
want_packages() {
    (need_packages "$@") || say "Going on without: what needs them is skipped."
}

# configure PRESET [OPTION…]: the default tree once; afterwards the build itself notices what has changed.
configure() {
    local preset=$1 directory=build
    shift
    [ "$preset" = default ] || directory=build-$preset
    # A sanitised tree may have been configured before with other products.
    if [ ! -f "$directory/build.ninja" ] || [ "$preset" != default ]; then
        say "Configuring $directory."
        ! command -v ccache >/dev/null || set -- "$@" -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
        cmake --preset "$preset" "$@" >"$(log_file configure)" || { cat "$(log_file configure)" >&2; exit 1; }
    fi
}

log_file() {
    mkdir -p build
    echo "build/$1.log"
}

# Says how far ninja is, by its lines "[12/345] …": on a terminal in one line, elsewhere each 30 seconds.
show_steps() {
    local line last=$SECONDS pause=30
    [ ! -t 2 ] || pause=0
    while IFS= read -r line; do
        printf '%s\n' "$line"
        case $line in "["[0-9]*/[0-9]*"] "*) ;; *) continue ;; esac
        [ $((SECONDS - last)) -ge $pause ] || continue
        last=$SECONDS
        if [ $pause = 0 ]; then printf '\r%.78s\033[K' "$line" >&2; else say "$line"; fi
    done
    [ $pause != 0 ] || printf '\r\033[K' >&2
}

# build DIRECTORY [TARGET…]: says what it does and how far it is; its output goes to a log, which is shown if it fails.
build() {
    local directory=$1 log steps
    log=$(log_file "$directory")
    shift
    steps=$(ninja -C "$directory" -n "$@" 2>/dev/null | sed -n '$s|^.[0-9]*/\([0-9]*\). .*|\1|p')
    case $steps in
        "") ;;
        ???*) say "Building in $directory: $steps steps, several minutes the first time." ;;
        *) say "Building in $directory: $steps steps." ;;
    esac
    (set -o pipefail; ninja -C "$directory" "$@" 2>&1 | show_steps >"$log") || { cat "$log" >&2; exit 1; }
}
