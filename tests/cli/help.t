# SPDX-License-Identifier: BSD-2-Clause
# Requested help: standard output, exit status 0; all three forms are equal.
"$IOTRACE" --help >top 2>err && cat top err
for way in help -h; do
	"$IOTRACE" $way | cmp - top
done
for command in cat info stat convert; do
	"$IOTRACE" $command --help >one && "$IOTRACE" help $command | cmp - one && "$IOTRACE" $command -h | cmp - one
	"$IOTRACE" $command --junk=1 -h >/dev/null 2>&1 || echo "$command: $?"
done
"$IOTRACE" --version | sed 's/[0-9.]*$/N/'
