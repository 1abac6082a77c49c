# Reads slices in no order from a file that is not cached.
import os
fd = os.open("pack.dat", os.O_RDONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
at = 1
for i in range(1500):
    at = at * 1103515245 + 12345 & 0x7fffffff
    os.lseek(fd, at % 1500 * 65536, os.SEEK_SET)
    os.read(fd, 16384)
