#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs both commands of README.md for a fresh clone in a bare Debian system, which has only the
# required packages: the commands have to install all that they and the tests use. Root or sudo.
#
#	sh tests/tools/check_bare.sh [SUITE]     bookworm (default), trixie, ...
set -eu
cd "$(dirname "$0")/../.."
[ "$(id -u)" -eq 0 ] || exec sudo sh tests/tools/check_bare.sh "$@"
. tests/tools/bare_root.sh
suite=${1:-bookworm}

as_typed() {
	echo "$ $1"
	in_system "$1"
}

echo "$(git log -1 --format='%h %s'), in a bare Debian ($suite)"
trap delete_system EXIT
trap 'exit 1' HUP INT TERM
make_system "$suite"
as_typed 'sh bootstrap.sh demo'
as_typed 'sh bootstrap.sh test'
