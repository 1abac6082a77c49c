/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "lib/timing/event_queue.h"
#include "lib/timing/timing.h"

enum { BLOCK = 4096, MS = 1000000, US = 1000 };

/* Worlds */

static struct world_options world_defaults(void)
{
	return (struct world_options){
	    .block = BLOCK, .request_max = UINT64_C(1) << 34, .memory_max = UINT64_C(1) << 30};
}

static void add(struct world *w, struct iot_record rec)
{
	const struct iot_event ev = {.rec = rec, .kind = IOT_RECORD};
	cr_assert_eq(world_events(w, &ev, 1), IOT_OK, "%s", w->error.text);
}

static struct iot_record block_record(unsigned type, uint32_t object, uint64_t block, uint64_t n)
{
	return (struct iot_record){.type = (uint8_t)(type | IOT_LOGICAL),
				   .object = object,
				   .file = object,
				   .process = 1,
				   .offset = block * BLOCK,
				   .length = n * BLOCK};
}

/* Computes for think_ms, then reads (type 0) or writes n blocks. */
static void step(struct world *w, unsigned think_ms, unsigned type, uint32_t object, uint64_t block,
		 uint64_t n)
{
	struct iot_record rec = block_record(type, object, block, n);
	const int64_t cpu_ns = w->program_count > 0 ? w->programs[0].cpu_ns : 0;
	rec.cpu_ns = cpu_ns + (int64_t)think_ms * MS;
	add(w, rec);
}

