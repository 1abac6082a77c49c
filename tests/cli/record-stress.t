# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: a few seconds of what make check-record-stress runs.
sh "$TOOLS/built.sh" record_stress || exit 77
python3 "$TOOLS/record_stress.py" --seconds=1 --threads=5 --kills=2 "$IOTRACE" "${IOTRACE%/iotrace}/record_stress" >out
status=$?
grep 'not ok' out
sed 's/:.*//' out
exit $status
