#!/usr/bin/env bash
# Tries `cargo binstall lode-prospect` with the archives of a folder, as it will find them at the project's home: binstall.sh FOLDER
#
# FOLDER is one of packaging/release.sh, with an archive for this machine (`x86_64-unknown-linux-musl` on Linux). A server on
# loopback hands it out under the address of a release; nothing else is asked, and nothing is compiled. It needs cargo-binstall
# and python3.
set -euo pipefail
[ $# = 1 ] || { sed -n '2,6p' "$0"; exit 2; }
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
work=$(mktemp -d)
server=''
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
mkdir -p "$work/page/releases/download" "$work/root"
ln -s "$out" "$work/page/releases/download/v$version"
python3 -u -m http.server --bind 127.0.0.1 --directory "$work/page" 0 >"$work/log" 2>&1 &
server=$!
until port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/log") && [ -n "$port" ]; do sleep 0.1; done
# The manifest as it is, but with a home: the one thing that it lacks until the project has one.
mkdir -p "$work/lode/src"
sed "s|^readme = .*|repository = \"http://127.0.0.1:$port\"|" Cargo.toml | awk '
    /^\[/ { on = $0 ~ /^\[(package|package\.metadata\.binstall.*|workspace\.package|\[bin\]|lib)\]+$/ } on' >"$work/lode/Cargo.toml"
printf '\n[workspace]\n' >>"$work/lode/Cargo.toml"
touch "$work/lode/src/main.rs" "$work/lode/src/lib.rs"
cargo binstall --no-confirm --disable-telemetry --strategies crate-meta-data --manifest-path "$work/lode" --root "$work/root" lode-prospect
"$work/root/bin/lode" --version
grep -h 'GET' "$work/log" | sed 's/.*"GET/binstall.sh: GET/'
