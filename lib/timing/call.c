/* SPDX-License-Identifier: BSD-2-Clause */
/* One call: what it does to the cache and the device, and whether its process sleeps. */
#include "sim_internal.h"

void call_begin(struct task *t, const struct step *step, uint32_t object_base, uint32_t stream_base,
		const struct world *w, uint64_t block)
{
	t->step = step;
	t->begun = t->resumed = false;
	t->wait_ns = 0;
	t->block = t->end = step->offset / block;
	if (step->length > 0)
		t->end = (step->offset + step->length - 1) / block + 1;
	if (step->stream == STREAM_NONE)
		return;
	t->stream = stream_base + step->stream;
	t->object = object_base + w->streams[step->stream].object;
}

uint64_t call_copy_ns(const struct timing_options *o, const struct step *step)
{
	__extension__ typedef unsigned __int128 wide;
	if (step->kind > STEP_WRITE || step->direct || step->length == 0)
		return 0;
	const uint64_t blocks =
	    (step->offset + step->length - 1) / o->block - step->offset / o->block + 1;
	const wide ns = (wide)blocks * o->block * o->copy_kib_ns / 1024 + o->copy_call_ns;
	return ns < (wide)CLOCK_END ? (uint64_t)ns : (uint64_t)CLOCK_END;
}

uint64_t call_burst_ns(const struct timing_options *o, const struct step *step)
{
	const int64_t think_ns = clock_add(0, step->delay_ns);
	return (uint64_t)clock_add(clock_add(think_ns, o->syscall_ns), call_copy_ns(o, step));
}

static void wait_until(struct task *t, int64_t time_ns)
{
	t->wait_ns = clock_later(t->wait_ns, time_ns);
}

/* A synchronous call waits for asynchronous I/Os of its process on the same blocks. */
static void wait_async(const struct sim *s, struct task *t, const struct block *b)
{
	if (b->async_ns > s->now_ns && b->async_process == t->process && !t->step->async)
		wait_until(t, b->async_ns);
}

static void mark_async(const struct task *t, struct block *b, int64_t done_ns)
{
	if (t->step->async) {
		b->async_ns = done_ns;
		b->async_process = t->process;
	}
}

static enum call_result result_of(const struct sim *s, const struct task *t)
{
	return t->wait_ns > s->now_ns ? CALL_SLEEPS : CALL_DONE;
}

/* The next I/O of the same process on the object may continue this one. */
static void end_io(struct sim *s, const struct task *t)
{
	struct sim_stream *stream = &s->streams[t->stream];
	struct sim_object *o = &s->objects[t->object];
	const uint64_t end = t->step->offset + t->step->length;
	stream->used = true;
	stream->io_end = end;
	if (t->step->kind == STEP_READ) {
		stream->has_read = true;
		stream->read_end = end;
	}
	if (end > o->size_now)
		o->size_now = end;
}

/* Reads */

static void read_hit(struct sim *s, struct task *t, uint32_t entry)
{
	struct block *b = &s->blocks[entry];
	blocks_touch(s, entry);
	s->result->read_hit_blocks += !b->prefetched;
	s->result->read_prefetched_blocks += b->prefetched;
	b->prefetched = false;
	if (!t->step->async)
		wait_until(t, b->valid_ns);
	wait_async(s, t, b);
}

static void read_run(struct sim *s, struct task *t, size_t n)
{
	const int64_t done_ns = blocks_read_run(s, t->object, t->block, n);
	if (!t->step->async)
		wait_until(t, done_ns);
	for (size_t i = 0; i < n && t->step->async; i++)
		mark_async(t, &s->blocks[s->entries[i]], done_ns);
}

/* A block that could not be allocated: clean blocks may exist after some were written. */
static enum call_result stall(struct sim *s, struct task *t)
{
	t->resumed = true;
	if (s->dirty_blocks > 0)
		(void)write_back_block(s, s->oldest_dirty);
	return CALL_STALLS;
}

