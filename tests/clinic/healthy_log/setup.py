with open("run.log", "wb") as f:
    f.write(b"e" * 123456)
