/* SPDX-License-Identifier: BSD-2-Clause */
#include "dictionary.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/hash.h"

enum { ALIGNMENT = 64, TEXTS_FIRST = 64, BYTES_FIRST = 4096 };

struct dictionary_texts {
	atomic_size_t owners;
	int32_t *offset; /* count + 1 of them */
	char *data;
	size_t offsets, bytes; /* capacities */
};

static void texts_drop(struct dictionary_texts *t)
{
	if (t == NULL || atomic_fetch_sub_explicit(&t->owners, 1, memory_order_acq_rel) > 1)
		return;
	free(t->offset);
	free(t->data);
	free(t);
}

static struct dictionary_texts *texts_new(size_t offsets, size_t bytes)
{
	struct dictionary_texts *t = calloc(1, sizeof *t);
	if (t == NULL)
		return NULL;
	atomic_init(&t->owners, 1);
	t->offsets = offsets;
	t->bytes = bytes;
	t->offset = aligned_alloc(ALIGNMENT, offsets * sizeof *t->offset);
	t->data = aligned_alloc(ALIGNMENT, bytes);
	if (t->offset != NULL && t->data != NULL)
		return t;
	texts_drop(t);
	return NULL;
}

static size_t aligned(size_t size)
{
	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Moves to larger memory. The old one belongs to the arrays that share it. */
static bool grow(struct dictionary *d, size_t more)
{
	struct dictionary_texts *old = d->texts;
	const size_t used = old != NULL ? (size_t)old->offset[d->count] : 0;
	struct dictionary_texts *t =
	    texts_new(aligned(2 * d->count + TEXTS_FIRST), aligned(2 * used + more + BYTES_FIRST));
	if (t == NULL)
		return false;
	t->offset[0] = 0;
	if (old != NULL) {
		memcpy(t->offset, old->offset, (d->count + 1) * sizeof *t->offset);
		memcpy(t->data, old->data, used);
	}
	texts_drop(old);
	d->texts = t;
	return true;
}

static int append(struct dictionary *d, const char *text, size_t size)
{
	const size_t used = d->texts != NULL ? (size_t)d->texts->offset[d->count] : 0;
	if (size > INT32_MAX - used || d->count == INT32_MAX)
		return IOT_ELIMIT;
	if (d->texts == NULL || d->count + 2 > d->texts->offsets || size > d->texts->bytes - used)
		if (!grow(d, size))
			return IOT_ENOMEM;
	memcpy(d->texts->data + used, text, size);
	d->texts->offset[++d->count] = (int32_t)(used + size);
	return IOT_OK;
}

struct iot_text dictionary_text(const struct dictionary *d, size_t code)
{
	const int32_t *offset = d->texts->offset + code;
	return (struct iot_text){d->texts->data + offset[0], (size_t)(offset[1] - offset[0])};
}

static bool is_text(const struct dictionary *d, size_t code, const char *text, size_t size)
{
	const struct iot_text known = dictionary_text(d, code);
	return known.size == size && memcmp(known.data, text, size) == 0;
}

int64_t dictionary_code(struct dictionary *d, const char *text, size_t size)
{
	/* A text whose hash is another one's gets the next hash. */
	for (uint64_t seed = hash_seed();; seed++) {
		const size_t code = idmap_number(&d->ids, XXH3_64bits_withSeed(text, size, seed));
		if (code == SIZE_MAX)
			return d->ids.count < IDMAP_MAX ? IOT_ENOMEM : IOT_ELIMIT;
		if (code < d->count && !is_text(d, code, text, size))
			continue;
		const int status = code < d->count ? IOT_OK : append(d, text, size);
		return status == IOT_OK ? (int64_t)code : status;
	}
}

struct exported {
	struct dictionary_texts *texts;
	const void *buffers[3];
};

static void release(struct ArrowArray *a)
{
	struct exported *e = a->private_data;
	texts_drop(e->texts);
	free(e);
	a->release = NULL;
}

int dictionary_export(struct dictionary *d, struct ArrowArray *out)
{
	struct exported *e = d->texts != NULL || grow(d, 0) ? malloc(sizeof *e) : NULL;
	if (e == NULL)
		return IOT_ENOMEM;
	atomic_fetch_add_explicit(&d->texts->owners, 1, memory_order_relaxed);
	*e = (struct exported){d->texts, {NULL, d->texts->offset, d->texts->data}};
	*out = (struct ArrowArray){.length = (int64_t)d->count,
				   .n_buffers = 3,
				   .buffers = e->buffers,
				   .release = release,
				   .private_data = e};
	return IOT_OK;
}

void dictionary_free(struct dictionary *d)
{
	idmap_free(&d->ids);
	texts_drop(d->texts);
	*d = (struct dictionary){0};
}
