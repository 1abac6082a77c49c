# SPDX-License-Identifier: BSD-2-Clause
# The help of the commands that read traces.
for command in cat info stat top; do
	"$IOTRACE" help $command
done
