#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes a wheel of the module, the libraries and the program: wheel.py BUILD VERSION OUT_FOLDER

Equal inputs make equal bytes. The tag names the newest glibc whose symbols a file needs.
"""
import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import zipfile

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TIME = (2020, 1, 1, 0, 0, 0)
ALLOWED = ("libc.so", "libm.so", "libpthread.so", "libdl.so", "ld-linux", "libbz2.so.1.0", "libiotrace.so", "libiotrace-sources.so", "librt.so")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()


def glibc_of(path):
    """Returns the newest version of glibc that a file needs, and checks that it needs no other library."""
    for name in re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", path)):
        if not name.startswith(ALLOWED):
            sys.exit(f"wheel.py: {path} needs {name}, which a machine may lack")
    found = re.findall(r"GLIBC_(\d+)\.(\d+)", output("objdump", "-T", path))
    return max((int(a), int(b)) for a, b in found)


def add(wheel, record, name, data, mode=0o644):
    info = zipfile.ZipInfo(name, TIME)
    info.external_attr = (0o100000 | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    wheel.writestr(info, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record.append(f"{name},sha256={digest},{len(data)}")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def files_of(build):
    """Yields name in the wheel, path, mode."""
    module = os.path.join(FOLDER, "python", "iotrace")
    for name in sorted(os.listdir(module)):
        if name.endswith((".py", ".pyi", ".typed")):
            yield f"iotrace/{name}", os.path.join(module, name), 0o644
    for name in ("libiotrace.so.0", "libiotrace-sources.so.0"):
        yield f"iotrace/lib/{name}", os.path.join(build, name), 0o755
    found = re.search(r"libbz2\.so\.1\.0 => (\S+)", output("ldd", os.path.join(build, "libiotrace-sources.so.0")))
    if found:
        yield "iotrace/lib/libbz2.so.1.0", found[1], 0o755
    for name in ("iotrace", "libiotrace-record.so", "libiotrace-record-calls.so"):
        if os.path.exists(os.path.join(build, name)):
            yield f"iotrace/bin/{name}", os.path.join(build, name), 0o755


def main(build, version, folder):
    files = list(files_of(build))
    newest = max(glibc_of(path) for name, path, mode in files if mode == 0o755)
    tag = f"py3-none-manylinux_{newest[0]}_{newest[1]}_{platform.machine()}"
    info, record = f"libiotrace-{version}.dist-info", []
    path = os.path.join(folder, f"libiotrace-{version}-{tag}.whl")
    readme = read(os.path.join(FOLDER, "README.md")).decode()
    with zipfile.ZipFile(path, "w") as wheel:
        for name, source, mode in files:
            add(wheel, record, name, read(source), mode)
        add(wheel, record, f"{info}/METADATA", (
            f"Metadata-Version: 2.1\nName: libiotrace\nVersion: {version}\nSummary: I/O traces and the logs of tracing tools as "
            "tables\nLicense: BSD-2-Clause\nRequires-Python: >=3.9\nProvides-Extra: pandas\nRequires-Dist: pandas; extra == "
            f"'pandas'\nDescription-Content-Type: text/markdown\n\n{readme}").encode())
        add(wheel, record, f"{info}/WHEEL",
            f"Wheel-Version: 1.0\nGenerator: iotrace\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        add(wheel, record, f"{info}/entry_points.txt", b"[console_scripts]\niotrace = iotrace._commands:main\n")
        add(wheel, record, f"{info}/licenses/LICENSE", read(os.path.join(FOLDER, "LICENSE")))
        record.append(f"{info}/RECORD,,")
        add(wheel, [], f"{info}/RECORD", ("\n".join(record) + "\n").encode())
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
