import os
for i in range(6000):
    with open("state.tmp", "wb", buffering=0) as f:
        f.write(b"s" * 100)
    os.rename("state.tmp", "state.json")
