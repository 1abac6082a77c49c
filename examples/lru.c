/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many blocks of its reads and writes a small LRU cache would hold, for the log or trace of any
 * tool.
 *
 * 	lru BLOCKS LOG...
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/source.h>

enum { BLOCK_SIZE = 4096 };

struct block {
	uint64_t file, number;
};

struct cache {
	struct block *block; /* in order of use, the latest first */
	size_t count, capacity;
	uint64_t hits, misses;
};

static void use_block(struct cache *c, struct block b)
{
	size_t i = 0;
	while (i < c->count && (c->block[i].file != b.file || c->block[i].number != b.number))
		i++;
	c->hits += i < c->count;
	c->misses += i == c->count;
	if (i == c->count && i < c->capacity)
		c->count++;
	memmove(c->block + 1, c->block, (i < c->capacity ? i : i - 1) * sizeof(b));
	c->block[0] = b;
}

static void use_record(struct cache *c, const struct iot_record *rec)
{
	const uint64_t own = (uint64_t)rec->process << 32 | rec->file;
	uint64_t first, count;
	if (!(rec->type & IOT_LOGICAL) || iot_blocks_of(rec, BLOCK_SIZE, &first, &count) != IOT_OK)
		return;
	for (uint64_t i = 0; i < count; i++)
		use_block(c, (struct block){rec->object != 0 ? rec->object : own, first + i});
}

/* Returns IOT_OK at the end of the source. */
static int simulate(struct cache *c, struct iot_source *s, const char *const *paths, size_t count)
{
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	int status = b != NULL ? iot_source_open(s, paths, count) : IOT_ENOMEM;
	struct iot_stream *events = status == IOT_OK ? iot_source_stream(s) : NULL;
	while (events != NULL && (status = iot_stream_next(events, b)) > 0)
		for (size_t i = 0; i < b->count; i++)
			if (b->events[i].kind == IOT_RECORD)
				use_record(c, &b->events[i].rec);
	iot_stream_free(events);
	iot_batch_free(b);
	return status;
}

int main(int argc, char **argv)
{
	struct iot_source *s = iot_source_new();
	struct cache c = {.capacity = argc > 2 ? strtoul(argv[1], NULL, 10) : 0};
	c.block = calloc(c.capacity > 0 ? c.capacity : 1, sizeof(*c.block));
	if (c.capacity == 0 || s == NULL || c.block == NULL)
		return 2;
	const int status = simulate(&c, s, (const char *const *)argv + 2, (size_t)argc - 2);
	if (status != IOT_OK)
		fprintf(stderr, "%s\n", iot_source_error(s));
	printf("%ju hits, %ju misses\n", (uintmax_t)c.hits, (uintmax_t)c.misses);
	iot_source_free(s);
	free(c.block);
	return status == IOT_OK ? 0 : 1;
}
