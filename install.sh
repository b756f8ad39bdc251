#!/bin/sh
# Puts lode under a prefix, with its manual pages and completions: built from this checkout, or from the archive of a release
# as it lies beside this script.
#
#   ./install.sh                  into ~/.local
#   ./install.sh --prefix DIR     elsewhere, such as /usr/local
#   ./install.sh --remove         takes away what was put there; settings and ledger stay
set -eu
cd "$(dirname "$0")"

fail() {
    echo "install: $1" >&2
    echo "hint: $2" >&2
    exit 1
}

prefix="${HOME:?}/.local"
remove=false
while [ $# -gt 0 ]; do
    case "$1" in
        --prefix)
            [ $# -gt 1 ] || fail "--prefix needs a folder" "./install.sh --prefix ~/.local"
            prefix=$2
            shift 2
            ;;
        --remove)
            remove=true
            shift
            ;;
        *) fail "$1 is not known here" "./install.sh [--prefix DIR] [--remove]" ;;
    esac
done

list="$prefix/share/lode/installed"
if $remove; then
    [ -f "$list" ] || fail "nothing was installed under $prefix" "./install.sh --remove --prefix DIR"
    while IFS= read -r file; do rm -f "$prefix/$file"; done < "$list"
    rm -f "$list"
    rmdir "$prefix/share/lode" "$prefix/share/doc/lode" 2> /dev/null || true
    echo "lode is gone from $prefix; its settings and ledger are where \`lode info\` said."
    exit 0
fi

writable() {
    mkdir -p "$prefix/share/lode" 2> /dev/null && [ -w "$prefix/share/lode" ] ||
        fail "$prefix cannot be written" "./install.sh --prefix ~/.local"
}
if [ -f Cargo.toml ]; then
    command -v cargo > /dev/null && command -v rustc > /dev/null ||
        fail "there is no Rust toolchain" "https://rustup.rs installs one"
    command -v cc > /dev/null || command -v gcc > /dev/null || command -v clang > /dev/null ||
        fail "there is no C compiler, which SQLite and TLS need" "apt install build-essential, or the same for your system"
    needed=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    present=$(rustc --version | cut -d ' ' -f 2)
    oldest=$(printf '%s\n%s\n' "$needed" "$present" | sort -V | head -n 1)
    [ "$oldest" = "$needed" ] || fail "Rust $present is too old; lode needs $needed" "rustup update stable"
    writable
    cargo build --profile dist --locked
    binary="${CARGO_TARGET_DIR:-target}/dist/lode"
    pages=$(mktemp -d)
    trap 'rm -rf "$pages"' EXIT
    packaging/pages.sh "$binary" "$pages"
else
    writable
    binary=lode
    pages=.
fi

: > "$list"
put() {
    mkdir -p "$prefix/$(dirname "$2")"
    # Beside it first: a lode that is running keeps its own file.
    cp "$1" "$prefix/$2.new"
    chmod "$3" "$prefix/$2.new"
    mv "$prefix/$2.new" "$prefix/$2"
    echo "$2" >> "$list"
}
put "$binary" bin/lode 755
for page in "$pages"/man/*; do put "$page" "share/man/man1/$(basename "$page")" 644; done
put "$pages/completions/lode.bash" share/bash-completion/completions/lode 644
put "$pages/completions/_lode" share/zsh/site-functions/_lode 644
put "$pages/completions/lode.fish" share/fish/vendor_completions.d/lode.fish 644
for notice in LICENSE LICENSE-APACHE LICENSE-MIT THIRD-PARTY.txt; do put "$notice" "share/doc/lode/$notice" 644; done

"$prefix/bin/lode" --version
case ":$PATH:" in
    *":$prefix/bin:"*) echo "\`lode demo\` looks around, without any key." ;;
    *) echo "$prefix/bin is not in PATH yet: $prefix/bin/lode demo" ;;
esac
