with open("index.bin", "wb") as f:
    f.truncate(1 << 20)
