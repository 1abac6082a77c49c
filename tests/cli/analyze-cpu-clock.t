# SPDX-License-Identifier: BSD-2-Clause
# --clock=cpu: requests are at the CPU time of their process, which is known here, whatever the wall clock shows.
cat >trace.iot <<'END'
ff %trace job=7 epoch=1700000000000000000 job-start=1700000000 job-end=1700000100
ff %process id=1 name=a
ff %file process=1 id=1 object=1 path=/one
ff %process id=2 name=b
ff %file process=2 id=2 object=2 path=/two
ff %op name=open process=1 file=1 time=5 took=1000
80 20 0 64 64 3e8 1 1 f4240
80 20 64 64 989680 3e8 1 1 7a120
80 20 0 64 64 3e8 2 2 0
80 20 64 64 989680 3e8 2 2 1e8480
END
values() {
	cut -f 1-5 | grep -E "^(totals	(run_time|requests|opens|io_time|read_io|running_time)|trace	(epoch|operations))"
}
echo "two processes run for 0.5 s and 2 s after their first request; requests take no time:"
"$IOTRACE" analyze -q --clock=cpu --tsv trace.iot | values
"$IOTRACE" analyze -q --clock=cpu --tsv --section=time,metadata trace.iot | cut -f 2-5 | grep -E '^(bin|io_ns|open|calls|md_)' | head -n 12
echo "in any order of the wall clock, with any number of threads:"
"$IOTRACE" analyze -q --clock=cpu --tsv trace.iot >one
"$IOTRACE" analyze -q --clock=cpu --tsv --threads=2 trace.iot | cmp - one && echo same
"$IOTRACE" cat -q trace.iot | "$IOTRACE" analyze -q --clock=cpu --tsv - | cmp - one && echo same

echo "what has no CPU times is refused:"
refused() {
	"$IOTRACE" analyze --clock=cpu "$@" 2>&1 >printed | head -n 1
	test -s printed && echo printed
}
printf 'ff %%trace lacks=cpu\n80 20 0 64 64 3e8 1 1 0\n' >lacks.iot
printf '80 20 0 64 64 3e8 1 1 0\n80 20 64 64 64 3e8 1 1 0\n' >zero.iot
refused lacks.iot
refused zero.iot
refused trace.iot lacks.iot
"$IOTRACE" analyze -q --state=trace.state trace.iot
refused trace.state
refused trace.iot trace.state
refused --against=trace.state trace.iot
refused - <trace.state
refused --part=1/2 trace.iot
refused --recover trace.iot
refused --every=1s trace.iot
refused --state=other.state trace.iot
true
