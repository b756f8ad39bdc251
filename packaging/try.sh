#!/usr/bin/env bash
# Tries a built lode as a person would, on a sandbox of its own, and without the terminal: try.sh COMMAND…
#
# The command may be several words (`try.sh packaging/cross.sh wine`). Prints what each step said. Ends with 0 when a contact
# was found, unlocked although the answer to the first call was lost, recovered, listed and exported.
set -euo pipefail
home=$(mktemp -d)
export LODE_STATE_DIR=$home/state LODE_CONFIG_DIR=$home/config LODE_RUNTIME_DIR=$home/runtime LODE_PROFILE=
lode() { "${command[@]}" "$@"; }
command=("$@")
sandbox=''
finish() {
    [ -z "$sandbox" ] || kill "$sandbox" 2>/dev/null || true
    rm -rf "$home"
}
trap finish EXIT
step() { echo "== $*"; }

step version
lode --version
step sandbox
"${command[@]}" sandbox --us-rows 3000 --linkedin-rows 100 --credits 50 --fault unlock-lost=next6 >"$home/line" &
sandbox=$!
until [ -s "$home/line" ]; do sleep 0.2; done
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$home/line"; }
LODE_WORKSPACE_URL=$(field workspace_url)
LODE_WORKSPACE_KEY=$(field workspace_key)
LODE_DATA_URL=$(field data_url)
LODE_DATA_KEY=$(field data_key)
export LODE_WORKSPACE_URL LODE_WORKSPACE_KEY LODE_DATA_URL LODE_DATA_KEY
step info
lode info
step me
lode me
step search
lode search --title nurse --limit 3 --json | tee "$home/rows"
[ "$(wc -l <"$home/rows")" = 3 ]
step unlock
# The answers to the call and to its repetitions are lost: what became of it is not known, and said to be so.
code=0
lode unlock --corpus us --max-credits 3 --json <"$home/rows" >"$home/unlocked" || code=$?
cat "$home/unlocked"
echo "exit $code"
if [ "$code" = 9 ]; then
    step recover
    lode recover --json
fi
step owned
lode owned --json | tee "$home/owned"
[ "$(wc -l <"$home/owned")" = 3 ]
step saved
lode saved add nurses --title nurse
lode saved list --json
lode saved run nurses --json | head -n 1
step export
(cd "$home" && lode export -o data.csv --title nurse && [ -s data.csv ] && head -n 1 data.csv)
step receipts
lode receipts --json
step doctor
lode doctor --json || true
echo "== all of it works"
