# Peers that Debian does not package, for the benchmarks, in build/peers: Coal from PyPI, and parry by cargo.
# Without python3-venv, cargo or a network, the rows of the table `convex` do without them.
fetch_peers() {
    mkdir -p build/peers
    fetch_coal || say "cannot install Coal: the table 'convex' does without it"
    build_parry || say "cannot build parry: the table 'convex' does without it"
}

# fetch_coal: headers and libraries of Coal in a virtual environment; CMake looks for them there.
fetch_coal() {
    local folder=build/peers/coal
    [ ! -e "$folder/installed" ] || return 0
    python3 -c 'import ensurepip, venv' 2>/dev/null || return 1
    say "installing Coal in $folder"
    rm -rf "$folder"
    python3 -m venv "$folder" && "$folder/bin/pip" install -q --no-cache-dir libcoal==3.0.3 >&2 && touch "$folder/installed"
}

# build_parry: the program that measures parry. Cargo writes beside its sources: it gets a copy.
build_parry() {
    local folder=build/peers/parry log=build/peers/parry.log
    command -v cargo >/dev/null || return 1
    mkdir -p "$folder/src"
    cmp -s benchmarks/parry/Cargo.toml "$folder/Cargo.toml" || cp benchmarks/parry/Cargo.toml "$folder/"
    cmp -s benchmarks/parry/src/main.rs "$folder/src/main.rs" || cp benchmarks/parry/src/main.rs "$folder/src/"
    [ -e "$folder/target/release/parry_convex" ] || say "building parry (log: $log)"
    RUSTFLAGS="-C target-cpu=native" cargo build -q --release --manifest-path "$folder/Cargo.toml" >"$log" 2>&1
}
