for i in range(200):
    with open("model.bin", "rb") as f:
        f.read()
