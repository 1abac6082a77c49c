import os
for epoch in range(1):
    for i in range(8000):
        with open("images/%05d.jpg" % i, "rb", buffering=0) as f:
            f.read()
