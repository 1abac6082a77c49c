import os
for turn in range(120):
    for i in range(400):
        try:
            os.getxattr("gallery/%d" % i, "user.tag")
        except OSError:
            pass
