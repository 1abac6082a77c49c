# SPDX-License-Identifier: BSD-2-Clause
# What iotrace record could not see: each command says so, in the same words.
sh "$TOOLS/built.sh" libiotrace-record.so || exit 77
python3 "$TOOLS/static_program.py" static 'static
' 0
cat >spawns.py <<'END'
import os
os.environ["PATH"] += ":" + os.getcwd()
open("file", "w").write("data")
os.waitpid(os.posix_spawnp("static", ["static"], os.environ), 0)
try:
    os.posix_spawn("/absent", ["absent"], os.environ)
except OSError:
    pass
END
seen() { sed 's/ [0-9]* comments/ N comments/; s/comments: [0-9]*/comments: N/; s/records: [0-9]*/records: N/'; }
echo 'a program that PATH is searched for:'
"$IOTRACE" record -o a.iot python3 spawns.py
echo 'info, check, stat, analyze:'
"$IOTRACE" info a.iot | grep -E '^a.iot|not seen|remedy'
"$IOTRACE" check a.iot | seen
"$IOTRACE" stat a.iot | head -n 1
"$IOTRACE" analyze a.iot | grep "^complete"
"$IOTRACE" analyze --html=a.html a.iot >all && grep -o '<dt>complete</dt><dd>[^;]*' a.html
echo 'JSON:'
for command in info check stat; do
	"$IOTRACE" $command --json a.iot | grep -o '"unseen":{[^}]*}[^}]*}'
done
"$IOTRACE" info --json a.iot | grep -o '"state":"[^"]*"'
"$IOTRACE" check --json a.iot | grep -o '"complete":[a-z]*'
"$IOTRACE" analyze --json a.iot | grep -A2 '"unseen_' | tr -d ' \n'
echo
echo 'a state, joined with itself as another trace:'
cp a.iot b.iot
"$IOTRACE" analyze --state=a.state a.iot >all && "$IOTRACE" analyze --state=b.state b.iot >all
"$IOTRACE" analyze a.state | grep "^complete"
"$IOTRACE" stat -q a.iot b.iot | head -n 1
"$IOTRACE" merge -q -o c.iot a.iot b.iot && "$IOTRACE" info c.iot | grep 'not seen'
echo 'a process that is killed, and one that ends by itself:'
"$IOTRACE" record -o killed.iot sh -c 'sh -c "echo >lives; kill -9 \$\$" || exit 0'
"$IOTRACE" info killed.iot | grep -E '^killed.iot|not seen|remedy'
"$IOTRACE" check killed.iot | seen
"$IOTRACE" info --json killed.iot | grep -o '"exits":[0-9]*'
"$IOTRACE" cat killed.iot | grep -c ' unseen.exits=1'
echo 'counters, and names that are not text:'
cat >d.iot <<'END'
ff %process id=1 name=/bin/%1b[1mred traced=no why=user
ff %process id=2 name=other%20name traced=no why=user
ff %process id=3 traced=no why=later
ff %counter source=record process=4 unrecorded=18446744073709551615 hidden.aio=1
ff %counter source=record process=5 unrecorded=7 unrecorded.programs=2 hidden.go=2 hidden.io_uring_rings=1 hidden.io_uring_requests=30 unseen.sites=3
ff %counter source=strace process=5 unrecorded=7
END
"$IOTRACE" info d.iot | grep -E 'not seen|remedy'
echo 'the I/O of programs that were not seen is unknown, not 0:'
printf 'ff %%process id=7 name=seen\n80 20 0 8 0 1 1 7 0\n' | cat d.iot - >g.iot
"$IOTRACE" stat --tsv --by=process g.iot | cut -f 1,5,14
echo 'nothing is lacking:'
printf 'ff %%counter source=record process=4 hidden.mmap=3 hidden.loader=832\n' >e.iot
"$IOTRACE" info e.iot | head -n 1
"$IOTRACE" info --json e.iot | grep -o '"unseen":null'
echo 'places in libraries, which a program may never reach:'
printf 'ff %%counter source=record process=4 unseen.sites=4\n' >f.iot
"$IOTRACE" info f.iot | grep -E '^f.iot|not seen'
"$IOTRACE" info --json f.iot | grep -o '"sites":4'
