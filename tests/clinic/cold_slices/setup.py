import os
with open("pack.dat", "wb") as f:
    for i in range(96):
        f.write(b"p" * (1 << 20))
    f.flush()
    os.fsync(f.fileno())
