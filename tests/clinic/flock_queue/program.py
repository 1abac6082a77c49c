import fcntl, os, time
for i in range(3):
    if os.fork() == 0:
        fd = os.open("turn", os.O_RDWR | os.O_CREAT)
        for k in range(10):
            fcntl.flock(fd, fcntl.LOCK_EX)
            time.sleep(0.03)
            fcntl.flock(fd, fcntl.LOCK_UN)
            time.sleep(0.001)
        os._exit(0)
for i in range(3):
    os.wait()
