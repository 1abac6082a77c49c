#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the commands of iotrace-scale(7) as printed there (the commands for 100000 parts with fewer), and compares the joined states with the state of the whole trace.

	scale_out.py [--require] IOTRACE ENGINE...	engines: xargs, parallel, mpi, slurm, dask, spark

Engines that are not installed are named and skipped; --require makes that an error, except for spark.
Daemons listen on the loopback interface, are started here, and are ended by their ids.
"""
import filecmp
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

MANUAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../man/iotrace-scale.7")
LIMIT_S = 120
PYTHON = "/usr/bin/python3"  # has the modules of the system's packages


class Skipped(Exception):
    """An engine is not there."""


class Impossible(Skipped):
    """It cannot work on this machine."""


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            raise Skipped(f"{program} is not installed")


def need_module(python, name):
    if not os.path.exists(python) or subprocess.run([python, "-c", f"import {name}"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        raise Skipped(f"the Python module {name} is not installed")


def blocks(heading):
    """Returns the examples of a section of the manual."""
    found, inside, block = [], False, None
    with open(MANUAL, encoding="utf-8") as manual:
        for line in manual:
            if line.startswith((".Ss ", ".Sh ")):
                inside = line[4:].rstrip() == heading
            elif inside and line.startswith(".Bd -literal"):
                block = ""
            elif block is not None and line.startswith(".Ed"):
                found.append(block)
                block = None
            elif block is not None:
                block += line.replace("\\e", "\\")
    if not found:
        sys.exit(f"iotrace-scale(7) has no example under {heading!r}")
    return found


def shell(text, **environment):
    done = subprocess.run(["bash", "-e", "-c", text], check=False, env={**os.environ, **environment}, timeout=LIMIT_S, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"status {done.returncode} of\n{text}\n{done.stdout.decode(errors='replace')[-3000:]}")


def clear():
    for name in os.listdir("."):
        if name not in ("app.iot.zst", "whole.state.zst", "slurm"):
            (shutil.rmtree if os.path.isdir(name) else os.remove)(name)


def check(engine):
    """The joined state, and nothing that a task has not renamed."""
    if not filecmp.cmp("app.state.zst", "whole.state.zst", shallow=False):
        sys.exit(f"{engine}: the joined state differs from the state of the whole")
    hidden = [name for name in os.listdir(".") if name.startswith(".")]
    if hidden:
        sys.exit(f"{engine}: {hidden} remain")
    print(f"{engine}: the state of the whole")


def make_trace():
    with open("bare.iot", "w", encoding="ascii") as trace:
        for i in range(40000):
            trace.write(f"80 20 {i * 7 % 5000 << 9:x} {512 * (1 + i % 3):x} 5 3 {i % 4 + 1:x} {i % 5 + 1:x} 0\n")
    shell("iotrace cat -q --framed --sync=150 -o app.iot.zst bare.iot; iotrace analyze -q -s whole.state.zst app.iot.zst")


# Programs that end

def run_xargs():
    need("xargs")
    shell(blocks("One machine: xargs")[0])
    if not os.path.exists("app.html"):
        sys.exit("xargs: no app.html")
    check("xargs")


def run_parallel():
    need("parallel")
    shell(blocks("One machine: GNU parallel")[0])
    check("GNU parallel")


def run_mpi():
    need("mpirun")
    shell(blocks("MPI")[0], OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
          OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_btl="self,sm")
    check("Open MPI")


def run_spark():
    python = os.environ.get("SPARK_PYTHON", PYTHON)
    need("java")
    need_module(python, "pyspark")
    script(python, "Spark", PYSPARK_SUBMIT_ARGS="--master local[2] --conf spark.ui.enabled=false pyspark-shell", SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=python)
    check("Spark")


def script(python, heading, **environment):
    with open("script.py", "w", encoding="ascii") as file:
        file.write(blocks(heading)[0])
    shell(f"{python} script.py", **environment)


# Daemons

class Daemons:
    def __init__(self):
        self.running = []

    def start(self, *command, **environment):
        with open(f"log.{len(self.running)}", "wb") as log:
            self.running.append(subprocess.Popen(command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        survivors = []
        for process in reversed(self.running):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                survivors.append(process.args[0])
                process.kill()
                process.wait()
        if survivors:
            sys.exit(f"{survivors}: did not end on SIGTERM")


def wait_for(condition, seconds, what):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            logs = "".join(open(name, encoding="utf-8", errors="replace").read()[-2000:] for name in sorted(os.listdir(".")) if name.startswith("log."))
            sys.exit(f"not within {seconds} s: {what}\n{logs}")
        time.sleep(0.1)


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def run_dask():
    need_module(PYTHON, "distributed")
    port, = free_ports(1)
    address = f"tcp://127.0.0.1:{port}"
    with Daemons() as daemons:
        daemons.start(PYTHON, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        wait_for(lambda: listens(port), 30, "the scheduler of Dask")
        for _ in range(2):
            daemons.start(PYTHON, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        script(PYTHON, "Dask", DASK_SCHEDULER_ADDRESS=address)
    check("Dask")


CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={ports[0]}
AuthInfo=socket={dir}/munge/socket,cred_expire=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
KillWait=5
SchedulerParameters=sched_interval=1,batch_sched_delay=0
StateSaveLocation={dir}/ctld
SlurmdSpoolDir={dir}/%n
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/slurmd.%n.pid
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1 State=UNKNOWN
PartitionName=test Nodes=n1,n2 Default=YES MaxTime=10 State=UP
"""


