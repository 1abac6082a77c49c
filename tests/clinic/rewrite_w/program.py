block = b"s" * (1 << 20)
for i in range(40):
    with open("snapshot", "wb", buffering=0) as f:
        for k in range(12):
            f.write(block)
