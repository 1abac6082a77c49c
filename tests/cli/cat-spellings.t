# SPDX-License-Identifier: BSD-2-Clause
# Decimal numbers, tabs, CRLF, capitals and complete fields all give one canonical form.
printf '192 0 0 4096 0 500 0 3 7 0\r\n192\t0\t4096 4096 1000 501 0 3 7 1000\r\n' >decimal
printf '  C0 00 0 1000 0 1F4 0 3 7 0  \n\n \t \nc0 0 1000 1000 3E8 1f5 0 3 7 3e8' >hex
"$IOTRACE" cat --base=16 decimal
"$IOTRACE" cat hex | tee canonical
"$IOTRACE" cat --base=16 decimal | cmp - canonical
"$IOTRACE" cat --base=10 hex | "$IOTRACE" cat --base=16 | cmp - canonical
"$IOTRACE" cat --in-base=10 --base=16 decimal | cmp - canonical
# The option overrides the detected base.
"$IOTRACE" cat --in-base=16 decimal
echo "$?"
