# SPDX-License-Identifier: BSD-2-Clause
# The reference for the statistics, and analyze, give the values of cases computed by hand.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 "$TOOLS/analyze_reference_test.py" "$IOTRACE"
