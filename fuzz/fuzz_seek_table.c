/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hostile seek table of a .zst trace changes no result. The ranges of all parts adjoin. Parts and
 * seeks deliver the same records as without a table. If only the table is changed, they fail only
 * if reading from the beginning fails as well.
 *
 * An input: the number of parts, the number of edits, EDITS edits of four bytes, two places to seek
 * to, and a trace for made_trace.
 */
#include "kept.h"
#include "made.h"

enum { EDITS = 4, SEEKS = 2, HEADER = 8, ENTRY = 8, FOOTER = 9 };

struct table {
	uint8_t *data; /* the trace, with its table at the end */
	size_t size;
	size_t entries; /* position of the first entry */
	size_t frames;
};

static uint32_t get(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* Returns false if the trace has no table, which one with few frames has not. */
static bool find_table(struct table *t)
{
	if (t->size < HEADER + FOOTER || get(t->data + t->size - 4) != 0x8F92EAB1)
		return false;
	t->frames = get(t->data + t->size - FOOTER);
	t->entries = t->size - FOOTER - t->frames * ENTRY;
	return true;
}

/* Removes an entry; the sizes still add up, but the table ends the file earlier. */
static void drop(struct table *t, size_t i)
{
	uint8_t *entry = t->data + t->entries + i * ENTRY;
	if (t->frames < 3 || i + 1 >= t->frames)
		return;
	put(entry + ENTRY, get(entry) + get(entry + ENTRY));
	memmove(entry, entry + ENTRY, (size_t)(t->data + t->size - entry - ENTRY));
	t->size -= ENTRY;
	t->frames--;
	put(t->data + t->size - FOOTER, (uint32_t)t->frames);
	put(t->data + t->entries - 4, (uint32_t)(t->frames * ENTRY + FOOTER));
}

static void edit(struct table *t, struct fuzz_input *in)
{
	static const uint32_t sizes[] = {0, 1, UINT32_MAX, UINT32_MAX - 1, 1U << 31, 9, 17, 256};
	const unsigned how = (unsigned)fuzz_take(in, 1);
	const size_t place = (size_t)fuzz_take(in, 2), i = place % t->frames;
	const uint32_t value = (uint32_t)fuzz_take(in, 1);
	uint8_t *entry = t->data + t->entries + i * ENTRY;
	const bool is_last = i + 1 == t->frames;
	if (how % 8 == 0) {
		put(entry, sizes[value % 8]);
	} else if (how % 8 == 1 && !is_last) { /* a boundary moves */
		put(entry, get(entry) + value);
		put(entry + ENTRY, get(entry + ENTRY) - value);
	} else if (how % 8 == 2 && !is_last) { /* a frame without bytes */
		put(entry + ENTRY, get(entry) + get(entry + ENTRY));
		put(entry, 0);
	} else if (how % 8 == 3) {
		put(t->data + t->size - FOOTER, (uint32_t)t->frames + value - 128);
	} else if (how % 8 == 4) {
		put(t->data + t->size - FOOTER, sizes[value % 8] >> 3);
	} else if (how % 8 == 5) {
		t->data[t->size - 5] ^= (uint8_t)value; /* checksums, reserved bits */
	} else if (how % 8 == 6) {
		drop(t, i);
	} else {
		t->data[t->entries - HEADER + place % (HEADER + t->frames * ENTRY + FOOTER)] ^=
		    (uint8_t)value;
	}
}

static struct iot_reader *open_trace(const struct table *t)
{
	struct iot_reader *r = iot_reader_new();
	FUZZ_CHECK(r != NULL && iot_reader_set(r, IOT_SET_READ_SIZE, 300) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_MEMORY, 16 << 20) == IOT_OK);
	FUZZ_CHECK(iot_reader_open_memory(r, t->data, t->size, "fuzz") == IOT_OK);
	return r;
}

