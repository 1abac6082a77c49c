# SPDX-License-Identifier: BSD-2-Clause
# No value is a number, 0 included, of what the format of a log cannot contain: a table of values and formats.
python3 "$TOOLS/unknown_values.py" "$IOTRACE" "$TESTDATA"
