#!/usr/bin/env bash
# Everything that a release hands out, from the commit that is checked out, with one command:
#
#   packaging/release.sh FOLDER [TARGET…]      targets: those of packaging/cross.sh, this machine's, or any that cargo can build
#   packaging/release.sh --gather FOLDER       sums and manifests of archives that several machines made
#
# FOLDER then holds for each target an archive (binary, manual pages, completions, notices, installer), its provenance
# (SLSA), its list of contents (CycloneDX) and for Linux two packages (deb, rpm); SHA256SUMS over all of them, and
# SHA256SUMS.minisig. The bytes depend on the commit and the tools alone: not on the folder, the clock or the user.
# packaging/rebuild.sh compares them. What is for Linux (musl) and Windows is built by packaging/cross.sh with the tools of
# packaging/pinned: run `cross.sh setup` once.
#
# LODE_SIGNING_KEY names the file of the secret key of minisign whose public key is in install.sh; without it nothing is
# signed. LODE_HOME names the project's home, such as https://HOST/OWNER/lode. With it the manifests of the package
# managers are filled as well (Homebrew, Arch, winget, Scoop); without it they are left out, as they would name a place
# that is not there. LODE_BUILDER is the address of the builder for the provenance. LODE_WITHOUT_SBOM=1 does without
# cargo-cyclonedx, cargo-auditable and the tools of packages. BUILD_PROFILE=release is quicker, for a trial of
# all this; what is handed out has the profile `dist`.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || { sed -n '2,20p' "$0"; exit 2; }
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
cross_home=${CROSS_HOME:-${TMPDIR:-/tmp}/lode-cross}
PATH=$cross_home/cargo/bin:$PATH
pinned=$(sed -n 's/^rust //p' packaging/pinned)
crossed() { case $1 in x86_64-unknown-linux-musl | aarch64-unknown-linux-musl | x86_64-pc-windows-gnu) ;; *) false ;; esac; }
# Rust, C compiler and linker of a target, a line each.
tools() { # TARGET
    if crossed "$1"; then
        packaging/cross.sh tools "$1"
    else
        rustc -V || return
        { cc --version 2>/dev/null || echo unknown; } | sed -n 1p
        { ld -v 2>/dev/null || echo unknown; } | sed -n 1p
    fi
}
for target in "$@"; do
    rustc=$(tools "$target" | sed -n 1p)
    [ "$(cut -d ' ' -f 2 <<<"$rustc")" = "$pinned" ] || say "$rustc is not the Rust of releases, $pinned: the bytes will differ"
done
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
remap="--remap-path-prefix=$work/source=/lode --remap-path-prefix=$cargo_home=/cargo --remap-path-prefix=$target_dir=/target"
remap="$remap --remap-path-prefix=$sysroot=/rust"
# A C compiler writes down the folder without its links, rustc the one that it was given.
prefix_map=''
for pair in "$work/source=/lode" "$cargo_home=/cargo" "$target_dir=/target"; do
    prefix_map="$prefix_map -ffile-prefix-map=$pair -ffile-prefix-map=$(realpath -m "${pair%=*}")=${pair##*=}"
done

binary() { # TARGET PROFILE: where its binary is
    case $1 in *windows*) echo "$target_dir/$1/$2/lode.exe" ;; *) echo "$target_dir/$1/$2/lode" ;; esac
}
build() { # TARGET PROFILE
    if crossed "$1"; then
        BUILD_PROFILE=$2 CARGO_TARGET_DIR=$target_dir RUSTFLAGS=$remap CFLAGS=$prefix_map packaging/cross.sh build "$1" >&2
    else
        RUSTFLAGS=$remap CFLAGS=$prefix_map cargo $LODE_AUDITABLE build --profile "$2" --locked --target "$1" --target-dir "$target_dir" --bin lode >&2
    fi
}

runs_here=''
for target in "$@"; do
    build "$target" "$profile"
    [ -z "$LODE_AUDITABLE" ] || packaging/inside.py "$(binary "$target" "$profile")" "$target" >&2
    [ -n "$runs_here" ] || ! "$(binary "$target" "$profile")" --version >/dev/null 2>&1 || runs_here=$(binary "$target" "$profile")
