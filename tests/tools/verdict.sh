# SPDX-License-Identifier: BSD-2-Clause
# For scripts that try many things, to be sourced: $passed and $failed count them, $scratch is a directory; what
# has failed shows what is in $scratch/err.

passed=0 failed=0
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

verdict() { # STATUS WHAT
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "not ok: $2"
		[ ! -e "$scratch/err" ] || head -n 5 "$scratch/err"
	fi
}
