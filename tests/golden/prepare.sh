# SPDX-License-Identifier: BSD-2-Clause
# Makes the inputs that several golden cases share, in the current directory.
set -eu
mkdir in
iotrace convert -q -o in/cp.iot --sync=16 testdata/strace/cp.strace
iotrace convert -q -o in/cp.iot.zst --sync=16 testdata/strace/cp.strace
iotrace convert -q -o in/db.iot.gz --sync=100 testdata/strace/sqlite.strace.gz
iotrace convert -q -o in/db.iot --sync=100 testdata/strace/sqlite.strace.gz
iotrace convert -q -o in/mpi.iot testdata/darshan/mpi4_dxt.darshan
iotrace convert -q --unsorted -o in/unsorted.iot testdata/strace/offsets.strace
iotrace cat --bare -q -o in/bare.iot in/cp.iot
head -c 6000 in/db.iot >in/cut.iot
sed '150s/^\(..\) /\1  7/' in/db.iot >in/damaged.iot
sed '20s/%sync time=/%sync time=1/' in/cp.iot >in/bad-sync.iot
: >in/nothing.iot
printf 'not a trace\nat all\n' >in/text.txt
printf 'a key for %s' 'recorded runs' >in/key
tar -C testdata/strace -cf in/signals.tar signals_ff
mkdir in/traces.d
tar -xJf testdata/recorder/traces.tar.xz -C in/traces.d
packet_make --records=2000 --processes=3 --seed=7 >in/packets.bin
packet_make --records=2000 --processes=3 --seed=7 --drop=20000 --duplicate=20000 --damage=20000 --shuffle=8 \
    >in/bad-packets.bin
