import os
os.mkdir("spool")
for i in range(500):
    open("spool/%d" % i, "w").close()
