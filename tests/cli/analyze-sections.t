# SPDX-License-Identifier: BSD-2-Clause
# A section that is selected alone has the values that it has among all sections.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
sections="totals sizes order time cycles metadata files processes reuse classes counters map findings"
"$IOTRACE" convert -q "$TESTDATA/strace/sqlite.strace.gz" -o sqlite.iot
for log in "$TESTDATA/darshan/mpi4_nodxt.darshan" "$TESTDATA/darshan/threads_dxt.darshan" sqlite.iot; do
	"$IOTRACE" analyze -q -j "$log" >all.json
	for section in $sections; do "$IOTRACE" analyze -q -j --section=$section "$log" >"$section.json"; done
	python3 - "${log##*/}" $sections <<'CODE'
import json, sys
name, *sections = sys.argv[1:]
whole, values, wrong = json.load(open("all.json")), 0, 0
for section in sections:
    for of, found in json.load(open(section + ".json")).items():
        for key, value in found.items() if isinstance(found, dict) else [("", found)]:
            expected = whole[of][key] if isinstance(found, dict) else whole[of]
            values += 1
            if value != expected:
                wrong += 1
                print(f"--section={section}: {of}.{key}: {value}, among all sections {expected}")
print(f"{name}: {values > 300}, {wrong} differ")
CODE
done
