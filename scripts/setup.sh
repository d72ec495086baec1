# Shared by run, test and bench: installs the missing packages of a list, configures and builds a preset.
# Speaks on stderr, and only when there is something to do.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'fathom: %s\n' "$*" >&2; }

# install_packages LIST...: the Debian packages named in scripts/packages/LIST, where they are missing.
install_packages() {
    local missing=() package
    for package in $(sed "s/#.*//" "${@/#/scripts/packages/}"); do
        dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] || apt_install "${missing[@]}"
}

# install_npm: what the viewer's page is built with, unless the machine has an npm of its own (Debian's would clash with it).
install_npm() {
    command -v npm >/dev/null || install_packages view.txt
}

# apt_install PACKAGE...: as root, or through sudo.
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

# build PRESET [TARGET...]: silent when everything is up to date; the compiler's words only when it fails.
build() {
    local preset=$1 folder=build/$1 log
    shift
    export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
    mkdir -p "$folder"
    log=$folder/build.log
    if [ ! -f "$folder/build.ninja" ]; then
        say "configuring $preset"
        local launcher=()
        command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
        cmake --preset "$preset" "${launcher[@]}" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
    fi
    ninja -C "$folder" "$@" 2>&1 | tee "$log" | announce "building $preset (log: $log)" || {
        [ -t 2 ] || grep -v '^\[' "$log" | head -n 200 >&2
        exit 1
    }
}

# announce WORDS: says them once ninja does more than look, and on a terminal shows what it does.
announce() {
    local line spoken=0
    while IFS= read -r line; do
        case $line in "ninja: "* | *"Re-checking globbed"*) continue ;; esac
        [ $spoken = 1 ] || { spoken=1; say "$1"; }
        [ ! -t 2 ] || printf '%s\n' "$line" >&2
    done
}
