import os
for p in range(4):
    if os.fork() == 0:
        fd = os.open("all.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        for i in range(40000):
            os.write(fd, b"process %d says something %6d\n" % (p, i))
        os._exit(0)
for p in range(4):
    os.wait()
