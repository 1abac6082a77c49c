f = open("out.txt", "wb", buffering=0)
for i in range(200000):
    f.write(b"x,")
