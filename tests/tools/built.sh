#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Whether the programs that a test needs beside iotrace are built: sh built.sh NAME...
directory=build/$(basename "$(dirname "$IOTRACE")")
for name in "$@"; do
	[ -x "${IOTRACE%/*}/$name" ] && continue
	echo "$directory/$name is not built; run make check-cli"
	exit 1
done
