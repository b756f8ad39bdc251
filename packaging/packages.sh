#!/usr/bin/env bash
# A package for Debian and one for Fedora, of a binary that is built: packages.sh BINARY PAGES TARGET NAME
#
# PAGES is a folder of packaging/pages.sh. Writes NAME.deb and NAME.rpm, with cargo-deb and cargo-generate-rpm, which need
# nothing of those systems. SOURCE_DATE_EPOCH is the time of everything in them.
set -euo pipefail
[ $# = 4 ] || { sed -n '2,5p' "$0"; exit 2; }
binary=$(realpath "$1") pages=$(realpath "$2") target=$3 name=$(realpath -m "$4")
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=$PWD/target SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
mkdir -p "target/$target/dist"
install -m 755 "$binary" "target/$target/dist/lode"
rm -rf target/package
cp -r "$pages" target/package
cargo deb --quiet --no-build --no-strip --profile dist --locked --target "$target" --output "$name.deb"
cargo generate-rpm --profile dist --target "$target" --auto-req disabled --source-date "$SOURCE_DATE_EPOCH" --output "$name.rpm"
