# SPDX-License-Identifier: BSD-2-Clause
# iotrace record --transport=pipe: packets have the records that rings have, and the program does not see their pipe.
case ${MODE-} in
asan | tsan | msan)
	echo 'skipped: sanitizers do not allow a library to be preloaded'
	exit 77
	;;
esac
sh "$TOOLS/built.sh" record_calls record_stress record_truth || exit 77
bin=${IOTRACE%/iotrace} XDG_RUNTIME_DIR=$PWD/run
export XDG_RUNTIME_DIR
mkdir run
rows() { "$IOTRACE" cat -q --format=csv "$1" | cut -d, -f3,5,6,9,10 | sed "s|$PWD/||"; }

echo 'the rows of both transports:'
"$IOTRACE" record -o ring.iot "$bin/record_calls" known
"$IOTRACE" record --transport=pipe -o pipe.iot "$bin/record_calls" known
rows ring.iot >ring
rows pipe.iot | diff ring - && echo "equal: $(sed 1d ring | wc -l)"
"$IOTRACE" check pipe.iot | sed 's/valid.*;/valid;/; s/, comments.*//'
ls run

echo 'what packets do not carry:'
"$IOTRACE" cat --format-version=1 pipe.iot | grep -o 'lacks=[^ ]*'
"$IOTRACE" cat --format-version=1 pipe.iot | sed -n 's/^ff %op name=\([a-z]*\) .* file=\([0-9]*\) path=.*\(result=.*\)/\1 \2 \3/p' | sort | uniq -c
"$IOTRACE" cat --format-version=1 pipe.iot | grep -o 'unsent[^ ]*' | sort
"$IOTRACE" anonymize -q --key=key --new-key -o anonymous.iot pipe.iot
"$IOTRACE" cat --format-version=1 anonymous.iot | grep -o 'lacks=[^ ]*'
"$IOTRACE" record --transport=pipe --ops=data --cpu=none -o data.iot "$bin/record_calls" known
"$IOTRACE" cat --format-version=1 data.iot | grep -o 'lacks=[^ ]*\|unsent[^ ]*'

echo 'what a program logs of its transfers:'
TMPDIR=$PWD python3 "$TOOLS/record_truth.py" --transport=pipe "$IOTRACE" "$bin/record_truth" | sed 's/, [0-9]* transfers//'

echo 'programs that are not traced:'
python3 "$TOOLS/static_program.py" static '' 0
"$IOTRACE" record --transport=pipe -o u.iot sh -c './static; env -i sh -c ./static; exec ./static' 2>err
cat err
"$IOTRACE" cat --format-version=1 u.iot | grep -o 'traced=no.*' | sort

echo 'bytes that are no packets, and no record:'
"$IOTRACE" record --transport=pipe --path='*/data' -o h.iot sh -c 'head -c 9999 /dev/zero >"$IOTRACE_RECORDING/packets"
	echo event >"$IOTRACE_RECORDING/event.$$.1"; echo line >data' 2>err
sed 's/[0-9][0-9]* places\{0,1\}/N places/' err
"$IOTRACE" cat --format-version=1 h.iot | grep -o 'why=damaged' | sort -u
rows h.iot | sed 1d | cut -d, -f1,2,3,5
ls run

echo 'threads at full speed, a reader that waits, kills of either side:'
python3 "$TOOLS/record_stress.py" --transport=pipe --seconds=1 --threads=5 --kills=2 "$IOTRACE" "$bin/record_stress" >out
grep 'not ok' out
sed 's/:.*//' out

cat >numbers.py <<'END'
import fcntl, os, resource
def show(what, call):
    try: print(what, call())
    except OSError as e: print(what, os.strerror(e.errno))
limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
own = max(int(n) for n in os.listdir("/proc/self/fd"))
a = os.open("numbers", os.O_RDWR | os.O_CREAT)
print("the number of the pipe is high:", own >= min(1000, limit - limit // 64 - 2))
show("close", lambda: os.close(own))
show("dup2 of it", lambda: os.dup2(own, 9))
os.write(a, b"one")
os.closerange(3, limit)
show("closed", lambda: os.write(a, b"x"))
b = os.open("numbers", os.O_RDWR)
os.dup2(b, own)
os.write(own, b"two")
os.write(b, b"three")
print(os.pread(b, 10, 0), [fcntl.fcntl(n, fcntl.F_GETFD) for n in (b, own)])
END
echo 'descriptors:'
"$IOTRACE" record --transport=pipe -o numbers.iot --path='*/numbers' /usr/bin/env python3 numbers.py
rows numbers.iot | sed 1d | cut -d, -f1,2,3,5

echo 'refused:'
for with in --check --per-thread --clock=tsc; do
	"$IOTRACE" record --transport=pipe $with -o no.iot true 2>err
	echo "exit status $?: $(head -n 1 err)"
done
"$IOTRACE" record --transport=socket true 2>&1 | head -n 1
ls run
