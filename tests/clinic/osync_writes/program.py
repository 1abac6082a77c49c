import os, time
fd = os.open("journal", os.O_WRONLY | os.O_CREAT | os.O_SYNC, 0o666)
end = time.monotonic() + 0.6
while time.monotonic() < end:
    os.write(fd, b"j" * 4096)
