#!/usr/bin/env bash
# Tries `cargo binstall lode-prospect` with the archives of a folder, as it will find them at the project's home: binstall.sh FOLDER
#
# FOLDER is one of packaging/release.sh, with an archive for this machine (`x86_64-unknown-linux-musl` on Linux). A server on
# loopback hands it out under the address of a release, over TLS, because binstall takes nothing else; nothing else is asked, and
# nothing is compiled. It needs cargo-binstall, openssl and python3.
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
# An authority of this run alone, and a certificate of it for the server.
cd "$work"
new_key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
openssl req -x509 "${new_key[@]}" -keyout root.key -out root.pem -subj '/CN=binstall.sh' -days 2 2>/dev/null
openssl req "${new_key[@]}" -keyout server.key -out server.csr -subj '/CN=127.0.0.1' 2>/dev/null
printf 'subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n' >server.ext
openssl x509 -req -in server.csr -CA root.pem -CAkey root.key -CAcreateserial -extfile server.ext -out server.pem -days 2 2>/dev/null
cd - >/dev/null
python3 -u - "$work" >"$work/log" 2>&1 <<'SERVER' &
import functools, http.server, ssl, sys
work = sys.argv[1]
pages = functools.partial(http.server.SimpleHTTPRequestHandler, directory=work + "/page")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), pages)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(work + "/server.pem", work + "/server.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
print("on port", server.server_port, "now")
server.serve_forever()
SERVER
server=$!
until port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/log") && [ -n "$port" ]; do sleep 0.1; done
# The manifest as it is, but with a home: the one thing that it lacks until the project has one.
mkdir -p "$work/lode/src"
sed "s|^readme = .*|repository = \"https://127.0.0.1:$port\"|" Cargo.toml | awk '
    /^\[/ { on = $0 ~ /^\[(package|package\.metadata\.binstall.*|workspace\.package|\[bin\]|lib)\]+$/ } on' >"$work/lode/Cargo.toml"
printf '\n[workspace]\n' >>"$work/lode/Cargo.toml"
touch "$work/lode/src/main.rs" "$work/lode/src/lib.rs"
cargo binstall --root-certificates "$work/root.pem" --no-confirm --disable-telemetry --strategies crate-meta-data --manifest-path "$work/lode" --root "$work/root" lode-prospect
"$work/root/bin/lode" --version
grep -h '"GET' "$work/log" | sed 's/.*"GET/binstall.sh: GET/'
