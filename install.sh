#!/bin/sh
# Puts lode under a prefix, with its manual pages and completions: built from this checkout, or from the archive of a
# release.
#
#   ./install.sh                  into ~/.local
#   ./install.sh --archive FILE   from that archive: no toolchain and no network is needed
#   ./install.sh --prefix DIR     elsewhere, such as /usr/local
#   ./install.sh --remove         takes away what was put there; settings and ledger stay
#
# An archive is verified before anything is written: SHA256SUMS and SHA256SUMS.minisig lie beside it, as they came from
# the same release. An unpacked archive looks for its own file beside its folder. minisign (or rsign) checks the
# signature. --key KEY names another public key than the one below; --unverified goes on when something cannot be
# verified, never when it is wrong.
set -eu

# The public key of lode's releases, the same as in SECURITY.md. It is empty until the first release is signed.
key=

fail() {
    echo "install: $1" >&2
    echo "hint: $2" >&2
    exit 1
}

prefix="${HOME:?}/.local"
remove=false
archive=
unverified=false
value() { # FLAG [VALUE]
    [ $# -gt 1 ] && [ -n "$2" ] || fail "$1 needs a value" "$usage"
}
usage="./install.sh [--archive FILE] [--prefix DIR] [--key KEY] [--unverified] [--remove]"
while [ $# -gt 0 ]; do
    case "$1" in
        --prefix)
            value "$@"
            prefix=$2
            shift 2
            ;;
        --archive)
            value "$@"
            archive=$2
            shift 2
            ;;
        --key)
            value "$@"
            key=$2
            shift 2
            ;;
        --unverified)
            unverified=true
            shift
            ;;
        --remove)
            remove=true
            shift
            ;;
        *) fail "$1 is not known here" "$usage" ;;
    esac
done
case "$prefix" in /*) ;; *) prefix="$PWD/$prefix" ;; esac

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

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Says what cannot be verified, and ends unless that was accepted beforehand.
cannot() { # WHAT HINT
    $unverified || fail "$1" "$2; --unverified installs without that"
    echo "install: not verified: $1" >&2
}

# In a copy of its own, so that what was verified is what gets installed.
verify() { # ARCHIVE
    from=$(dirname "$1")
    name=$(basename "$1")
    cp "$1" "$work/$name" || fail "$1 cannot be read" "$usage"
    for file in SHA256SUMS SHA256SUMS.minisig; do
        [ ! -f "$from/$file" ] || cp "$from/$file" "$work/$file"
    done
    if [ ! -f "$work/SHA256SUMS" ]; then
        cannot "there is no SHA256SUMS beside $name" "download it from the same release"
        return
    fi
    if [ ! -f "$work/SHA256SUMS.minisig" ]; then
        cannot "SHA256SUMS has no signature" "download SHA256SUMS.minisig from the same release"
    elif [ -z "$key" ]; then
        cannot "this installer names no key for the signature" "--key KEY, with the key in SECURITY.md"
    elif command -v minisign > /dev/null; then
        signed minisign -V -P "$key" -x "$work/SHA256SUMS.minisig" -m "$work/SHA256SUMS"
    elif command -v rsign > /dev/null; then
        signed rsign verify -P "$key" -x "$work/SHA256SUMS.minisig" "$work/SHA256SUMS"
    else
        cannot "nothing here can check the signature" "install minisign, https://jedisct1.github.io/minisign"
    fi
    expected=$(awk -v name="$name" '$2 == name { print $1 }' "$work/SHA256SUMS")
    [ -n "$expected" ] || fail "SHA256SUMS does not name $name" "download both from the same release"
    if command -v sha256sum > /dev/null; then
        actual=$(sha256sum < "$work/$name")
    elif command -v shasum > /dev/null; then
        actual=$(shasum -a 256 < "$work/$name")
    else
        cannot "nothing here can compute a SHA-256 sum" "install coreutils"
        return
    fi
    [ "${actual%% *}" = "$expected" ] ||
        fail "$name is not the file of the release: its sum differs" "download it again"
    echo "The sum of $name is the one in SHA256SUMS."
}
signed() { # COMMAND
    "$@" > /dev/null 2>&1 ||
        fail "SHA256SUMS is not signed by the key of lode" "download both again; do not install this one"
    echo "The signature of SHA256SUMS is by the key $key."
}

if [ -z "$archive" ]; then
    cd "$(dirname "$0")"
    if [ ! -f Cargo.toml ]; then
        archive="../$(basename "$PWD").tar.gz"
        if [ ! -f "$archive" ]; then
            cannot "the archive of these files is not beside their folder" "./install.sh --archive FILE"
            archive=
        fi
    fi
fi
if [ -n "$archive" ]; then
    verify "$archive"
    writable
    tar -xzf "$work/$name" -C "$work" || fail "$name cannot be unpacked" "download it again"
    cd "$work/${name%.tar.gz}" || fail "$name does not hold its folder" "download it again"
    binary=lode
    pages=.
elif [ -f Cargo.toml ]; then
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
    pages=$work/pages
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
