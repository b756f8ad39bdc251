#!/usr/bin/env bash
# Tries a built lode as a person would, on a sandbox of its own, and without the terminal: try.sh COMMAND…
#
# The command may be several words (`try.sh packaging/cross.sh wine`). Prints what each step said and with which code it ended:
# lost answers and recover, caps, two programs at once, a kill in the middle of an unlock, saved searches, exports. Ends with 0
# when each step ended as it must and the records of the service agree. What differs from run to run (folders, ports, keys,
# times) has a fixed name in what is printed, so that two systems can be compared: packaging/beside.sh does.
set -euo pipefail
[ $# -gt 0 ] || { sed -n '2,7p' "$0"; exit 2; }
# Exports are written in a folder of their own, so the command has to be found from there.
case $1 in */*) command=("$(realpath "$1")" "${@:2}") ;; *) command=("$@") ;; esac
home=$(mktemp -d)
export LODE_STATE_DIR=$home/state LODE_CONFIG_DIR=$home/config LODE_RUNTIME_DIR=$home/runtime LODE_PROFILE=
mkdir "$home/config"
sandbox=''
finish() {
    [ -z "$sandbox" ] || kill "$sandbox" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$home"
}
trap finish EXIT

# Windows names a folder of wine Z:\tmp\x, and in JSON Z:\\tmp\\x.
name_things() {
    sed -E -e 's/\\\\/\//g' -e "s|([A-Za-z]:)?[^ \"]*${home##*/}|FOLDER|g" -e '/FOLDER/ s|\\|/|g' \
        -e 's|127\.0\.0\.1:[0-9]+|ADDRESS|g' -e 's/([ld]k_)[A-Za-z0-9_]*/\1KEY/g' -e 's/org_[a-z0-9]+/org_ID/g' -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z/TIME/g' \
        -e 's/[0-9]+ (bytes|kB|MB)\b/N \1/g'
}
lode() { "${command[@]}" "$@"; }
step() { echo "== $*"; }
# expect CODE ARGUMENTS…: a command with what is in $home/in; its output stays in $home/out.
expect() {
    local wanted=$1 code=0
    shift
    lode "$@" <"$home/in" >"$home/out" 2>"$home/err" || code=$?
    : >"$home/in"
    name_things <"$home/out"
    name_things <"$home/err"
    [ "$code" = "$wanted" ] || { echo "exit $code instead of $wanted: lode $*"; exit 1; }
    echo "exit $code"
}
: >"$home/in"
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$home/line"; }
keeper() { curl -fsS "$control/$1" ${2:+-d "$2"}; }
faults() { # none, or names of faults
    local rules=''
    [ $# = 0 ] || rules=$(printf ',"%s"' "$@")
    keeper faults "{\"rules\":[${rules#,}]}" >/dev/null
}
spent() { # what the service's own records say
    echo "credits left in the records of the service: $(keeper books | grep -o '"credits":[0-9]*' | head -n 1 | cut -d: -f2)"
}

step version
expect 0 --version
step sandbox
"${command[@]}" sandbox --us-rows 3000 --linkedin-rows 100 --credits 50 --rate 0 --control >"$home/line" &
sandbox=$!
until [ -s "$home/line" ]; do sleep 0.2; done
LODE_WORKSPACE_URL=$(field workspace_url)
LODE_WORKSPACE_KEY=$(field workspace_key)
LODE_DATA_URL=$(field data_url)
LODE_DATA_KEY=$(field data_key)
export LODE_WORKSPACE_URL LODE_WORKSPACE_KEY LODE_DATA_URL LODE_DATA_KEY
control=$(field control_url)
name_things <"$home/line" | sed -E 's|(control_url.*ADDRESS/)[^"]*|\1TOKEN|'
step info
expect 0 info | sed 's/"version":"[^"]*"/"version":"VERSION"/'
step me
expect 0 me

step search
expect 0 search --title nurse --limit 16 --json
[ "$(wc -l <"$home/out")" = 16 ]
cp "$home/out" "$home/rows"
rows() { sed -n "$1,$2p" "$home/rows" >"$home/in"; }

step an unlock whose answer is lost is looked up for free
faults unlock-lost=next
rows 1 3
expect 0 unlock --corpus us --max-credits 3 --json
spent
step an unlock whose result is unknown, and recover
faults unlock-lost=1 reset@search=1
rows 4 6
expect 9 unlock --corpus us --max-credits 3 --json
spent
faults
expect 0 recover --json
expect 0 recover --json
spent
step owned
expect 0 owned --json
[ "$(wc -l <"$home/out")" = 6 ]

step caps
cat >"$home/config/config.toml" <<TOML
[profiles.capped.workspace]
url = "$LODE_WORKSPACE_URL"
[profiles.capped.caps]
session = 2
day = 10
TOML
export LODE_PROFILE=capped
rows 7 9
expect 3 unlock --corpus us --max-credits 3 --json
spent
step two at once under one cap
sed -i 's/^session.*//' "$home/config/config.toml"
faults latency@unlock=4000
unlock_two() { # FIRST: in the background, without waiting for its end
    rows "$1" "$(($1 + 1))"
    "${command[@]}" unlock --corpus us --max-credits 2 --json <"$home/in" >"$home/out$1" 2>"$home/err$1" &
}
calls() { keeper log | grep -o unlock | wc -l; }
called() { until [ "$(calls)" -gt "$1" ]; do sleep 0.1; done; }
before=$(calls)
unlock_two 9
first=$!
# It has the cap's last two credits as soon as its call is out.
called "$before"
code=0
rows 11 12
expect 3 unlock --corpus us --max-credits 2 --json
wait "$first" || code=$?
name_things <"$home/out9"
echo "exit $code of the first"
faults
spent
expect 0 receipts --json
rm "$home/config/config.toml"
LODE_PROFILE=

step a kill in the middle of an unlock
faults latency@unlock=30000
before=$(calls)
unlock_two 13
killed=$!
called "$before"
{ kill -9 "$killed" && wait "$killed"; } 2>/dev/null || true
faults
: >"$home/in"
expect 0 recover --json
spent
expect 0 ledger check

step saved
expect 0 saved add nurses --title nurse
expect 0 saved list --json
expect 0 saved run nurses --json
step export
(cd "$home" && expect 0 export -o data.csv --title nurse)
head -n 3 "$home/data.csv"
(cd "$home" && expect 0 export --from owned --form hubspot -o owned.csv)
name_things <"$home/owned.csv"
step receipts
expect 0 receipts --json
step doctor
expect 0 doctor --json
echo "== all of it works"
