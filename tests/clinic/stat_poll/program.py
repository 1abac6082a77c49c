import os
for turn in range(300):
    for i in range(500):
        os.stat("spool/%d" % i)
