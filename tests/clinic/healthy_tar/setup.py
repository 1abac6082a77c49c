for i in range(6):
    with open("big.%d" % i, "wb") as f:
        f.write(b"b" * (30 << 20))
