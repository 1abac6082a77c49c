/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests for libCacheSim: oracleGeneral, and lcs with a header of 8192 bytes and requests of
 * version 2. An object of a cache is a block of a file, so each I/O is a request for every block
 * that it touches.
 *
 * A request contains the number of the next request for its block. Requests therefore wait in a
 * temporary file, which is read backward to find these numbers; a second temporary file has them,
 * the last chunk first, and a pass forward writes both.
 */
#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/tempfile.h"

#include "cli/ui/signals.h"

#include "export.h"
#include "file_numbers.h"
#include "little_endian.h"

enum {
	CHUNK = 8192, /* requests */
	OBJECTS_MAX = 1 << 24,
	BLOCK_BITS = 40,
	BLOCKS_PER_IO_MAX = 1 << 22,
	REQUESTS_FREE = 1 << 22, /* beyond them, I/Os have a limited number of blocks on average */
	BLOCKS_PER_IO_MEAN = 4096,
	TENANTS_MAX = 1 << 24,
	OP_READ = 12,
	OP_WRITE = 13,
	LCS_HEADER = 8192,
	LCS_STAT = 8000,
	REQUEST_MAX = 28, /* bytes */
	GROUP_BITS = 5,   /* 32 adjacent blocks: a smaller table has fewer cache misses */
	GROUP = 1 << GROUP_BITS,
	AHEAD = 16, /* requests to prefetch: small I/Os use scattered blocks of the map */
};

#define NS_PER_S UINT64_C(1000000000)

static const uint64_t lcs_magic = 0x123456789abcdef0;

/* A request that waits. */
struct request {
	uint32_t block; /* number of the group, and number in the group */
	uint32_t seconds;
	uint32_t op; /* and the tenant, as in lcs */
};

struct cache_requests {
	struct error error;
	struct tempfile requests, next;
	struct idmap groups; /* of object and block of the file, without GROUP_BITS */
	uint64_t count, reads, blocks, ios;
	uint32_t first_s, last_s;
	struct file_numbers unnumbered; /* files without an object */
	uint64_t largest_object;
	uint64_t object; /* of the last I/O */
	uint64_t *later; /* the number of the next request, by block; 0: none */
	size_t later_capacity;
};

/* Requests */

/* Numbers files without an object downward from the largest number. */
static uint64_t object_of(struct export *x, const struct iot_record *rec)
{
	struct cache_requests *c = x->state;
	uint64_t object = names_object(&x->names, rec);
	if (object > c->largest_object)
		c->largest_object = object;
	if (object == 0) {
		const size_t n = file_number(&c->unnumbered, &x->names, rec);
		x->failed |= n == SIZE_MAX;
		object = OBJECTS_MAX - 1 - n;
	}
	if (c->largest_object + c->unnumbered.map.count >= OBJECTS_MAX)
		export_fail(x, "files above object %d do not fit into an object of the cache",
			    OBJECTS_MAX - 1);
	return object;
}

static uint32_t seconds_of(struct export *x, const struct iot_record *rec)
{
	struct cache_requests *c = x->state;
	if (rec->flags & IOT_START_UNKNOWN)
		return c->last_s;
	const uint64_t s = (uint64_t)rec->start_ns / NS_PER_S;
	x->notes[NOTE_SECONDS] += (uint64_t)rec->start_ns % NS_PER_S != 0;
	if (s > UINT32_MAX)
		export_fail(x, "a start after %ju s, more than 32 bits", (uintmax_t)s);
	c->last_s = (uint32_t)s;
	if (c->count == 0)
		c->first_s = c->last_s;
	return c->last_s;
}

static uint32_t op_of(struct export *x, const struct iot_record *rec)
{
	const uint32_t op = rec->type & IOT_WRITE ? OP_WRITE : OP_READ;
	if (rec->process < TENANTS_MAX)
		return op | rec->process << 8;
	x->notes[NOTE_TENANT]++;
	return op;
}

static bool fits_memory(struct export *x)
{
	const struct cache_requests *c = x->state;
	const uint64_t bytes = idmap_bytes(&c->groups) + c->groups.count * GROUP * sizeof *c->later;
	if (bytes <= x->options->memory)
		return true;
	export_fail(x,
		    "the numbers of the blocks need more than --memory=%ju; a larger --block or "
		    "a slice of the trace needs less",
		    (uintmax_t)x->options->memory);
	return false;
}

/* Adds requests for adjacent blocks of one group. */
static void add_group(struct export *x, struct request r, uint64_t id, size_t n)
{
	struct cache_requests *c = x->state;
	const size_t group = idmap_number(&c->groups, id >> GROUP_BITS);
	unsigned char *to = tempfile_reserve(&c->requests, n * sizeof r);
	if (to == NULL || group >= UINT32_MAX >> GROUP_BITS) {
		x->failed = true;
		return;
	}
	r.block = (uint32_t)(group << GROUP_BITS | id % GROUP);
	for (size_t i = 0; i < n; i++, r.block++)
		memcpy(to + i * sizeof r, &r, sizeof r);
	c->requests.fill += n * sizeof r;
	c->count += n;
}

