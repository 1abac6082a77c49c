# SPDX-License-Identifier: BSD-2-Clause
# A shell that inherits the rank of a program does not count as a rank: two ranks with the same work are balanced, whatever their
# shells read; one that takes longer is found.
ranks() { # ranks DURATION: of the writes of rank 1, in hexadecimal
	for rank in 0 1; do
		echo "ff %process id=1$rank rank=$rank name=/bin/sh"
		echo "ff %process id=2$rank rank=$rank name=app"
		echo "ff %file process=1$rank id=1$rank path=/job.sh"
		echo "ff %file process=2$rank id=2$rank path=/out.$rank"
		printf '80 20 0 1000 %x 1 %x %x 0\n' $rank 1$rank 1$rank
	done
	for i in $(seq 100); do
		printf 'c0 20 %x 100000 bb8 100 14 14 0\n' $((i * 1048576))
		printf 'c0 20 %x 100000 3e8 %s 15 15 0\n' $((i * 1048576)) "$1"
	done
}
ranks 100 >balanced
ranks e00 >slower
for of in balanced slower; do
	"$IOTRACE" analyze -q --section=findings $of | sed -n '/^findings/,$p' | sed 's/ Remedy.*//'
done

# An imbalance that the syncs of a rank explain is third at the earliest, but precedes what costs less.
{
	for rank in 0 1; do
		echo "ff %process id=2$rank rank=$rank name=app"
		echo "ff %file process=2$rank id=2$rank path=/out.$rank"
	done
	for i in $(seq 100); do
		printf 'ff %%op name=fsync time=%d took=%d process=2%d file=2%d path=/out.%d\n' $((i * 1000)) $((i % 4 ? 600 : 20)) \
			$((i % 4 > 0)) $((i % 4 > 0)) $((i % 4 > 0))
		printf 'ff %%op name=stat time=%d took=60 process=2%d path=/d/%d\n' $((i * 1000 + 700)) $((i % 2)) $i
		printf 'ff %%op name=unlink time=%d took=55 process=2%d path=/d/%d\n' $((i * 1000 + 800)) $((i % 2)) $i
	done
	echo '80 20 0 1000 186a0 1 14 14 0'
} >syncs
"$IOTRACE" analyze -q --section=findings syncs | grep '^- ' | cut -c -60

# As many bytes in four times as many requests: the finding says so, by time and, without durations, by requests.
uneven() { # uneven LACKS
	echo "ff %trace lacks=$1"
	for rank in 0 1 2; do
		echo "ff %process id=$rank rank=$rank name=app"
		echo "ff %file process=$rank id=1 path=/out.$rank"
	done
	for i in $(seq 400); do
		printf 'c0 20 %x 40000 258 200 1 2 0\n' $((i * 262144))
		test $((i % 4)) = 0 || continue
		printf 'c0 20 %x 100000 258 200 1 0 0\n' $((i * 262144))
		printf 'c0 20 %x 100000 258 200 1 1 0\n' $((i * 262144))
	done
}
for lacks in cpu cpu,completion; do
	uneven $lacks >uneven
	"$IOTRACE" analyze -q --section=findings uneven | sed -n '/^findings/,$p'
done

# A build removes temporary files and looks names up: below 5 % of the run, or 100 files, they are not a finding.
names() { # names TOOK: of 100 unlinks in a second
	echo "ff %process id=1 name=make"
	echo "ff %file process=1 id=1 path=/a.o"
	for i in $(seq 0 99); do
		echo "ff %op name=unlink time=$((i * 10000)) took=$1 process=1 path=/tmp/cc$i.s"
	done
	echo '80 20 0 1000 f4240 1 1 1 0'
}
for took in 400 600; do
	names $took | "$IOTRACE" analyze -q --section=findings - | grep -A 1 '^findings'
done
names 600 | sed '/cc99/d' | "$IOTRACE" analyze -q --section=findings - | grep '^findings'

# The time of a process covers all its calls, not only the transfers that the imbalance is about.
"$IOTRACE" analyze -q syncs | grep '^process with most'
