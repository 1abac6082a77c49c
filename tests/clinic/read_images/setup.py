import os
os.mkdir("images")
for i in range(8000):
    with open("images/%05d.jpg" % i, "wb") as f:
        f.write(b"i" * 3000)
