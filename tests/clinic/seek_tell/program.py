import os
fd = os.open("index.bin", os.O_RDONLY)
for i in range(400000):
    os.lseek(fd, i % 1000000, os.SEEK_SET)
