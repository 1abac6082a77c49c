import os
fd = os.open("tape.bin", os.O_RDONLY)
for turn in range(1):
    for i in range(3199, -1, -1):
        os.pread(fd, 65536, i * 65536)
