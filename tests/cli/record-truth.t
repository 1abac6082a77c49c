# SPDX-License-Identifier: BSD-2-Clause
# A program that logs each of its transfers runs under record: the trace has the same ones.
case ${MODE-} in
asan | tsan | msan)
	echo 'skipped: sanitizers do not allow a library to be preloaded'
	exit 77
	;;
esac
sh "$TOOLS/built.sh" record_truth || exit 77
TMPDIR=$PWD python3 "$TOOLS/record_truth.py" "$IOTRACE" "${IOTRACE%/iotrace}/record_truth" positions truncates duplicates reuse appends \
	vectors copies forks fork-threads fork-exec vfork-exec spawn exec aio mapping streams stream-at-exit signals |
	sed 's/, [0-9]* transfers//'