static enum call_result run_read(struct sim *s, struct task *t)
{
	const uint64_t misses = s->result->read_miss_blocks;
	size_t run = 0;
	for (; t->block < t->end; t->block++) {
		const uint64_t key = blocks_key(s, t->object, t->block);
		uint32_t entry = cache_find(s->cache, key);
		if (entry != CACHE_NONE) {
			read_run(s, t, run);
			run = 0;
			read_hit(s, t, entry);
			continue;
		}
		entry = blocks_allocate(s, t->process, key);
		if (entry == CACHE_NONE) {
			read_run(s, t, run);
			return stall(s, t);
		}
		s->blocks[entry].busy_ns = INT64_MAX;
		s->result->read_miss_blocks++;
		s->entries[run++] = entry;
	}
	read_run(s, t, run);
	if (t->step->length > 0)
		read_ahead(s, t, t->resumed || s->result->read_miss_blocks > misses);
	end_io(s, t);
	return result_of(s, t);
}

/* Writes */

/* Finds or allocates a block of a write; returns CACHE_NONE if the process has to stall. */
static uint32_t write_entry(struct sim *s, struct task *t, bool *present)
{
	const uint64_t key = blocks_key(s, t->object, t->block);
	uint32_t entry = cache_find(s->cache, key);
	*present = entry != CACHE_NONE;
	if (!*present) {
		entry = blocks_allocate(s, t->process, key);
		s->result->write_miss_blocks += entry != CACHE_NONE;
		return entry;
	}
	struct block *b = &s->blocks[entry];
	blocks_touch(s, entry);
	s->result->write_hit_blocks++;
	s->result->wasted_blocks += b->prefetched;
	b->prefetched = false;
	wait_async(s, t, b);
	return entry;
}

/* The blocks of a write are in flight until it completes, unless they were replaced meanwhile. */
static void mark_written(struct sim *s, const struct task *t, uint64_t first, int64_t done_ns)
{
	const bool known = !t->resumed && t->end - first <= s->o->cache_blocks;
	for (uint64_t block = first; block < t->end; block++) {
		const uint64_t key = cache_key_of(t->object, block);
		uint32_t entry = known ? s->entries[block - first] : cache_find(s->cache, key);
		if (entry == CACHE_NONE || cache_key(s->cache, entry) != key)
			continue;
		s->blocks[entry].busy_ns = clock_later(s->blocks[entry].busy_ns, done_ns);
		mark_async(t, &s->blocks[entry], done_ns);
	}
}

/* One I/O for the whole request, as soon as all of its blocks are in the cache. */
static enum call_result run_write(struct sim *s, struct task *t)
{
	const uint64_t unit = s->o->block, first = t->step->offset / unit;
	bool present;
	for (; t->block < t->end; t->block++) {
		const uint32_t entry = write_entry(s, t, &present);
		if (entry == CACHE_NONE)
			return stall(s, t);
		s->blocks[entry].valid_ns = s->now_ns;
		if (t->block - first < s->o->cache_blocks)
			s->entries[t->block - first] = entry;
	}
	if (t->end > first) {
		const int64_t done_ns =
		    sim_issue(s, t->object, first * unit, (t->end - first) * unit, true, false);
		mark_written(s, t, first, done_ns);
		if (s->o->write == WRITE_WAIT && !t->step->async)
			wait_until(t, done_ns);
	}
	end_io(s, t);
	return result_of(s, t);
}

/* Returns whether a write covers only a part of a block that the device has. */
static bool is_partial(const struct sim *s, const struct task *t)
{
	const uint64_t start = t->block * s->o->block, end = start + s->o->block;
	return (start < t->step->offset || end > t->step->offset + t->step->length) &&
	       start < s->objects[t->object].size_now;
}

static void dirty_block(struct sim *s, struct task *t, uint32_t entry, bool present)
{
	struct block *b = &s->blocks[entry];
	const bool partial = is_partial(s, t);
	if (partial && !present) {
		s->entries[0] = entry;
		wait_until(t, blocks_read_run(s, t->object, t->block + 1, 1));
		s->result->partial_reads++;
	} else if (partial) {
		wait_until(t, b->valid_ns);
	} else {
		b->valid_ns = s->now_ns;
	}
	write_back_dirty(s, entry);
}

