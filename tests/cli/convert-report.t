# SPDX-License-Identifier: BSD-2-Clause
# The report is JSON with all counts.
sh "$TOOLS/strace_log.sh" 2 >log
echo "1234  1700000001.000000 mumble" >>log
"$IOTRACE" convert -q -o x.iot --report=- log >report
python3 - <<'END'
import json
r = json.load(open("report"))
for key in ("format", "inputs", "output", "kept", "damage", "input_files", "lines", "records", "unparsed", "first_unparsed"):
    print(key, r[key])
END
"$IOTRACE" convert -q --report=report.json log >y.iot
cmp x.iot y.iot
python3 -c 'import json; print(json.load(open("report.json"))["output"])'
