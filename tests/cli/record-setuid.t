# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: a setuid program keeps its privileges, which no library of the environment may have, and is reported.
sh "$TOOLS/built.sh" libiotrace-record.so || exit 77
cp "$(command -v id)" own || exit 77
chown 65534 own 2>/dev/null && chmod u+s own && chmod go+x . && [ "$(./own -u)" = 65534 ] || {
	echo 'a program with the privileges of another user cannot be made'
	exit 77
}
"$IOTRACE" record -o a.iot sh -c 'echo data >f; ./own -u; exec ./own -u' 2>err
echo "exit status $?"
cat err
"$IOTRACE" cat --format-version=1 a.iot | grep -o 'name=.*traced=no.*' | sed "s|$PWD/||; s/ parent=[0-9]*//; s/ pid=[0-9]*//"
"$IOTRACE" cat -q --format=csv a.iot | grep ',write,' | cut -d, -f6,9,10 | sed "s|$PWD/||"
"$IOTRACE" check a.iot | sed 's/, comments.*//'

echo 'programs that run as another user, or whose real and effective users differ; PATH is searched for them:'
for ids in 65534,65534,65534 65534,0,0; do
	"$IOTRACE" record -q -o b.iot python3 -c "import os; os.setresuid($ids); os.execlp('true', 'true')"
	"$IOTRACE" cat -q --format-version=1 b.iot | grep -o 'name=.*traced=no.*' | sed 's|name=[^ ]*/||'
done

echo 'its child, and the end of both, also through a pipe:'
for transport in ring pipe; do
	"$IOTRACE" record -q --transport=$transport --path="$PWD/*" -o c.iot \
		python3 -c "import os; os.setuid(65534); os.fork() or os.execlp('true', 'true'); os.wait()"
	"$IOTRACE" cat -q --format-version=1 c.iot | grep -o 'name=.*traced=no.*' | sed 's|name=[^ ]*/||; s/parent=[0-9]*/parent=N/'
	"$IOTRACE" info --json c.iot | grep -o '"gaps":[0-9]*'
done
