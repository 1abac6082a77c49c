#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the simulation of `iotrace model` with a slow one, request by request.

    python3 tests/tools/model_oracle.py MODEL_DUMP [SYSTEMS] [REQUESTS]

The slow simulation has an object for each component of docs/model.md, with explicit queues of messages: it shares no code
with the fast one, and does not compute when a message will be sent before it is sent. Every request has to end at the same
picosecond, and every counter has to be equal. Laws hold for all: bytes at the disk are the bytes that were generated;
computation between logs has the same length in a variant; and the I/O nodes of a job begin it together.
"""
import heapq
import os
import random
import subprocess
import sys
import tempfile

PS = 10**12
ORDER = ["release", "shared", "buffered", "requested", "at_disk", "received", "sent", "written", "ack", "ack_done", "burst", "end"]


def duration(size, bandwidth):
    return (size * PS + bandwidth // 2) // bandwidth if bandwidth else 0


class Link:
    """One direction of a link. Small messages precede data that waits."""

    def __init__(self, world, bandwidth):
        self.world, self.bandwidth = world, bandwidth
        self.sending, self.until, self.data, self.small = False, 0, [], []

    def send(self, size, order, arrive):
        """Sends data; arrive() is called at its end."""
        self.data.append((size, order, arrive))
        self.next()

    def pass_by(self, order, arrive):
        """Sends a message of size 0, at once if nothing is being sent."""
        if self.sending and self.until > self.world.now:
            self.world.at(self.until, order, arrive)
        else:
            arrive()

    def next(self):
        if self.sending and self.until > self.world.now:
            return
        if self.data:
            size, order, arrive = self.data.pop(0)
            self.sending, self.until = True, self.world.now + duration(size, self.bandwidth)
            self.world.at(self.until, ("link",) + order[1:], self.next)
            self.world.at(self.until, order, arrive)
        else:
            self.sending = False


class World:
    def __init__(self, system, logs, base=None):
        self.system, self.logs, self.base = system, logs, base
        self.heap, self.count, self.now, self.ended = [], 0, 0, []
        self.disk_up, self.disk_down = Link(self, system["server"]), Link(self, system["server"])
        self.nodes = [Node(self, i, logs[i]) for i in range(len(logs))]
        self.jobs = {}
        for i, of in enumerate(logs):
            for job in {log["job"] for log in of if log["job"]}:
                self.jobs.setdefault(job, {"nodes": set(), "waiting": {}})["nodes"].add(i)

    def at(self, time, order, call):
        """order: the kind of event, node and compute node; a link is free before others happen."""
        self.count += 1
        rank = -1 if order[0] == "link" else ORDER.index(order[0])
        heapq.heappush(self.heap, (time, rank, *order[1:], self.count, call))

    def run(self):
        for node in self.nodes:
            node.schedule(0, node.logs[0]["start"])
        while self.heap:
            self.now, *_, call = heapq.heappop(self.heap)
            call()
        return self

    def start_job(self, node, k, time):
        """Returns whether log k of a node has to wait for the other nodes of its job."""
        job = self.logs[node][k]["job"]
        if self.base is None or not job or any(log["job"] == job for log in self.logs[node][:k]):
            return False
        wait = self.jobs[job]
        wait["waiting"][node] = time
        if set(wait["waiting"]) == wait["nodes"]:
            latest = max(wait["waiting"].values())
            for other in wait["waiting"]:
                self.at(latest, ("release", other, 0), self.nodes[other].release)
        return True


class Node:
    def __init__(self, world, number, logs):
        system = world.system
        self.world, self.number, self.logs = world, number, logs
        self.compute = [[] for _ in range(system["compute-nodes"])]
        self.busy = [None] * len(self.compute)
        self.up, self.down = Link(world, system["tree"]), Link(world, system["tree"])
        self.network_down = Link(world, 0)
        self.pool = self.burst = self.released = 0
        self.requests, self.drains, self.entering, self.written = [], [], [], []
        self.admitted = self.entry = None
        self.results = [{"start": None, "end": None, "left": 0, "counted": [0, 0, 0, 0]} for _ in logs]
        self.interval = 0

    def order(self, kind, compute=0):
        return (kind, self.number, compute)

    # Logs

    def schedule(self, k, time):
        if not self.world.start_job(self.number, k, time):
            self.world.at(time, self.order("release"), self.release)

    def requests_of(self, log):
        largest = self.world.system["request-max"]
        for write, size, count in ((False, log["read"], log["reads"]), (True, log["written"], log["writes"])):
            if count == 0 and size > 0:
                count = -(-size // largest)
            for i in range(count):
                left = size // count + (i < size % count)
                while left > largest:
                    yield write, largest
                    left -= largest
                yield write, left

    def release(self):
        k = self.released
        self.released += 1
        if self.world.base is None and self.released < len(self.logs):
            self.schedule(self.released, self.logs[self.released]["start"])
        result = self.results[k]
        result["start"] = result["end"] = self.world.now
        for i, (write, size) in enumerate(self.requests_of(self.logs[k])):
            self.compute[i % len(self.compute)].append({"write": write, "size": size, "log": k, "acked": False, "pooled": False})
            result["left"] += 1
        if result["left"] == 0:
            self.log_ended(k)
        for i in range(len(self.compute)):
            self.issue(i)

    def log_ended(self, k):
        if self.world.base is None or k + 1 >= len(self.logs):
            return
        base = self.world.base.nodes[self.number].results
        self.schedule(k + 1, self.world.now + max(0, base[k + 1]["start"] - base[k]["end"]))

    # Requests

    def issue(self, i):
        if self.busy[i] is not None or not self.compute[i]:
            return
        request = self.busy[i] = self.compute[i].pop(0)
        request["compute"] = i
        shared = self.world.system["tree-links"] == "shared"
        if not request["write"]:
            if shared:
                self.up.pass_by(self.order("requested", i), lambda: self.at_bypass(request))
            else:
                self.at_bypass(request)
        else:
            time = self.world.now + duration(request["size"], self.world.system["tree"])
            if shared:
                self.world.at(time, self.order("shared", i), lambda: self.up.send(request["size"], self.order("buffered", i), lambda: self.buffered(request)))
            else:
                self.world.at(time, self.order("buffered", i), lambda: self.buffered(request))

    def end(self, request):
        result = self.results[request["log"]]
        result["left"] -= 1
        result["end"] = self.world.now
        self.world.ended.append((self.number, request["compute"], request["log"], self.world.now))
        self.busy[request["compute"]] = None
        if result["left"] == 0:
            self.log_ended(request["log"])
        self.issue(request["compute"])

    def acknowledge(self, request):
        if self.world.system["tree-links"] == "shared":
            self.down.pass_by(self.order("end", request["compute"]), lambda: self.end(request))
        else:
            self.end(request)

    def buffered(self, request):
        system = self.world.system
        if self.pool + request["size"] <= system["page-pool"]:
            self.pool += request["size"]
            request["acked"] = request["pooled"] = True
        acked = request["acked"]
        if system["burst"]:
            self.entering.append(request)
            self.enter()
        else:
            self.at_bypass(request)
        if acked:
            self.acknowledge(request)

    def enter(self):
        system = self.world.system
        if self.entry is None and self.entering and self.burst + self.entering[0]["size"] <= system["burst"]:
            self.entry = self.entering.pop(0)
            self.burst += self.entry["size"]
            self.world.at(self.world.now + duration(self.entry["size"], system["burst-internal"]), self.order("burst"), self.entered)

    def entered(self):
        request, self.entry = self.entry, None
        if request["pooled"]:
            self.pool -= request["size"]
        waits = not request["acked"]
        request["acked"], request["pooled"] = True, False
        self.drains.append(request)
        self.enter()
        self.admit()
        if waits:
            self.acknowledge(request)

    def at_bypass(self, request):
        self.requests.append(request)
        self.admit()

    def network(self):
        system = self.world.system
        return system["burst-external"] if system["burst"] else system["network"]

    def admit(self):
        if self.admitted is not None or not (self.requests or self.drains):
            return
        request = self.admitted = (self.requests or self.drains).pop(0)
        if request["write"]:
            self.world.at(self.world.now + duration(request["size"], self.network()), self.order("sent"), self.sent)
        else:
            self.world.disk_up.pass_by(self.order("at_disk"), lambda: self.world.disk_down.send(request["size"], self.order("received", -1), self.at_server))

    def at_server(self):
        self.network_down.bandwidth = self.network()
        self.network_down.send(self.admitted["size"], self.order("received"), self.received)

    def received(self):
        request, self.admitted = self.admitted, None
        self.count(request)
        own = duration(request["size"], self.world.system["tree"])
        over = lambda: self.world.at(self.world.now + own, self.order("end", request["compute"]), lambda: self.end(request))
        if self.world.system["tree-links"] == "shared":
            self.down.send(request["size"], self.order("end", -1), over)
        else:
            over()
        self.admit()

    def sent(self):
        request, self.admitted = self.admitted, None
        if request["pooled"]:
            self.pool -= request["size"]
        elif self.world.system["burst"]:
            self.burst -= request["size"]
        self.written.append(request)
        self.world.disk_up.send(request["size"], self.order("written"), self.at_disk)
        if self.world.system["burst"]:
            self.enter()
        self.admit()

    def at_disk(self):
        self.world.disk_down.pass_by(self.order("ack"), lambda: self.network_down.pass_by(self.order("ack_done"), self.ack_returned))

    def ack_returned(self):
        request = self.written.pop(0)
        self.count(request)
        if not request["acked"]:
            self.acknowledge(request)

    # Counters

    def count(self, request):
        known = len(self.logs) if self.world.base is None else self.released

        def begin(k):
            return self.logs[k]["start"] if self.world.base is None else self.results[k]["start"]
        while self.interval + 1 < known and self.world.now > begin(self.interval) + self.logs[self.interval]["took"]:
            self.interval += 1
        if self.world.base is None and self.world.now > begin(self.interval) + self.logs[self.interval]["took"]:
            return
        counted = self.results[self.interval]["counted"]
        counted[2 * request["write"]] += request["size"]
        counted[2 * request["write"] + 1] += 1


def make_system(rng):
    largest = rng.choice([1 << 12, 100003, 4 << 20])
    return {"compute-nodes": rng.randrange(1, 9), "request-max": largest, "page-pool": rng.choice([0, largest, 3 * largest, 1 << 30]),
            "tree": rng.choice([891289600, 10**8, 0]), "network": rng.choice([125 * 10**7, 10**8 + 7]), "server": rng.choice([70866960384, 10**8, 3 * 10**8]),
            "tree-links": rng.choice(["shared", "private"]), "burst": 0, "burst-internal": 0, "burst-external": 0}


def with_burst(rng, system):
    largest = system["request-max"]
    return {**system, "burst": rng.choice([largest, 3 * largest // 2, 5 * largest, 1 << 33]), "burst-internal": rng.choice([891289600, 10**8, 0]), "burst-external": rng.choice([125 * 10**6, 5 * 10**8])}


def text(system):
    lines = [f"{key} = {system[key]}" for key in ("compute-nodes", "request-max", "page-pool", "tree-links")]
    lines += [f"ciod-buffer = {system['request-max']}"]
    lines += [f"{key} = {system[key]}B/s" if system[key] else f"{key} = 0" for key in ("tree", "network", "server")]
    if system["burst"]:
        internal = f"{system['burst-internal']}B/s" if system["burst-internal"] else "0"
        lines.append(f"burst-buffer = size {system['burst']}, internal {internal}, external {system['burst-external']}B/s")
    return "\n".join(lines).replace("B/s", "/s") + "\n"


def make_logs(rng, requests, system):
    logs = []
    nodes = rng.randrange(1, 5)
    for _ in range(nodes):
        start, of = rng.randrange(10**9), []
        for k in range(rng.randrange(1, 6)):
            took = rng.choice([10**9, 10**10, 10**11])
            reads, writes = (rng.randrange(requests // (5 * nodes) + 1) * rng.randrange(2) for _ in range(2))
            size = rng.choice([1, 1000, system["request-max"], 3 * system["request-max"] // 2])
            log = {"start": start, "took": took, "reads": reads, "writes": writes, "read": reads * size + rng.randrange(reads + 1), "written": writes * size + rng.randrange(writes + 1),
                   "job": rng.choice([0, 1 + k // 2])}
            of.append(log)
            start += took + rng.choice([0, 0, 10**9])
        logs.append(of)
    return logs


def fast(program, system, variant, logs, directory):
    words = [program]
    for name, of in (("system", system), ("variant", variant)):
        if of is not None:
            with open(os.path.join(directory, name), "w", encoding="ascii") as file:
                file.write(text(of))
            words.append(os.path.join(directory, name))
    lines = "".join(f"{i} {l['start']} {l['took']} {l['read']} {l['reads']} {l['written']} {l['writes']} {l['job']}\n" for i, of in enumerate(logs) for l in of)
    return subprocess.run(words, input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()


def slow_lines(world):
    lines = [" ".join(map(str, ended)) for ended in world.ended]
    logs = []
    for i, node in enumerate(world.nodes):
        for k, r in enumerate(node.results):
            logs.append(f"log {i} {k} {r['start']} {r['end']} {' '.join(map(str, r['counted']))}")
    return lines, logs


def check(name, program, system, variant, logs, base, directory, faults):
    world = World(variant or system, logs, base).run()
    ended, of_logs = slow_lines(world)
    lines = fast(program, system, variant, logs, directory)
    actual = [line for line in lines if line[0].isdigit()]
    if sorted(actual) != sorted(ended):
        wrong = sorted(set(actual) ^ set(ended), key=lambda line: int(line.split()[3]))
        faults.append(f"{name}: {len(wrong)} requests differ, first {wrong[:4]}")
    if [line for line in lines if line.startswith("log")] != of_logs:
        faults.append(f"{name}: logs differ")
    sums = list(map(int, lines[-1].split()[1:]))
    if sums[1:3] != sums[3:5]:
        faults.append(f"{name}: bytes generated {sums[1:3]}, at the disk {sums[3:5]}")
    return world, len(ended)


def check_shift(name, base, world, faults):
    for i, node in enumerate(world.nodes):
        old = base.nodes[i].results
        for k in range(len(node.logs) - 1):
            gap = max(0, old[k + 1]["start"] - old[k]["end"])
            later = node.results[k + 1]["start"] - node.results[k]["end"]
            first = not any(log["job"] == node.logs[k + 1]["job"] for log in node.logs[:k + 1])
            if later != gap and not (node.logs[k + 1]["job"] and first and later > gap):
                faults.append(f"{name}: computation of {later} instead of {gap} ps")


def main(program, systems, requests):
    faults, compared = [], 0
    with tempfile.TemporaryDirectory() as directory:
        for seed in range(systems):
            rng = random.Random(seed)
            system = make_system(rng)
            if seed % 5 == 4:
                system = with_burst(rng, system)
            logs = make_logs(rng, requests, system)
            base, n = check(f"system {seed}", program, system, None, logs, None, directory, faults)
            variant = with_burst(rng, system)
            changed, more = check(f"variant {seed}", program, system, variant, logs, base, directory, faults)
            check_shift(f"variant {seed}", base, changed, faults)
            compared += n + more
    print(f"{systems} systems, {compared} requests, {len(faults)} faults")
    for fault in faults[:10]:
        print(fault)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 50, int(sys.argv[3]) if len(sys.argv) > 3 else 200))