/* CPU clocks restart at a %sync. */
static bool same_but_cpu(const struct iot_record *a, const struct iot_record *b)
{
	struct iot_record c = *b;
	c.cpu_ns = a->cpu_ns;
	return fuzz_same(a, &c);
}

/* Compares the records that r delivers with all records from *at on. */
static void compare(struct iot_reader *r, const struct kept *all, size_t *at)
{
	struct kept found = {0};
	const struct iot_record *rec;
	drain(r, &found);
	for (size_t i = 0; (rec = kept_record(&found, &i)) != NULL;) {
		const struct iot_record *expected = kept_record(all, at);
		FUZZ_CHECK(expected != NULL && same_but_cpu(expected, rec));
	}
	FUZZ_CHECK(found.status == 0 || all->status != 0);
	kept_free(&found);
}

static void check_parts(const struct table *t, const struct kept *all, uint64_t n)
{
	uint64_t from = 0;
	size_t at = 0;
	for (uint64_t k = 1; k <= n; k++) {
		struct iot_reader *r = open_trace(t);
		struct iot_part part;
		FUZZ_CHECK(iot_reader_part(r, k, n, &part) == IOT_OK);
		FUZZ_CHECK(part.from == from && part.to >= from && part.stored == t->size);
		from = part.to;
		compare(r, all, &at);
		iot_reader_free(r);
	}
	FUZZ_CHECK(from == t->size && kept_record(all, &at) == NULL);
}

static void check_seek(const struct table *t, const struct kept *all, uint64_t record)
{
	struct iot_reader *r = open_trace(t);
	size_t at = 0;
	const int status = iot_reader_seek(r, IOT_SEEK_RECORD, record);
	while (record > 0 && kept_record(all, &at) != NULL)
		record--;
	/* a table that has ceased to be a frame is damage after the last record */
	FUZZ_CHECK(status == IOT_OK || (all->status != 0 && record > 0));
	if (status == IOT_OK)
		compare(r, all, &at);
	FUZZ_CHECK(kept_record(all, &at) == NULL);
	iot_reader_free(r);
}

/* The trace of the input, compressed with zstd. */
static struct iot_writer *packed_trace(const struct fuzz_input *in)
{
	uint8_t *copy = fuzz_memory(NULL, in->size + 1);
	struct fuzz_input changed = {copy, in->size};
	if (in->size > 0)
		memcpy(copy, in->data, in->size);
	copy[0] = (uint8_t)((copy[0] & 0xfc) | IOT_ZSTD);
	struct iot_writer *w = made_trace(&changed, true);
	free(copy);
	return w;
}

/* all: the unchanged trace. */
static void check(const struct table *t, struct kept all, uint64_t parts, struct fuzz_input *seeks)
{
	struct kept changed = kept_of(t->data, t->size);
	FUZZ_CHECK(all.status == 0);
	all.status = changed.status;
	if (!kept_is_full(&all)) {
		check_parts(t, &all, parts);
		for (unsigned i = 0; i < SEEKS; i++)
			check_seek(t, &all, fuzz_take(seeks, 2) % 500);
	}
	kept_free(&all);
	kept_free(&changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	const uint64_t parts = fuzz_take(&in, 1) % 12 + 1, edits = fuzz_take(&in, 1) % (EDITS + 1);
	struct fuzz_input edited = in;
	struct table t = {.data = NULL};
	(void)fuzz_take(&in, 4 * EDITS);
	struct fuzz_input seeks = in;
	(void)fuzz_take(&in, 2 * SEEKS);
	if (in.size == 0)
		return 0;
	struct iot_writer *w = packed_trace(&in);
	const void *trace = iot_writer_memory(w, &t.size);
	t.data = fuzz_memory(NULL, t.size);
	memcpy(t.data, trace, t.size);
	const size_t original = t.size;
	if (find_table(&t)) {
		for (uint64_t i = 0; i < edits && t.frames > 0; i++)
			edit(&t, &edited);
		check(&t, kept_of(trace, original), parts, &seeks);
	}
	free(t.data);
	iot_writer_free(w);
	return 0;
}
