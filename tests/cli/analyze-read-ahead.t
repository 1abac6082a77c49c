# SPDX-License-Identifier: BSD-2-Clause
# If no record is of file data, analyze reports the records that it does not count.
printf '%s\n' '2 20 0 8 0 a 1 1 0' '2 20 10 8 5 a 1 1 0' '0 20 0 8 9 a 1 1 0' | sed '3d' >ahead.iot
printf '%s\n' '1 20 0 8 0 a 1 1 0' '41 20 10 8 5 a 1 1 0' >metadata.iot
for trace in ahead metadata; do "$IOTRACE" analyze $trace.iot 2>&1 | head -n 5; done
