# SPDX-License-Identifier: BSD-2-Clause
# A task that is killed at any moment leaves no incomplete state, and can be repeated, also while another copy of it runs.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 - <<'CODE'
with open("bare.iot", "w") as trace:
    for i in range(60000):
        trace.write(f"80 20 {i * 7 % 5000 << 9:x} {512 * (1 + i % 3):x} 5 3 {i % 4 + 1:x} 1 0\n")
CODE
"$IOTRACE" cat -q --framed --sync=5000 --no-fsync -o t.iot.zst bare.iot
python3 "$TOOLS/killed_tasks.py" "$IOTRACE" t.iot.zst 3 8
