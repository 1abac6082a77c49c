# SPDX-License-Identifier: BSD-2-Clause
# Threads that open, close, append, dup and seek, traced with -f and with -ff: no offset is wrong unless
# it is flagged. Skipped where strace cannot trace.
probe=$(dirname "$IOTRACE")/thread_probe
sh "$TOOLS/built.sh" thread_probe || exit 77
command -v strace >/dev/null || { echo "strace is not installed"; exit 77; }
python3 "$TOOLS/thread_truth.py" "$IOTRACE" "$probe" --quiet --seeds=1:2 --operations=80 --modes=f,ff,ffy
