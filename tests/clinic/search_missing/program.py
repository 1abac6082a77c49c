# Looks for each name in 20 directories, in which it is not.
import os
for i in range(20):
    os.mkdir("path%d" % i)
for name in range(4000):
    for i in range(20):
        try:
            os.open("path%d/%d.h" % (i, name), os.O_RDONLY)
        except FileNotFoundError:
            pass
