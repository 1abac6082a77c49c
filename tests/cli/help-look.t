# SPDX-License-Identifier: BSD-2-Clause
# The help of the commands that look into traces, as people see it.
for command in cat info stat; do
	"$IOTRACE" $command --help
done
