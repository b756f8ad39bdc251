#!/usr/bin/env python3
"""Reads the list of crates that cargo-auditable put into a binary, and compares it with Cargo.lock.

    packaging/inside.py BINARY TARGET

The list is the section `.dep-v0`: JSON, compressed with zlib, the same in every format of binaries. Ends with 0 only when
it lists every crate that the binary is made of, by `cargo tree`, and nothing that Cargo.lock does not name.
"""
import json
import os
import re
import subprocess
import sys
import zlib


def listed(binary):
    with open(binary, "rb") as file:
        data = file.read()
    if b".dep-v0" not in data:
        return None
    for start in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", data):
        # Most of what looks like a beginning is none: a few bytes tell.
        try:
            begin = zlib.decompressobj().decompress(data[start.start() : start.start() + 256], 12)
        except zlib.error:
            continue
        if begin == b'{"packages":':
            return json.loads(zlib.decompressobj().decompress(data[start.start() :]))["packages"]
    return None


def made_of(target):
    command = ["cargo", "tree", "--locked", "--package", "lode-prospect", "--target", target]
    command += ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return {tuple(re.match(r"(\S+) v(\S+)", line).groups()) for line in lines if line}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    binary, target = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    packages = listed(binary)
    if packages is None:
        sys.exit(f"inside.py: {binary} has no list of crates: cargo-auditable did not build it")
    inside = {(one["name"], one["version"]) for one in packages if one.get("kind", "runtime") == "runtime"}
    with open("Cargo.lock", encoding="utf-8") as file:
        locked = set(re.findall(r'^name = "(.*)"\nversion = "(.*)"$', file.read(), re.M))
    wrong = [f"{name} {version} is in it, but not listed" for name, version in sorted(made_of(target) - inside)]
    wrong += [f"{name} {version} is listed, but not in Cargo.lock" for name, version in sorted(inside - locked)]
    if wrong:
        sys.exit("inside.py: " + "\ninside.py: ".join(wrong))
    print(f"The binary lists all {len(inside)} crates of Cargo.lock that are in it.")


main()
