# SPDX-License-Identifier: BSD-2-Clause
# analyze and its reference agree on a few random traces; analyze_compare.py compares any number.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 "$TOOLS/analyze_compare.py" "$IOTRACE" 1-12 120 132 135
python3 "$TOOLS/analyze_compare.py" --options=--physical "$IOTRACE" 13
python3 "$TOOLS/analyze_compare.py" --options=--per-thread "$IOTRACE" 14-15
python3 "$TOOLS/analyze_compare.py" --options=--layer=mpiio "$IOTRACE" 16-17
