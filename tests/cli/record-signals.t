# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: every signal that can be caught reaches the program or has no effect, and the trace ends properly.
sh "$TOOLS/built.sh" record_calls || exit 77
calls=${IOTRACE%/iotrace}/record_calls
XDG_RUNTIME_DIR=$PWD/run
export XDG_RUNTIME_DIR
mkdir run

check() {
	"$IOTRACE" check -q "$1" >log && echo 'the trace is complete'
}

echo 'each signal that is sent to record:'
"$IOTRACE" record -o all.iot "$calls" signals >got &
for i in $(seq 3000); do [ -e ready ] || sleep 0.01; done
for n in $(seq 1 8) $(seq 10 16) 18 $(seq 20 64); do
	kill -$n $!
	case $n in
	20 | 21 | 22) # they stop record, too
		for i in $(seq 300); do grep -q '^State:.T' /proc/$!/status || sleep 0.01; done
		kill -CONT $!
		;;
	esac
done
wait $!
echo "exit status $?"
sort -nu got | tr '\n' ' '
echo
check all.iot

echo 'a signal that the program does not catch:'
for name in USR1 ALRM XCPU RTMIN; do
	rm -f ready
	"$IOTRACE" record -q -o ends.iot sh -c ': >ready; exec sleep 60' &
	for i in $(seq 3000); do [ -e ready ] || sleep 0.01; done
	kill -$name $!
	wait $! 2>err
	echo "$name: exit status $?"
	check ends.iot
done

echo 'timers, a stop by the shell, and an ignored SIGCHLD of the caller; a signal of the program:'
cat >caller.py <<'END'
import os, signal, subprocess, sys
record, sleep = [sys.argv[1], "record", "-q", "-o", "caller.iot"], ["sleep", "60"]
timed = lambda: signal.setitimer(signal.ITIMER_REAL, 0.3)
print(subprocess.run(record + sleep, preexec_fn=timed).returncode)
print(subprocess.run(record + ["sh", "-c", "exit 7"],
                     preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)).returncode)
print(subprocess.run(record + ["sh", "-c", "kill -USR1 $PPID; sleep 0.1; exit 8"]).returncode)
os.remove("caller.iot")
pid = subprocess.Popen(record + ["sh", "-c", "echo ready; exec sleep 60"], stdout=subprocess.PIPE, preexec_fn=os.setpgrp)
pid.stdout.readline()
os.kill(pid.pid, signal.SIGTSTP)
print(os.WSTOPSIG(os.waitpid(pid.pid, os.WUNTRACED)[1]) == signal.SIGTSTP)
os.kill(pid.pid, signal.SIGCONT)
os.kill(pid.pid, signal.SIGTERM)
print(os.waitstatus_to_exitcode(os.waitpid(pid.pid, 0)[1]))
END
python3 caller.py "$IOTRACE"
check caller.iot

echo 'the command of -o has the signals of the caller:'
"$IOTRACE" record -q -o '|sh -c "kill -PIPE \$\$"; echo $? >pipe; cat >/dev/null' true
cat pipe
ls run
