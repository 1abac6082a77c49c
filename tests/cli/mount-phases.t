# SPDX-License-Identifier: BSD-2-Clause
# 16 processes and one shared file: what a module counts while they run equals analyze of the trace, and is all there is if none is kept.
"$IOTRACE" mount --help >help && mkdir src mnt
"$IOTRACE" mount -q -o try.iot --run src mnt -- true 2>err || { echo "nothing can be mounted here: $(head -n 1 err)"; exit 77; }
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
sh "$TOOLS/built.sh" module_phases.so || exit 77
umask 022
python3 "$TOOLS/mount_phases.py" "$IOTRACE"
