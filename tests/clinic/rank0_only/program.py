import os, sys, time
if "OMPI_COMM_WORLD_RANK" not in os.environ:
    for r in range(4):
        if os.fork() == 0:
            os.environ["OMPI_COMM_WORLD_RANK"] = str(r)
            os.environ["OMPI_COMM_WORLD_SIZE"] = "4"
            os.execv(sys.executable, [sys.executable, "-S", "-B"] + sys.argv)
    codes = [os.wait()[1] for r in range(4)]
    sys.exit(any(codes))
rank = int(os.environ["OMPI_COMM_WORLD_RANK"])

if rank == 0:
    with open("result", "wb", buffering=0) as f:
        for i in range(500):
            f.write(b"d" * (1 << 20))
else:
    open("hello.%d" % rank, "w").close()