static void add_requests(struct export *x, struct request r, uint64_t id, uint64_t blocks)
{
	uint64_t n;
	for (; blocks > 0 && !x->failed && fits_memory(x); blocks -= n, id += n) {
		n = GROUP - id % GROUP;
		if (n > blocks)
			n = blocks;
		add_group(x, r, id, (size_t)n);
	}
}

/*
 * A few bytes of a trace may be millions of requests: their number is limited by the number of
 * I/Os.
 */
static void check_blocks(struct export *x, uint64_t blocks)
{
	struct cache_requests *c = x->state;
	if (blocks > BLOCKS_PER_IO_MAX)
		export_fail(x, "an I/O of %ju blocks, more than %d; use a larger --block",
			    (uintmax_t)blocks, BLOCKS_PER_IO_MAX);
	else if (c->count + blocks > REQUESTS_FREE + ++c->ios * BLOCKS_PER_IO_MEAN)
		export_fail(x,
			    "%ju I/Os of more than %d blocks on average, for more than %d "
			    "requests; use a larger --block",
			    (uintmax_t)c->ios, BLOCKS_PER_IO_MEAN, REQUESTS_FREE);
}

static void record(struct export *x, const struct iot_record *rec)
{
	struct cache_requests *c = x->state;
	const uint64_t size = x->options->block;
	struct transfer t;
	if (!export_transfer(x, rec, &t))
		return;
	const uint64_t first = t.offset / size, last = (t.offset + t.length - 1) / size;
	const uint64_t object = object_of(x, rec);
	if (last >> BLOCK_BITS != 0)
		export_fail(x, "block %ju of a file, more than %d bits", (uintmax_t)last,
			    BLOCK_BITS);
	check_blocks(x, last - first + 1);
	const struct request r = {.seconds = seconds_of(x, rec), .op = op_of(x, rec)};
	if (x->failed)
		return;
	c->object = object;
	c->reads += rec->type & IOT_WRITE ? 0 : last - first + 1;
	add_requests(x, r, object << BLOCK_BITS | first, last - first + 1);
}

/* Numbers of the next requests */

static size_t chunk_size(const struct cache_requests *c, uint64_t first)
{
	return c->count - first < CHUNK ? (size_t)(c->count - first) : CHUNK;
}

static bool read_requests(struct cache_requests *c, uint64_t first, struct request *r, size_t n)
{
	return tempfile_read(&c->requests, first * sizeof *r, r, n * sizeof *r) == IOT_OK;
}

static bool find_next(struct cache_requests *c, struct request *r, uint64_t *next)
{
	const uint64_t chunks = (c->count + CHUNK - 1) / CHUNK;
	for (uint64_t k = chunks; k-- > 0;) {
		const uint64_t first = k * CHUNK;
		const size_t n = chunk_size(c, first);
		if (!read_requests(c, first, r, n))
			return false;
		for (size_t i = n; i-- > 0;) {
			if (i >= AHEAD)
				__builtin_prefetch(&c->later[r[i - AHEAD].block], 1);
			next[i] = c->later[r[i].block];
			c->blocks += next[i] == 0;
			c->later[r[i].block] = first + i + 1;
		}
		if (tempfile_append(&c->next, next, n * sizeof *next) != IOT_OK)
			return false;
	}
	return tempfile_flush(&c->next) == IOT_OK;
}

/* The position in c->next of a chunk: after the chunks of the later requests. */
static uint64_t next_position(const struct cache_requests *c, uint64_t first)
{
	return (c->count - first - chunk_size(c, first)) * sizeof(uint64_t);
}

static inline char *put_request(const struct cache_requests *c, char *to, const struct request *r,
				uint32_t size, uint64_t next, bool lcs)
{
	const uint64_t group = c->groups.keys[r->block >> GROUP_BITS];
	to = put_u32(to, r->seconds);
	to = put_u64(to, group << GROUP_BITS | r->block % GROUP);
	to = put_u32(to, size);
	if (lcs)
		to = put_u32(to, r->op);
	return put_u64(to, next != 0 ? next : UINT64_MAX);
}

static void write_requests(struct export *x, const struct request *r, const uint64_t *next,
			   size_t n, bool lcs)
{
	const struct cache_requests *c = x->state;
	const uint32_t size = (uint32_t)x->options->block;
	for (size_t i = 0; i < n;) {
		const size_t end = n - i < GROUP ? n : i + GROUP;
		char *to = output_reserve(x->out, GROUP * REQUEST_MAX);
		for (; i < end; i++) {
			if (i + AHEAD < n)
				__builtin_prefetch(
				    &c->groups.keys[r[i + AHEAD].block >> GROUP_BITS]);
			to = put_request(c, to, &r[i], size, next[i], lcs);
		}
		output_took(x->out, to);
	}
}

