# SPDX-License-Identifier: BSD-2-Clause
# An open, a created file and a process mean the same in stat, analyze, info and top; what a source does not show is unknown.
cat >compare.py <<'END'
import json, subprocess, sys
iotrace, *inputs = sys.argv[1:]
def run(*words):
    return json.loads(subprocess.run([iotrace, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
for path in inputs:
    stat, info = run("stat", "-q", "--json", path)["total"], run("info", "-q", "--json", path)
    whole, rows = run("analyze", "-q", "--json", path), run("analyze", "-q", "--by=process", "--json", path)["rows"]
    totals, processes = whole["totals"], whole["trace"]["processes"]
    of_rows = sum(row["opens"] for row in rows)
    name = path.rsplit("/", 1)[-1]
    print(f"{name}: opens {totals['opens']}, created {totals['created']}, processes {processes}")
    if totals["opens"] is not None and not totals["opens"] == stat["opens"] == of_rows:
        print(f"  stat: {stat['opens']} opens, analyze --by=process: {of_rows}")
    if info["processes"] != processes:
        print(f"  info: {info['processes']} processes")
END
python3 compare.py "$IOTRACE" "$TESTDATA"/strace/*.gz "$TESTDATA"/strace/*.strace "$TESTDATA"/format/directives.iot "$TESTDATA"/format/physical.iot
sh "$TOOLS/built.sh" libiotrace-record.so || exit 0
cat >makes.py <<'END'
import os
os.mkdir("new")
for i in range(10):
    open(f"new/{i}", "w").close()
    open(f"new/{i}", "a").close()
os.symlink("target", "new/link")
os.close(os.open("new/link", os.O_CREAT | os.O_WRONLY))
os.close(os.open("new/exclusive", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
for flags in os.O_CREAT | os.O_EXCL, os.O_RDONLY:
    try:
        os.open("new/exclusive" if flags else "new/absent", flags)
    except OSError:
        pass
END
echo 'of 12 files that a program makes:'
for transport in ring pipe; do
	"$IOTRACE" record -q --transport=$transport --path="$PWD/new/*" -o made.iot python3 makes.py
	"$IOTRACE" cat -q --format-version=1 made.iot | grep -o 'name=create ' | sort | uniq -c | sed 's/^ *//'
	rm -r new
done
