# SPDX-License-Identifier: BSD-2-Clause
# For people and for programs, complete and truncated.
"$IOTRACE" info "$TESTDATA/format/example.iot" | sed 's|^/.*/||'
"$IOTRACE" info "$TESTDATA/format/bare-decimal.iot" | sed 's|^/.*/||'
cat >rich <<'END'
ff %trace source=test command=a%20%1B[31mb host=h user=u epoch=1600000000123456789 lacks=cpu,offset
ff %file process=7 id=3 object=1 path=/x offset=unknown
c0 22 0 8 5 1f4 3 7 10
40 29 1 8 a 1 9 0
END
"$IOTRACE" cat --framed --in-tick=10 --sync=1 --compress=gzip rich >rich.iot.gz
"$IOTRACE" info rich.iot.gz | grep -v "^  size"
"$IOTRACE" info --json rich.iot.gz | sed 's/"stored_bytes":[0-9]*/"stored_bytes":N/'
"$IOTRACE" cat rich.iot.gz | head -n 4 >cut.iot
"$IOTRACE" info cut.iot
echo "$?"
"$IOTRACE" info --json cut.iot nowhere rich </dev/null
echo "$?"
"$IOTRACE" info /dev/null
echo "$?"

# Two merged traces, and what each lacks.
cat >merged <<'END'
ff %trace source=first
ff %trace source=second
c0 22 0 8 5 1f4 3 7 10
ff %lost time=1 records=4 why=damage
ff %lost
END
"$IOTRACE" info merged | grep -E 'source|traces|gaps'
"$IOTRACE" info --json merged | grep -o '"traces.*lost_records":[0-9]*'
