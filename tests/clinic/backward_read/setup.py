import os
with open("tape.bin", "wb") as f:
    for i in range(200):
        f.write(b"t" * (1 << 20))
    f.flush(); os.fsync(f.fileno())
