#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares `iotrace fsstats` with a slow walk on made trees, and with itself in parts, resumed and imported.

    python3 tests/tools/fsstats_trees.py IOTRACE DIR TREES [KILLS]

Makes TREES trees in DIR, one after the other: sparse files, hard links, deep and wide directories, names of 255 bytes and
of invalid UTF-8, future and negative times, loops of links, special files. For each, fsstats_truth.py compares every bin;
the states of three parts, added in any order, the state of a walk that was interrupted, and the state of one with 5 threads
have to be the bytes of one walk; and the list of find(1) has to give the same histograms. Kills a walk with a checkpoint at
KILLS random moments, and resumes it.
"""
import os
import random
import shutil
import signal
import subprocess
import sys

TOOLS = os.path.dirname(os.path.abspath(__file__))
IOTRACE, NOW = os.path.abspath(sys.argv[1]), "1700000000"
FORMAT = r"%y %s %b %n %T@ %C@ %A@ %U %G %D %i %P\0"
faults = []


def make_name(rng):
    kind = rng.randrange(6)
    if kind == 0:
        return bytes(rng.choice(b"abcdefgh") for _ in range(255))
    if kind == 1:
        return b"\xff\xfe" + bytes(rng.randrange(128, 256) for _ in range(rng.randrange(1, 20)))
    return b"name%d" % rng.randrange(10**rng.randrange(1, 9))


def make_file(rng, path, files):
    kind = rng.randrange(10)
    if kind == 0 and files:
        os.link(rng.choice(files), path)
    elif kind == 1:
        os.symlink(rng.choice([b".", b"..", b"/", path, b"x" * rng.randrange(1, 300)]), path)
    elif kind == 2:
        os.mkfifo(path)
    else:
        with open(path, "wb") as file:
            if kind == 3:
                file.truncate(rng.randrange(1 << 40))
            else:
                file.write(bytes(rng.randrange(1 << rng.randrange(1, 18))))
        os.utime(path, (rng.randrange(-(10**8), 2 * 10**9), rng.randrange(-(10**8), 2 * 10**9)))
        files.append(path)


def make_tree(rng, root, seed):
    os.makedirs(root)
    directories, files = [os.fsencode(root)], []
    for _ in range(rng.randrange(5, 60)):
        path = os.path.join(rng.choice(directories), make_name(rng))
        if not os.path.lexists(path) and len(path) < 3000:
            os.mkdir(path)
            directories.append(path)
    for _ in range(rng.randrange(200)):
        path = os.path.join(rng.choice(directories), make_name(rng))
        if not os.path.lexists(path):
            make_file(rng, path, files)
    if seed == 1:  # deep
        begin = os.getcwd()
        os.chdir(root)
        for _ in range(5000):
            os.mkdir("deeper")
            os.chdir("deeper")
        os.chdir(begin)
    if seed == 2:  # wide
        os.mkdir(os.path.join(root, "wide"))
        for i in range(100000):
            os.close(os.open(os.path.join(root, f"wide/{i}"), os.O_CREAT | os.O_WRONLY))


def run(*words, data=None, check=True):
    done = subprocess.run([IOTRACE, "fsstats", "-q", *words], input=data, capture_output=True)
    if check and done.returncode != 0:
        faults.append(f"{words}: status {done.returncode}: {done.stderr.decode()}")
    return done


def content(path):
    with open(path, "rb") as file:
        return file.read()


def expect(what, seed, same):
    if not same:
        faults.append(f"tree {seed}: {what}")


def check_truth(seed):
    done = subprocess.run([sys.executable, f"{TOOLS}/fsstats_truth.py", IOTRACE, NOW, "tree"], capture_output=True)
    expect("bins differ: " + done.stdout.decode()[:400] + done.stderr.decode()[-400:], seed, done.returncode == 0)


def check_states(rng, seed):
    run(f"--now={NOW}", "--threads=1", "-s", "one.state", "tree")
    run(f"--now={NOW}", "--threads=5", "-s", "five.state", "tree")
    expect("5 threads differ", seed, content("one.state") == content("five.state"))
    parts = [1, 2, 3]
    for part in parts:
        run(f"--now={NOW}", f"--part={part}/3", "-s", f"{part}.state", "tree")
    rng.shuffle(parts)
    run("-s", "sum.state", *(f"{part}.state" for part in parts))
    expect("the sum of parts differs", seed, content("sum.state") == content("one.state"))


def check_limits(seed):
    """Few descriptors, small stacks; no access time changes; no output has names."""
    times = ["find", "tree", "-printf", r"%A@ %p\0"]
    before = subprocess.run(times, capture_output=True).stdout
    words = f"ulimit -n 32 -s 256; exec {IOTRACE} fsstats -q --now={NOW} --threads=64 -s few.state --csv=few.csv --json tree"
    done = subprocess.run(["sh", "-c", words], capture_output=True)
    expect("32 descriptors and 256 KiB of stack: " + done.stderr.decode(), seed, done.returncode == 0)
    expect("32 descriptors differ", seed, content("few.state") == content("one.state"))
    expect("access times changed", seed, before == subprocess.run(times, capture_output=True).stdout)
    names = subprocess.run(["find", "tree", "-printf", r"%f\0"], capture_output=True).stdout.split(b"\0")
    output = done.stdout + content("few.state") + content("few.csv")
    expect("names in the output", seed, not any(name in output for name in names if len(name) > 6))


def check_list(seed):
    listed = subprocess.run(["find", "tree", "-mindepth", "1", "-printf", FORMAT], capture_output=True).stdout
    lines = run(f"--now={NOW}", "--from=find", "--tsv", "-", data=listed).stdout.decode().splitlines()
    whole = run(f"--now={NOW}", "--tsv", "tree").stdout.decode().splitlines()
    whole = [line for line in whole if not line.startswith("directory size (entries)")]
    expect("the list of find differs", seed, lines == whole)


def check_mounts():
    """Other file systems are counted and not entered, in a mount namespace, if the system has them for this user."""
    os.makedirs("tree/mounted")
    os.makedirs("tree/bound")
    script = f"""mount -t tmpfs none tree/mounted && echo x >tree/mounted/inside && mount --bind tree tree/bound &&
        {sys.executable} {TOOLS}/fsstats_truth.py {IOTRACE} {NOW} tree && {IOTRACE} fsstats -q --json tree | grep -E 'other_devices|loops'"""
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True)
    if b"mount" in done.stderr or b"unshare" in done.stderr:
        return "mounts not tried"
    expect("mounts: " + (done.stdout + done.stderr).decode(), "mounts", done.returncode == 0 and b'"other_devices": 1' in done.stdout)
    return "mounts"


def interrupt(rng, number, limit_s):
    """Interrupts walks until one is complete. Returns the number of walks."""
    for walks in range(1, 1000):
        resume = ["--resume=kept"] if os.path.exists("kept") else ["--checkpoint=kept"]
        words = [IOTRACE, "fsstats", "-q", f"--now={NOW}", "--every=1ms", *resume, "-s", "resumed.state", "tree"]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            try:
                process.communicate(timeout=rng.random() * limit_s)
            except subprocess.TimeoutExpired:
                process.send_signal(number)
                process.communicate()
        if process.returncode == 0:
            return walks
        if process.returncode != -number:
            faults.append(f"interrupted: status {process.returncode}")
            return walks
    return 0


def check_kills(rng, kills):
    done = 0
    shutil.rmtree("tree", ignore_errors=True)
    for i in range(60):
        for j in range(60):
            os.makedirs(f"tree/{i}/{j}")
            for k in range(4):
                open(f"tree/{i}/{j}/{k}", "w").close()
            os.link(f"tree/{i}/{j}/0", f"tree/{i}/{j}/another")
    run(f"--now={NOW}", "-s", "one.state", "tree")
    while done < kills:
        for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
            done += interrupt(rng, number, 0.04) - 1
            expect("a resumed walk differs", signal.Signals(number).name, content("resumed.state") == content("one.state"))
            expect("the checkpoint is still there", number, not os.path.exists("kept"))
    return done


def main(directory, trees, kills):
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    os.chdir(directory)
    for seed in range(trees):
        rng = random.Random(seed)
        subprocess.run(["rm", "-rf", "tree"], check=True)
        make_tree(rng, "tree", seed)
        check_truth(seed)
        check_states(rng, seed)
        check_limits(seed)
        check_list(seed)
    subprocess.run(["rm", "-rf", "tree"], check=True)
    mounts = check_mounts()
    done = check_kills(random.Random(trees), kills) if kills else 0
    print(f"{trees} trees, {mounts}, {done} interrupted walks, {len(faults)} faults")
    for fault in faults[:20]:
        print(fault)
    os.chdir("/")
    shutil.rmtree(directory)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 0))
