# SPDX-License-Identifier: BSD-2-Clause
# The comparison with libCacheSim, with a program that prints the results of the reference in Python in the form of cachesim.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
compare() { python3 "$TOOLS/cachesim_compare.py" "$IOTRACE" "$@"; }
awk 'BEGIN { x = 1; for (i = 0; i < 5000; i++) { x = (x * 16807) % 2147483647; print int(400 ^ (x / 2147483647)) * 7 } }' >keys.txt
{ echo '80 20 0 8000 1 a 1 1 0'; echo 'c0 20 4000 8000 1 a 1 1 0'; echo '80 20 0 8000 1 a 1 1 0'; } >small.iot
CACHESIM='' compare keys.txt
echo 'exit status' $?
export CACHESIM="$TOOLS/fake_cachesim.py"
compare keys.txt small.iot
echo 'exit status' $?
echo 'with 20 misses more than there are:'
FAKE_MISSES=20 compare keys.txt | sed -n '1p; $p'
echo 'with results that are missing:'
FAKE_LINES=1 compare keys.txt 2>&1 | sed "s#.*: exit status#exit status#; s#/[^ ]*/keys.txt#keys.txt#" | grep -v INFO
echo 'tables:'
compare --reference keys.txt >table
head -n 2 table
compare --table=table keys.txt
echo 'exit status' $?
awk -F'\t' -v OFS='\t' 'NR == 3 { $5 += 1 } { print }' table >wrong
compare --table=wrong keys.txt | sed 's/:.*, expected.*/: expected other misses/'
