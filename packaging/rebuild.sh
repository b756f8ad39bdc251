#!/usr/bin/env bash
# Builds a release once more, from a clean clone, and compares: packaging/rebuild.sh VERSION [FILE|TARGET…]
#
# VERSION is one that has a tag, or any commit. Each FILE is of that release: an archive, a package or a list of contents,
# whose name tells the target. Each TARGET (this machine's if nothing is named) is built twice and compared: from two clones in different
# folders, with two homes, in two time zones and by two users. Says `equal` or what differs for each, and ends with 0 only
# when all are equal.
#
# The tools have to be those of the release. For Linux (musl) and Windows `packaging/cross.sh setup` installs them, and
# packaging/Containerfile is an image that has them. For other targets they are the Rust of packaging/pinned and the C compiler
# and linker that the provenance names. This script says which tools it used, and if the provenance lies beside FILE, which differ.
set -euo pipefail
[ $# -gt 0 ] || { sed -n '2,9p' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
commit=$(git -C "$root" rev-parse -q --verify "v$1^{commit}" || git -C "$root" rev-parse -q --verify "$1^{commit}") ||
    { echo "rebuild.sh: $1 is neither a version with a tag nor a commit" >&2; exit 2; }
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
equal=true

# A user of another number, who owns the same files, where the system lets one be.
other_user=()
! unshare --user --map-user=4321 --map-group=4321 true 2>/dev/null || other_user=(unshare --user --map-user=4321 --map-group=4321)

build() { # FOLDER TIMEZONE USER [TARGET…]: a release in $work/FOLDER/out, from a home of its own
    local place=$work/$1 zone=$2 user=$3 have=${CARGO_HOME:-$HOME/.cargo} as=()
    shift 3
    [ "$user" = builder ] || as=(${other_user[@]+"${other_user[@]}"})
    mkdir -p "$place/home/.cargo/registry"
    git clone -q "$root" "$place/lode"
    git -C "$place/lode" checkout -q --detach "$commit"
    # What was downloaded is at hand; each user unpacks it in a folder of its own.
    for name in config.toml registry/index registry/cache; do
        [ ! -e "$have/$name" ] || ln -s "$have/$name" "$place/home/.cargo/$name"
    done
    env -u LODE_HOME -u LODE_SIGNING_KEY RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" HOME="$place/home" USER="$user" \
        LOGNAME="$user" CARGO_HOME="$place/home/.cargo" CARGO_TARGET_DIR="$place/target" TZ="$zone" \
        ${as[@]+"${as[@]}"} "$place/lode/packaging/release.sh" "$place/out" "$@" >/dev/null
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
        *.json) diff "$1" "$2" | head -n 20 | sed 's/^/  /' || true ;;
        *) echo "  $(cmp -l "$1" "$2" 2>/dev/null | wc -l) bytes of $(wc -c <"$1") differ" ;;
    esac
    # SOMETHING.tar.gz and SOMETHING.provenance.json lie side by side.
    one=${1%.tar.gz} two=${2%.tar.gz}
    one=${one%.zip}.provenance.json two=${two%.zip}.provenance.json
    if [ -f "$one" ] && [ -f "$two" ] && [ "$(tools "$one")" != "$(tools "$two")" ]; then
        echo "  given:   $(tools "$one" | sed 's/^ *//')"
        echo "  rebuilt: $(tools "$two" | sed 's/^ *//')"
    fi
}

files=() targets=()
for name in "$@"; do
    case ${name##*/} in
        lode-*.cdx.json | lode-*.tar.gz | lode-*.zip | lode-*.deb | lode-*.rpm)
            [ -f "$name" ] || { echo "rebuild.sh: $name does not exist" >&2; exit 2; }
            files+=("$name")
            # After the version, which may have a word and numbers of its own.
            target=$(sed -E 's/^lode-[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)[.0-9]*)?-(.*)\.(tar\.gz|zip|cdx\.json|deb|rpm)$/\3/' <<<"${name##*/}") ;;
        */* | *.*) echo "rebuild.sh: cannot rebuild $name; name an archive, a package or a list of contents" >&2 && exit 2 ;;
        *) target=$name ;;
    esac
    case " ${targets[*]-} " in *" $target "*) ;; *) targets+=("$target") ;; esac
done
if [ ${#files[@]} -gt 0 ]; then
    build here UTC builder "${targets[@]}"
    for file in "${files[@]}"; do compare "$file" "$work/here/out/${file##*/}"; done
else
    build here UTC builder ${targets[@]+"${targets[@]}"}
    build deep/below/there Pacific/Kiritimati guest ${targets[@]+"${targets[@]}"}
    [ ${#other_user[@]} -gt 0 ] || echo "one user only, as this system lets no other be"
    # The names of both: what only one has differs as well.
    for name in $(cd "$work" && find here/out deep/below/there/out -maxdepth 1 -type f -name 'lode-*' -printf '%f\n' | sort -u); do
        compare "$work/here/out/$name" "$work/deep/below/there/out/$name"
    done
fi
for told in "$work"/here/out/*.provenance.json; do
    echo "built with: $(tools "$told" | sed -E -e 's/^ *"internalParameters": \{ //' -e 's/ \},$//')"
done | sort -u
$equal
