# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: rings of io_uring and their requests are counted, and become no records.
sh "$TOOLS/built.sh" record_calls || exit 77
calls=${IOTRACE%/iotrace}/record_calls
counters() { "$IOTRACE" cat --format-version=1 "$1" | grep -o 'hidden.io_uring[^ ]*' | sort; }
"$calls" uring
[ $? = 77 ] && echo 'the kernel has no io_uring, or does not permit it' && exit 77

"$IOTRACE" record -o a.iot "$calls" uring
echo "exit status $?"
counters a.iot
"$IOTRACE" info a.iot | grep -E '^  (reads|writes)'

# liburing, where it is installed, works as it does without the library.
cat >ring.py <<'END'
import ctypes
try:
    liburing = ctypes.CDLL("liburing.so.2")
except OSError:
    raise SystemExit(77)
ring = ctypes.create_string_buffer(1024)
assert liburing.io_uring_queue_init(4, ring, 0) == 0
liburing.io_uring_queue_exit(ring)
assert liburing.io_uring_queue_init(4, ring, 0) == 0
END
"$IOTRACE" record -o b.iot python3 ring.py
case $? in
77) ;;
0) [ "$(counters b.iot)" = hidden.io_uring_rings=2 ] || counters b.iot ;;
*) echo 'liburing fails' ;;
esac
