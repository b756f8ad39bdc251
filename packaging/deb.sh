#!/bin/sh
# A Debian package, by way of cargo-deb (`cargo install cargo-deb`): target/debian/lode_*.deb
set -eu
cd "$(dirname "$0")/.."
cargo build --profile dist --locked
target=${CARGO_TARGET_DIR:-target}
packaging/pages.sh "$target/dist/lode" target/package
cargo deb --no-build --profile dist --locked
