# SPDX-License-Identifier: BSD-2-Clause
# The same requests in every layout; truncated at every byte; with ids of objects and blocks.
make() { python3 "$TOOLS/libcachesim_make.py" "$@"; }
rows() { "$IOTRACE" cat -q --format=csv --all-events --columns=start_ns,op,kind,offset,length,process,file "$1"; }
for layout in oracleGeneral oracleGeneralOpNS lcs1 lcs2 lcs3 lcs4 lcs5 lcs6 lcs7 lcs8 lcs-old vscsi1 vscsi2; do
	make --requests 60 $layout >$layout.bin
	"$IOTRACE" convert -q -o $layout.iot $layout.bin || echo "$layout: exit status $?"
	rows $layout.iot >$layout.csv
	echo "$layout: $(grep -c . $layout.csv) $(md5sum <$layout.csv | cut -c 1-8)"
done
head -n 5 oracleGeneral.csv
sed -n '2,5p; 50,52p' lcs2.csv
head -n 5 vscsi1.csv
echo 'blocks:'
"$IOTRACE" convert --block=4096 -o block.iot oracleGeneral.bin 2>&1
rows block.iot | head -n 4
echo 'in two parts, and compressed:'
zstd -q lcs8.bin -o lcs8.bin.zst
"$IOTRACE" convert -q -o two.iot lcs8.bin.zst lcs8.bin
"$IOTRACE" info two.iot | grep -E 'records|reads|writes'
echo 'truncated:'
for layout in oracleGeneral oracleGeneralOpNS lcs2 lcs-old vscsi1 vscsi2; do
	make --requests 4 $layout >small.bin
	size=$(wc -c <small.bin) n=0 lost=0 refused=0
	header=0
	case $layout in lcs-old) header=1024 ;; lcs*) header=8192 ;; esac
	while [ $n -lt "$size" ]; do
		head -c $n small.bin >cut.bin
		rm -f cut.iot
		case $layout in lcs*) request= ;; *) request=--request=$layout ;; esac
		if "$IOTRACE" convert -q --from=libcachesim $request -o cut.iot cut.bin 2>/dev/null; then
			test $header = 0 || echo "$layout: $n bytes: no error"
		elif grep -q '^ff %lost' cut.iot 2>/dev/null; then
			lost=$((lost + 1))
		else
			refused=$((refused + 1))
		fi
		# headers are alike
		n=$((n >= header ? n + 3 : n + 900 < header ? n + 900 : header))
	done
	echo "$layout: lost $lost, refused $refused"
done
echo 'refused:'
printf 'time,id\n1,2\n' >text
"$IOTRACE" convert --from=libcachesim text 2>&1
"$IOTRACE" convert --from=libcachesim --request=zip text 2>&1 | head -n 1
"$IOTRACE" convert --block=0 oracleGeneral.bin 2>&1 | head -n 1
python3 - <<'EOF'
data = bytearray(open("lcs2.bin", "rb").read())
data[8] = 9
open("v9.bin", "wb").write(data)
EOF
"$IOTRACE" convert v9.bin 2>&1
echo "exit status $?"
echo 'out of order:'
printf '192 0 40960000000000 4096 5000000 0 0 1 7 0\n192 0 0 4096 -4000000 0 0 1 7 0\n' >unordered.iot
"$IOTRACE" cat -q --in-base=10 -f oracle -o unordered.bin unordered.iot
"$IOTRACE" convert -q --from=libcachesim --request=oracleGeneral --block=4096 --format-version=1 unordered.bin | grep -v '%iotrace\|%end'
