# SPDX-License-Identifier: BSD-2-Clause
# Requested help: standard output, exit status 0; all forms are equal.
"$IOTRACE" --help >top 2>err && cat top err
for way in help -h; do
	"$IOTRACE" $way | cmp - top
done
for command in cat info stat convert; do
	"$IOTRACE" $command --help >one && "$IOTRACE" $command -h | cmp - one
	"$IOTRACE" help $command >all && "$IOTRACE" $command --help-all | cmp - all
	"$IOTRACE" $command --junk=1 -h >/dev/null 2>&1 || echo "$command: $?"
done
for command in $(sed -n '/^Make traces/,/^Run/s/^  \([a-z]*\) .*/\1/p' top); do
	"$IOTRACE" $command --help >short && "$IOTRACE" help $command >all
	[ "$(wc -l <short)" -le 40 ] || echo "$command: $(wc -l <short) lines of help"
	grep -q "Manual: iotrace-$command(1)" short || echo "$command: the help does not name the manual"
	# Each option of the complete help is in the short one, at least by its name.
	for option in $(sed -n 's/^  \(-.,\|   \) \(--[a-z0-9-]*\).*/\2/p' all); do
		grep -q -e "$option\( \|=\|\[\|$\)" short || [ $option = --help ] || echo "$command: $option is missing"
	done
	commands=$((${commands-0} + 1))
done
[ $commands -ge 15 ] || echo "only $commands commands"
"$IOTRACE" --version | sed 's/ [0-9][0-9.]*/ N/g; s/ (.*//'
