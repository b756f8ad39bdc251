#!/usr/bin/env bash
# Compares a build of another system with one of this: beside.sh LODE COMMAND…
#
# LODE is a binary of this machine, COMMAND the other one (`beside.sh target/debug/lode packaging/cross.sh wine`). Both go
# through packaging/try.sh. Ends with 0 when they said the same, line by line. Only --version and doctor may differ, as they
# tell of the system: what they say is shown.
set -euo pipefail
[ $# -gt 1 ] || { sed -n '2,6p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tried() { # NAME COMMAND…
    local name=$1
    shift
    "$here/try.sh" "$@" >"$work/$name" || { tail -n 5 "$work/$name"; echo "beside.sh: $* did not end well"; exit 1; }
    # What tells of the system, and the rest.
    awk '/^== / { own = $2 == "version" || $2 == "doctor" } own' "$work/$name" >"$work/$name.own"
    awk '/^== / { own = $2 == "version" || $2 == "doctor" } !own' "$work/$name" >"$work/$name.same"
}
tried here "$1"
shift
tried there "$@"
echo "== what each says of its system"
diff "$work/here.own" "$work/there.own" || true
echo "== everything else"
if diff "$work/here.same" "$work/there.same"; then
    echo "the same $(wc -l <"$work/here.same") lines from both, in $(grep -c '^== ' "$work/here") steps"
else
    exit 1
fi
