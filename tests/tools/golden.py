# SPDX-License-Identifier: BSD-2-Clause
"""Compares the behaviour of every command with a recorded run.

    golden.py [--bless] IOTRACE TESTDATA GOLDEN [DATA]

Runs each line of GOLDEN/COMMAND.cases, in a directory that holds TESTDATA as "testdata", DATA (larger logs,
optional) as "data" and the files that GOLDEN/prepare.sh makes, and compares exit status, standard error and
the SHA-256 of standard output and of every written file with GOLDEN/COMMAND.expected. Compressed output is
hashed after decompression, since its bytes depend on the version of the compression library. Cases that
name "data" are skipped if DATA is missing. Every option that "help COMMAND" lists must occur in a case.
--bless records the run.
"""
import concurrent.futures
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

ENVIRONMENT = {"LC_ALL": "C", "TZ": "UTC", "HOME": "/", "PATH": "bin:" + os.environ["PATH"]}


def plain(content):
    if content[:2] == b"\x1f\x8b":
        return gzip.decompress(content)
    if content[:4] == b"\x28\xb5\x2f\xfd":
        return subprocess.run(["zstd", "-dcq"], input=content, capture_output=True, check=True).stdout
    return content


def digest(content):
    content = plain(content)
    return f"{hashlib.sha256(content).hexdigest()[:32]} {len(content)} bytes"


class Golden:
    def __init__(self, tool, testdata, golden, data):
        self.golden, self.data = golden, data
        self.directory = tempfile.TemporaryDirectory(prefix="golden.")
        self.root = self.directory.name
        os.makedirs(os.path.join(self.root, "template/bin"))
        packet_make = os.path.join(os.path.dirname(tool), "packet_make")
        for name, target in (("bin/iotrace", tool), ("bin/packet_make", packet_make), ("testdata", testdata),
                             ("data", data)):
            if target:
                os.symlink(os.path.abspath(target), os.path.join(self.root, "template", name))
        subprocess.run(["sh", os.path.abspath(os.path.join(golden, "prepare.sh"))], check=True,
                       cwd=os.path.join(self.root, "template"), env=ENVIRONMENT)

    def run(self, number, line):
        """Returns the text that describes the effects of LINE."""
        where = os.path.join(self.root, str(number))
        before = set(os.listdir(os.path.join(self.root, "template")))
        os.mkdir(where)
        for shared in before:
            os.symlink(os.path.join(self.root, "template", shared), os.path.join(where, shared))
        done = subprocess.run(["sh", "-c", line], cwd=where, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120)
        block = [f"$ {line}", f"exit {done.returncode}"]
        if done.stdout:
            block.append(f"stdout {digest(done.stdout)}")
        block += self.written(where, before)
        block += ["| " + text for text in done.stderr.decode(errors="backslashreplace").splitlines()]
        shutil.rmtree(where)
        return "\n".join(block) + "\n"

    @staticmethod
    def written(where, before):
        for name in sorted(set(os.listdir(where)) - before):
            path = os.path.join(where, name)
            for folder, _, files in sorted(os.walk(path)) if os.path.isdir(path) else [("", "", [path])]:
                for file in sorted(files):
                    with open(os.path.join(folder, file), "rb") as stream:
                        shown = os.path.relpath(os.path.join(folder, file), where)
                        yield f"file {shown} {digest(stream.read())}"

    def help_of(self, command):
        return subprocess.run(["bin/iotrace", "help", command], capture_output=True, text=True,
                              cwd=os.path.join(self.root, "template"), env=ENVIRONMENT).stdout

    def options_without_case(self, command, lines):
        """Returns the rows of --help that no case of COMMAND uses."""
        used = "\n".join(line for line in lines if f"iotrace {command}" in line)
        for row in re.finditer(r"^ {2}(?:(-\w), |    )--([\w-]+)", self.help_of(command), re.M):
            short, name = row.group(1), row.group(2)
            words = rf"--{name}\b" + (rf"|\s{short}\b" if short else "")
            if not re.search(words, used):
                yield f"--{name}"


def cases(path):
    with open(path) as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


def blocks(path):
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        found = re.split(r"^(?=\$ )", file.read(), flags=re.M)
    return {block.splitlines()[0][2:]: block.rstrip("\n") + "\n" for block in found if block.strip()}


def show_difference(expected, found):
    before, after = expected.splitlines(), found.splitlines()
    print(f"not ok: {after[0]}")
    for line in before:
        if line not in after:
            print(f"  - {line}")
    for line in after:
        if line not in before:
            print(f"  + {line}")


def main():
    arguments = [word for word in sys.argv[1:] if word != "--bless"]
    bless = len(arguments) < len(sys.argv) - 1
    if len(arguments) not in (3, 4):
        sys.exit(__doc__)
    data = arguments[3] if len(arguments) == 4 and os.path.isdir(arguments[3]) else None
    golden = Golden(*arguments[:3], data)
    passed = failed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name in sorted(os.listdir(golden.golden)):
            command, suffix = os.path.splitext(name)
            if suffix != ".cases":
                continue
            lines = cases(os.path.join(golden.golden, name))
            path = os.path.join(golden.golden, command + ".expected")
            expected = blocks(path)
            wanted = [line for line in lines if data or "data/" not in line.replace("testdata/", "")]
            numbers = range(len(wanted))
            found = dict(zip(wanted, pool.map(lambda n: golden.run(f"{command}{n}", wanted[n]), numbers)))
            if bless:
                kept = [found.get(line) or expected.get(line, "") for line in lines]
                with open(path, "w") as file:
                    file.write("\n".join(block for block in kept if block))
                continue
            skipped += len(lines) - len(wanted)
            for line, block in found.items():
                if expected.get(line) == block:
                    passed += 1
                    continue
                failed += 1
                show_difference(expected.get(line, "(not recorded)\n"), block)
            for option in golden.options_without_case(command, lines):
                print(f"not ok: no case for: iotrace {command} {option}")
                failed += 1
    if skipped:
        print(f"skipped: {skipped} cases, as there are no larger logs")
    if not bless:
        print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