static bool write_all(struct export *x, struct request *r, uint64_t *next, bool lcs)
{
	struct cache_requests *c = x->state;
	for (uint64_t first = 0; first < c->count; first += CHUNK) {
		const size_t n = chunk_size(c, first);
		if (!read_requests(c, first, r, n) ||
		    tempfile_read(&c->next, next_position(c, first), next, n * sizeof *next) !=
			IOT_OK)
			return false;
		write_requests(x, r, next, n, lcs);
	}
	return true;
}

/* Statistics of sizes and popularity are 0, as older writers leave them. */
static void write_lcs_header(struct export *x)
{
	const struct cache_requests *c = x->state;
	const uint64_t block = x->options->block, blocks = c->blocks;
	const uint64_t stat[] = {
	    1,          c->count,  blocks,   c->count * block,    blocks * block,
	    c->first_s, c->last_s, c->reads, c->count - c->reads, 0};
	char header[LCS_HEADER] = {0}, *to = header;
	to = put_u64(put_u64(to, lcs_magic), 2);
	for (size_t i = 0; i < sizeof stat / sizeof *stat; i++)
		to = put_u64(to, stat[i]);
	put_u64(header + LCS_HEADER - sizeof lcs_magic, lcs_magic);
	output_write(x->out, header, sizeof header);
}

static void finish(struct export *x, bool lcs)
{
	struct cache_requests *c = x->state;
	struct request *r = malloc(CHUNK * sizeof *r);
	uint64_t *next = malloc(CHUNK * sizeof *next);
	if (r == NULL || next == NULL ||
	    !array_reserve_index(&c->later, &c->later_capacity, c->groups.count * GROUP,
				 sizeof *c->later)) {
		x->failed = true;
	} else if (tempfile_flush(&c->requests) == IOT_OK && find_next(c, r, next)) {
		if (lcs)
			write_lcs_header(x);
		(void)write_all(x, r, next, lcs);
	}
	if (c->error.status != IOT_OK)
		export_fail(x, "%s", c->error.text);
	free(r);
	free(next);
}

/* The formats */

static void begin(struct export *x)
{
	struct cache_requests *c = export_state(x, sizeof *c);
	if (c == NULL)
		return;
	tempfile_init(&c->requests, &c->error);
	tempfile_init(&c->next, &c->error);
}

/*
 * Blocks of small I/Os are scattered. A file without an object is likely the file of the last I/O.
 */
static uint64_t likely_group(const struct export *x, const struct iot_record *rec)
{
	const struct cache_requests *c = x->state;
	const uint64_t object = rec->object != 0 ? rec->object : c->object,
		       unit = rec->type & IOT_LOGICAL ? 1 : IOT_BLOCK_SIZE;
	const uint64_t block = rec->offset * unit / x->options->block;
	return (object << BLOCK_BITS | block) >> GROUP_BITS;
}

/* ev[0]: the event to export; n: events from there on */
static void prefetch_groups(const struct export *x, const struct iot_event *ev, size_t n)
{
	const struct cache_requests *c = x->state;
	if (n > 2 * AHEAD && ev[2 * AHEAD].kind == IOT_RECORD)
		idmap_prefetch(&c->groups, likely_group(x, &ev[2 * AHEAD].rec));
	if (n > AHEAD && ev[AHEAD].kind == IOT_RECORD)
		idmap_prefetch_found(&c->groups, likely_group(x, &ev[AHEAD].rec));
}

static void events(struct export *x, const struct iot_event *ev, size_t n)
{
	struct cache_requests *c = x->state;
	for (size_t i = 0; i < n && !x->failed; i++) {
		prefetch_groups(x, &ev[i], n - i);
		/* a few records may be billions of requests */
		if (signals_pending() != 0)
			x->failed = x->reported = true;
		else if (ev[i].kind == IOT_RECORD)
			record(x, &ev[i].rec);
		x->notes[NOTE_METADATA] += ev[i].kind == IOT_OP;
		x->notes[NOTE_COUNTERS] += ev[i].kind == IOT_COUNTER;
		x->notes[NOTE_LOST] += ev[i].kind == IOT_LOST;
		export_event(x, &ev[i]);
	}
	if (c->error.status != IOT_OK)
		export_fail(x, "%s", c->error.text);
}

static void end_oracle(struct export *x)
{
	finish(x, false);
}

static void end_lcs(struct export *x)
{
	finish(x, true);
}

static void release(struct export *x)
{
	struct cache_requests *c = x->state;
	if (c == NULL)
		return;
	tempfile_free(&c->requests);
	tempfile_free(&c->next);
	idmap_free(&c->groups);
	file_numbers_free(&c->unnumbered);
	free(c->later);
}

const struct export_format export_oracle = {
    .begin = begin, .events = events, .end = end_oracle, .free = release, .binary = true};
const struct export_format export_lcs = {
    .begin = begin, .events = events, .end = end_lcs, .free = release, .binary = true};
