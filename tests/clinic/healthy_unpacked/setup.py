import os, subprocess
os.mkdir("files")
for i in range(60):
    with open("files/%d" % i, "wb") as f:
        f.write(os.urandom(500000))
subprocess.run(["tar", "cf", "all.tar", "files"], check=True)
subprocess.run(["rm", "-r", "files"], check=True)
