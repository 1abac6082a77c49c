with open("lookup.tab", "wb") as f:
    f.write(b"t" * (1 << 20))
