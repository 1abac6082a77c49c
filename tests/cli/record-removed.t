# SPDX-License-Identifier: BSD-2-Clause
# A collector that is killed while it removes its recording: the next one removes the rest.
case ${MODE-} in
asan | tsan | msan)
	echo 'skipped: sanitizers do not allow a library to be preloaded'
	exit 77
	;;
esac
strace -o log true 2>err || { echo 'skipped: strace cannot trace here'; exit 77; }
XDG_RUNTIME_DIR=$PWD/run
export XDG_RUNTIME_DIR
mkdir run
killed=0
for n in $(seq 40); do
	rm -f a.iot
	strace -qq -o log -e trace=unlinkat -e inject=unlinkat:signal=KILL:when="$n" \
		"$IOTRACE" record -q --convert=after -o a.iot true 2>err
	grep -q 'killed by SIGKILL' log || break
	killed=$((killed + 1))
	[ ! -e run/*/spool ] || "$IOTRACE" record -q --resume run/iotrace-* || echo "at unlinkat $n: --resume: status $?"
	"$IOTRACE" record -q -o b.iot true
	[ -z "$(ls run)" ] || { echo "at unlinkat $n: $(cd run && ls ./*)"; rm -r run/*; }
done
[ $killed -gt 3 ] && echo 'killed at each file'
