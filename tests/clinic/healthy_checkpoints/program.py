# Computes, and replaces one checkpoint again and again.
import time
for k in range(8):
    end = time.monotonic() + 0.1
    while time.monotonic() < end:
        sum(range(1000))
    with open("state.ckpt", "wb", buffering=0) as f:
        for i in range(8):
            f.write(b"c" * (1 << 20))
