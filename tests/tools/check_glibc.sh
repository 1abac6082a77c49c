#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What is built with glibc 2.36, and so a wheel, runs with glibc 2.34 as well, as Ubuntu 22.04 and RHEL 9 need it.
#
#	sh tests/tools/check_glibc.sh FILE...
set -u
oldest=2.34
built_with=$(getconf GNU_LIBC_VERSION 2>/dev/null)
case $built_with in
'glibc 2.36') ;;
*) echo "skipped: glibc 2.36 (found '$built_with')"; exit 0 ;;
esac
newer=$(objdump -T "$@" | grep -o 'GLIBC_2\.[0-9.]*) .*' | tr -d ')' | sort -uV |
	awk -v oldest=$oldest '{ split($1, v, "."); split(oldest, o, ".") } v[2] + 0 > o[2]')
if [ -n "$newer" ]; then
	echo "glibc: symbols newer than $oldest:"
	echo "$newer"
	echo '0 passed, 1 failed'
	exit 1
fi
echo '1 passed, 0 failed'