def output(*command):
    return subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()


def start_slurm(daemons):
    directory = os.path.join(os.getcwd(), "slurm")
    host = socket.gethostname().split(".")[0]
    for name in ("munge", "ctld", "n1", "n2"):
        os.makedirs(os.path.join(directory, name))
    os.chmod(f"{directory}/munge", 0o700)
    with open(f"{directory}/munge/key", "wb") as key:
        os.chmod(key.name, 0o600)
        key.write(os.urandom(128))
    with open(f"{directory}/slurm.conf", "w", encoding="ascii") as configuration:
        configuration.write(CONFIGURATION.format(host=host, dir=directory, ports=free_ports(3)))
    os.environ["SLURM_CONF"] = f"{directory}/slurm.conf"
    munge = f"{directory}/munge"
    daemons.start("munged", "-F", "--force", "-S", f"{munge}/socket", f"--key-file={munge}/key", f"--pid-file={munge}/pid", f"--seed-file={munge}/seed", f"--log-file={munge}/log")
    wait_for(lambda: os.path.exists(f"{munge}/socket"), 5, "the socket of munged")
    daemons.start("slurmctld", "-D", "-i")
    for node in ("n1", "n2"):
        daemons.start("slurmd", "-D", "-N", node)
    wait_for(lambda: output("sinfo", "-h", "-o", "%D %t") == "2 idle", 20, "two idle nodes")


def no_jobs():
    return output("squeue", "-h") == "" and "slurm" in output("sinfo", "-h", "-o", "%D slurm")


def submit(text):
    clear()
    shell(text)
    wait_for(no_jobs, LIMIT_S, "the jobs of Slurm")


def check_failed_part(jobs):
    """No state of part 5 can be written, so the second job must not start."""
    clear()
    os.mkdir("p5.state.zst")
    shell(jobs)
    wait_for(no_jobs, LIMIT_S, "the jobs of Slurm")
    if os.path.exists("app.state.zst"):
        sys.exit("Slurm: the reduce job ran after a task with status 2")
    print("Slurm: no reduce job after a task with status 2")


def check_damaged_part(jobs):
    """The state of a damaged part is joined."""
    os.rename("app.iot.zst", "slurm/kept")
    clear()
    with open("slurm/kept", "rb") as whole, open("app.iot.zst", "wb") as cut:
        data = whole.read()
        cut.write(data[:len(data) * 9 // 10])
    shell(jobs)
    wait_for(no_jobs, LIMIT_S, "the jobs of Slurm")
    if not os.path.exists("app.state.zst"):
        sys.exit("Slurm: the reduce job did not run after a task with status 1")
    os.rename("slurm/kept", "app.iot.zst")
    print("Slurm: a reduce job after a task with status 1")


def check_requeue(jobs):
    """A task that runs is stopped, and runs again."""
    clear()
    shell(jobs.replace("--wrap 'iotrace analyze -q --part", "--wrap '[ -e started$SLURM_ARRAY_TASK_ID ] || { touch started$SLURM_ARRAY_TASK_ID; sleep $((SLURM_ARRAY_TASK_ID / 8)); }; iotrace analyze -q --part")
          .replace("1-64", "1-8").replace("/64 ", "/8 "))
    wait_for(lambda: os.path.exists("started8"), LIMIT_S, "the last task")
    job = output("squeue", "-h", "-t", "R", "-o", "%i")
    if subprocess.run(["scontrol", "requeue", *job.split()[:1]], check=False).returncode != 0:
        sys.exit(f"Slurm: {job!r} cannot be requeued")
    wait_for(no_jobs, LIMIT_S, "the jobs of Slurm")
    check("Slurm, with a task requeued")


def run_slurm():
    need("munged", "slurmctld", "slurmd", "sbatch")
    if os.geteuid() != 0:
        raise Impossible("its daemons need root here")
    if not os.path.ismount("/sys/fs/cgroup"):
        raise Impossible("slurmd needs /sys/fs/cgroup, which is not mounted")
    jobs, many = blocks("Slurm")
    with Daemons() as daemons:
        start_slurm(daemons)
        submit(jobs)
        check("Slurm")
        submit(many.replace("100000", "16").replace("1000", "4").replace("*100-99", "*4-3").replace("*100", "*4"))
        shell("iotrace analyze -q t*.state.zst -s app.state.zst")
        check("Slurm, several parts in a task")
        check_failed_part(jobs)
        check_damaged_part(jobs)
        check_requeue(jobs)


def main(arguments):
    required = arguments[:1] == ["--require"]
    iotrace, *engines = arguments[1:] if required else arguments
    os.environ["PATH"] = os.path.dirname(os.path.abspath(iotrace)) + ":" + os.environ["PATH"]
    missing = False
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        make_trace()
        for engine in engines:
            clear()
            try:
                globals()[f"run_{engine}"]()
            except Skipped as why:
                print(f"skipped: {engine}: {why}")
                missing |= engine != "spark" and not isinstance(why, Impossible)
        os.chdir("/")
    sys.exit(1 if required and missing else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
