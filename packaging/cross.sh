#!/usr/bin/env bash
# Checks and builds lode for machines that this one is not, to prove that it compiles and runs there. A release for macOS
# needs a Mac: Apple's frameworks cannot be had here, so nothing is linked.
#
#   packaging/cross.sh setup            once a machine: about 120 MB from the registries of Debian and PyPI
#   packaging/cross.sh check TARGET     compiles: aarch64-apple-darwin, x86_64-pc-windows-gnu
#   packaging/cross.sh build TARGET     links: x86_64-unknown-linux-musl, aarch64-unknown-linux-musl, x86_64-pc-windows-gnu
#   packaging/cross.sh wine ARGUMENTS   runs the built lode.exe
#   packaging/cross.sh screen PORT ARGUMENTS   the same, but what it draws goes to a port of this machine
#   packaging/cross.sh all              everything that must hold before a release
#
# Where rustup has the standard library of a target, this machine's Rust is used; else one of Debian's, which builds that
# library along. zig compiles C, mingw links for Windows. All of it lives in CROSS_HOME, by default a folder beside the
# temporary files. Plan a quarter of an hour for each target; BUILD_PROFILE=release builds quicker what is not handed out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
from=$PWD
cd "$here/.."
HOME_OF_CROSS=${CROSS_HOME:-${TMPDIR:-/tmp}/lode-cross}
ROOT=$HOME_OF_CROSS/rust
BUILT=$HOME_OF_CROSS/target
PROFILE=${BUILD_PROFILE:-dist}

zig_name() {
    case $1 in
        x86_64-unknown-linux-musl) echo x86_64-linux-musl ;;
        aarch64-unknown-linux-musl) echo aarch64-linux-musl ;;
        x86_64-pc-windows-gnu) echo x86_64-windows-gnu ;;
        aarch64-apple-darwin) echo aarch64-macos-none ;;
        x86_64-apple-darwin) echo x86_64-macos-none ;;
        *) echo "cross.sh: unknown target $1" >&2; exit 2 ;;
    esac
}

setup() {
    mkdir -p "$HOME_OF_CROSS/deb" "$ROOT"
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends gcc-mingw-w64-x86-64-win32 binutils-mingw-w64-x86-64 wine64 wine file
    python3 -m venv "$HOME_OF_CROSS/py"
    "$HOME_OF_CROSS/py/bin/pip" install -q ziglang
    if command -v rustup >/dev/null && rustup target add aarch64-apple-darwin x86_64-pc-windows-gnu \
        x86_64-unknown-linux-musl aarch64-unknown-linux-musl; then
        return
    fi
    apt-get install -y -qq --no-install-recommends libgit2-1.5 libssh2-1 libllvm22
    (cd "$HOME_OF_CROSS/deb" && apt-get download rustc-web cargo-web rust-web-src libstd-rust-web-dev \
        "$(apt-cache search -n '^libstd-rust-web-1' | sort | tail -1 | cut -d' ' -f1)")
    for deb in "$HOME_OF_CROSS"/deb/*.deb; do dpkg -x "$deb" "$ROOT"; done
}

# In a shell of its own: each target has variables of its own.
run_cargo() ( # verb target …
    local verb=$1 target=$2 zig under upper
    shift 2
    zig=$(zig_name "$target") under=${target//-/_} upper=${target//-/_}
    upper=${upper^^}
    mkdir -p "$HOME_OF_CROSS/bin"
    cat >"$HOME_OF_CROSS/bin/cc-$target" <<CC
#!/usr/bin/env bash
args=()
for a in "\$@"; do case "\$a" in --target=*|-target) ;; *) args+=("\$a") ;; esac; done
exec "$HOME_OF_CROSS/py/bin/python" -m ziglang cc -target $zig "\${args[@]}"
CC
    printf '#!/usr/bin/env bash\nexec "%s" -m ziglang ar "$@"\n' "$HOME_OF_CROSS/py/bin/python" >"$HOME_OF_CROSS/bin/ar-$target"
    chmod +x "$HOME_OF_CROSS/bin/"*
    export CARGO_TARGET_DIR=$BUILT "CC_$under=$HOME_OF_CROSS/bin/cc-$target" "AR_$under=$HOME_OF_CROSS/bin/ar-$target"
    case $target in
        *musl)
            export "CARGO_TARGET_${upper}_LINKER=$HOME_OF_CROSS/bin/cc-$target"
            export "RUSTFLAGS=-C link-self-contained=no -C target-feature=+crt-static ${RUSTFLAGS:-}" ;;
        *windows*) export "CARGO_TARGET_${upper}_LINKER=x86_64-w64-mingw32-gcc" ;;
    esac
    if rustup target list --installed 2>/dev/null | grep -qx "$target"; then
        cargo ${LODE_AUDITABLE:-} "$verb" --target "$target" "$@"
    else
        LD_LIBRARY_PATH=$ROOT/usr/lib/x86_64-linux-gnu RUSTC=$ROOT/usr/bin/rustc RUSTC_BOOTSTRAP=1 \
            "$ROOT/usr/bin/cargo" ${LODE_AUDITABLE:-} "$verb" -Zbuild-std=std,panic_abort --target "$target" "$@"
    fi
)

build() {
    run_cargo build "$1" --locked --profile "$PROFILE" --bin lode
    file "$BUILT/$1/$PROFILE/lode"* | grep -v '\.d:'
}

wine_run() { # [screen PORT] ARGUMENTS
    local exe=$BUILT/x86_64-pc-windows-gnu/$PROFILE/lode.exe
    export WINEPREFIX=${WINEPREFIX:-$HOME_OF_CROSS/wine} WINEDEBUG=${WINEDEBUG:--all}
    # Debian's wine lacks the one library that Rust's std asks for random numbers.
    [ -f "$(dirname "$exe")/bcryptprimitives.dll" ] ||
        x86_64-w64-mingw32-gcc -shared -o "$(dirname "$exe")/bcryptprimitives.dll" "$here/wine-random.c" -ladvapi32
    cd "$from"
    # In place of this shell, so that who ends it ends lode.
    [ "${1:-}" = screen ] || exec /usr/lib/wine/wine64 "$exe" "$@"
    local screen=$HOME_OF_CROSS/bin/screen.exe port=$2
    shift 2
    x86_64-w64-mingw32-gcc -O1 -Wall -o "$screen" "$here/wine-screen.c" -lws2_32
    exec /usr/lib/wine/wine64 "$screen" "$port" "$exe" "$@"
}

case ${1:-} in
    setup) setup ;;
    check) run_cargo check "$2" --locked --lib --bins ;;
    build) build "$2" ;;
    wine)
        shift
        wine_run "$@" ;;
    screen) wine_run "$@" ;;
    all)
        RUSTFLAGS="-D warnings" run_cargo check aarch64-apple-darwin --locked --lib --bins
        build x86_64-pc-windows-gnu
        (wine_run --version)
        for target in x86_64-unknown-linux-musl aarch64-unknown-linux-musl; do
            build "$target" | tee /dev/stderr | grep -q 'statically linked\|static-pie linked'
        done ;;
    *)
        sed -n '2,15p' "$0"
        exit 2 ;;
esac
