#!/bin/sh
# Manual pages and completions, as the binary itself knows them: pages.sh BINARY FOLDER
set -eu
binary=$1
folder=$2
mkdir -p "$folder/man" "$folder/completions"
"$binary" man > "$folder/man/lode.1"
"$binary" --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { print $1 }' |
    while read -r command; do "$binary" man "$command" > "$folder/man/lode-$command.1"; done
"$binary" completions bash > "$folder/completions/lode.bash"
"$binary" completions zsh > "$folder/completions/_lode"
"$binary" completions fish > "$folder/completions/lode.fish"
"$binary" completions nushell > "$folder/completions/lode.nu"
"$binary" completions powershell > "$folder/completions/lode.ps1"
