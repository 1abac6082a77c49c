# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: the number of requests of a ring of io_uring is read where the kernel reports that it
# is, if that place is possible; else where the last ring had it. A library in place of liburing reports
# the places, and files are the rings.
sh "$TOOLS/built.sh" libiotrace-record.so || exit 77
cat >fake.c <<'END'
#include <linux/io_uring.h>

int io_uring_setup(unsigned fd, struct io_uring_params *p);

int io_uring_setup(unsigned fd, struct io_uring_params *p)
{
	(void)p;
	return (int)fd;
}

int create(unsigned fd, unsigned tail)
{
	struct io_uring_params p = {.sq_off.tail = tail};
	return io_uring_setup(fd, tail != 0 ? &p : (struct io_uring_params *)0);
}
END
cat >ring.py <<'END'
import ctypes, os, struct, sys
fake = ctypes.CDLL("./fake.so")
numbers = [7] * 1024
numbers[1], numbers[2], numbers[1023] = 10, 200, 3000
with open("ring", "wb") as f:
    f.write(struct.pack("1024I", *numbers))
for tail in sys.argv[1:]:
    fd = os.open("ring", os.O_RDONLY)
    assert fake.create(fd, int(tail)) == fd
    os.close(fd)
END
cc -shared -fPIC -o fake.so fake.c || exit
requests() { # TAIL... (0: the program passes no parameters)
	"$IOTRACE" record -o a.iot python3 ring.py "$@" || echo "exit status $?"
	echo "$* $("$IOTRACE" cat --format-version=1 a.iot | grep -o 'hidden.io_uring_requests=[0-9]*')"
}
requests 0
requests 4
requests 8
requests 8 0
requests 8 6
requests 8 4096
requests 8 1000000000
requests 4092
