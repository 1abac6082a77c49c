# Spills data to a file, reads it, and begins the file again.
import os
for k in range(10):
    fd = os.open("run.spill", os.O_RDWR | os.O_CREAT, 0o666)
    for i in range(20):
        os.write(fd, bytes([i]) * (1 << 20))
    os.lseek(fd, 0, os.SEEK_SET)
    while data := os.read(fd, 1 << 20):
        data.count(b"x")
    os.ftruncate(fd, 0)
    os.close(fd)
