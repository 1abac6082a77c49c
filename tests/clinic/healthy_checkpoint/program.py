# Computes for a second, and writes a checkpoint that is synced once.
import os, time
end = time.monotonic() + 1
while time.monotonic() < end:
    sum(range(1000))
fd = os.open("checkpoint", os.O_WRONLY | os.O_CREAT, 0o666)
for i in range(16):
    os.write(fd, b"c" * (1 << 20))
os.fsync(fd)
