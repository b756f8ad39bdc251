#!/usr/bin/env bash
# Everything that a release hands out, from the commit that is checked out, with one command:
#
#   packaging/release.sh FOLDER [TARGET…]      targets: this machine's, or any that cargo or packaging/cross.sh can build
#   packaging/release.sh --gather FOLDER       sums and manifests of archives that several machines made
#
# FOLDER then holds for each target an archive (binary, manual pages, completions, notices, installer) and its
# provenance (SLSA), lode-VERSION.cdx.json, the list of everything inside (CycloneDX), SHA256SUMS over all of them, and
# SHA256SUMS.minisig. The bytes depend on the commit and the toolchain alone: not on the folder, the clock or the user.
# packaging/rebuild.sh compares them.
#
# LODE_SIGNING_KEY names the file of the secret key of minisign whose public key is in install.sh; without it nothing is
# signed. LODE_HOME names the project's home, such as https://HOST/OWNER/lode. With it the manifests of the package
# managers are filled as well (Homebrew, Arch, winget, Scoop); without it they are left out, as they would name a place
# that is not there. LODE_BUILDER is the address of the builder for the provenance. LODE_WITHOUT_SBOM=1 does without
# cargo-cyclonedx and cargo-auditable, which write down what is inside. LODE_CROSS=1 builds every target by
# packaging/cross.sh; a release machine has the toolchains themselves. BUILD_PROFILE=release is quicker, for a trial of
# all this; what is handed out has the profile `dist`.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || { sed -n '2,17p' "$0"; exit 2; }
gather=false
if [ "$1" = --gather ]; then
    gather=true
    shift
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
cd "$root"
profile=${BUILD_PROFILE:-dist}
host=$(rustc -vV | sed -n 's/^host: //p')
[ $# -gt 0 ] || set -- "$host"
say() { echo "release.sh: $1" >&2; }
sign() {
    local public
    rm -f "$out/SHA256SUMS.minisig"
    if [ -z "${LODE_SIGNING_KEY:-}" ]; then
        say "no signature, as LODE_SIGNING_KEY names no key; install.sh takes this only with --unverified"
        return
    fi
    public=$(sed -n 's/^key=//p' "$root/install.sh")
    [ -n "$public" ] || { say "no signature, as install.sh names no key to check it with"; exit 1; }
    minisign -S -s "$LODE_SIGNING_KEY" -t "lode $version" -m "$out/SHA256SUMS" >&2
    minisign -V -P "$public" -x "$out/SHA256SUMS.minisig" -m "$out/SHA256SUMS" >/dev/null 2>&1 && return
    rm -f "$out/SHA256SUMS.minisig"
    say "no signature, as install.sh names another key than LODE_SIGNING_KEY"
    exit 1
}
sums() {
    (cd "$out" && find . -maxdepth 1 -type f -name "lode-$version*" -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)
    if [ -n "${LODE_HOME:-}" ]; then
        "$root/packaging/manifests.sh" "$version" "$LODE_HOME" "$out"
    else
        say "no manifests, as LODE_HOME names no home of the project"
    fi
    sign
    cat "$out/SHA256SUMS"
}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
if $gather; then
    sums
    exit
fi
commit=$(git rev-parse --short=10 HEAD)
full_commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LODE_COMMIT=$commit LC_ALL=C TZ=UTC
git diff --quiet HEAD || say "what is not committed is not in the release"
pinned=$(cat packaging/rust-version)
rustc=$(rustc -V)
[ "$(cut -d ' ' -f 2 <<<"$rustc")" = "$pinned" ] || say "$rustc is not the Rust of releases, $pinned: the bytes will differ"
# The list of dependencies in the binary, which `cargo audit bin` reads: `cargo install cargo-auditable`.
export LODE_AUDITABLE=auditable
if ! command -v cargo-auditable >/dev/null; then
    LODE_AUDITABLE=
    say "no list of dependencies in the binary, as cargo-auditable is not installed"
    [ -n "${LODE_WITHOUT_SBOM:-}" ] || exit 1
fi

# What is released is the commit, not what happens to lie around it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/source" "$work/stage"
git archive HEAD | tar -x -C "$work/source"
cd "$work/source"

# No path of this machine goes into the bytes.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
sysroot=$(rustc --print sysroot)
target_dir=${CARGO_TARGET_DIR:-$root/target}/dist
[ -z "${LODE_CROSS:-}" ] || target_dir=${CROSS_HOME:-${TMPDIR:-/tmp}/lode-cross}/target
remap="--remap-path-prefix=$work/source=/lode --remap-path-prefix=$cargo_home=/cargo --remap-path-prefix=$target_dir=/target"
remap="$remap --remap-path-prefix=$sysroot=/rust"
# A C compiler writes down the folder without its links, rustc the one that it was given.
prefix_map=''
for pair in "$work/source=/lode" "$cargo_home=/cargo" "$target_dir=/target"; do
    prefix_map="$prefix_map -ffile-prefix-map=$pair -ffile-prefix-map=$(realpath -m "${pair%=*}")=${pair##*=}"
done

binary() { # TARGET: where its binary is
    case $1 in *windows*) echo "$target_dir/$1/$profile/lode.exe" ;; *) echo "$target_dir/$1/$profile/lode" ;; esac
}
build() { # TARGET
    local target=$1 flags=$remap
    # The linker for Windows would write down the time.
    case $target in *windows-gnu) flags="$remap -C link-arg=-Wl,--no-insert-timestamp" ;; esac
    if [ -n "${LODE_CROSS:-}" ]; then
        RUSTFLAGS=$flags CFLAGS=$prefix_map packaging/cross.sh build "$target" >&2
    else
        RUSTFLAGS=$flags CFLAGS=$prefix_map cargo $LODE_AUDITABLE build --profile "$profile" --locked --target "$target" --target-dir "$target_dir" --bin lode >&2
    fi
}

