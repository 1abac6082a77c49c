# SPDX-License-Identifier: BSD-2-Clause
"""A slow model of iotrace simulate --time, written from its definition, without code of the library.

A block knows the I/Os in flight that cover it, and a process the I/Os that it waits for; the C code has neither. All times are whole
nanoseconds. simulate() returns a dict with the names of the JSON output.
"""
import math
from collections import OrderedDict, deque

READ, WRITE, CALL, FSYNC, DROP = range(5)
STALLED, THROTTLED = "stalled", "throttled"  # what a call yields
COALESCED = 1 << 20  # bytes of an I/O of dirty blocks, at most
ROW_COUNTS = """reads writes read_bytes written_bytes read_hit_blocks read_prefetched_blocks read_miss_blocks write_hit_blocks
    write_miss_blocks prefetched_blocks device_reads device_writes device_read_bytes device_written_bytes""".split()


class Step:
    def __init__(self, kind, think=0, obj=None, offset=0, length=0, asynchronous=False, row=None):
        self.kind, self.think, self.obj, self.offset, self.length, self.asynchronous = kind, think, obj, offset, length, asynchronous
        self.row = row  # of a breakdown


class Io:
    def __init__(self, number, done, write, length, process, asynchronous):
        self.number, self.done, self.write, self.length = number, done, write, length
        self.process, self.asynchronous = process, asynchronous
        self.cleans = 0  # blocks that were dirty


class Block:
    def __init__(self, owner):
        self.owner, self.arrival, self.ios, self.last_async, self.prefetched = owner, None, [], None, False


class Process:
    def __init__(self, number, key, steps):
        self.number, self.key, self.steps = number, key, steps
        self.at, self.burst, self.waits, self.awaits, self.resume = -1, 0, [], [], None
        self.asleep, self.slept, self.sleep, self.end, self.think = None, 0, 0, 0, 0


class Cpu:
    def __init__(self):
        self.process = self.last = None
        self.until = None  # None: idle
        self.idle_since, self.slice, self.piece = 0, 0, 0


