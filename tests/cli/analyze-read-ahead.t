# SPDX-License-Identifier: BSD-2-Clause
# If no logical record is of file data, analyze reports the records that it does not count. A device has requests of all kinds.
printf '%s\n' '82 20 0 1000 0 a 1 1 0' '82 20 2000 1000 5 a 1 1 0' >ahead.iot
printf '%s\n' '81 20 0 1000 0 a 1 1 0' 'c1 20 2000 1000 5 a 1 1 0' >metadata.iot
printf '%s\n' '2 20 0 8 0 a 1 1 0' '1 20 10 8 5 a 1 1 0' '3 20 20 8 5 a 1 1 0' '40 20 30 8 5 a 1 1 0' >device.iot
for trace in ahead metadata device; do "$IOTRACE" analyze $trace.iot 2>&1 | head -n 5; done