static enum call_result run_delayed_write(struct sim *s, struct task *t)
{
	bool present;
	for (; t->block < t->end; t->block++) {
		if (write_back_is_throttled(s)) {
			write_back_background(s);
			return CALL_THROTTLED;
		}
		const uint32_t entry = write_entry(s, t, &present);
		if (entry == CACHE_NONE)
			return stall(s, t);
		dirty_block(s, t, entry, present);
	}
	end_io(s, t);
	write_back_background(s);
	return t->step->async ? CALL_DONE : result_of(s, t);
}

/* Calls without the cache, and operations */

static enum call_result run_direct(struct sim *s, struct task *t)
{
	const struct step *step = t->step;
	const bool write = step->kind == STEP_WRITE;
	if (step->length == 0)
		return CALL_DONE;
	wait_until(t, blocks_clean_and_drop(s, t->object, t->block, t->end - 1));
	wait_until(t, sim_issue(s, t->object, step->offset, step->length, write, false));
	s->result->direct_read_bytes += write ? 0 : step->length;
	s->result->direct_written_bytes += write ? step->length : 0;
	end_io(s, t);
	return step->async ? CALL_DONE : result_of(s, t);
}

/* Blocks wholly at or after the offset. */
static void run_drop(struct sim *s, const struct task *t)
{
	const uint64_t unit = s->o->block;
	const uint64_t first = t->step->offset / unit + (t->step->offset % unit != 0);
	const uint64_t last = (UINT64_C(1) << CACHE_BLOCK_BITS) - 1;
	if (first <= last)
		blocks_drop(s, t->object, first, last);
	if (s->objects[t->object].size_now > t->step->offset)
		s->objects[t->object].size_now = t->step->offset;
}

static enum call_result run_fsync(struct sim *s, struct task *t)
{
	write_back_object(s, t->object);
	wait_until(t, s->objects[t->object].written_ns);
	return result_of(s, t);
}

static void count_call(struct sim *s, const struct task *t)
{
	const bool write = t->step->kind == STEP_WRITE;
	s->result->calls++;
	if (s->result->calls % TIMING_PROGRESS_CALLS == 0 && s->o->progress != NULL)
		s->o->progress(s->o->progress_context);
	if (t->step->kind > STEP_WRITE)
		return;
	*(write ? &s->result->writes : &s->result->reads) += 1;
	*(write ? &s->result->written_bytes : &s->result->read_bytes) += t->step->length;
	rates_add(s, s->now_ns, write ? RATE_CACHE_WRITTEN : RATE_CACHE_READ, t->step->length);
}

static enum call_result run(struct sim *s, struct task *t)
{
	if (!t->begun)
		count_call(s, t);
	t->begun = true;
	if (t->step->kind <= STEP_WRITE && t->step->direct)
		return run_direct(s, t);
	switch (t->step->kind) {
	case STEP_READ:
		return run_read(s, t);
	case STEP_WRITE:
		return s->o->write == WRITE_DELAYED ? run_delayed_write(s, t) : run_write(s, t);
	case STEP_FSYNC:
		return run_fsync(s, t);
	case STEP_DROP:
		run_drop(s, t);
		return CALL_DONE;
	default:
		return CALL_DONE;
	}
}

static enum call_result run_in_row(struct sim *s, struct task *t)
{
	const struct timing_row before = rows_snapshot(s);
	const enum call_result result = run(s, t);
	rows_count(s, t, &before);
	s->result->rows[t->row].stalls += result == CALL_STALLS;
	s->result->rows[t->row].throttled += result == CALL_THROTTLED;
	return result;
}

enum call_result call_run(struct sim *s, struct task *t)
{
	return t->row == ROW_NONE ? run(s, t) : run_in_row(s, t);
}
