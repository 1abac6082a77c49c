# SPDX-License-Identifier: BSD-2-Clause
# The exit status of each command for each failure (outputs) is the one in the table of iotrace(1).
command -v python3 >/dev/null || { echo 'python3 is not installed'; exit 77; }
python3 "$TOOLS/exit_statuses.py" "$IOTRACE" "$TESTDATA" outputs
