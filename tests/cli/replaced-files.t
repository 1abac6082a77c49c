# SPDX-License-Identifier: BSD-2-Clause
# No output replaces a trace, a state or a log unless that is its own kind.
command -v python3 >/dev/null || { echo 'python3 is not installed'; exit 77; }
python3 "$TOOLS/replaced_files.py" "$IOTRACE" "$TESTDATA"
