# SPDX-License-Identifier: BSD-2-Clause
# fsstats with few descriptors, and with little memory for the directories that wait: the results are the same.
python3 - <<'P'
import os
for i in range(20000):
    os.makedirs(f"tree/wide/{i:05}")
for i in range(0, 20000, 100):
    os.makedirs(f"tree/wide/{i:05}/below/further")
    open(f"tree/wide/{i:05}/below/file", "w").write("x" * i)
P
# survey OPTION...
survey() {
	"$IOTRACE" fsstats --now=8640000000 "$@" --json tree >json; status=$?
	grep -v '"file_system_used"' json
	echo "exit $status"
}
survey >all
for options in --memory=0 --open=4 '--open=5 --memory=1K' '--open=40 --memory=1K --threads=3' '--memory=0 --checkpoint=c --every=1ms'; do
	survey $options | cmp all - && echo "$options: the same"
done
echo 'three standard files, the tree, and the directories of --open:'
(ulimit -n 8; exec "$IOTRACE" fsstats --now=8640000000 --open=4 --memory=0 --json tree) | grep -v '"file_system_used"' >json
grep -v exit all | cmp - json && echo the same
"$IOTRACE" fsstats --open=3 tree 2>&1 | head -n 1
