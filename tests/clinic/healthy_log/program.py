# Appends to a log that has data.
import time
with open("run.log", "ab", buffering=0) as f:
    for i in range(1200):
        f.write(b"e" * 5000)
        sum(range(2000))
