import os, threading, time
def work(i):
    fd = os.open("part.%d" % i, os.O_WRONLY | os.O_CREAT, 0o666)
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        os.write(fd, b"r" * 200)
        os.fsync(fd)
threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
