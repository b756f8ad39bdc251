#!/usr/bin/env bash
# Builds lode with the tools that packaging/pinned names, on any x86-64 Linux: the same Rust and the same C compiler and
# linker give the same bytes everywhere. packaging/release.sh builds the archives for Linux and Windows with it.
#
#   packaging/cross.sh setup            once per machine, not as root: about 300 MB from the registries of Rust, PyPI and crates.io
#   packaging/cross.sh setup wine       Debian's wine, to run what was built for Windows
#   packaging/cross.sh check TARGET     compiles: aarch64-apple-darwin, x86_64-pc-windows-msvc, aarch64-pc-windows-msvc, …
#   packaging/cross.sh build TARGET     links: x86_64-unknown-linux-musl, aarch64-unknown-linux-musl, x86_64-pc-windows-gnu
#   packaging/cross.sh tools TARGET     the tools of such a build: Rust, C compiler, linker, a line each
#   packaging/cross.sh wine ARGUMENTS   runs the built lode.exe
#   packaging/cross.sh screen PORT ARGUMENTS   the same, but it draws to a port of this machine
#   packaging/cross.sh all              everything that must hold before a release
#
# zig compiles C for every target and links for Linux and Windows. Nothing is linked for macOS, which needs a Mac. All of it
# lives in CROSS_HOME, by default a folder beside the temporary files; the results too, or in CARGO_TARGET_DIR. Where rustup
# cannot be reached, `setup debian` takes Debian's Rust, which builds the standard library along: good for a comparison with
# itself, but its bytes are not those of a release. Plan a quarter of an hour per target; BUILD_PROFILE=release is quicker.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
from=$PWD
cd "$here/.."
HOME_OF_CROSS=${CROSS_HOME:-${TMPDIR:-/tmp}/lode-cross}
DEBIAN=$HOME_OF_CROSS/rust
BUILT=${CARGO_TARGET_DIR:-$HOME_OF_CROSS/target}
PROFILE=${BUILD_PROFILE:-dist}
PYTHON=$HOME_OF_CROSS/py/bin/python

pinned() { awk -v name="$1" '$1 == name { print $2, $3 }' packaging/pinned; }
read -r rust _ <<<"$(pinned rust)"
read -r zig zig_sum <<<"$(pinned ziglang)"
refuse() { echo "cross.sh: $1" >&2; exit 1; }

zig_name() {
    case $1 in
        x86_64-unknown-linux-musl) echo x86_64-linux-musl ;;
        aarch64-unknown-linux-musl) echo aarch64-linux-musl ;;
        x86_64-pc-windows-*) echo x86_64-windows-gnu ;;
        aarch64-pc-windows-*) echo aarch64-windows-gnu ;;
        aarch64-apple-darwin) echo aarch64-macos-none ;;
        x86_64-apple-darwin) echo x86_64-macos-none ;;
        *) refuse "unknown target $1" ;;
    esac
}

