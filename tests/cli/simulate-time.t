# SPDX-License-Identifier: BSD-2-Clause
# Times that can be checked by hand: without overheads, with a device of 1 ms for each I/O and nothing else.
cat >t <<'TRACE'
ff %file process=1 id=1 object=1 path=/a
ff %file process=2 id=1 object=1 path=/a
80 20 0 1000 0 0 1 1 0
80 20 1000 1000 0 0 1 1 7d0
c0 20 0 1000 0 0 1 1 3e8
80 20 1000 1000 0 0 1 2 0
80 20 4000 1000 0 0 1 2 1388
TRACE
show() { echo "\$ iotrace $*"; "$IOTRACE" "$@" 2>&1; }
FREE="--switch=0s --syscall=0s --interrupt=0s --device=latency=1ms"
# Both processes read for 1 ms. Process 1 computes 2 ms, reads a block that is present, computes 1 ms and writes at 4 ms. Then
# process 2 computes 5 ms, and reads until 10 ms.
show simulate -T -c 100b --read-ahead=none $FREE t
show simulate -T -c 100b --read-ahead=none --write-behind=none $FREE t
show simulate -T -c 100b --read-ahead=none --cpus=2 $FREE t
show simulate -T -c 100b --read-ahead=none --rate=0.002 $FREE t
show simulate -T -c 100b --read-ahead=none --copies=2 --tsv $FREE t
show simulate -T -c 100b --read-ahead=none --arrive=trace --queue=fifo $FREE t
# Half of the three blocks is one. Rows: reads wait 1 + 1 + 1 ms, of which process 2 waits 2 ms; it computes 5 ms, process 1 3 ms.
show simulate -T -c 50% --read-ahead=none $FREE t
show simulate -T -c 100b --read-ahead=none --by=process $FREE t
show simulate -T -c 100b --read-ahead=none --by=op --arrive=trace --tsv --top=1 $FREE t
show simulate -T --by=op --rate --tsv t
"$IOTRACE" simulate -T -c 100b --write=back --by=object --quiet --json t | jq -c '.runs[0].rows[] | [.row, .reads, .writes, .read_miss_blocks]'
show simulate -T --write=through t
show simulate -T --quantum=1ns t
show simulate -T --rate=1ns --quiet t
# a call that takes 292 years; options without effect, or that contradict
show simulate -T --syscall=9223372036854775807ns t
show simulate -T --arrive=trace --cpus=2 t
show simulate -T --arrive=trace --syscall=1ms t
show simulate -T --dirty=10 t
show simulate -T --system=linux --dirty=10 --dirty-background=30 t
# rates of two sizes: a line for reads and one for writes each, up to the end of the last interval
"$IOTRACE" simulate -T -q -c 1b,100b --rate=4ms $FREE --svg=rate.svg t >/dev/null
python3 -c 'import xml.dom.minidom as x; g = x.parse("rate.svg").getElementsByTagName("g")
for line in g: print(*[t.firstChild.data for t in line.getElementsByTagName("title")], sep="; ")'
# of 10,000 intervals, 20 are joined: 500 steps of two segments in each of two lines
"$IOTRACE" simulate -T -q --rate=1us $FREE --svg=rate.svg t >/dev/null
grep -o 'means of [^<]*' rate.svg; grep -o 'L' rate.svg | wc -l
# the same with one thread and with several
"$IOTRACE" simulate -T --threads=1 --json -p lru,fifo,arc -c 1b,2b,3b t >one && "$IOTRACE" simulate -T --threads=3 --json -p lru,fifo,arc \
    -c 1b,2b,3b t >three && cmp one three && echo equal
