#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Waits until a condition holds, however slow the machine is; fails after five minutes.
#
#	sh tests/tools/until.sh CONDITION

tries=0
until eval "$1" 2>/dev/null; do
	tries=$((tries + 1))
	[ $tries -lt 6000 ] || { echo "it never came true: $1"; exit 1; }
	sleep 0.05
done
