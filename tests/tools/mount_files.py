#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What programs may do with files, in an empty directory: mount_files.py DIRECTORY [STEP...]

Prints what the calls of each step return, so that the output in a mount and in a plain directory can be compared.
"""
import errno
import fcntl
import mmap
import os
import pathlib
import resource
import subprocess
import sys

LOCK = "import sys, fcntl; fcntl.lockf(open(sys.argv[1], 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB, 10, int(sys.argv[2]))"


def outcome(function, *arguments):
    """Returns the result of a call, or the name of its error."""
    try:
        return function(*arguments)
    except OSError as e:
        return errno.errorcode[e.errno]


def create(path, data=b""):
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    os.write(fd, data)
    return fd


def open_file(d):
    fd = create(d / "open", b"before")
    os.rename(d / "open", d / "renamed")
    os.write(fd, b", after")
    print("renamed:", os.pread(fd, 100, 0))
    os.truncate(d / "renamed", 3)
    print("truncated:", os.fstat(fd).st_size, os.pread(fd, 100, 0))
    os.unlink(d / "renamed")
    print("written after removal:", os.pwrite(fd, b"x", 5), os.fstat(fd).st_size, os.pread(fd, 100, 0))
    os.ftruncate(fd, 1)
    print("truncated after removal:", os.fstat(fd).st_size, os.pread(fd, 100, 0), os.listdir(d))
    os.close(fd)


def replaced_file(d):
    old, new = create(d / "name", b"old"), create(d / "new", b"new")
    os.rename(d / "new", d / "name")
    print("old, new, name:", os.pread(old, 10, 0), os.pread(new, 10, 0), (d / "name").read_bytes())
    os.close(old)
    os.close(new)


def sparse_file(d):
    fd = create(d / "sparse")
    os.pwrite(fd, b"end", 1 << 30)
    st = os.fstat(fd)
    print("size:", st.st_size, "small:", st.st_blocks * 512 < 1 << 20, "hole:", os.pread(fd, 4, 1 << 20))
    print("data:", os.lseek(fd, 0, os.SEEK_DATA) == 1 << 30, "end of data:", outcome(os.lseek, fd, 1 << 30, os.SEEK_HOLE))
    os.close(fd)


def attributes(d):
    path = d / "attributes"
    path.touch()
    print("set:", outcome(os.setxattr, path, "user.a", b"value \x00\xff"), outcome(os.getxattr, path, "user.a"), outcome(os.listxattr, path))
    print("set again:", outcome(os.setxattr, path, "user.a", b"", os.XATTR_CREATE))
    print("removed:", outcome(os.removexattr, path, "user.a"), outcome(os.getxattr, path, "user.a"))


def privileges(d):
    """Calls of another user clear setuid and setgid, and those of root keep them."""
    for name, call in (("write", lambda fd: os.write(fd, b"x")), ("truncate", lambda fd: os.ftruncate(fd, 1)),
                       ("allocate", lambda fd: os.posix_fallocate(fd, 0, 10))):
        for user in (0, 65534):
            fd = create(d / name, b"content")
            os.fchmod(fd, 0o6777)
            if os.getuid() == 0 and os.fork() == 0:
                os.setresuid(user, user, user)
                call(fd)
                os._exit(0)
            elif os.getuid() == 0:
                os.wait()
            print(f"{name} by {user}: {os.stat(d / name).st_mode & 0o7777:o}")
            os.close(fd)


def another_locks(path, offset):
    return subprocess.run([sys.executable, "-c", LOCK, path, str(offset)], stderr=subprocess.DEVNULL, check=False).returncode == 0


def locks(d):
    path = d / "locked"
    fd, other = create(path), create(path)
    fcntl.lockf(fd, fcntl.LOCK_EX, 10, 0)
    print("another process takes the bytes, others:", another_locks(path, 5), another_locks(path, 10))
    fcntl.lockf(fd, fcntl.LOCK_UN)
    print("after the unlock:", another_locks(path, 5))
    fcntl.flock(fd, fcntl.LOCK_EX)
    print("flock:", outcome(fcntl.flock, other, fcntl.LOCK_EX | fcntl.LOCK_NB))
    os.close(fd)
    print("after the close:", outcome(fcntl.flock, other, fcntl.LOCK_EX | fcntl.LOCK_NB))
    os.close(other)


def mapping(d):
    fd = create(d / "mapped", b"x" * 8192)
    with mmap.mmap(fd, 8192, mmap.MAP_PRIVATE) as m:
        m[0] = ord("p")
        print("private:", m[:2], os.pread(fd, 2, 0))
    with mmap.mmap(fd, 8192, mmap.MAP_SHARED) as m:
        m[4096] = ord("s")
        m.flush()
        print("shared:", os.pread(fd, 2, 4096))
    os.close(fd)


def names(d):
    for name in (b"\xff\xfe", b"a\nb", b"\xc3\xa9", b"a b%20,=", b"n" * 255):
        path = os.fsencode(d) + b"/" + name
        os.close(create(path, name))
        print("name:", name in os.listdir(os.fsencode(d)), outcome(os.stat, path).st_size)
        os.unlink(path)
    print("too long:", outcome(create, d / ("n" * 256)))


def deep_path(d):
    """Makes a path of 4095 bytes, and one below it that only a relative path reaches."""
    steps = []
    while (left := 4095 - len(os.fsencode(d))) > 250:
        d = d / ("d" * 200)
        d.mkdir()
        steps.append(d)
    name = "f" * (left - 1)
    print("path:", len(os.fsencode(d / name)), (d / name).write_bytes(b"deep"), outcome(create, d / (name + "f")))
    below = os.open(d, os.O_RDONLY)
    os.mkdir("g" * 200, dir_fd=below)
    fd = os.open("g" * 200 + "/file", os.O_RDWR | os.O_CREAT, 0o644, dir_fd=below)
    print("below:", os.write(fd, b"deeper"), os.fstat(fd).st_size)
    os.close(fd)
    os.unlink("g" * 200 + "/file", dir_fd=below)
    os.rmdir("g" * 200, dir_fd=below)
    os.close(below)
    os.unlink(d / name)
    for directory in reversed(steps):
        directory.rmdir()


def many_files(d):
    """Opens 10,000 files, or as many as a mount can have open: it needs two descriptors for each."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(10000, (hard - 100) // 2)
    files = [create(d / str(i), b"%d" % i) for i in range(count)]
    equal = sum(os.pread(fd, 10, 0) == b"%d" % i for i, fd in enumerate(files))
    print("all equal:", equal == count, "all listed:", len(os.listdir(d)) == count)
    for i, fd in enumerate(files):
        os.unlink(d / str(i))
        os.close(fd)
    print("left:", os.listdir(d))


STEPS = (open_file, replaced_file, sparse_file, attributes, privileges, locks, mapping, names, deep_path, many_files)


def main():
    top = pathlib.Path(sys.argv[1]).resolve()
    for step in STEPS:
        if not sys.argv[2:] or step.__name__ in sys.argv[2:]:
            print(f"-- {step.__name__}")
            directory = top / step.__name__
            directory.mkdir()
            step(directory)


main()
