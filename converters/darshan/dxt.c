/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DXT: the reads and writes of single calls. A record is a header of 104 bytes, followed by its
 * writes and its reads:
 *
 *	head     0 id  8 rank  16 unused  24 host, 64 bytes  88 writes  96 reads
 *	segment  0 offset  8 length  16 start  24 end, in seconds  [32 thread]
 *
 * The counts come from the input, so at most the memory of one batch is allocated by them.
 */
#include "darshan.h"

enum { HEAD = 104, HOST = 24, COUNTS = 88 };

#define COUNT_MAX (INT64_C(1) << 48)

bool darshan_record_begin(struct darshan *d, unsigned layer, uint64_t id, int64_t rank,
			  const char *host, size_t host_size)
{
	struct darshan_batch *b = &d->batch;
	uint32_t process = darshan_process(d, rank);
	uint32_t file = process != 0 ? darshan_file(d, layer, rank, id) : 0;
	if (file == 0) {
		darshan_no_memory(d);
		return false;
	}
	*b = (struct darshan_batch){.own = b->own, .sorted = {true, true}};
	d->dxt = (struct darshan_dxt){
	    .active = true, .rank = rank, .id = id, .process = process, .file = file};
	d->file[file - 1].traced = true;
	struct darshan_process *p = &d->process[darshan_find(&d->process_ids, process, 0) - 1];
	if (p->host[0] == '\0' && host_size < sizeof p->host) {
		if (host_size > 0)
			memcpy(p->host, host, host_size);
		p->host[host_size] = '\0';
	}
	return true;
}

static bool all_zero(const unsigned char *p)
{
	for (size_t i = 0; i < HEAD; i++)
		if (p[i] != 0)
			return false;
	return true;
}

static int begin_record(struct darshan *d)
{
	size_t have;
	const unsigned char *p = darshan_ahead(&d->region, HEAD, &have);
	const bool swap = d->log.swap;
	if (have < HEAD) {
		if (have > 0)
			darshan_damage(d, IOT_EFORMAT, "ends inside the head of a record");
		return 0;
	}
	if (d->region.how == DARSHAN_UNPACKED && all_zero(p))
		return 0;
	const int64_t rank = darshan_i64(p + 8, swap);
	const int64_t writes = darshan_i64(p + COUNTS, swap);
	const int64_t reads = darshan_i64(p + COUNTS + 8, swap);
	if (rank < 0 || rank > INT32_MAX || writes < 0 || reads < 0 || writes > COUNT_MAX ||
	    reads > COUNT_MAX) {
		darshan_damage(d, IOT_EFORMAT,
			       "a record of rank %lld with %lld writes and %lld reads",
			       (long long)rank, (long long)writes, (long long)reads);
		return 0;
	}
	if (d->log.job.known && rank >= d->log.job.processes)
		darshan_count(d, "ranks.beyond_job", 1);
	const char *host = (const char *)p + HOST;
	if (!darshan_record_begin(
		d,
		d->place->module == DARSHAN_DXT_POSIX ? DARSHAN_LAYER_POSIX : DARSHAN_LAYER_MPIIO,
		darshan_u64(p, swap), rank, host, strnlen(host, DARSHAN_HOST_MAX)))
		return -1;
	d->dxt.left[0] = (uint64_t)writes;
	d->dxt.left[1] = (uint64_t)reads;
	darshan_consume(&d->region, HEAD);
	return 1;
}

static size_t segment_size(const struct darshan_place *place)
{
	const unsigned with_threads = place->module == DARSHAN_DXT_POSIX ? 2 : 3;
	return place->version >= with_threads ? 40 : 32;
}

/*
 * Passes on whole segments, as many as a batch holds. Returns fewer than wanted if the region ends
 * early.
 */
static size_t take_some(struct darshan *d, size_t want)
{
	struct darshan_dxt *x = &d->dxt;
	const size_t size = segment_size(d->place);
	size_t have;
	unsigned char *p = darshan_ahead(&d->region, want * size, &have);
	const size_t n = have / size < want ? have / size : want;
	const size_t writes = x->left[0] < n ? (size_t)x->left[0] : n;
	darshan_batch_segments(d, p, writes, n, size);
	darshan_consume(&d->region, n * size);
	x->left[0] -= writes;
	x->left[1] -= n - writes;
	return n;
}

/* Processes as much of the current record as a batch holds. */
int darshan_dxt_step(struct darshan *d)
{
	struct darshan_dxt *x = &d->dxt;
	if (!x->active && d->damaged)
		return 0;
	if (!x->active) {
		int status = begin_record(d);
		if (status <= 0)
			return status;
	}
	const uint64_t left = x->left[0] + x->left[1];
	const size_t want = left < DARSHAN_BATCH ? (size_t)left : DARSHAN_BATCH;
	if (take_some(d, want) < want) {
		uint64_t missing = x->left[0] + x->left[1];
		darshan_count(d, "damaged.segments", missing);
		darshan_damage(d, IOT_EFORMAT,
			       "ends inside a record of rank %lld, %llu "
			       "segments before its end",
			       (long long)x->rank, (unsigned long long)missing);
		x->active = false;
	}
	if (x->left[0] + x->left[1] == 0)
		x->active = false;
	darshan_batch_close(d, !x->active);
	return d->status == IOT_OK;
}
