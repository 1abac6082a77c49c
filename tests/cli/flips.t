# SPDX-License-Identifier: BSD-2-Clause
# Bits are flipped in framed traces: no command writes a trace that check accepts with a record that was not there.
python3 "$TOOLS/flips.py" "$IOTRACE" --count=360 --seed=1 >one || cat one
python3 "$TOOLS/flips.py" "$IOTRACE" --count=240 --seed=2 --bits=4 >some || cat some
echo "$?"
