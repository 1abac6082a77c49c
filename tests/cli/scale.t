# SPDX-License-Identifier: BSD-2-Clause
# The commands of iotrace-scale(7) for one machine; .ci/scale-out runs the commands for other engines.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 "$TOOLS/scale_out.py" "$IOTRACE" xargs

echo "-- a task of Spark may have no lines of the plan"
"$IOTRACE" analyze -q --plan=- -s - </dev/null | wc -c
"$IOTRACE" analyze -q --plan=- -s out.state </dev/null 2>&1
echo "status $?"
