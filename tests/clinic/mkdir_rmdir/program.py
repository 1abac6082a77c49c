import os
for i in range(6000):
    os.mkdir("work.%d" % i)
    os.rmdir("work.%d" % i)
