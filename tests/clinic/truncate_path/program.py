import os

block = b"s" * (1 << 20)
for i in range(40):
    with open("scratch", "ab", buffering=0) as f:
        for k in range(12):
            f.write(block)
    os.truncate("scratch", 0)