runs_here=''
for target in "$@"; do
    build "$target"
    [ -n "$runs_here" ] || ! "$(binary "$target")" --version >/dev/null 2>&1 || runs_here=$(binary "$target")
done
# The pages are the same for every target: a binary that runs here writes them.
if [ -z "$runs_here" ]; then
    build "$host"
    runs_here=$(binary "$host")
fi
packaging/pages.sh "$runs_here" "$work/pages"

archive() { # NAME: packs the folder of that name, with the same bytes each time
    find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    case $1 in
        *windows*) find "$1" | sort | zip -q -X -@ "$out/$1.zip" ;;
        *) tar --sort=name --owner=0 --group=0 --numeric-owner --format=ustar -c "$1" | gzip -9n >"$out/$1.tar.gz" ;;
    esac
}

first_line() { # COMMAND: as a string of JSON
    { "$@" 2>/dev/null || echo unknown; } | sed -n -e 's/["\\]/\\&/g' -e '1s/.*/"&"/p'
}
provenance() { # NAME TARGET: which archive came from which commit, by which tools
    local cc=cc file home=${LODE_HOME:-}
    case $2 in *windows-gnu) cc=x86_64-w64-mingw32-gcc ;; *musl) ! command -v musl-gcc >/dev/null || cc=musl-gcc ;; esac
    [ -z "${LODE_CROSS:-}" ] || cc="${CROSS_HOME:-${TMPDIR:-/tmp}/lode-cross}/bin/cc-$2"
    file=$(cd "$out" && echo "$1".*)
    cat >"$out/$1.provenance.json" <<JSON
{
  "_type": "https://in-toto.io/Statement/v1",
  "subject": [{ "name": "$file", "digest": { "sha256": "$(sha256sum <"$out/$file" | cut -d ' ' -f 1)" } }],
  "predicateType": "https://slsa.dev/provenance/v1",
  "predicate": {
    "buildDefinition": {
      "buildType": "${home:-urn:lode}/packaging/release.sh",
      "externalParameters": { "version": "$version", "target": "$2", "profile": "$profile" },
      "internalParameters": { "rustc": $(first_line rustc -V), "cc": $(first_line "$cc" --version), "ld": $(first_line ld -v) },
      "resolvedDependencies": [
        { "uri": "git+${home:-urn:lode}", "digest": { "gitCommit": "$full_commit" } },
        { "uri": "file:Cargo.lock", "digest": { "sha256": "$(sha256sum <Cargo.lock | cut -d ' ' -f 1)" } }
      ]
    },
    "runDetails": { "builder": { "id": "${LODE_BUILDER:-urn:lode:by-hand}" } }
  }
}
JSON
}

rm -f "$out"/lode-"$version"*
for target in "$@"; do
    name=lode-$version-$target
    stage=$work/stage/$name
    mkdir -p "$stage"
    install -m 755 "$(binary "$target")" "$stage/"
    cp -r "$work/pages/man" "$work/pages/completions" "$stage/"
    cp README.md CHANGELOG.md LICENSE LICENSE-APACHE LICENSE-MIT THIRD-PARTY.txt "$stage/"
    find "$stage" -type d -exec chmod 755 {} + -o -type f ! -name 'lode' ! -name 'lode.exe' -exec chmod 644 {} +
    case $target in *windows*) ;; *) install -m 755 install.sh "$stage/" ;; esac
    (cd "$work/stage" && archive "$name")
    provenance "$name" "$target"
done

# What is inside, by the tool of the CycloneDX project: `cargo install cargo-cyclonedx`.
if command -v cargo-cyclonedx >/dev/null; then
    cargo cyclonedx --format json --spec-version 1.5 --override-filename "lode-$version.cdx" --quiet
    # A number drawn at each run, and the folder, say nothing about what is inside.
    sed -e '/"serialNumber":/d' -e "s|$work/source|/lode|g" "lode-$version.cdx.json" >"$out/lode-$version.cdx.json"
else
    say "no list of contents, as cargo-cyclonedx is not installed"
    [ -n "${LODE_WITHOUT_SBOM:-}" ] || exit 1
fi

sums
