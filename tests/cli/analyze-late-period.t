# SPDX-License-Identifier: BSD-2-Clause
# A period of one write per cycle that begins after a time without I/O: as many cycles as fit into all bins may be more than writes.
awk 'BEGIN {
	print "start_ns,duration_ns,op,kind,offset,length,process,rank,file,path"
	print "0,1000,read,file,0,100,1,,1,/in"
	for (i = 0; i < 12; i++)
		printf "%d,1000000,write,file,%d,69120,1,,2,/out\n", 350000000 + i * 100000000 + i % 3 * 6000000, i * 69120
	print "1750000000,1000,read,file,100,100,1,,1,/in"
}' >log.csv
"$IOTRACE" analyze -q --section=cycles --tsv log.csv | cut -f 2,5 | grep '^write_\(period\|cycles\)'
echo '-- long and short writes, nearly on time: the period is that of their starts, not one within a write'
awk 'BEGIN {
	print "start_ns,duration_ns,op,kind,offset,length,process,rank,file,path"
	for (i = 0; i < 40; i++)
		printf "%.0f,%d,write,file,%d,552960,1,,2,/out\n", 20000000 + i * 105000000 + i % 3 * 3000000, 300000 + i * 7 % 20 * 1000000, i * 552960
}' >long.csv
"$IOTRACE" analyze -q --section=cycles --tsv long.csv | cut -f 2,5 | grep '^write_\(period\|cycles\)'
