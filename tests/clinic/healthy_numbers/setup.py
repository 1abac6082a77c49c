with open("in.bin", "wb") as f:
    f.write(b"abcdefgh" * (1 << 21))
