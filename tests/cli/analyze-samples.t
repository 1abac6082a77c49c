# SPDX-License-Identifier: BSD-2-Clause
# Samples of counters of hosts, with values that can be computed by hand: I/O for 30 s of each 120 s has an intensity of 0.25 if samples
# are of 30 s, and of 1 if they are of 120 s.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
cat >samples.py <<'CODE'
"""samples.py HOSTS STEP SECONDS ON PERIOD SHIFT [FROM:TO]: samples of STEP s; host h reads 8 MiB in each of the first ON s of each period."""
import sys
hosts, step, seconds, on, period, shift = map(int, sys.argv[1:7])
lost = [tuple(map(int, part.split(":"))) for part in sys.argv[7:]]
print(f"ff %trace source=mmpmon epoch=0 lacks=completion,cpu,offset interval={step * 10**9}")
for t in range(0, seconds, step):
    for h in range(hosts):
        if any(start <= t < end for start, end in lost):
            continue
        n = sum((x - h * shift) % period < on for x in range(t, t + step))
        print(f"ff %sample time={t * 10**6} took={step * 10**6} host=h{h} target=t read-bytes={n << 23} written-bytes=0 reads={8 * n} writes=0")
CODE
value() { # FILE SECTION NAME KEY
	"$IOTRACE" analyze -q -t "$1" | awk -F '\t' -v s="$2" -v n="$3" -v k="$4" '$1 == s && $2 == n && $3 == k { print s, n, k, $5, $6 }'
}
for step in 30 120; do
	python3 samples.py 4 $step 1200 30 120 0 >$step.iot
	value $step.iot time intensity 1048576
	value $step.iot time parallel_intensity_normalised 1048576
done
python3 samples.py 4 30 1200 30 120 30 >turns.iot
echo "one host at a time"
value turns.iot time intensity 1048576
value turns.iot time parallel_intensity_normalised 1048576
echo "sums, and sizes that are means"
value 30.iot totals read_bytes
value 30.iot totals reads
value 30.iot sizes read_size_mean
echo "what samples cannot show is unknown"
"$IOTRACE" analyze -q -t 30.iot | awk -F '\t' '$1 ~ /^(order|reuse|classes|files|processes|large)$/ && $5 != ""'
"$IOTRACE" stat -q --json 30.iot
"$IOTRACE" info 30.iot | grep -E 'reads|samples'
# Shares do not depend on lost time if the rest repeats; the lost time is a gap.
python3 samples.py 2 64 131072 1024 4096 0 >whole.iot
python3 samples.py 2 64 131072 1024 4096 0 16384:32768 >lost.iot
for name in below_33_percent_of_peak idle_below_5_hours_share; do
	value whole.iot samples $name
	value lost.iot samples $name
done
value lost.iot samples idle_below_5 share
value lost.iot samples unobserved_s
"$IOTRACE" analyze -q lost.iot
# A sample of a gap is in totals alone; a wrong one is counted.
cat >gap.iot <<'CODE'
ff %trace source=diskstats epoch=0 lacks=completion,cpu,offset interval=1000000000
ff %sample time=0 took=1000000 host=a target=sda requests=7 read-bytes=1000
ff %sample time=1000000 took=20000000 host=a target=sda requests=1 read-bytes=500 gap=1
ff %sample time=21000000 took=1000000 host=a target=sda requests=2 read-bytes=1000
ff %sample time=22000000 took=1000000 target=sda requests=2 read-bytes=1000
ff %sample time=22000000 took=1000000 host=a target=sda requests=x read-bytes=1000
CODE
"$IOTRACE" analyze -q -t gap.iot | awk -F '\t' '($1 == "totals" && ($2 ~ /^(reads|requests|read_bytes|bytes)$/)) ||
	($1 == "samples" && $2 ~ /sample|gap|observed|bytes_per_s_max|idle_below_5$/) { print $1, $2, $3, $5, $6 }'
# Parts join exactly; records make them cut the trace.
awk 'NR % 5 == 0 { printf "80 20 %x 10 %x 1 1 1 0\n", NR, NR } 1' 30.iot | "$IOTRACE" cat -q --framed --sync=4 --no-fsync -o framed.iot -
for k in 1 2 3; do "$IOTRACE" analyze -q --no-fsync --part=$k/3 -s $k.state framed.iot; done
"$IOTRACE" analyze -q --no-fsync -s parts.state 1.state 2.state 3.state
"$IOTRACE" analyze -q --no-fsync -s whole.state framed.iot
cmp parts.state whole.state
"$IOTRACE" analyze -q -t framed.iot | grep ^samples >whole.tsv
"$IOTRACE" analyze -q -t parts.state | grep ^samples | diff whole.tsv - && wc -l <whole.tsv
# So many samples that their amounts are divided among bins as they are read; few reads leave bins without any.
python3 - >many.iot <<'CODE'
print("ff %trace source=diskstats epoch=0 lacks=completion,cpu,offset interval=60000000000")
for n in range(36000):
    minute, host = divmod(n, 360)
    few, later = n * 7919 % 40, host * 7001
    print(f"ff %sample time={minute * 60000000 + later} took={60000000 - n % 3 * 9999999} host=h{host} target=t", end=" ")
    print(f"read-bytes={few * 100003} written-bytes={n << 20} reads={few} writes={n % 31}")
    if n % 1000 == 999:
        print("80 20 0 10 1 1 1 1 0")
