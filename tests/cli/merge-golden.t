# SPDX-License-Identifier: BSD-2-Clause
# Two small traces of different tick, base, epoch and compression, whose ids all collide.
"$IOTRACE" cat --in-base=16 --in-tick=1000 --framed -o a.iot.zst - <<'END'
ff %trace source=made host=n1 epoch=1000000000000
ff %process id=7 name=app parent=1
ff a comment of a
ff %file process=7 id=3 object=1 path=/data/x
ff %op name=open time=5 took=2 process=7 file=3 path=/data/x
c0 22 0 8 a 1f4 3 7 0
ff before the last of a
c0 ec 3e8 1f5 3e8
ff %op name=close time=2000 process=7 file=3
ff the end of a
END
"$IOTRACE" cat --in-base=10 --in-tick=500 --framed -o b.iot.gz - <<'END'
255 %trace source=made host=n2 epoch=1000000500000 lacks=cpu,offset
255 %process id=7 name=other parent=1 thread-of=9
255 %file process=7 id=3 object=1 path=/data/x
255 %strange time=30 process=7 parent=8 file=3 object=1 id=7 thread-of=7 took=3
192 34 0 8 10 500 3 7 0
192 236 1000 501 1000
128 35 2 8 0 9 5 8 1
END
"$IOTRACE" merge --format-version=1 a.iot.zst b.iot.gz
echo "--tick=1000 --base=10 --bare:"
"$IOTRACE" merge --format-version=1 --tick=1000 --base=10 --bare b.iot.gz a.iot.zst
echo "--join-paths, of one host:"
"$IOTRACE" merge --format-version=1 --join-paths a.iot.zst a.iot.zst | grep -c 'object=1'
"$IOTRACE" merge --format-version=1 --join-paths a.iot.zst b.iot.gz | grep -c 'object=1'
