# Functions of run, test and bench: they install the missing packages of a list, configure and build a preset.
# Messages go to stderr, and appear only when there is something to do.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'fathom: %s\n' "$*" >&2; }

# install_packages LIST...: installs the Debian packages named in scripts/packages/LIST that are missing.
install_packages() {
    local missing=() package
    for package in $(sed "s/#.*//" "${@/#/scripts/packages/}"); do
        dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] || apt_install "${missing[@]}"
}

# install_npm: installs npm, which builds the viewer's page, unless the machine has its own (Debian's package would conflict with it).
install_npm() {
    command -v npm >/dev/null || install_packages view.txt
}

# apt_install PACKAGE...: installs packages as root, or through sudo.
apt_install() {
    if ! command -v apt-get >/dev/null; then
        say "this is not a Debian system: please install the equivalents of: $*"
        return 0
    fi
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { say "need root or sudo to install: $*"; exit 1; }
        as_root=(sudo)
    fi
    say "installing $*"
    "${as_root[@]}" apt-get update -qq >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

# build PRESET [TARGET...]: builds the targets, or everything including the tests. Silent when everything is up to date; shows the output
# of the compiler only when it fails.
build() {
    local preset=$1 folder=build/$1 log=build/$1/build.log tests=OFF
    shift
    export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
    mkdir -p "$folder"
    # The tests need packages that a user of the tool does not have; once configured, they stay.
    if [ $# -eq 0 ] || grep -qs '^FATHOM_TESTS:BOOL=ON$' "$folder/CMakeCache.txt"; then tests=ON; fi
    configure "$preset" "$tests"
    ninja -C "$folder" "$@" 2>&1 | tee "$log" | announce "building $preset (log: $log)" || {
        [ -t 2 ] || grep -v '^\[' "$log" | head -n 200 >&2
        exit 1
    }
}

# configure PRESET TESTS: runs CMake in a new build folder, and again whenever a dependency was installed, removed or updated since the
# last time. CMake itself does not notice that, and would leave out what was missing then.
configure() {
    local preset=$1 folder=build/$1 log=build/$1/build.log stamp=build/$1/configured_with.txt now launcher=()
    now=$(printf 'tests %s\n' "$2" && dependencies)
    if [ -f "$folder/build.ninja" ]; then
        [ "$now" != "$(cat "$stamp" 2>/dev/null)" ] || return 0
        say "configuring $preset again: the installed packages or the options have changed"
    else
        say "configuring $preset"
    fi
    command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    rm -f "$stamp"
    cmake --preset "$preset" "${launcher[@]}" "-DFATHOM_TESTS=$2" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
    printf '%s\n' "$now" >"$stamp"
}

# dependencies: everything that the configuration looks for and that may appear later: the packages of all lists with their versions,
# programs and peers that need not come from a package, and the modules of the Python interpreters.
dependencies() {
    sed 's/#.*//' scripts/packages/*.txt | xargs dpkg-query -W -f='${Package} ${Version} ${db:Status-Abbrev}\n' 2>/dev/null || true
    type -P npm node ccache python3 || true
    ls -d build/peers/*/installed 2>/dev/null || true
    local python
    for python in /usr/bin/python3 python3; do
        "$python" -c 'import sys; from importlib.util import find_spec
print(sys.executable, sys.version_info[:3], *(bool(find_spec(name)) for name in ("numpy", "pytest")))' 2>/dev/null || true
    done
}

# say_what_is_left_out PRESET: the tests that the configuration leaves out, and why.
say_what_is_left_out() {
    local cache=build/$1/CMakeCache.txt reason
    if grep -qs '^FATHOM_PYTHON:BOOL=OFF$' "$cache"; then
        say "$1: the Python tests are left out: FATHOM_PYTHON is OFF"
    else
        reason=$(sed -n 's/^FATHOM_PYTHON_MISSING:INTERNAL=//p' "$cache")
        [ -z "$reason" ] || say "$1: the Python tests are left out: $reason"
    fi
    if grep -qs '^FATHOM_VIEWER:BOOL=OFF$' "$cache"; then
        say "$1: the tests of the viewer's page are left out: FATHOM_VIEWER is OFF"
    fi
}

# announce MESSAGE: prints the message once ninja has work to do, and on a terminal shows the output of ninja.
announce() {
    local line spoken=0
    while IFS= read -r line; do
        case $line in "ninja: "* | *"Re-checking globbed"*) continue ;; esac
        [ $spoken = 1 ] || { spoken=1; say "$1"; }
        [ ! -t 2 ] || printf '%s\n' "$line" >&2
    done
}
