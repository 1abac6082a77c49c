with open("words.idx", "wb") as f:
    f.write(bytes(range(256)) * 65536)
