# SPDX-License-Identifier: BSD-2-Clause
# Names with markup, control characters and invalid UTF-8, and long ones (up to 63,000 bytes), in every output of analyze.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 "$TOOLS/hostile_names.py" "$IOTRACE"
"$IOTRACE" analyze -q --in-base=10 --one-job one other 2>&1
