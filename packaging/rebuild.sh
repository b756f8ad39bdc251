#!/usr/bin/env bash
# Builds a release once more, from a clean clone, and compares: packaging/rebuild.sh VERSION [FILE…]
#
# VERSION is one that has a tag, or any commit. Each FILE is of that release: an archive, whose name tells the target,
# or the list of contents. Without a file this machine's target is built twice and compared: from two clones in
# different folders, with two homes and in two time zones. Says `equal` or what differs for each, and ends with 0 only
# when all are equal.
#
# The tools have to be those of the release: the Rust of packaging/rust-version, cargo-auditable, cargo-cyclonedx, and
# the C compiler and linker that the provenance names. If the provenance lies beside FILE, tools that differ are named.
set -euo pipefail
[ $# -gt 0 ] || { sed -n '2,10p' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
commit=$(git -C "$root" rev-parse -q --verify "v$1^{commit}" || git -C "$root" rev-parse -q --verify "$1^{commit}") ||
    { echo "rebuild.sh: $1 is neither a version with a tag nor a commit" >&2; exit 2; }
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
equal=true

build() { # FOLDER TIMEZONE [TARGET…]: a release in $work/FOLDER/out, by a user of its own
    local place=$work/$1 zone=$2 have=${CARGO_HOME:-$HOME/.cargo}
    shift 2
    mkdir -p "$place/home/.cargo/registry"
    git clone -q "$root" "$place/lode"
    git -C "$place/lode" checkout -q --detach "$commit"
    # What was downloaded is at hand; each user unpacks it in a folder of its own.
    for name in config.toml registry/index registry/cache; do
        [ ! -e "$have/$name" ] || ln -s "$have/$name" "$place/home/.cargo/$name"
    done
    env -u LODE_HOME -u LODE_SIGNING_KEY RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" HOME="$place/home" \
        CARGO_HOME="$place/home/.cargo" CARGO_TARGET_DIR="$place/target" TZ="$zone" \
        "$place/lode/packaging/release.sh" "$place/out" "$@" >/dev/null
}

unpack() { # FILE FOLDER
    mkdir -p "$2"
    case $1 in *.zip) unzip -q "$1" -d "$2" ;; *) tar -xzf "$1" -C "$2" ;; esac
}
tools() { grep '"internalParameters"' "$1" || true; }
compare() { # GIVEN REBUILT
    local name=${1##*/} one=$work/unpacked/given two=$work/unpacked/rebuilt
    if cmp -s "$1" "$2"; then
        echo "equal: $name $(sha256sum <"$1" | cut -d ' ' -f 1)"
        return
    fi
    equal=false
    echo "differs: $name"
    [ -f "$2" ] || { echo "  the rebuilt release has no such file"; return; }
    case $name in
        *.tar.gz | *.zip)
            rm -rf "$work/unpacked"
            unpack "$1" "$one" 2>/dev/null || { echo "  it cannot be unpacked"; return; }
            unpack "$2" "$two"
            if diff -rq "$one" "$two" >"$work/difference"; then
                echo "  every file in it is the same: order, times or rights differ"
            else
                sed -e "s|$work/unpacked/||g" -e 's/^/  /' "$work/difference"
            fi ;;
        *) diff "$1" "$2" | head -n 20 | sed 's/^/  /' || true ;;
    esac
    # SOMETHING.tar.gz and SOMETHING.provenance.json lie side by side.
    one=${1%.tar.gz} two=${2%.tar.gz}
    one=${one%.zip}.provenance.json two=${two%.zip}.provenance.json
    if [ -f "$one" ] && [ -f "$two" ] && [ "$(tools "$one")" != "$(tools "$two")" ]; then
        echo "  given:   $(tools "$one" | sed 's/^ *//')"
        echo "  rebuilt: $(tools "$two" | sed 's/^ *//')"
    fi
}

targets=()
for file in "$@"; do
    [ -f "$file" ] || { echo "rebuild.sh: there is no $file" >&2; exit 2; }
    case ${file##*/} in
        lode-*.cdx.json) ;;
        lode-*.tar.gz | lode-*.zip)
            target=$(sed -E 's/^lode-[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)[.0-9]*)?-(.*)(\.tar\.gz|\.zip)$/\3/' <<<"${file##*/}")
            targets+=("$target") ;;
        *) echo "rebuild.sh: $file is neither an archive nor the list of contents" >&2 && exit 2 ;;
    esac
done
build here UTC ${targets[@]+"${targets[@]}"}
if [ $# -gt 0 ]; then
    for file in "$@"; do compare "$file" "$work/here/out/${file##*/}"; done
else
    build deep/below/there Pacific/Kiritimati
    # The names of both: what only one has differs as well.
    for name in $(cd "$work" && find here/out deep/below/there/out -maxdepth 1 -type f -name 'lode-*' -printf '%f\n' | sort -u); do
        compare "$work/here/out/$name" "$work/deep/below/there/out/$name"
    done
fi
$equal
