# SPDX-License-Identifier: BSD-2-Clause
# The documented strace commands show all I/O of fio, compared with fio's own totals, for every engine.
for tool in strace fio python3; do
	command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
strace -o /dev/null true 2>/dev/null || { echo "strace may not trace here"; exit 77; }
sh "$TOOLS/documented_strace.sh" | cut -f 2 | LC_ALL=C sort -ru |
	python3 "$TOOLS/strace_fio.py" "$IOTRACE"
