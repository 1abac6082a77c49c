# Looks words up in an index: most of its pages are read several times.
import os, random
random.seed(11)
index = os.open("words.idx", os.O_RDONLY)
for word in range(30000):
    os.pread(index, 4096, random.randrange(4096) * 4096)
