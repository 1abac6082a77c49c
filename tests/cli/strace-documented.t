# SPDX-License-Identifier: BSD-2-Clause
# README, the help of convert and the manual show the same two commands: one with a log on disk, one without.
sh "$TOOLS/documented_strace.sh" >all
cut -f 2 all | LC_ALL=C sort | uniq -c | sed 's/^ *//'
cut -f 1 all | sort -u
grep -q "STRACE_ARRAYS \"$(sed -n "s/.* \(-e '[^']*'\) .*/\1/p" all | sort -u)\"" \
	"$TESTDATA/../converters/strace/strace.h" || echo "a warning recommends another option"
