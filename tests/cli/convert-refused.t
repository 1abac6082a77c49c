# SPDX-License-Identifier: BSD-2-Clause
# Rejected input: exit status 2 for wrong usage, 1 for unusable files.
sh "$TOOLS/strace_log.sh" 2 >log
: >empty
mkdir nothing folder
cp log folder/log
ln log other
run() {
	"$IOTRACE" convert "$@" </dev/null 2>&1 | sed 's/([a-z, ]*)/(FORMATS)/'
	"$IOTRACE" convert "$@" </dev/null >/dev/null 2>&1
	echo "exit status $?"
}
run
run -o log log
run -o other log
run -o folder/log folder
run --report log log
run --report=- log
run --from=nonsense log
run --tick=0 log
run --memory=many log
run --memory=1K log
run --ops=some log
run absent
run log absent
run nothing
run empty
run --from=strace empty
run -
run - -
cmp log folder/log
ls
