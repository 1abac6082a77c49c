/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulator of a cache: sorts traces, and reports how many blocks of their reads and writes a
 * cache with least-recently-used replacement would hold.
 *
 * 	simulator BLOCKS TRACE...
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <iotrace/filter.h>

enum { BLOCK_SIZE = 4096, BUCKETS = 4096, TRACES_MAX = 64 };

struct block {
	uint64_t file, number;
	struct block *next;          /* in its bucket */
	struct block *newer, *older; /* in order of use */
};

struct cache {
	struct block *blocks, *bucket[BUCKETS];
	struct block use; /* use.older is the latest, use.newer the oldest */
	size_t count, capacity;
	uint64_t hits, misses;
};

static int cache_init(struct cache *c, size_t capacity)
{
	*c = (struct cache){.capacity = capacity};
	c->use.newer = c->use.older = &c->use;
	c->blocks = calloc(capacity, sizeof(*c->blocks));
	return c->blocks != NULL ? 0 : -1;
}

static struct block **bucket_of(struct cache *c, uint64_t file, uint64_t number)
{
	const uint64_t hash = (number + file * 1000003) * UINT64_C(0x9e3779b97f4a7c15);
	return &c->bucket[hash >> 32 & (BUCKETS - 1)];
}

static void unlink_use(struct block *b)
{
	b->newer->older = b->older;
	b->older->newer = b->newer;
}

static void link_latest(struct cache *c, struct block *b)
{
	b->newer = &c->use;
	b->older = c->use.older;
	b->older->newer = c->use.older = b;
}

/* Returns a block that is in no bucket: a free one, or the least recently used one. */
static struct block *take_block(struct cache *c)
{
	if (c->count < c->capacity)
		return &c->blocks[c->count++];
	struct block *oldest = c->use.newer, **at = bucket_of(c, oldest->file, oldest->number);
	while (*at != oldest)
		at = &(*at)->next;
	*at = oldest->next;
	unlink_use(oldest);
	return oldest;
}

static void access_block(struct cache *c, uint64_t file, uint64_t number)
{
	struct block **bucket = bucket_of(c, file, number), *b = *bucket;
	while (b != NULL && (b->file != file || b->number != number))
		b = b->next;
	c->hits += b != NULL;
	c->misses += b == NULL;
	if (b == NULL) {
		b = take_block(c);
		*b = (struct block){.file = file, .number = number, .next = *bucket};
		*bucket = b;
	} else {
		unlink_use(b);
	}
	link_latest(c, b);
}

/* Equal objects are the same file; without one, the open of a process is the file. */
static uint64_t file_of(const struct iot_record *rec)
{
	return rec->object != 0 ? rec->object : (uint64_t)rec->process << 32 | rec->file;
}

static void simulate(struct cache *c, const struct iot_batch *b)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct iot_record *rec = &b->events[i].rec;
		if (b->events[i].kind != IOT_RECORD || rec->length == 0 ||
		    !(rec->type & IOT_LOGICAL))
			continue;
		const uint64_t last = (rec->offset + rec->length - 1) / BLOCK_SIZE;
		for (uint64_t n = rec->offset / BLOCK_SIZE; n <= last; n++)
			access_block(c, file_of(rec), n);
	}
}

/* Opens a trace and sorts it. Returns NULL after a message. */
static struct iot_stream *open_sorted(struct iot_reader **r, const char *path)
{
	const struct iot_sort_options sort = {.size = sizeof(sort), .memory = 64 << 20};
	*r = iot_reader_new();
	if (*r != NULL && iot_reader_open(*r, path) == IOT_OK)
		return iot_stream_sort(iot_stream_prefetch(iot_stream_of_reader(*r)), &sort);
	fprintf(stderr, "%s\n", *r != NULL ? iot_reader_error(*r) : "out of memory");
	return NULL;
}

/* Returns the merged traces; NULL after a message. */
static struct iot_stream *open_merged(struct iot_reader **readers, char **paths, size_t n)
{
	const struct iot_merge_options merge = {.size = sizeof(merge), .join_paths = 1};
	struct iot_stream *inputs[TRACES_MAX];
	for (size_t i = 0; i < n; i++) {
		inputs[i] = open_sorted(&readers[i], paths[i]);
		if (inputs[i] != NULL)
			continue;
		while (i > 0)
			iot_stream_free(inputs[--i]);
		return NULL;
	}
	return iot_stream_merge(inputs, n, &merge);
}

static int run(struct cache *c, char **paths, size_t n)
{
	struct iot_reader *readers[TRACES_MAX] = {NULL};
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	struct iot_stream *s = b != NULL ? open_merged(readers, paths, n) : NULL;
	int status = IOT_ENOMEM;
	while (s != NULL && (status = iot_stream_next(s, b)) > 0)
		simulate(c, b);
	if (status < 0 && s != NULL)
		fprintf(stderr, "%s\n", iot_stream_error(s));
	iot_stream_free(s);
	for (size_t i = 0; i < n; i++)
		iot_reader_free(readers[i]);
	iot_batch_free(b);
	return status;
}

int main(int argc, char **argv)
{
	struct cache c;
	const size_t capacity = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	if (capacity == 0 || argc - 2 > TRACES_MAX || cache_init(&c, capacity) != 0)
		return 2;
	const int status = run(&c, argv + 2, (size_t)argc - 2);
	printf("%ju hits, %ju misses\n", (uintmax_t)c.hits, (uintmax_t)c.misses);
	free(c.blocks);
	return status == IOT_OK ? 0 : 1;
}
