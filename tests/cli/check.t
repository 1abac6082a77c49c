# SPDX-License-Identifier: BSD-2-Clause
# Findings, their positions, totals and exit statuses.
cp "$TESTDATA"/format/sync.iot whole.iot
"$IOTRACE" check whole.iot; echo "fine: $?"
"$IOTRACE" cat -o whole.iot.zst whole.iot
"$IOTRACE" check - <whole.iot.zst; echo "a pipe: $?"
cp "$TESTDATA"/format/spelling.iot odd.iot
"$IOTRACE" check odd.iot; echo "odd: $?"
"$IOTRACE" check --strict -q odd.iot; echo "odd, strict: $?"
"$IOTRACE" check --all odd.iot | wc -l
# Two damaged intervals: the first damage of each.
sed -e '4s/file/fil/' -e '7s/^c0/c0 c0/' -e '9s/record=3/record=4/' -e '20s/c0/c0 0/' whole.iot >bad.iot
"$IOTRACE" check bad.iot; echo "bad: $?"
"$IOTRACE" check --json whole.iot odd.iot bad.iot >all.jsonl; echo "json: $?"
python3 - <<'END'
import json
for line in open("all.jsonl"):
    t = json.loads(line)
    print(t["path"], t["state"], t["records"], t["complete"],
          {k: n for k, n in t["counts"].items() if n}, t["error_list"], len(t["warning_list"]))
END
# Two concatenated traces.
cat whole.iot whole.iot >two.iot
"$IOTRACE" check two.iot; echo "two: $?"
head -n 12 whole.iot | "$IOTRACE" check -; echo "cut between lines: $?"
head -c 300 whole.iot | "$IOTRACE" check -; echo "cut in a line: $?"
"$IOTRACE" check absent.iot whole.iot; echo "absent: $?"
: >empty.iot
"$IOTRACE" check empty.iot; echo "empty: $?"
gzip -c empty.iot | "$IOTRACE" check -; echo "empty within: $?"
gzip -c whole.iot | head -c 5 | "$IOTRACE" check -; echo "next to empty: $?"
# Threads of one process have several I/Os in flight, which is valid.
cat >threads.strace <<'END'
10 1700000000.000000 openat(AT_FDCWD, "a", O_RDWR) = 3 <0.000010>
10 1700000000.000100 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD) = 11 <0.000010>
10 1700000000.000200 pread64(3, ""..., 4096, 0) = 4096 <0.000900>
11 1700000000.000300 pread64(3, ""..., 4096, 4096) = 4096 <0.000100>
10 1700000000.002000 pread64(3, ""..., 4096, 8192) = 4096 <0.000100>
END
"$IOTRACE" convert -q -o threads.iot threads.strace
"$IOTRACE" check --strict threads.iot; echo "threads, strict: $?"
"$IOTRACE" check --all threads.iot
"$IOTRACE" check --all --quiet threads.iot
{ "$IOTRACE" check --json threads.iot; "$IOTRACE" check --json --all threads.iot; } >notes.jsonl
python3 - <<'END'
import json
for line in open("notes.jsonl"):
    t = json.loads(line)
    print(t["state"], t["counts"]["overlap"], len(t["warning_list"]), len(t["note_list"]))
END
"$IOTRACE" convert -q --per-thread threads.strace | "$IOTRACE" check -
# A damaged %iotrace line does not turn the trace into an unframed one.
sed '1s/iotrace/iotrbce/' whole.iot >header.iot
"$IOTRACE" check header.iot; echo "damaged %iotrace: $?"
head -n 8 header.iot | "$IOTRACE" check -; echo "and no other framing: $?"