static void directive(struct world *w, const char *text)
{
	struct iot_event ev = {.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
	cr_assert_eq(world_events(w, &ev, 1), IOT_OK, "%s", w->error.text);
}

static struct timing_options timing_defaults(void)
{
	return (struct timing_options){.cache_blocks = 100,
				       .block = BLOCK,
				       .cpus = 1,
				       .copies = 1,
				       .quantum_ns = 100 * MS,
				       .dirty_background = 10,
				       .dirty_limit = 20,
				       .writeback_interval_ns = UINT64_C(5000) * MS,
				       .dirty_expire_ns = UINT64_C(30000) * MS,
				       .window = 128 << 10};
}

static struct timing_result simulate(const struct timing_options *o, struct world *w)
{
	struct timing_result result;
	struct error error = {0};
	cr_assert_eq(world_finish(w), IOT_OK, "%s", w->error.text);
	cr_assert_eq(timing_run(o, &w, 1, &result, &error), IOT_OK, "%s", error.text);
	if (!o->arrivals)
		cr_assert_eq(result.wall_ns * o->cpus, timing_busy_ns(&result) + result.idle_ns);
	return result;
}

/* Parts */

Test(timing, events_of_one_time_are_in_order_of_number)
{
	struct event_queue q = {0};
	uint64_t z = 1;
	for (uint64_t i = 0; i < 1000; i++) {
		z = z * 6364136223846793005 + 1442695040888963407;
		cr_assert(event_queue_add(&q, (struct queue_event){(int64_t)(z >> 60), i, i}));
	}
	struct queue_event before = event_queue_take(&q);
	while (q.count > 0) {
		const struct queue_event next = event_queue_take(&q);
		cr_assert(before.time < next.time ||
			  (before.time == next.time && before.number < next.number));
		before = next;
	}
	cr_assert_eq(event_queue_next(&q), INT64_MAX);
	event_queue_free(&q);
}

Test(timing, slots_and_pipe_of_a_device_serve_in_order)
{
	const struct device_options o = {.read_latency_ns = 100 * US,
					 .write_latency_ns = 20 * US,
					 .read_rate = 40960000,
					 .write_rate = 40960000,
					 .depth = 2};
	struct device d;
	cr_assert(device_init(&d, &o));
	const struct device_io read = {.length = 4096}, write = {.length = 8192, .write = true};
	cr_assert_eq(device_issue(&d, 0, &read), 200 * US);  /* latency, transfer */
	cr_assert_eq(device_issue(&d, 0, &write), 400 * US); /* waits for the pipe */
	cr_assert_eq(device_issue(&d, 0, &read), 500 * US);  /* waits for a slot until 200 */
	cr_assert_eq(device_issue(&d, 1000 * US, &read), 1200 * US);
	device_free(&d);
}

Test(timing, presets_of_devices)
{
	struct device_options o;
	cr_assert(device_preset(&o, "hdd", 3));
	cr_assert_eq(o.far_ns, 8 * MS + 4166666);
	cr_assert(device_preset(&o, "nvme", 4));
	cr_assert_eq(o.depth, 256);
	cr_assert_not(device_preset(&o, "disk", 4));
}

/* Worlds */

Test(timing, computation_is_the_difference_of_cpu_clocks)
{
	struct world w;
	const struct world_options o = world_defaults();
	world_init(&w, &o);
	struct iot_record rec = block_record(0, 1, 0, 1);
	const int64_t clocks[] = {500, 700, 600, 650};
	for (size_t i = 0; i < 4; i++) {
		rec.cpu_ns = clocks[i];
		add(&w, rec);
	}
	const uint64_t expected[] = {0, 200, 0, 50};
	for (size_t i = 0; i < 4; i++)
		cr_assert_eq(w.programs[0].steps[i].delay_ns, expected[i]);
	cr_assert_eq(w.counts.cpu_backwards, 1);
	world_free(&w);
}

Test(timing, without_cpu_clocks_computation_is_the_time_since_the_latest_end)
{
	struct world w;
	const struct world_options o = world_defaults();
	world_init(&w, &o);
	const struct {
		int64_t start;
		uint64_t duration;
	} times[] = {{0, 100}, {40, 10}, {150, 1}};
	struct iot_record rec = block_record(0, 1, 0, 1);
	rec.flags = IOT_CPU_UNKNOWN;
	for (size_t i = 0; i < 3; i++) {
		rec.start_ns = times[i].start;
		rec.duration_ns = times[i].duration;
		add(&w, rec);
	}
	cr_assert_eq(w.programs[0].steps[1].delay_ns, 0);
	cr_assert_eq(w.programs[0].steps[2].delay_ns, 50);
	cr_assert_eq(w.counts.from_wall, 2);
	world_free(&w);
}

Test(timing, an_unlinked_file_is_dropped_at_its_last_close)
{
	struct world w;
	const struct world_options o = world_defaults();
	world_init(&w, &o);
	directive(&w, "%file process=1 id=3 object=7 path=/a");
	directive(&w, "%op name=unlink process=1 path=/a");
	directive(&w, "%op name=close process=1 file=3 result=EBADF");
	directive(&w, "%op name=close process=1 file=3");
	directive(&w, "%op name=unlink process=1 path=/a"); /* the name is no longer its own */
	directive(&w, "%file process=1 id=3 object=8 path=/b");
	directive(&w, "%op name=close process=1 file=3");
	directive(&w, "%op name=rename process=1 path=/b to=/c");
	directive(&w, "%op name=unlink process=1 path=/b");
	directive(&w, "%op name=unlink process=1 path=/c");
	const enum step_kind expected[] = {STEP_CALL, STEP_CALL, STEP_DROP, STEP_CALL,
					   STEP_CALL, STEP_CALL, STEP_CALL, STEP_DROP};
	cr_assert_eq(w.programs[0].count, 8);
	for (size_t i = 0; i < 8; i++)
		cr_assert_eq(w.programs[0].steps[i].kind, expected[i], "step %zu", i);
	world_free(&w);
}

Test(timing, an_unlink_after_an_exchange_drops_the_file_that_has_the_name_then)
{
	struct world w;
	const struct world_options o = world_defaults();
	world_init(&w, &o);
	directive(&w, "%file process=1 id=3 object=7 path=/a");
	directive(&w, "%file process=1 id=4 object=8 path=/b");
	directive(&w, "%op name=close process=1 file=3");
	directive(&w, "%op name=exchange process=1 path=/a to=/b");
	directive(&w, "%op name=unlink process=1 path=/a"); /* still open */
	directive(&w, "%op name=exchange process=1 path=/b to=/none");
	directive(&w, "%op name=unlink process=1 path=/b");
	directive(&w, "%op name=unlink process=1 path=/none");
	const enum step_kind expected[] = {STEP_CALL, STEP_CALL, STEP_CALL,
					   STEP_CALL, STEP_CALL, STEP_DROP};
	cr_assert_eq(w.programs[0].count, 6);
	for (size_t i = 0; i < 6; i++)
		cr_assert_eq(w.programs[0].steps[i].kind, expected[i], "step %zu", i);
	world_free(&w);
}

Test(timing, unknown_offsets_are_calls_or_fresh_blocks)
{
	for (enum world_unknown unknown = UNKNOWN_SKIP; unknown <= UNKNOWN_FRESH; unknown++) {
		struct world w;
		struct world_options o = world_defaults();
		struct iot_record rec = block_record(0, 1, 0, 1);
		o.unknown = unknown;
		rec.flags = IOT_OFFSET_UNKNOWN;
		world_init(&w, &o);
		add(&w, rec);
		add(&w, rec);
		const struct step *s = w.programs[0].steps;
		cr_assert_eq(s[0].kind, unknown == UNKNOWN_SKIP ? STEP_CALL : STEP_READ);
		cr_assert(unknown == UNKNOWN_SKIP || s[1].offset >= s[0].offset + s[0].length);
		cr_assert_eq(w.counts.unknown_bytes, 2 * BLOCK);
		world_free(&w);
	}
}

Test(timing, hostile_sizes_are_errors)
{
	const struct {
		uint64_t offset, length;
	} sizes[] = {{0, UINT64_C(1) << 63}, {UINT64_MAX, 5000}, {UINT64_C(1) << 52, 1}};
	for (size_t i = 0; i < 3; i++) {
		struct world w;
		const struct world_options o = world_defaults();
		world_init(&w, &o);
		struct iot_event ev = {.rec = block_record(0, 1, 0, 1), .kind = IOT_RECORD};
		ev.rec.offset = sizes[i].offset;
		ev.rec.length = sizes[i].length;
		cr_assert_eq(world_events(&w, &ev, 1), IOT_ELIMIT);
		cr_assert(strstr(w.error.text, "record 1 ") != NULL);
		world_free(&w);
	}
}

/* Runs */

/* 0.1 ms for each block; position: 15 ms, or 0 at the end of the previous I/O. */
Test(timing, without_overlap_the_wall_time_is_computation_and_service)
{
	struct world w;
	const struct world_options wo = world_defaults();
	struct timing_options o = timing_defaults();
	device_preset(&o.device, "disk1990", 8);
	o.device.read_rate = o.device.write_rate = 40960000;
	world_init(&w, &wo);
	step(&w, 0, 0, 1, 0, 1);             /* 15.1 ms */
	step(&w, 1, 0, 1, 1, 1);             /* 0.1 */
	step(&w, 2, 0, 1, 2, 2);             /* 0.2 */
	step(&w, 0, IOT_WRITE, 1, 4, 1);     /* 0.1 */
	step(&w, 3, 0, 2, 0, 1);             /* 15.1: another object */
	step(&w, 0, 0, 1, 6, 1);             /* 15.1 */
	step(&w, 0, 0, 1, 65543, 1);         /* 8.6: 256 MiB away, sqrt(1 / 4) */
	step(&w, 1, IOT_WRITE, 1, 65544, 1); /* 0.1 */
	step(&w, 0, 0, 1, 49161, 1);         /* 5.35: 64 MiB back, sqrt(1 / 16) */
	step(&w, 5, IOT_WRITE, 2, 1, 4);     /* 15.4 */
	struct timing_result r = simulate(&o, &w);
	cr_assert_eq(r.think_ns, 12 * MS);
	cr_assert_eq(r.idle_ns, 75150 * US);
	cr_assert_eq(r.wall_ns, 87150 * US);
	cr_assert_eq(r.device_reads, 7);
	cr_assert_eq(r.read_miss_blocks, 8);
	timing_result_free(&r);
	world_free(&w);
}

Test(timing, a_present_block_costs_no_time)
{
	struct world w;
	const struct world_options wo = world_defaults();
	struct timing_options o = timing_defaults();
	o.device = (struct device_options){.read_latency_ns = MS, .write_latency_ns = MS};
	o.write = WRITE_AT_ONCE;
	world_init(&w, &wo);
	step(&w, 0, IOT_WRITE, 1, 0, 2);
	step(&w, 0, 0, 1, 0, 3); /* two hits, one miss */
	struct timing_result r = simulate(&o, &w);
	cr_assert_eq(r.wall_ns, MS);
	cr_assert_eq(r.read_hit_blocks, 2);
	cr_assert_eq(r.device_read_bytes, BLOCK);
	cr_assert_eq(r.pending_bytes, 0);
	timing_result_free(&r);
	world_free(&w);
}

Test(timing, a_read_larger_than_the_cache_stalls)
{
	struct world w;
	const struct world_options wo = world_defaults();
	struct timing_options o = timing_defaults();
	o.cache_blocks = 3;
	o.device.read_latency_ns = MS;
	world_init(&w, &wo);
	step(&w, 0, 0, 1, 0, 8);
	struct timing_result r = simulate(&o, &w);
	cr_assert_eq(r.stalls, 2);
	cr_assert_eq(r.device_reads, 3);
	cr_assert_eq(r.wall_ns, 3 * MS);
	timing_result_free(&r);
	world_free(&w);
}

/* Delayed writes */

static struct timing_options delayed(void)
{
	struct timing_options o = timing_defaults();
	o.write = WRITE_DELAYED;
	o.device =
	    (struct device_options){.read_latency_ns = MS, .write_latency_ns = MS, .depth = 1};
	return o;
}

Test(timing, dirty_blocks_are_written_together_at_the_background_limit)
{
	for (uint64_t n = 9; n <= 10; n++) {
		struct world w;
		const struct world_options wo = world_defaults();
		const struct timing_options o = delayed();
		world_init(&w, &wo);
		for (uint64_t i = 0; i < n; i++)
			step(&w, 0, IOT_WRITE, 1, i, 1);
		struct timing_result r = simulate(&o, &w);
		cr_assert_eq(r.device_writes, n == 10);
		cr_assert_eq(r.dirty_blocks, n == 10 ? 0 : 9);
		cr_assert_eq(r.pending_bytes, n * BLOCK);
		cr_assert_eq(r.wall_ns, 0);
		timing_result_free(&r);
		world_free(&w);
	}
}

/*
 * Blocks 0 and 1 are dirty and the oldest when the cache is full: they are written, 2 is replaced.
 */
Test(timing, dirty_blocks_are_written_where_victims_are_sought)
{
	struct world w;
	const struct world_options wo = world_defaults();
	struct timing_options o = delayed();
	o.cache_blocks = 10;
	o.dirty_background = o.dirty_limit = 50;
	world_init(&w, &wo);
	step(&w, 0, IOT_WRITE, 1, 0, 2);
	step(&w, 0, 0, 1, 2, 8);
	step(&w, 0, 0, 1, 20, 1);
	step(&w, 0, 0, 1, 0, 2); /* still present */
	step(&w, 0, 0, 1, 2, 1); /* replaced */
	struct timing_result r = simulate(&o, &w);
	cr_assert_eq(r.device_writes, 1);
	cr_assert_eq(r.device_written_bytes, 2 * BLOCK);
	cr_assert_eq(r.dirty_blocks, 0);
	cr_assert_eq(r.read_hit_blocks, 2);
	cr_assert_eq(r.read_miss_blocks, 10);
	cr_assert_eq(r.stalls, 0);
	timing_result_free(&r);
	world_free(&w);
}

Test(timing, writers_sleep_at_the_dirty_limit)
{
	struct world w;
	const struct world_options wo = world_defaults();
	const struct timing_options o = delayed();
	world_init(&w, &wo);
	step(&w, 0, IOT_WRITE, 1, 0, 30);
	struct timing_result r = simulate(&o, &w);
	cr_assert_eq(r.throttled, 1);
	cr_assert_eq(r.wall_ns, MS);
	cr_assert_eq(r.device_writes, 2);
	timing_result_free(&r);
	world_free(&w);
}

Test(timing, an_expired_block_is_written_at_the_next_interval)
{
	struct world w;
	const struct world_options wo = world_defaults();
	struct timing_options o = delayed();
	o.rate_ns = UINT64_C(1000) * MS;
	world_init(&w, &wo);
	step(&w, 0, 0, 1, 9, 1);
	step(&w, 1000, IOT_WRITE, 1, 0, 1);
	step(&w, 100000, 0, 1, 9, 1);
	struct timing_result r = simulate(&o, &w);
	cr_assert_eq(r.rate_count, 102);
	cr_assert_eq(r.rates[35].device_written, BLOCK); /* dirty since 1 s, 30 s, multiple of 5 */
	cr_assert_eq(r.rates[0].device_read, BLOCK);
	cr_assert_eq(r.pending_bytes, 0);
	timing_result_free(&r);
	world_free(&w);
}

Test(timing, a_partial_write_reads_a_block_that_the_device_has)
{
	struct world w;
	const struct world_options wo = world_defaults();
	const struct timing_options o = delayed();
	struct iot_record part = block_record(IOT_WRITE, 1, 0, 1);
	world_init(&w, &wo);
	step(&w, 0, IOT_WRITE, 1, 5, 1); /* whole blocks are not read */
	part.offset = 100;
	part.length = 10;
	add(&w, part); /* before the end of the file */
	part.offset = 9 * BLOCK + 5;
	add(&w, part); /* after it */
	struct timing_result r = simulate(&o, &w);
	cr_assert_eq(r.partial_reads, 1);
	cr_assert_eq(r.wall_ns, MS);
	timing_result_free(&r);
	world_free(&w);
}

Test(timing, fsync_waits_for_the_dirty_blocks_of_its_file)
{
	struct world w;
	const struct world_options wo = world_defaults();
	const struct timing_options o = delayed();
	world_init(&w, &wo);
	directive(&w, "%file process=1 id=1 object=1 path=/a");
	directive(&w, "%file process=1 id=2 object=2 path=/b");
	step(&w, 0, IOT_WRITE, 1, 0, 2);
	step(&w, 0, IOT_WRITE, 2, 0, 1);
	directive(&w, "%op name=fsync process=1 file=1");
	struct timing_result r = simulate(&o, &w);
	cr_assert_eq(r.wall_ns, MS);
	cr_assert_eq(r.device_written_bytes, 2 * BLOCK);
	cr_assert_eq(r.dirty_blocks, 1);
	timing_result_free(&r);
	world_free(&w);
}

Test(timing, dropped_dirty_blocks_are_not_written)
{
	struct world w;
	const struct world_options wo = world_defaults();
	const struct timing_options o = delayed();
	world_init(&w, &wo);
	directive(&w, "%file process=1 id=1 object=1 path=/a");
	step(&w, 0, IOT_WRITE, 1, 0, 4);
	directive(&w, "%op name=truncate process=1 file=1 size=4097");
	struct timing_result r = simulate(&o, &w);
	cr_assert_eq(r.cancelled_blocks, 2); /* block 1 is partly before the new end */
	cr_assert_eq(r.dirtied_blocks, r.cleaned_blocks + r.cancelled_blocks + r.dirty_blocks);
	cr_assert_eq(r.pending_bytes, 2 * BLOCK);
	timing_result_free(&r);
	world_free(&w);
}

/* Read-ahead */

Test(timing, windows_double_and_are_issued_at_the_marker)
{
	struct world w;
	const struct world_options wo = world_defaults();
	struct timing_options o = timing_defaults();
	/* blocks read by the device after each read of one block: windows of 4, 8, 16, 32, 32 */
	const uint64_t expected[] = {4, 12, 12, 12, 28, 28, 28, 28, 28, 28, 28, 28, 60};
	o.read_ahead = READ_AHEAD_WINDOW;
	for (size_t n = 1; n <= sizeof expected / sizeof *expected; n++) {
		world_init(&w, &wo);
		for (uint64_t i = 0; i < n; i++)
			step(&w, 0, 0, 1, i, 1);
		step(&w, 0, 0, 1, 1000, 1); /* not sequential: reads itself only */
		struct timing_result r = simulate(&o, &w);
		cr_assert_eq(r.device_read_bytes / BLOCK, expected[n - 1] + 1, "%zu reads", n);
		timing_result_free(&r);
		world_free(&w);
	}
}

Test(timing, read_ahead_of_the_request_ends_with_the_file)
{
	struct world w;
	const struct world_options wo = world_defaults();
	struct timing_options o = timing_defaults();
	o.read_ahead = READ_AHEAD_REQUEST;
	world_init(&w, &wo);
	step(&w, 0, 0, 1, 0, 4); /* the first I/O continues none */
	step(&w, 0, 0, 1, 4, 4);
	step(&w, 0, 0, 1, 8, 3); /* prefetched; the file ends here */
	struct timing_result r = simulate(&o, &w);
	cr_assert_eq(r.prefetched_blocks, 3);
	cr_assert_eq(r.read_prefetched_blocks, 3);
	cr_assert_eq(r.device_read_bytes, 11 * BLOCK);
	timing_result_free(&r);
	world_free(&w);
}

/* Direct I/O and arrivals */

static bool is_a(void *context, const char *path, size_t n)
{
	(void)context;
	return n == 2 && memcmp(path, "/a", 2) == 0;
}

Test(timing, direct_io_writes_and_drops_the_blocks_it_overlaps)
{
	struct world w;
	const struct world_options wo = world_defaults();
	const struct timing_options o = delayed();
	world_init(&w, &wo);
	step(&w, 0, IOT_WRITE, 1, 0, 4);
	directive(&w, "%file process=1 id=2 object=1 path=/b");
	directive(&w, "%op name=open process=1 file=2 flags=O_RDWR|O_DIRECT");
	struct iot_record rec = block_record(0, 1, 1, 1);
	rec.file = 2;
	add(&w, rec);
	struct timing_result r = simulate(&o, &w);
	cr_assert_eq(r.device_written_bytes, 4 * BLOCK); /* with its dirty neighbours */
	cr_assert_eq(r.dropped_blocks, 1);
	cr_assert_eq(r.direct_read_bytes, BLOCK);
	cr_assert_eq(r.wall_ns, 2 * MS);
	timing_result_free(&r);
	world_free(&w);
}

Test(timing, paths_choose_direct_io)
{
	struct world w;
	struct world_options wo = world_defaults();
	wo.is_direct = is_a;
	world_init(&w, &wo);
	directive(&w, "%file process=1 id=1 object=1 path=/a");
	directive(&w, "%file process=1 id=2 object=2 path=/b");
	step(&w, 0, 0, 1, 0, 1);
	step(&w, 0, 0, 2, 0, 1);
	cr_assert(w.programs[0].steps[0].direct);
	cr_assert_not(w.programs[0].steps[1].direct);
	world_free(&w);
}

Test(timing, latencies_of_arrivals_include_the_queue)
{
	struct world w;
	struct world_options wo = world_defaults();
	struct timing_options o = delayed();
	wo.arrivals = o.arrivals = true;
	world_init(&w, &wo);
	const int64_t starts[] = {7 * MS, 7 * MS, 12 * MS, 13 * MS};
	for (size_t i = 0; i < 4; i++) {
		struct iot_record rec = block_record(0, 1, 10 * (i % 3), 1); /* the last hits */
		rec.start_ns = starts[i];
		add(&w, rec);
	}
	struct timing_result r = simulate(&o, &w);
	const uint64_t expected[] = {0, MS, MS, 2 * MS};
	cr_assert_eq(r.latency_count, 4);
	for (size_t i = 0; i < 4; i++)
		cr_assert_eq(r.latencies[i], expected[i], "latency %zu", i);
	cr_assert_eq(r.wall_ns, 6 * MS);
	cr_assert_eq(r.depth_max, 2);
	cr_assert_eq(r.device_busy_ns, 3 * MS);
	timing_result_free(&r);
	world_free(&w);
}

/* All arrive at 0, and one I/O is served at a time: the cache has 4 blocks. */
Test(timing, arrivals_without_a_free_block_resume_in_order)
{
	enum { CALLS = 1000 };
	struct world w;
	struct world_options wo = world_defaults();
	struct timing_options o = delayed();
	wo.arrivals = o.arrivals = true;
	o.cache_blocks = 4;
	world_init(&w, &wo);
	for (uint64_t i = 0; i < CALLS; i++)
		add(&w, block_record(0, 1, 2 * i, 1));
	struct timing_result r = simulate(&o, &w);
	cr_assert_eq(r.latency_count, CALLS);
	for (uint64_t i = 0; i < CALLS; i++)
		cr_assert_eq(r.latencies[i], (i + 1) * MS, "latency %ju", (uintmax_t)i);
	cr_assert_eq(r.depth_max, 4);
	/* each call that waits, and the first of the queue once for each I/O */
	cr_assert_leq(r.stalls, 2 * CALLS);
	timing_result_free(&r);
	world_free(&w);
}

Test(timing, arriving_writers_resume_in_order_below_the_dirty_limit)
{
	enum { CALLS = 1000 };
	struct world w;
	struct world_options wo = world_defaults();
	struct timing_options o = delayed();
	wo.arrivals = o.arrivals = true;
	world_init(&w, &wo);
	for (uint64_t i = 0; i < CALLS; i++)
		add(&w, block_record(IOT_WRITE, 1, 2 * i, 1));
	struct timing_result r = simulate(&o, &w);
	cr_assert_eq(r.latency_count, CALLS);
	for (uint64_t i = 0; i < CALLS; i++) /* the limit is 20 blocks: each I/O admits one more */
		cr_assert_eq(r.latencies[i], i < 20 ? 0 : (i - 19) * MS, "latency %ju",
			     (uintmax_t)i);
	cr_assert_leq(r.throttled, 2 * CALLS);
	timing_result_free(&r);
	world_free(&w);
}

/* Laws */

static uint64_t random_next(uint64_t *z, uint64_t n)
{
	*z = *z * 6364136223846793005 + 1442695040888963407;
	return (*z >> 33) % n;
}

static void random_world(struct world *w, uint64_t *z)
{
	const struct world_options wo = world_defaults();
	const unsigned types[] = {0, 0, IOT_WRITE, IOT_WRITE, IOT_ASYNC, IOT_ASYNC | IOT_WRITE};
	world_init(w, &wo);
	directive(w, "%file process=1 id=1 object=1 path=/1");
	for (unsigned i = 0; i < 300; i++) {
		struct iot_record rec =
		    block_record(types[random_next(z, 6)], (uint32_t)random_next(z, 3) + 1,
				 random_next(z, 200), random_next(z, 30));
		rec.offset += random_next(z, 2) * random_next(z, BLOCK);
		rec.process = (uint32_t)random_next(z, 4) + 1;
		rec.cpu_ns = (int64_t)(i * random_next(z, 5) * MS);
		add(w, rec);
		if (random_next(z, 20) == 0)
			directive(w, "%op name=fsync process=1 file=1");
		if (random_next(z, 40) == 0)
			directive(w, "%op name=truncate process=1 file=1 size=20000");
	}
}

static struct timing_options random_options(uint64_t *z)
{
	static const char *const devices[] = {"disk1990", "hdd", "ssd", "nvme"};
	struct timing_options o = timing_defaults();
	const char *device = devices[random_next(z, 4)];
	device_preset(&o.device, device, strlen(device));
	if (random_next(z, 4) == 0)
		o.device = (struct device_options){0};
	o.policy = (enum cache_policy)random_next(z, CACHE_OPT);
	o.cache_blocks = 1 + random_next(z, 3) * random_next(z, 100);
	o.cpus = 1 + random_next(z, 3);
	o.copies = 1 + random_next(z, 3);
	o.share = random_next(z, 2) != 0;
	o.quantum_ns = MS;
	o.switch_ns = 10 * US;
	o.syscall_ns = 25 * US;
	o.interrupt_ns = random_next(z, 2) * 10 * US;
	o.read_ahead = (enum timing_read_ahead)random_next(z, 3);
	o.write = (enum timing_write)random_next(z, 3);
	o.process_limit = random_next(z, 3) == 0 ? 1 + random_next(z, 20) : 0;
	o.writeback_interval_ns = o.dirty_expire_ns = 10 * MS;
	return o;
}

Test(timing, laws_of_conservation)
{
	uint64_t z = 7;
	for (unsigned i = 0; i < 150; i++) {
		struct world w;
		random_world(&w, &z);
		const struct timing_options o = random_options(&z);
		struct timing_result r = simulate(&o, &w);
		cr_assert_eq(r.dirtied_blocks,
			     r.cleaned_blocks + r.cancelled_blocks + r.dirty_blocks, "run %u", i);
		cr_assert_eq(r.device_read_bytes / BLOCK,
			     r.read_miss_blocks + r.prefetched_blocks + r.partial_reads, "run %u",
			     i);
		cr_assert_eq(r.prefetched_blocks, r.read_prefetched_blocks + r.wasted_blocks,
			     "run %u", i);
		cr_assert_eq(r.reads + r.writes, w.counts.records * o.copies);
		timing_result_free(&r);
		world_free(&w);
	}
}

Test(timing, an_infinitely_fast_device_without_overheads_leaves_no_idle_time)
{
	uint64_t z = 3;
	for (unsigned i = 0; i < 50; i++) {
		struct world w;
		random_world(&w, &z);
		struct timing_options o = random_options(&z);
		o.device = (struct device_options){0};
		o.cpus = 1;
		o.switch_ns = o.syscall_ns = o.interrupt_ns = 0;
		struct timing_result r = simulate(&o, &w);
		cr_assert_eq(r.idle_ns, 0);
		cr_assert_eq(r.wall_ns, r.think_ns);
		timing_result_free(&r);
		world_free(&w);
	}
}

/* Rows */

Test(timing, rows_have_the_waits_and_blocks_of_their_calls)
{
	struct world w;
	struct world_options o = world_defaults();
	o.by = BREAKDOWN_OBJECT;
	world_init(&w, &o);
	step(&w, 0, 0, 1, 0, 2);         /* object 1: two blocks miss */
	step(&w, 3, 0, 1, 1, 1);         /* one hits */
	step(&w, 2, IOT_WRITE, 2, 0, 1); /* object 2 */
	struct timing_options t = timing_defaults();
	t.device.read_latency_ns = MS;
	struct timing_result r = simulate(&t, &w);
	cr_assert_eq(r.row_count, 2U);
	cr_assert_eq(r.rows[0].reads, 2U);
	cr_assert_eq(r.rows[0].read_miss_blocks, 2U);
	cr_assert_eq(r.rows[0].read_hit_blocks, 1U);
	cr_assert_eq(r.rows[0].wait_ns, (uint64_t)MS);
	cr_assert_eq(r.rows[0].think_ns, 3U * MS);
	cr_assert_eq(r.rows[1].writes, 1U);
	cr_assert_eq(r.rows[1].think_ns, 2U * MS);
	cr_assert_eq(r.rows[1].device_written_bytes, (uint64_t)BLOCK);

	timing_result_free(&r);
	world_free(&w);
}

Test(timing, distinct_blocks_of_a_world)
{
	struct world w;
	const struct world_options o = world_defaults();
	world_init(&w, &o);
	step(&w, 0, 0, 1, 0, 3);
	step(&w, 0, IOT_WRITE, 1, 2, 3);
	step(&w, 0, 0, 2, 0, 1);
	cr_assert_eq(world_distinct(&w, 1 << 20), 6U);
	world_free(&w);
}
