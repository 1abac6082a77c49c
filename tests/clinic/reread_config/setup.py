with open("model.bin", "wb") as f:
    f.write(b"m" * (8 << 20))