class Model:
    def __init__(self, o, programs, sizes):
        self.o, self.sizes, self.now = o, sizes, 0
        self.processes = [Process(i, key, steps) for i, (key, steps) in enumerate(programs)]
        self.cpus = [Cpu() for _ in range(o["cpus"])]
        self.ready, self.flying, self.sleepers, self.stalled = deque(), [], [], []
        self.cache = OrderedDict()  # (object, block) -> Block, oldest first
        self.previous, self.slots, self.pipe = None, [0] * o["depth"], 0
        self.issued = self.slept = 0
        self.last_end, self.last_write, self.last_read, self.windows = {}, {}, {}, {}
        self.busy_since = None
        self.dirty, self.writing, self.size_now = OrderedDict(), 0, {}  # (object, block) -> time, oldest first
        names = """wall_ns idle_ns think_ns syscall_ns copy_ns switch_ns interrupt_ns calls switches preemptions interrupts stalls reads
            writes read_bytes written_bytes read_hit_blocks read_prefetched_blocks read_miss_blocks write_hit_blocks write_miss_blocks
            device_reads device_writes device_read_bytes device_written_bytes prefetched_blocks wasted_blocks dropped_blocks
            pending_bytes pending_ns device_busy_ns depth_max throttled partial_reads cancelled_blocks dirtied_blocks cleaned_blocks
            dirty_blocks"""
        self.count = dict.fromkeys(names.split(), 0)
        self.rows = {}

    def add_to_row(self, step, **values):
        row = self.rows.setdefault(step.row, {})
        for name, value in values.items():
            row[name] = row.get(name, 0) + value

    # The device

    def service(self, obj, offset, length, write):
        o = self.o
        if self.previous is None or self.previous[0] != obj:
            position = o["far"]
        elif self.previous[1] == offset:
            position = 0
        else:
            distance = abs(offset - self.previous[1])
            share = math.sqrt(min(1.0, distance / o["span"])) if o["span"] else 1.0
            position = o["near"] + int((o["far"] - o["near"]) * share)
        latency = position + (o["write_latency"] if write else o["read_latency"])
        rate = o["write_rate"] if write else o["read_rate"]
        return latency, length * 10**9 // rate if rate else 0

    def issue(self, obj, first, count, write, process=None, asynchronous=False):
        size = self.o["block"]
        latency, transfer = self.service(obj, first * size, count * size, write)
        self.previous = (obj, (first + count) * size)
        if self.o["depth"]:
            slot = min(range(len(self.slots)), key=lambda i: self.slots[i])
            start = max(self.now, self.slots[slot])
            done = max(start + latency, self.pipe) + transfer
            self.slots[slot] = self.pipe = done
        else:
            done = self.now + latency + transfer
        io = Io(self.issued, done, write, count * size, process, asynchronous)
        self.issued += 1
        if not self.flying:
            self.busy_since = self.now
        self.flying.append(io)
        self.count["depth_max"] = max(self.count["depth_max"], len(self.flying))
        self.count["device_writes" if write else "device_reads"] += 1
        self.count["device_written_bytes" if write else "device_read_bytes"] += count * size
        if write and (obj not in self.last_write or self.last_write[obj].done <= done):
            self.last_write[obj] = io
        return io

    def in_flight(self, io):
        return io is not None and io.done > self.now

    # The cache

    def evictable(self, key):
        """A dirty block is written, and not replaced before that is done."""
        block = self.cache[key]
        busy = any(self.in_flight(io) for io in block.ios) or getattr(block, "pinned", False)
        if key in self.dirty and not busy:
            self.write_dirty(key)
            busy = self.in_flight(block.ios[-1])
        return not busy

    def remove(self, key):
        block = self.cache.pop(key)
        if key in self.dirty:
            del self.dirty[key]
            self.count["cancelled_blocks"] += 1
        self.count["wasted_blocks"] += block.prefetched

    def allocate(self, key, process):
        limit = self.o["limit"]
        mine = [k for k, b in self.cache.items() if b.owner == process] if limit else []
        if limit and len(mine) >= limit:
            candidates = mine
        elif len(self.cache) >= self.o["cache"]:
            candidates = list(self.cache)
        else:
            candidates = None
        if candidates is not None:
            victim = next((k for k in candidates if self.evictable(k)), None)
            if victim is None:
                return None
            self.remove(victim)
        self.cache[key] = Block(process)
        return self.cache[key]

    def read_run(self, obj, end, run, process=None, asynchronous=False):
        if not run:
            return None
        io = self.issue(obj, end - len(run), len(run), False, process, asynchronous)
        for block in run:
            block.pinned = False
            block.arrival = io
            block.ios.append(io)
            if asynchronous:
                block.last_async = io
        return io

    # Delayed writes

    def write_dirty(self, key):
        """Writes a block with adjacent dirty ones, first those after it."""
        obj, first = key
        end, most = first + 1, COALESCED // self.o["block"]
        while end - first < most and (obj, end) in self.dirty:
            end += 1
        while end - first < most and (obj, first - 1) in self.dirty:
            first -= 1
        io = self.issue(obj, first, end - first, True)
        io.cleans = end - first
        self.writing += io.cleans
        self.count["cleaned_blocks"] += io.cleans
        for b in range(first, end):
            del self.dirty[obj, b]
            self.cache[obj, b].ios.append(io)

    def write_oldest(self, obj=None):
        self.write_dirty(next(key for key in self.dirty if obj in (None, key[0])))

    def write_background(self):
        while self.dirty and len(self.dirty) >= self.o["background"]:
            self.write_oldest()

    def throttled(self):
        return len(self.dirty) + self.writing >= self.o["dirty"]

    def timer(self):
        """The time of the next write of expired blocks, or None."""
        if not self.dirty or not self.o["interval"]:
            return None
        expired = next(iter(self.dirty.values())) + self.o["expire"]
        return max(self.now, -(-expired // self.o["interval"]) * self.o["interval"])

    def stall(self):
        if self.dirty:
            self.write_oldest()
        return STALLED

    def make_dirty(self, p, step, b, present):
        """A write to a part of a block that the file has needs the rest of the block."""
        size, key = self.o["block"], (step.obj, b)
        block = self.cache[key]
        partial = (b * size < step.offset or (b + 1) * size > step.offset + step.length) and b * size < self.size_now.get(step.obj, 0)
        if partial and not present:
            self.wait_for(p, step, self.read_run(step.obj, b + 1, [block]))
            self.count["partial_reads"] += 1
        elif partial:
            self.wait_for(p, step, block.arrival)
        else:
            block.arrival = None
        if key not in self.dirty:
            self.dirty[key] = self.now
            self.count["dirtied_blocks"] += 1

    def write_delayed(self, p, step):
        for b in self.blocks_of(step):
            while True:
                if self.throttled():
                    self.write_background()
                    yield THROTTLED
                    continue
                present = (step.obj, b) in self.cache
                if self.find_or_allocate(p, step, (step.obj, b)) is not None:
                    break
                yield self.stall()
            self.make_dirty(p, step, b, present)
        self.write_background()

    # Calls: generators that yield when they have to sleep before they can continue

    def blocks_of(self, step):
        size = self.o["block"]
        return range(step.offset // size, (step.offset + step.length - 1) // size + 1) if step.length else range(0)

    def wait_for(self, p, step, io):
        if self.in_flight(io) and not step.asynchronous:
            p.waits.append(io)

    def touch(self, p, step, key):
        block = self.cache[key]
        self.cache.move_to_end(key)
        if block.last_async is not None and block.last_async.process == p.number:
            self.wait_for(p, step, block.last_async)
        return block

    def read(self, p, step):
        run, missed = [], False
        blocks = self.blocks_of(step)
        for b in blocks:
            key = (step.obj, b)
            while True:
                if key in self.cache:
                    self.wait_for(p, step, self.read_run(step.obj, b, run, p.number, step.asynchronous))
                    run = []
                    block = self.touch(p, step, key)
                    self.count["read_prefetched_blocks" if block.prefetched else "read_hit_blocks"] += 1
                    block.prefetched = False
                    self.wait_for(p, step, block.arrival)
                    break
                block = self.allocate(key, p.number)
                if block is not None:
                    block.pinned = True
                    run.append(block)
                    self.count["read_miss_blocks"] += 1
                    missed = True
                    break
                self.wait_for(p, step, self.read_run(step.obj, b, run, p.number, step.asynchronous))
                run, missed = [], True
                yield self.stall()
        if blocks:
            self.wait_for(p, step, self.read_run(step.obj, blocks[-1] + 1, run, p.number, step.asynchronous))
            if self.o["ahead"] == "request":
                self.read_ahead(p, step)
            elif self.o["ahead"] == "window":
                self.read_window(p, step, blocks, missed)
        self.last_read[p.number, step.obj] = step.offset + step.length

    def read_ahead(self, p, step):
        size = self.o["block"]
        start = step.offset + step.length
        end = min(start + step.length, self.sizes[step.obj])
        if self.last_end.get((p.number, step.obj)) == step.offset and end > start:
            self.prefetch(p, step, start // size, (end - 1) // size)

    def read_window(self, p, step, blocks, missed):
        """Windows as in Linux: (first, end, marker); without a marker nothing follows."""
        stream, most = (p.number, step.obj), self.o["window"] // self.o["block"]
        first, end, marker = self.windows.get(stream, (0, 0, None))
        if marker is not None and marker in blocks:
            size = end - first
            size = 4 * size if size < most / 16 else 2 * size if size <= most / 2 else most
            self.windows[stream] = (end, end + size, end)
            self.prefetch(p, step, end, end + size - 1)
        elif missed and step.offset in (0, self.last_read.get(stream)):
            request, size = len(blocks), 1
            while size < request:
                size *= 2
            size = 4 * size if size <= most / 32 else 2 * size if size <= most / 4 else most
            if request >= most:
                size = most
            follows = blocks[-1] + 1
            self.windows[stream] = (blocks[0], blocks[0] + size, follows) if size > request else (0, 0, None)
            if size > request:
                self.prefetch(p, step, follows, blocks[0] + size - 1)

    def prefetch(self, p, step, first, last):
        size = self.o["block"]
        last = min(last, (self.sizes[step.obj] - 1) // size)
        run = []
        for b in range(first, last + 1):
            key = (step.obj, b)
            if key in self.cache:
                self.read_run(step.obj, b, run)
                run = []
                continue
            block = self.allocate(key, p.number)
            if block is None:
                self.read_run(step.obj, b, run)
                return
            block.pinned = block.prefetched = True
            self.count["prefetched_blocks"] += 1
            run.append(block)
        self.read_run(step.obj, last + 1, run)

    def find_or_allocate(self, p, step, key):
        if key in self.cache:
            block = self.touch(p, step, key)
            self.count["write_hit_blocks"] += 1
            self.count["wasted_blocks"] += block.prefetched
            block.prefetched = False
            return block
        block = self.allocate(key, p.number)
        self.count["write_miss_blocks"] += block is not None
        return block

    def write(self, p, step):
        blocks = self.blocks_of(step)
        for b in blocks:
            while (block := self.find_or_allocate(p, step, (step.obj, b))) is None:
                yield self.stall()
            block.arrival = None
        if not blocks:
            return
        io = self.issue(step.obj, blocks[0], len(blocks), True, p.number, step.asynchronous)
        for b in blocks:
            block = self.cache.get((step.obj, b))
            if block is not None:
                block.ios.append(io)
                if step.asynchronous:
                    block.last_async = io
        if self.o["write"] == "none":
            self.wait_for(p, step, io)

    def call(self, p, step):
        if step.kind == READ:
            yield from self.read(p, step)
        elif step.kind == WRITE and self.o["write"] == "delayed":
            yield from self.write_delayed(p, step)
        elif step.kind == WRITE:
            yield from self.write(p, step)
        elif step.kind == FSYNC:
            while any(obj == step.obj for obj, _ in self.dirty):
                self.write_oldest(step.obj)
            self.wait_for(p, step, self.last_write.get(step.obj))
        elif step.kind == DROP:
            for key in [k for k in self.cache if k[0] == step.obj and k[1] * self.o["block"] >= step.offset]:
                self.remove(key)
                self.count["dropped_blocks"] += 1
            self.size_now[step.obj] = min(self.size_now.get(step.obj, 0), step.offset)
        if step.kind <= WRITE:
            self.last_end[p.number, step.obj] = step.offset + step.length
            self.size_now[step.obj] = max(self.size_now.get(step.obj, 0), step.offset + step.length)

    # Processes and CPUs

    def begin_step(self, p):
        p.at += 1
        if p.at == len(p.steps):
            return False
        step, o = p.steps[p.at], self.o
        copy = 0
        if step.kind <= WRITE and step.length:
            copy = o["copy_call"] + len(self.blocks_of(step)) * o["block"] * o["copy_kib"] // 1024
        p.burst = step.think + o["syscall"] + copy
        p.think += step.think
        self.add_to_row(step, think_ns=step.think)
        for name, ns in (("think_ns", step.think), ("syscall_ns", o["syscall"]), ("copy_ns", copy)):
            self.count[name] += ns
        return True

    def leave_idle(self, cpu):
        self.count["idle_ns"] += self.now - cpu.idle_since
        cpu.until = self.now

    def become_idle(self, cpu):
        cpu.process, cpu.until, cpu.idle_since = None, None, self.now

    def start_piece(self, cpu):
        cpu.piece = min(cpu.process.burst, cpu.slice)
        cpu.until += cpu.piece

    def dispatch(self):
        for cpu in self.cpus:
            if not self.ready or cpu.until is not None:
                continue
            self.leave_idle(cpu)
            cpu.process = self.ready.popleft()
            if cpu.last not in (None, cpu.process):
                self.count["switches"] += 1
                self.count["switch_ns"] += self.o["switch"]
                cpu.until += self.o["switch"]
            cpu.last, cpu.slice = cpu.process, self.o["quantum"]
            self.start_piece(cpu)

    def interrupt(self):
        self.count["interrupts"] += 1
        if not self.o["interrupt"]:
            return
        self.count["interrupt_ns"] += self.o["interrupt"]
        cpu = next((c for c in self.cpus if c.until is None), self.cpus[0])
        if cpu.until is None:
            self.leave_idle(cpu)
        cpu.until += self.o["interrupt"]

    def finish_call(self, cpu):
        p = cpu.process
        p.resume = None
        if not self.begin_step(p):
            p.end = self.now
            self.become_idle(cpu)

    def run_call(self, cpu):
        p = cpu.process
        if p.resume == "done":
            self.finish_call(cpu)
            return
        before, step = dict(self.count), p.steps[p.at]
        if p.resume is None:
            p.waits = []
            p.resume = self.call(p, step)
            self.count["calls"] += 1
            if step.kind <= WRITE:
                self.count["reads" if step.kind == READ else "writes"] += 1
                self.count["read_bytes" if step.kind == READ else "written_bytes"] += step.length
        sleeps = next(p.resume, None)
        self.add_to_row(step, stalls=sleeps == STALLED, throttled=sleeps == THROTTLED,
                        **{name: self.count[name] - before[name] for name in ROW_COUNTS})
        waits = [io for io in p.waits if self.in_flight(io)]
        if sleeps is None and not waits:
            self.finish_call(cpu)
            return
        p.asleep, p.slept = self.now, self.slept
        self.slept += 1
        if sleeps is not None:
            self.count["stalls" if sleeps == STALLED else "throttled"] += 1
            self.stalled.append((p, sleeps))
        else:
            p.awaits, p.resume = waits, "done"
            self.sleepers.append(p)
        self.become_idle(cpu)

    def handle_cpu(self, cpu):
        p = cpu.process
        if p is None:
            self.become_idle(cpu)
            return
        p.burst -= cpu.piece
        cpu.slice -= cpu.piece
        cpu.piece = 0
        if p.burst == 0:
            self.run_call(cpu)
        if cpu.process is None:
            return
        if cpu.slice == 0 and self.ready:
            self.count["preemptions"] += 1
            self.ready.append(p)
            self.become_idle(cpu)
            return
        cpu.slice = cpu.slice or self.o["quantum"]
        self.start_piece(cpu)

    def wake_time(self, p):
        return max(io.done for io in p.awaits)

    def step(self):
        """Handles the next event: completions, then sleepers, then expired blocks, then CPUs."""
        events = [(io.done, 0, io.number, io) for io in self.flying]
        events += [(self.wake_time(p), 1, p.slept, p) for p in self.sleepers]
        if self.timer() is not None:
            events.append((self.timer(), 2, 0, None))
        events += [(c.until, 3, i, c) for i, c in enumerate(self.cpus) if c.until is not None]
        self.now, kind, _, what = min(events, key=lambda e: e[:3])
        if kind == 0:
            self.flying.remove(what)
            if not self.flying:
                self.count["device_busy_ns"] += self.now - self.busy_since
            self.writing -= what.cleans
            still = self.throttled()
            for p, why in self.stalled:
                if why == STALLED or not still:
                    p.awaits = [what]
                    self.sleepers.append(p)
            self.stalled = [pair for pair in self.stalled if pair[1] == THROTTLED and still]
            self.interrupt()
        elif kind == 1:
            self.sleepers.remove(what)
            what.sleep += self.now - what.asleep
            self.add_to_row(what.steps[what.at], wait_ns=self.now - what.asleep)
            self.ready.append(what)
        elif kind == 2:
            while self.dirty and self.timer() <= self.now:
                self.write_oldest()
        else:
            self.handle_cpu(what)
        self.dispatch()

    def end(self):
        for cpu in self.cpus:
            if cpu.until is None:
                self.leave_idle(cpu)
            else:
                self.count["interrupt_ns"] -= cpu.until - self.now
        if self.flying:
            self.count["device_busy_ns"] += self.now - self.busy_since
        counts = dict(self.count, dirty_blocks=len(self.dirty))
        while self.dirty:
            self.write_oldest()
        self.count = counts
        writes = [io for io in self.flying if io.write]
        self.count["wall_ns"] = self.now
        self.count["pending_bytes"] = sum(io.length for io in writes)
        self.count["pending_ns"] = max((io.done for io in writes), default=self.now) - self.now
        self.count["wasted_blocks"] += sum(b.prefetched for b in self.cache.values())

    def run(self):
        for p in self.processes:
            self.begin_step(p)
            self.ready.append(p)
        self.dispatch()
        while any(p.at < len(p.steps) for p in self.processes):
            self.step()
        self.end()
        self.count["process_list"] = [{"think_ns": p.think, "sleep_ns": p.sleep, "end_ns": p.end} for p in self.processes]
        self.count["rows"] = self.rows
        return self.count


def simulate(options, programs, sizes):
    """options: times in ns, sizes in bytes or blocks. programs: [(key, [Step])]. sizes: object -> highest byte + 1."""
    return Model(options, programs, sizes).run()
