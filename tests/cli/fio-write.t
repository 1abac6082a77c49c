# SPDX-License-Identifier: BSD-2-Clause
# Logs that fio writes here: every line of them is accounted for.
command -v fio >/dev/null || { echo "fio is not installed"; exit 77; }
fio --name=job --size=1m --ioengine=psync --nrfiles=3 --number_ios=200 --rw=randrw --bsrange=512-16k --fsync=7 \
    --write_iolog=random.iolog --write_lat_log=random --log_offset=1 >/dev/null 2>&1
fio --name=job --size=1m --ioengine=psync --rw=write --bs=64k --fdatasync=2 --write_iolog=written.iolog \
    --write_bw_log=written --log_offset=1 >/dev/null 2>&1
for log in random.iolog written.iolog random_lat.1.log written_bw.1.log; do
	"$IOTRACE" convert -q --report=report.json -o x.iot "$log"
	python3 - "$log" <<-END
	import json, sys
	lines, report = open(sys.argv[1]).read().splitlines(), json.load(open("report.json"))
	records = sum(" read " in l or " write " in l or l.count(",") > 3 for l in lines)
	accounted = sum(report["actions"].values()) + report["unparsed"]
	print(sys.argv[1], report["lines"] == len(lines) == accounted, report["records"] == records, report["unparsed"])
	END
done
