#!/bin/sh
# A Debian package, by way of cargo-deb (`cargo install cargo-deb`): target/debian/lode_*.deb
#
#   packaging/deb.sh [BINARY]     of that binary, such as the one of packaging/release.sh, else of one that is built first
set -eu
binary=${1:+$(realpath "$1")}
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
if [ -n "$binary" ]; then
    mkdir -p "$target/dist"
    cp "$binary" "$target/dist/lode"
else
    cargo build --profile dist --locked
fi
packaging/pages.sh "$target/dist/lode" target/package
cargo deb --no-build --profile dist --locked
