/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the timing model on any trace: time and bytes are conserved, a run can be repeated, and one
 * CPU is never idle if the device takes no time.
 *
 * The first eight bytes of an input are options, see options_of; the rest is a trace.
 */
#include "lib/timing/timing.h"

#include "fuzz.h"

enum { EVENTS = 64, OPTIONS = 8, RECORDS_MAX = 2000, MEMORY_MAX = 16 << 20 };

static bool is_direct(void *context, const char *path, size_t n)
{
	(void)context;
	return n > 0 && path[n - 1] == 'd';
}

static struct world_options world_options_of(const uint8_t *how)
{
	return (struct world_options){
	    .think = (enum world_think)(how[0] & 3),
	    .unknown = (enum world_unknown)(how[0] >> 2 & 1),
	    .physical = (how[0] & 8) != 0,
	    .arrivals = (how[0] & 16) != 0,
	    .block = (how[0] & 32) != 0 ? 512 : 4096,
	    .request_max = 64 << 10,
	    .memory_max = MEMORY_MAX,
	    .is_direct = (how[0] & 64) != 0 ? is_direct : NULL,
	};
}

static struct timing_options options_of(const uint8_t *how, const struct world_options *w)
{
	static const char *const devices[] = {"disk1990", "hdd", "ssd", "nvme"};
	struct timing_options o = {
	    .policy = (enum cache_policy)(how[1] % CACHE_OPT),
	    .cache_blocks = 1 + (size_t)how[2] * (size_t)(how[1] >> 6),
	    .block = w->block,
	    .cpus = 1 + how[3] % 3,
	    .copies = 1 + (how[3] >> 2) % 3,
	    .share = (how[3] & 16) != 0,
	    .quantum_ns = how[3] & 32 ? 100000 : 100000000,
	    .switch_ns = how[3] & 64 ? 10000 : 0,
	    .syscall_ns = how[3] & 128 ? 25000 : 0,
	    .interrupt_ns = how[4] & 1 ? 10000 : 0,
	    .copy_kib_ns = how[4] & 2 ? 1000 : 0,
	    .read_ahead = (enum timing_read_ahead)((how[4] >> 2 & 3) % 3),
	    .write = (enum timing_write)((how[4] >> 4 & 3) % 3),
	    .window = (uint64_t)how[5] << 12,
	    .dirty_background = 1 + how[6] % 100,
	    .dirty_limit = 1 + how[7] % 100,
	    .writeback_interval_ns = 5000000000,
	    .dirty_expire_ns = how[5] & 1 ? 30000000000 : 0,
	    .process_limit = how[4] & 64 ? 1 + how[5] : 0,
	    .arrivals = w->arrivals,
	};
	if ((how[4] & 128) == 0)
		FUZZ_CHECK(
		    device_preset(&o.device, devices[how[7] & 3], strlen(devices[how[7] & 3])));
	return o;
}

static void read_world(struct world *w, const uint8_t *data, size_t size)
{
	struct iot_reader *r = iot_reader_new();
	struct iot_event ev[EVENTS];
	ssize_t n;
	FUZZ_CHECK(r != NULL);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_RECOVER, 1) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_WINDOW, 8 << 20) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_MEMORY, MEMORY_MAX) == IOT_OK);
	FUZZ_CHECK(iot_reader_open_memory(r, data, size, "fuzz") == IOT_OK);
	while (w->counts.records < RECORDS_MAX && (n = iot_reader_events(r, ev, EVENTS)) > 0)
		if (world_events(w, ev, (size_t)n) != IOT_OK)
			break;
	iot_reader_free(r);
}

static void check_laws(const struct timing_options *o, const struct timing_result *r)
{
	FUZZ_CHECK(r->dirtied_blocks == r->cleaned_blocks + r->cancelled_blocks + r->dirty_blocks);
	FUZZ_CHECK(r->device_read_bytes - r->direct_read_bytes ==
		   (r->read_miss_blocks + r->prefetched_blocks + r->partial_reads) * o->block);
	FUZZ_CHECK(r->prefetched_blocks == r->read_prefetched_blocks + r->wasted_blocks);
	if (o->arrivals)
		return;
	FUZZ_CHECK(r->wall_ns * o->cpus == timing_busy_ns(r) + r->idle_ns);
	const struct device_options *d = &o->device;
	if (o->cpus == 1 && d->far_ns == 0 && d->read_rate == 0 && d->read_latency_ns == 0)
		FUZZ_CHECK(r->idle_ns == 0);
}

static bool run(const struct timing_options *o, struct world *w, struct timing_result *r)
{
	struct error error = {0};
	const bool done = timing_run(o, &w, 1, r, &error) == IOT_OK;
	FUZZ_CHECK(done || error.text[0] != '\0');
	if (done)
		check_laws(o, r);
	return done;
}

/* Minutes of work that a simulation may do, but a fuzzer should not. */
static bool is_long(const struct timing_options *o, const struct world *w)
{
	uint64_t slices = 0;
	for (size_t i = 0; i < w->program_count; i++)
		for (size_t k = 0; k < w->programs[i].count; k++)
			slices += w->programs[i].steps[k].delay_ns / o->quantum_ns;
	return slices > 1000000 && slices < TIMING_SLICES_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < OPTIONS)
		return 0;
	const struct world_options wo = world_options_of(data);
	const struct timing_options o = options_of(data, &wo);
	struct timing_result first, again;
	struct world w;
	world_init(&w, &wo);
	read_world(&w, data + OPTIONS, size - OPTIONS);
	if (world_finish(&w) == IOT_OK && !is_long(&o, &w) && run(&o, &w, &first)) {
		FUZZ_CHECK(run(&o, &w, &again));
		FUZZ_CHECK(first.wall_ns == again.wall_ns && first.idle_ns == again.idle_ns);
		FUZZ_CHECK(first.device_read_bytes == again.device_read_bytes);
		timing_result_free(&again);
	} else {
		FUZZ_CHECK(w.error.status == IOT_OK || w.error.text[0] != '\0');
		memset(&first, 0, sizeof first);
	}
	timing_result_free(&first);
	world_free(&w);
	return 0;
}
