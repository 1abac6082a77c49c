import os, random
r = random.Random(1)
fd = os.open("table.bin", os.O_RDWR)
for i in range(60000):
    os.pwrite(fd, b"u" * 512, r.randrange(200000) * 512)