setup() {
    local tool version
    mkdir -p "$HOME_OF_CROSS"
    python3 -m venv "$HOME_OF_CROSS/py"
    echo "ziglang==$zig --hash=sha256:$zig_sum" >"$HOME_OF_CROSS/zig.txt"
    "$HOME_OF_CROSS/py/bin/pip" install -q --require-hashes --no-deps --only-binary :all: -r "$HOME_OF_CROSS/zig.txt"
    for tool in cargo-auditable cargo-cyclonedx cargo-deb cargo-generate-rpm; do
        read -r version _ <<<"$(pinned "$tool")"
        cargo install --locked --quiet --root "$HOME_OF_CROSS/cargo" "$tool@$version"
    done
    if [ "${1:-}" = debian ]; then
        setup_debian
    else
        rustup toolchain install "$rust" --profile minimal
        rustup target add --toolchain "$rust" x86_64-unknown-linux-musl aarch64-unknown-linux-musl x86_64-pc-windows-gnu \
            x86_64-pc-windows-msvc aarch64-pc-windows-msvc aarch64-apple-darwin x86_64-apple-darwin
    fi
}
setup_debian() {
    mkdir -p "$HOME_OF_CROSS/deb" "$DEBIAN"
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends libgit2-1.5 libssh2-1 libllvm22
    (cd "$HOME_OF_CROSS/deb" && apt-get download rustc-web cargo-web rust-web-src libstd-rust-web-dev \
        "$(apt-cache search -n '^libstd-rust-web-1' | sort | tail -1 | cut -d' ' -f1)")
    for deb in "$HOME_OF_CROSS"/deb/*.deb; do dpkg -x "$deb" "$DEBIAN"; done
}

# A reader that leaves early would end the writer, so every grep here reads all.
# The pinned Rust if rustup has it for a target, else Debian's.
has_pinned() { rustup target list --toolchain "$rust" --installed 2>/dev/null | grep -x "$1" >/dev/null; }
sysroot() { # TARGET
    if has_pinned "$1"; then rustc "+$rust" --print sysroot; else echo "$DEBIAN/usr"; fi
}
# rustup checks what it downloads against a list of sums; here that list is checked.
is_pinned() { # COMPONENT TARGET
    local sum
    read -r sum _ <<<"$(pinned "$1-$2")"
    [ -n "$sum" ] && grep -A 6 -F "[pkg.$1.target.$2]" "$(rustc "+$rust" --print sysroot)/lib/rustlib/multirust-channel-manifest.toml" |
        grep -x "xz_hash = \"$sum\"" >/dev/null
}
tools() { # TARGET
    [ -x "$PYTHON" ] || refuse "run packaging/cross.sh setup first: $HOME_OF_CROSS has no zig"
    if has_pinned "$1"; then
        is_pinned rustc x86_64-unknown-linux-gnu && is_pinned rust-std "$1" ||
            refuse "the Rust $rust of rustup is not the one of packaging/pinned"
        rustc "+$rust" -V
    elif [ -x "$DEBIAN/usr/bin/rustc" ]; then
        echo "$(LD_LIBRARY_PATH=$DEBIAN/usr/lib/x86_64-linux-gnu "$DEBIAN/usr/bin/rustc" -V) of Debian"
    else
        refuse "run packaging/cross.sh setup first: Rust $rust for $1 is missing"
    fi
    [ "$("$PYTHON" -m ziglang version)" = "$zig" ] || refuse "zig is not $zig: run packaging/cross.sh setup"
    echo "zig $zig"
    echo "lld of zig $zig"
}

# The C compiler, which is the linker as well, and the archiver for one target.
wrappers() { # TARGET FOLDER
    mkdir -p "$2"
    # rustc names the libraries of another C library than zig's, and two linker options that are not for it: one lld lacks, with
    # the other zig would not find import libraries, whose names end in .a.
    cat >"$2/cc-$1" <<CC
#!/usr/bin/env bash
args=()
for a in "\$@"; do
    case "\$a" in
        --target=* | -target | -nodefaultlibs | -lmsvcrt | -lmingwex | -lmingw32 | -lgcc | -l:libpthread.a) ;;
        -Wl,--disable-auto-image-base | -Wl,-Bdynamic) ;;
        -lgcc_eh) args+=(-lunwind) ;;
        *) args+=("\$a") ;;
    esac
done
exec "$PYTHON" -m ziglang cc -target $(zig_name "$1") -fno-sanitize=all "\${args[@]}"
CC
    cat >"$2/ar-$1" <<AR
#!/usr/bin/env bash
case " \$* " in *[-/]out:*) exec "$PYTHON" -m ziglang lib "\$@" ;; *) exec "$PYTHON" -m ziglang ar "\$@" ;; esac
AR
    chmod +x "$2/cc-$1" "$2/ar-$1"
}

# In a shell of its own: each target has variables of its own.
run_cargo() ( # VERB TARGET …
    local verb=$1 target=$2 under upper bin=$BUILT/wrappers flags
    shift 2
    tools "$target" >/dev/null
    wrappers "$target" "$bin"
    under=${target//-/_} upper=${target//-/_}
    upper=${upper^^}
    export CARGO_TARGET_DIR=$BUILT "CC_$under=$bin/cc-$target" "AR_$under=$bin/ar-$target"
    export "CARGO_TARGET_${upper}_LINKER=$bin/cc-$target" PATH="$HOME_OF_CROSS/cargo/bin:$PATH"
    flags="--remap-path-prefix=$(sysroot "$target")=/rust"
    case $target in
        *musl) flags="$flags -C link-self-contained=no -C target-feature=+crt-static" ;;
        # Without it lld writes down the time.
        *windows-gnu) flags="$flags -C link-self-contained=no -C link-arg=-Wl,/Brepro" ;;
    esac
    export RUSTFLAGS="$flags ${RUSTFLAGS:-}"
    if has_pinned "$target"; then
        cargo "+$rust" ${LODE_AUDITABLE:-} "$verb" --target "$target" "$@"
    else
        LD_LIBRARY_PATH=$DEBIAN/usr/lib/x86_64-linux-gnu RUSTC=$DEBIAN/usr/bin/rustc RUSTC_BOOTSTRAP=1 \
            "$DEBIAN/usr/bin/cargo" ${LODE_AUDITABLE:-} "$verb" -Zbuild-std=std,panic_abort --target "$target" "$@"
    fi
)
check() {
    RUSTFLAGS="-D warnings" run_cargo check "$1" --locked --lib --bins
}

build() {
    run_cargo build "$1" --locked --profile "$PROFILE" --bin lode
    # Without `file`, its size is enough.
    { file "$BUILT/$1/$PROFILE/"lode{,.exe} 2>/dev/null || ls -l "$BUILT/$1/$PROFILE/"lode{,.exe}; } 2>/dev/null | grep -v 'cannot open' || true
}

wine_run() { # [screen PORT] ARGUMENTS
    local exe=$BUILT/x86_64-pc-windows-gnu/$PROFILE/lode.exe bin=$BUILT/wrappers
    local library screen=$bin/screen.exe
    library=$(dirname "$exe")/bcryptprimitives.dll
    export WINEPREFIX=${WINEPREFIX:-$HOME_OF_CROSS/wine} WINEDEBUG=${WINEDEBUG:--all}
    wrappers x86_64-pc-windows-gnu "$bin"
    # Debian's wine lacks the one library that Rust's std asks for random numbers.
    [ -f "$library" ] || "$bin/cc-x86_64-pc-windows-gnu" -shared -o "$library" "$here/wine-random.c" -ladvapi32
    cd "$from"
    # In place of this shell, so that who ends it ends lode.
    [ "${1:-}" = screen ] || exec /usr/lib/wine/wine64 "$exe" "$@"
    local port=$2
    shift 2
    "$bin/cc-x86_64-pc-windows-gnu" -O1 -Wall -o "$screen" "$here/wine-screen.c" -lws2_32
    exec /usr/lib/wine/wine64 "$screen" "$port" "$exe" "$@"
}

case ${1:-} in
    setup)
        if [ "${2:-}" = wine ]; then
            apt-get update -qq
            apt-get install -y -qq --no-install-recommends wine64 wine
        else
            setup "${2:-}"
        fi ;;
    tools) tools "$2" ;;
    check) check "$2" ;;
    build) build "$2" ;;
    wine)
        shift
        wine_run "$@" ;;
    screen) wine_run "$@" ;;
    all)
        for target in aarch64-apple-darwin x86_64-apple-darwin x86_64-pc-windows-msvc aarch64-pc-windows-msvc; do check "$target"; done
        build x86_64-pc-windows-gnu
        (wine_run --version)
        for target in x86_64-unknown-linux-musl aarch64-unknown-linux-musl; do
            build "$target" | tee /dev/stderr | grep -q 'statically linked\|static-pie linked'
        done ;;
    *)
        sed -n '2,19p' "$0"
        exit 2 ;;
esac
