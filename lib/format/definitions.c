/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The definition table (iotrace(5), DIRECTIVES). Texts are compared by a hash whose seed differs
 * per process, so that no trace can force collisions.
 */
#include "definitions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "directive.h"
#include "lib/base/array.h"
#include "lib/base/hash.h"

enum {
	ENTRIES_FIRST = 16,
	/* with its share of the map of ids */
	ENTRY_SIZE = sizeof(struct definition) + sizeof(uint64_t) + 2 * sizeof(uint32_t),
};

void definitions_init(struct definitions *n, size_t limit, bool texts, bool paths)
{
	*n = (struct definitions){
	    .seed = hash_seed(), .limit = limit, .texts = texts, .paths = paths};
}

void definitions_free(struct definitions *n)
{
	for (size_t kind = 0; kind < DEFINITION_KINDS; kind++) {
		struct definition_table *t = &n->of[kind];
		for (size_t i = 0; i < t->capacity; i++)
			free(t->entry[i].text);
		free(t->entry);
		idmap_free(&t->ids);
	}
	*n = (struct definitions){0};
}

bool definitions_reserve(struct definitions *n, size_t bytes)
{
	if (n->used > n->limit || bytes > n->limit - n->used)
		return false;
	n->used += bytes;
	return true;
}

int definitions_grow_codec(struct definitions *n, struct iot_codec **codec, size_t *size)
{
	if (!definitions_reserve(n, *size))
		return IOT_ELIMIT;
	void *bigger = realloc(*codec, 2 * *size);
	if (bigger == NULL)
		return IOT_ENOMEM;
	*size *= 2;
	*codec = iot_codec_grow(bigger, *size);
	return IOT_OK;
}

struct definition *definitions_find(const struct definitions *n, enum definition_kind kind,
				    uint32_t process, uint32_t file)
{
	const struct definition_table *t = &n->of[kind];
	const size_t i = idmap_find(&t->ids, idmap_pair(process, file));
	return i != SIZE_MAX ? &t->entry[i] : NULL;
}

static int grow(struct definitions *n, struct definition_table *t)
{
	const size_t more = t->capacity > 0 ? t->capacity : ENTRIES_FIRST;
	if (!definitions_reserve(n, more * ENTRY_SIZE))
		return IOT_ELIMIT;
	return array_reserve_index(&t->entry, &t->capacity, t->capacity + more - 1,
				   sizeof(*t->entry))
		   ? IOT_OK
		   : IOT_ENOMEM;
}

/* Returns the entry, created if missing; NULL with *status set on failure. */
static struct definition *entry_for(struct definitions *n, enum definition_kind kind,
				    uint32_t process, uint32_t file, int *status)
{
	struct definition_table *t = &n->of[kind];
	if (t->ids.count == t->capacity) {
		*status = grow(n, t);
		if (*status != IOT_OK)
			return NULL;
	}
	const size_t i = idmap_number(&t->ids, idmap_pair(process, file));
	if (i == SIZE_MAX) {
		*status = IOT_ENOMEM;
		return NULL;
	}
	assert(i < t->capacity);
	struct definition *e = &t->entry[i];
	if (e->kind == 0)
		*e = (struct definition){.kind = kind, .process = process, .file = file};
	return e;
}

static void drop_text(struct definitions *n, struct definition *e)
{
	if (e->text != NULL)
		n->used -= e->size;
	free(e->text);
	e->text = NULL;
	e->size = 0;
}

/* Replaces the text of the entry by an uninitialized buffer of `size` bytes. */
static int reserve_capacity(struct definitions *n, struct definition *e, size_t size)
{
	drop_text(n, e);
	if (!definitions_reserve(n, size))
		return IOT_ELIMIT;
	e->text = malloc(size > 0 ? size : 1);
	if (e->text == NULL) {
		n->used -= size;
		return IOT_ENOMEM;
	}
	e->size = size;
	return IOT_OK;
}

static void remove_entry(struct definitions *n, struct definition *e)
{
	drop_text(n, e);
	(void)idmap_remove(&n->of[e->kind].ids, idmap_pair(e->process, e->file));
	*e = (struct definition){0};
}

static bool says_the_same(const struct definitions *n, const struct definition *e,
			  struct iot_text text, uint64_t hash)
{
	return e->hash == hash && e->size == text.size &&
	       (!n->texts || memcmp(e->text, text.data, text.size) == 0);
}

static int keep_text(struct definitions *n, struct definition *e, struct iot_text text,
		     uint64_t hash)
{
	if (n->texts) {
		int status = reserve_capacity(n, e, text.size);
		if (status != IOT_OK)
			return status;
		memcpy(e->text, text.data, text.size);
	}
	e->size = text.size;
	e->hash = hash;
	return IOT_OK;
}

static int keep_path(struct definitions *n, uint32_t object, struct iot_text path)
{
	int status = IOT_OK;
	struct definition *e = entry_for(n, DEFINITION_OBJECT, object, 0, &status);
	if (e == NULL)
		return status;
	uint64_t hash = XXH3_64bits_withSeed(path.data, path.size, n->seed);
	if (e->text != NULL && e->hash == hash)
		return IOT_OK;
	status = reserve_capacity(n, e, path.size);
	if (status != IOT_OK)
		return status;
	size_t size = iot_percent_decode(path, e->text, NULL);
	n->used -= path.size - size;
	e->size = size;
	e->hash = hash;
	return IOT_OK;
}

static int report_path(struct definitions *n, const struct iot_event *ev)
{
	if (!n->paths || ev->kind != IOT_FILE || ev->rec.object == 0)
		return IOT_OK;
	struct iot_text path = iot_directive_get(ev, "path");
	return path.data != NULL ? keep_path(n, ev->rec.object, path) : IOT_OK;
}

static enum definition_kind kind_of(const struct iot_event *ev)
{
	if (ev->kind == IOT_PROCESS)
		return DEFINITION_PROCESS;
	return ev->has & IOT_HAS_DISK ? DEFINITION_DISK : DEFINITION_FILE;
}

static void close_file(struct definitions *n, const struct iot_event *ev)
{
	struct definition *e = definitions_find(n, DEFINITION_FILE, ev->rec.process, ev->rec.file);
	if (e != NULL)
		remove_entry(n, e);
}

int definitions_add(struct definitions *n, const struct iot_event *ev, struct definition **which)
{
	int status = IOT_OK;
	*which = NULL;
	if (ev->kind == IOT_OP && directive_closes(ev))
		close_file(n, ev);
	if (ev->kind != IOT_PROCESS && ev->kind != IOT_FILE)
		return 0;
	/* first, because the table may move */
	status = report_path(n, ev);
	if (status != IOT_OK)
		return status;
	struct definition *e = entry_for(n, kind_of(ev), ev->rec.process, ev->rec.file, &status);
	if (e == NULL)
		return status;
	*which = e;
	uint64_t hash = XXH3_64bits_withSeed(ev->text.data, ev->text.size, n->seed);
	if (e->size > 0 && says_the_same(n, e, ev->text, hash))
		return 1;
	e->object = ev->rec.object;
	e->flags = ev->kind == IOT_FILE ? directive_flags(ev) : 0;
	return keep_text(n, e, ev->text, hash);
}
