#!/usr/bin/env bash
# The manifests of the package managers: manifests.sh VERSION HOME FOLDER
#
# Fills packaging/templates with one version, one home and the sums of FOLDER/SHA256SUMS, and writes them to FOLDER/manifests. A
# manifest whose archives are not in the folder is left out.
set -euo pipefail
version=$1 home=${2%/} out=$3
templates=$(cd "$(dirname "$0")/templates" && pwd)
mkdir -p "$out/manifests"
for template in "$templates"/*; do
    text=$(sed -e "s|@VERSION@|$version|g" -e "s|@HOME@|$home|g" "$template")
    # @SUM:archive@ is the sum of that archive.
    for archive in $(grep -o '@SUM:[^@]*@' <<<"$text" | sed 's/@SUM:\(.*\)@/\1/' | sort -u); do
        sum=$(awk -v name="$archive" '$2 == name { print $1 }' "$out/SHA256SUMS")
        text=${text//@SUM:$archive@/$sum}
        [ -n "$sum" ] || { text=''; echo "manifests.sh: no $(basename "$template"), as there is no $archive" >&2; break; }
    done
    [ -z "$text" ] || printf '%s\n' "$text" >"$out/manifests/$(basename "$template")"
done
