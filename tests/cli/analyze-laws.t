# SPDX-License-Identifier: BSD-2-Clause
# Laws that the values of analyze obey, on a few random traces.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 "$TOOLS/analyze_laws.py" "$IOTRACE" 1-5
