/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that a reader delivers, with copies of their texts, for comparison. */
#ifndef FUZZ_KEPT_H
#define FUZZ_KEPT_H

#include "fuzz.h"

enum { KEPT_EVENTS_MAX = 20000, KEPT_TEXT_MAX = 4 << 20, KEPT_BATCH = 9 };

struct kept {
	struct iot_event *ev;
	size_t count, capacity;
	char *text; /* all texts, concatenated */
	size_t used, text_capacity;
	ssize_t status; /* final status of the reader */
};

static inline void keep(struct kept *k, const struct iot_event *ev)
{
	if (k->count == k->capacity) {
		k->capacity = 2 * k->capacity + 64;
		k->ev = fuzz_memory(k->ev, k->capacity * sizeof(*k->ev));
	}
	k->ev[k->count++] = *ev;
	if (ev->text.size > k->text_capacity - k->used) {
		k->text_capacity = 2 * k->text_capacity + ev->text.size + 256;
		k->text = fuzz_memory(k->text, k->text_capacity);
	}
	if (ev->text.size > 0)
		memcpy(k->text + k->used, ev->text.data, ev->text.size);
	k->used += ev->text.size;
}

static inline void kept_find_texts(struct kept *k)
{
	const char *at = k->text;
	for (size_t i = 0; i < k->count; i++) {
		k->ev[i].text.data = at;
		at = k->ev[i].text.size > 0 ? at + k->ev[i].text.size : at;
	}
}

static inline void kept_free(struct kept *k)
{
	free(k->ev);
	free(k->text);
}

static inline bool kept_is_full(const struct kept *k)
{
	return k->count >= KEPT_EVENTS_MAX || k->used >= KEPT_TEXT_MAX;
}

static inline void drain(struct iot_reader *r, struct kept *k)
{
	struct iot_event ev[KEPT_BATCH];
	ssize_t n = 0;
	while (!kept_is_full(k) && (n = iot_reader_events(r, ev, KEPT_BATCH)) > 0) {
		FUZZ_CHECK(n <= KEPT_BATCH);
		for (ssize_t i = 0; i < n; i++)
			keep(k, &ev[i]);
	}
	kept_find_texts(k);
	k->status = n;
	FUZZ_CHECK(n >= 0 || iot_reader_error(r)[0] != '\0');
	if (n < 0)
		FUZZ_CHECK(iot_reader_events(r, ev, KEPT_BATCH) == n); /* the first error is kept */
}

/* All events of a trace in memory; if verified, as the commands that write a trace read them. */
static inline struct kept kept_read(const void *data, size_t size, bool verified)
{
	struct kept k = {0};
	struct iot_reader *r = iot_reader_new();
	FUZZ_CHECK(r != NULL && iot_reader_set(r, IOT_SET_LIMIT_MEMORY, 16 << 20) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_VERIFIED, verified) == IOT_OK);
	k.status = iot_reader_open_memory(r, data, size, "fuzz");
	if (k.status == IOT_OK)
		drain(r, &k);
	iot_reader_free(r);
	return k;
}

static inline struct kept kept_of(const void *data, size_t size)
{
	return kept_read(data, size, false);
}

static inline bool kept_same(const struct iot_event *a, const struct iot_event *b)
{
	return a->kind == b->kind && a->has == b->has && a->text.size == b->text.size &&
	       (a->text.size == 0 || memcmp(a->text.data, b->text.data, a->text.size) == 0) &&
	       fuzz_same(&a->rec, &b->rec);
}

/* Returns the next record from *i on, or NULL if there is none. */
static inline const struct iot_record *kept_record(const struct kept *k, size_t *i)
{
	while (*i < k->count && k->ev[*i].kind != IOT_RECORD)
		++*i;
	return *i < k->count ? &k->ev[(*i)++].rec : NULL;
}

static inline size_t kept_records(const struct kept *k)
{
	size_t n = 0;
	for (size_t i = 0; i < k->count; i++)
		n += k->ev[i].kind == IOT_RECORD;
	return n;
}

#endif
