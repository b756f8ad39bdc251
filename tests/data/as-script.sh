#!/bin/sh
# Runs the file `script` beside the link this was started by: a program that a test makes up, without writing an executable.
here=$(dirname "$0")
. "$here/script"
