import os
os.mkdir("gallery")
for i in range(400):
    with open("gallery/%d" % i, "w") as f:
        f.write("x" * 9000)
