# Four ranks write small records in turn into one file; rank 3 writes three times as many; each syncs its part.
import os
children = []
for rank in range(4):
    pid = os.fork()
    if pid == 0:
        os.environ.update(PMI_RANK=str(rank), PMI_SIZE="4")
        os.execvp("python3", ["python3", "-S", "-B", "-c", """
import os
rank = int(os.environ["PMI_RANK"])
fd = os.open("mesh.out", os.O_WRONLY | os.O_CREAT, 0o666)
for i in range(18000 if rank == 3 else 6000):
    os.pwrite(fd, b"m" * 600, (4 * i + rank) * 600)
    if i % 100 == 99:
        os.fsync(fd)
"""])
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