CODE
"$IOTRACE" cat -q --framed --sync=4 --no-fsync -o framed.iot many.iot
for k in 1 2 3; do "$IOTRACE" analyze -q --no-fsync --part=$k/3 -s $k.state framed.iot; done
"$IOTRACE" analyze -q --no-fsync -s last.state 2.state 3.state
"$IOTRACE" analyze -q --no-fsync -s parts.state last.state 1.state
"$IOTRACE" analyze -q --no-fsync -s whole.state framed.iot
cmp parts.state whole.state
"$IOTRACE" analyze -q -t framed.iot >whole.tsv
"$IOTRACE" analyze -q -t parts.state | diff whole.tsv - && grep -E '^samples	(sample_count|sampled_hosts)' whole.tsv
"$IOTRACE" analyze -q --plots=plots lost.iot && cat plots/idle.tsv && grep -c "not observed" plots/rate.svg
# Samples of the same counters that overlap count twice: other targets and jobs do not.
cat >twice.iot <<'CODE'
ff %trace source=mmpmon epoch=0 lacks=completion,cpu,offset interval=1000000000
ff %sample time=0 took=1000000 host=a target=fs read-bytes=1000
ff %sample time=0 took=1000000 host=a target=fs read-bytes=1000
ff %sample time=0 took=1000000 host=a target=other read-bytes=1000
ff %sample time=0 took=1000000 host=a target=fs job=1 read-bytes=1000
ff %sample time=500000 took=1000000 host=a target=fs read-bytes=1000
ff %sample time=500000 took=1000000 host=a target=fs sizes-r=0-1:5
ff %sample time=1500000 took=1000000 host=a target=fs read-bytes=1000
ff %sample time=1500000 took=1000000 host=b target=fs read-bytes=1000
CODE
value twice.iot samples overlap_s
"$IOTRACE" analyze -q twice.iot | grep twice
"$IOTRACE" check --all twice.iot 2>&1 | grep -i sample
# The report has the sections of which samples show anything, and opens and closes are calls that they count.
sed 's/reads=/opens=3 closes=2 reads=/' 30.iot >opens.iot
"$IOTRACE" analyze -q --html=report.html opens.iot && grep -o '<h2 id="[a-z]*' report.html | cut -d '"' -f 2 | tr '\n' ' '
echo
"$IOTRACE" analyze -q -t opens.iot | awk -F '\t' '$1 != "samples" && $2 $3 ~ /opens|closes|created$/ { print $1, $2, $3, $5, $6 }'
# Hosts are rows and plots; what no sample of a host counts is unknown, and the plot of a host has what its samples add up to.
cat >hosts.iot <<'CODE'
ff %trace source=diskstats epoch=0 lacks=completion,cpu,offset interval=1000000000
ff %sample time=0 took=1000000 host=b.site target=sda requests=7 read-bytes=1000 read-ns=5
ff %sample time=1000000 took=20000000 host=a.site target=sda reads=1 read-bytes=500 written-bytes=70 gap=1
ff %sample time=21000000 took=1000000 host=a.site target=sda reads=2 opens=3 read-bytes=1000
ff %sample time=22000000 took=1000000 host=c%20c.site target=sda written-bytes=0 read-ns=2 write-ns=3
CODE
"$IOTRACE" analyze -q --by=host hosts.iot
"$IOTRACE" analyze -q --by=host -t hosts.iot | tee hosts.tsv
"$IOTRACE" analyze -q --by=host --json hosts.iot | grep -c '_time_ns": null'
"$IOTRACE" analyze -q --no-fsync -s hosts.state hosts.iot
"$IOTRACE" analyze -q --by=host -t hosts.state | diff hosts.tsv -
"$IOTRACE" analyze -q --plots=host-plots --html=report.html hosts.iot >report.txt
ls host-plots | grep -c svg
cat host-plots/hosts.tsv
grep -o '>[^<]*known<' host-plots/hosts.svg host-plots/heat.svg
grep -o '<title>host [^<]*\|>[abc][^<.]*<title' host-plots/hosts.svg
grep -o '<td class="n">[^<]*site</td><td[^>]*>[^<]*' report.html
sums() { awk '$2 == "%sample" { host = ""; for (i = 3; i <= NF; i++) { split($i, v, "="); if (v[1] == "host") host = v[2]
	if (v[1] == "read-bytes") r[host] += v[2]; if (v[1] == "written-bytes") w[host] += v[2] } } END { for (h in r) printf "%s\t%.0f\t%.0f\n", h, r[h], w[h] }' "$1" | sort; }
sed '/^ff/!d' many.iot >many-samples.iot
for name in 30 lost many-samples; do
	"$IOTRACE" analyze -q --plots=$name $name.iot >report.txt
	sums $name.iot >expected
	tail -n +2 $name/hosts.tsv | diff expected - && wc -l <expected
done
# The rates of a host, times the width of a column, are its bytes.
for name in 30 lost; do
	sums $name.iot | awk -F '\t' 'NR == FNR { bytes[$1] = $2 + $3; next }
		FNR > 1 { sum[$1] += $3; if ($1 == before && (!width || $2 - at < width)) width = $2 - at; before = $1; at = $2 }
		END { for (h in bytes) if (sum[h] * width < 0.9999 * bytes[h] || sum[h] * width > 1.0001 * bytes[h]) print h, bytes[h], sum[h] * width
			print length(sum) }' - $name/heat.tsv
done
# A page without any known request, and a page without I/O.
sed '/ [a-z]*s=7 /!d; s/requests=7 //' hosts.iot >bytes.iot
sed 's/bytes=1000/bytes=0/' bytes.iot >zero.iot
for name in bytes zero; do
	"$IOTRACE" analyze -q --html=report.html $name.iot && grep -o '<h2 id="[a-z]*' report.html | cut -d '"' -f 2 | tr '\n' ' '
	grep -c "has no requests" report.html
done
