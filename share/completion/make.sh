#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Writes the completion of a shell, from the option tables of the commands: make.sh bash|zsh|fish IOTRACE
set -eu
here=$(dirname "$0")
iotrace=$2
"$iotrace" --help-options | while IFS='	' read -r command summary; do
	printf 'command\t%s\t%s\n' "$command" "$summary"
	"$iotrace" "$command" --help-options | sed "s/^/option	$command	/"
done | awk -F '\t' -v shell="$1" -v dir="$here/" -f "$here/make.awk"
