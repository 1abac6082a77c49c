# Reads a record, and opens the table for each.
import os
for i in range(60000):
    fd = os.open("lookup.tab", os.O_RDONLY)
    os.pread(fd, 128, i % 8000 * 128)
    os.close(fd)
