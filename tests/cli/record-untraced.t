# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: programs that the library cannot be loaded into run as they do without it, and are reported.
sh "$TOOLS/built.sh" libiotrace-record.so || exit 77
untraced() { "$IOTRACE" cat --format-version=1 "$1" | grep -o 'name=.*traced=no.*' | sed "s|$PWD/||; s/ parent=[0-9]*//; s/ pid=[0-9]*//" | sort; }
writes() { "$IOTRACE" cat -q --format=csv "$1" | grep ',write,' | cut -d, -f6,9,10 | sed "s|$PWD/||"; }
python3 "$TOOLS/static_program.py" static 'static
' 3

echo 'a static program:'
"$IOTRACE" record -o a.iot ./static 2>err
echo "exit status $?"
cat err
untraced a.iot
"$IOTRACE" check a.iot

echo 'as children of a shell, by fork, exec and a script; the I/O of the others is in the trace:'
printf '#! %s/static\n' "$PWD" >script
chmod +x script
"$IOTRACE" record -o b.iot sh -c 'echo one >f; ./static; ./static | cat >g; ./script; echo two >>f; exec ./static' 2>err
echo "exit status $?"
cat err
untraced b.iot
writes b.iot
"$IOTRACE" check b.iot | sed 's/, comments.*//'

echo 'an environment without the library:'
"$IOTRACE" record --no-follow -o c.iot env -i sh -c 'echo three >h' 2>err
cat err h
untraced c.iot

echo 'no report with -q, the trace has it:'
"$IOTRACE" record -q -o d.iot ./static 2>err
cat err
untraced d.iot