done
# The pages are the same for every target and profile: a binary that runs here writes them.
if [ -z "$runs_here" ]; then
    [ "$host" != x86_64-unknown-linux-gnu ] || ! crossed "$1" || host=x86_64-unknown-linux-musl
    build "$host" release
    runs_here=$(binary "$host" release)
fi
packaging/pages.sh "$runs_here" "$work/pages"

archive() { # NAME: packs the folder of that name, with the same bytes each time
    find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    case $1 in
        *windows*) find "$1" | sort | zip -q -X -@ "$out/$1.zip" ;;
        *) tar --sort=name --owner=0 --group=0 --numeric-owner --format=ustar -c "$1" | gzip -9n >"$out/$1.tar.gz" ;;
    esac
}

quoted() { sed -e 's/["\\]/\\&/g' -e 's/.*/"&"/'; } # each line as a string of JSON
provenance() { # NAME TARGET: which archive came from which commit, by which tools
    local file home=${LODE_HOME:-} rustc cc ld
    file=$(cd "$out" && echo "$1".[tz]*)
    { IFS= read -r rustc && IFS= read -r cc && IFS= read -r ld; } < <(tools "$2" | quoted)
    cat >"$out/$1.provenance.json" <<JSON
{
  "_type": "https://in-toto.io/Statement/v1",
  "subject": [{ "name": "$file", "digest": { "sha256": "$(sha256sum <"$out/$file" | cut -d ' ' -f 1)" } }],
  "predicateType": "https://slsa.dev/provenance/v1",
  "predicate": {
    "buildDefinition": {
      "buildType": "${home:-urn:lode}/packaging/release.sh",
      "externalParameters": { "version": "$version", "target": "$2", "profile": "$profile" },
      "internalParameters": { "rustc": $rustc, "cc": $cc, "ld": $ld },
      "resolvedDependencies": [
        { "uri": "git+${home:-urn:lode}", "digest": { "gitCommit": "$full_commit" } },
        { "uri": "file:Cargo.lock", "digest": { "sha256": "$(sha256sum <Cargo.lock | cut -d ' ' -f 1)" } },
        { "uri": "file:packaging/pinned", "digest": { "sha256": "$(sha256sum <packaging/pinned | cut -d ' ' -f 1)" } }
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
    install -m 755 "$(binary "$target" "$profile")" "$stage/"
    cp -r "$work/pages/man" "$work/pages/completions" "$stage/"
    cp README.md CHANGELOG.md LICENSE LICENSE-APACHE LICENSE-MIT THIRD-PARTY.txt "$stage/"
    find "$stage" -type d -exec chmod 755 {} + -o -type f ! -name 'lode' ! -name 'lode.exe' -exec chmod 644 {} +
    case $target in *windows*) ;; *) install -m 755 install.sh "$stage/" ;; esac
    (cd "$work/stage" && archive "$name")
    provenance "$name" "$target"
    case $target in
        *-unknown-linux-musl)
            if command -v cargo-deb >/dev/null && command -v cargo-generate-rpm >/dev/null; then
                packaging/packages.sh "$(binary "$target" "$profile")" "$work/pages" "$target" "$out/$name" >&2
            else
                say "no packages for Debian and Fedora, as cargo-deb or cargo-generate-rpm is not installed"
                [ -n "${LODE_WITHOUT_SBOM:-}" ] || exit 1
            fi ;;
    esac
done

# What is inside each, by the tool of the CycloneDX project.
if command -v cargo-cyclonedx >/dev/null; then
    for target in "$@"; do
        cargo cyclonedx --format json --spec-version 1.5 --target "$target" --override-filename "contents" --quiet
        # A number drawn at each run, and the folder, say nothing about what is inside.
        sed -e '/"serialNumber":/d' -e "s|$work/source|/lode|g" contents.json >"$out/lode-$version-$target.cdx.json"
    done
else
    say "no list of contents, as cargo-cyclonedx is not installed"
    [ -n "${LODE_WITHOUT_SBOM:-}" ] || exit 1
fi

sums
