# A server that forks for each client, whose session is made durable.
import os
for client in range(40):
    if os.fork() == 0:
        fd = os.open("session.%d" % client, os.O_WRONLY | os.O_CREAT, 0o666)
        for i in range(4):
            os.write(fd, b"s" * 2000)
            os.fsync(fd)
        os._exit(0)
    os.wait()
