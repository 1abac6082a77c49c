/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The definition table (iotrace(5), DIRECTIVES). Texts that are not kept are compared by a hash
 * whose seed differs per process, so that no trace can force collisions.
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
	ID_SIZE = sizeof(uint64_t) + 2 * sizeof(uint32_t), /* the share of the map of ids */
};

static_assert(sizeof(struct definition) <= 24, "millions of files");
static_assert(IOT_COMMENT_MAX < 1 << 24, "sizes of texts");

void definitions_init(struct definitions *all, size_t limit, bool texts, bool paths)
{
	*all = (struct definitions){
	    .seed = hash_seed(), .limit = limit, .texts = texts, .paths = paths};
}

void definitions_free(struct definitions *all)
{
	for (size_t kind = 0; kind < DEFINITION_KINDS; kind++) {
		struct definition_table *t = &all->of[kind];
		for (size_t i = 0; i < t->ids.count && all->texts; i++)
			text_pool_give(&all->pool, t->entry[i].text, t->entry[i].size);
		free(t->entry);
		idmap_free(&t->ids);
	}
	for (size_t i = 0; i < all->paths_of.ids.count; i++)
		text_pool_give(&all->pool, all->paths_of.entry[i].data,
			       all->paths_of.entry[i].size);
	free(all->paths_of.entry);
	idmap_free(&all->paths_of.ids);
	renames_free(&all->renames);
	last_names_free(&all->last);
	text_pool_free(&all->pool);
	*all = (struct definitions){0};
}

bool definitions_reserve(struct definitions *all, size_t bytes)
{
	if (all->used > all->limit || bytes > all->limit - all->used)
		return false;
	all->used += bytes;
	return true;
}

int definitions_grow_codec(struct definitions *all, struct iot_codec **codec, size_t *size)
{
	if (!definitions_reserve(all, *size))
		return IOT_ELIMIT;
	void *bigger = realloc(*codec, 2 * *size);
	if (bigger == NULL)
		return IOT_ENOMEM;
	*size *= 2;
	*codec = iot_codec_grow(bigger, *size);
	return IOT_OK;
}

struct definition *definitions_find(const struct definitions *all, enum definition_kind kind,
				    uint32_t process, uint32_t file)
{
	const struct definition_table *t = &all->of[kind];
	const size_t i = idmap_find(&t->ids, idmap_pair(process, file));
	return i != SIZE_MAX ? &t->entry[i] : NULL;
}

/* Doubles a full array of entries, which a map numbers; new ones are zeroed at their first use. */
static int grow(struct definitions *all, void *entries, size_t *capacity, size_t size)
{
	const size_t more = *capacity > 0 ? *capacity : ENTRIES_FIRST;
	if (!definitions_reserve(all, more * (size + ID_SIZE)))
		return IOT_ELIMIT;
	return array_reserve(entries, capacity, *capacity + more, size) ? IOT_OK : IOT_ENOMEM;
}

/* Returns the entry, created if missing; NULL with *status set on failure. */
static struct definition *entry_for(struct definitions *all, enum definition_kind kind,
				    uint32_t process, uint32_t file, int *status)
{
	struct definition_table *t = &all->of[kind];
	if (t->ids.count == t->capacity) {
		*status = grow(all, &t->entry, &t->capacity, sizeof *t->entry);
		if (*status != IOT_OK)
			return NULL;
	}
	const size_t known = t->ids.count, i = idmap_number(&t->ids, idmap_pair(process, file));
	if (i == SIZE_MAX) {
		*status = IOT_ENOMEM;
		return NULL;
	}
	assert(i < t->capacity);
	if (i == known)
		t->entry[i] = (struct definition){.size = 0};
	return &t->entry[i];
}

static void drop_text(struct definitions *all, struct definition *d)
{
	if (all->texts && d->text != NULL) {
		all->used -= d->size;
		text_pool_give(&all->pool, d->text, d->size);
		d->text = NULL;
	}
	d->size = 0;
}

/* Returns a copy, or NULL with *status set. */
static char *copy_text(struct definitions *all, struct iot_text text, int *status)
{
	const bool reserved = definitions_reserve(all, text.size);
	char *copy = reserved ? text_pool_get(&all->pool, text.size) : NULL;
	if (copy != NULL) {
		memcpy(copy, text.data, text.size);
		return copy;
	}
	all->used -= reserved ? text.size : 0;
	*status = reserved ? IOT_ENOMEM : IOT_ELIMIT;
	return NULL;
}

/* Replaces the text. Returns 1 if it is the same. */
static int set_text(struct definitions *all, struct definition *d, struct iot_text text)
{
	const bool same_size = d->size > 0 && d->size == text.size;
	int status = IOT_OK;
	if (all->texts) {
		if (same_size && memcmp(d->text, text.data, text.size) == 0)
			return 1;
		drop_text(all, d);
		d->text = copy_text(all, text, &status);
	} else {
		const uint64_t hash = XXH3_64bits_withSeed(text.data, text.size, all->seed);
		if (same_size && d->hash == hash)
			return 1;
		d->hash = hash;
	}
	if (status == IOT_OK)
		d->size = text.size & 0xffffff;
	return status;
}

/* Returns NULL, with *status set, on failure. */
static struct definition_name *name_for(struct definitions *all, uint32_t object, int *status)
{
	struct definition_paths *p = &all->paths_of;
	if (p->ids.count == p->capacity) {
		*status = grow(all, &p->entry, &p->capacity, sizeof *p->entry);
		if (*status != IOT_OK)
			return NULL;
	}
	const size_t known = p->ids.count, i = idmap_number(&p->ids, object);
	if (i == SIZE_MAX) {
		*status = IOT_ENOMEM;
		return NULL;
	}
	if (i == known)
		p->entry[i] = (struct definition_name){.data = NULL};
	return &p->entry[i];
}

static struct iot_text path_at(const void *paths, size_t i)
{
	const struct definition_name *name = &((const struct definition_paths *)paths)->entry[i];
	return (struct iot_text){name->data, name->size};
}

struct iot_text definitions_first_name(const struct definitions *all, uint32_t object)
{
	const size_t i = idmap_find(&all->paths_of.ids, object);
	return i != SIZE_MAX ? path_at(&all->paths_of, i) : (struct iot_text){NULL, 0};
}

struct iot_text definitions_name(struct definitions *all, uint32_t object)
{
	const struct definition_paths *p = &all->paths_of;
	const struct iot_text first = definitions_first_name(all, object);
	if (first.data == NULL || all->renames.count == 0)
		return first;
	if (!last_names_follow(&all->last, &all->renames, p->ids.count, path_at, p))
		return (struct iot_text){NULL, 0};
	const struct iot_text last =
	    last_names_path(&all->last, idmap_find(&p->ids, object), first);
	return last.data != NULL ? last : first;
}

static int keep_path(struct definitions *all, uint32_t object, struct iot_text path)
{
	int status = IOT_OK;
	struct definition_name *name = name_for(all, object, &status);
	if (name == NULL)
		return status;
	if (name->data != NULL)
		return IOT_OK;
	char *data = copy_text(all, path, &status);
	if (data == NULL)
		return status;
	const size_t size = iot_percent_decode(path, data, NULL);
	name->data = text_pool_shorten(&all->pool, data, path.size, size);
	if (name->data == NULL) {
		text_pool_give(&all->pool, data, path.size);
		all->used -= path.size;
		return IOT_ENOMEM;
	}
	all->used -= path.size - size;
	name->size = (uint32_t)size;
	return IOT_OK;
}

static int keep_rename(struct definitions *all, struct rename one)
{
	const struct iot_text from = one.from, to = one.to;
	if (!definitions_reserve(all, sizeof(struct rename) + from.size + to.size))
		return IOT_ELIMIT;
	char *decoded = malloc(from.size + to.size);
	if (decoded == NULL)
		return IOT_ENOMEM;
	const size_t size = iot_percent_decode(from, decoded, NULL);
	char *const second = decoded + from.size;
	one.from = (struct iot_text){decoded, size};
	one.to = (struct iot_text){second, iot_percent_decode(to, second, NULL)};
	one.named = all->paths_of.ids.count;
	uint64_t omitted = 0;
	const bool added = renames_add(&all->renames, one, &omitted);
	free(decoded);
	return !added ? IOT_ENOMEM : omitted > 0 ? IOT_ELIMIT : IOT_OK;
}

static int report_rename(struct definitions *all, const struct iot_event *ev)
{
	struct rename one;
	return all->paths && renames_event(ev, &one) ? keep_rename(all, one) : IOT_OK;
}

static int report_path(struct definitions *all, const struct iot_event *ev)
{
	if (!all->paths || ev->kind != IOT_FILE || ev->rec.object == 0)
		return IOT_OK;
	struct iot_text path = iot_directive_get(ev, "path");
	return path.data != NULL ? keep_path(all, ev->rec.object, path) : IOT_OK;
}

static enum definition_kind kind_of(const struct iot_event *ev)
{
	if (ev->kind == IOT_PROCESS)
		return DEFINITION_PROCESS;
	return ev->has & IOT_HAS_DISK ? DEFINITION_DISK : DEFINITION_FILE;
}

static void close_file(struct definitions *all, const struct iot_event *ev)
{
	struct definition *d =
	    definitions_find(all, DEFINITION_FILE, ev->rec.process, ev->rec.file);
	if (d == NULL)
		return;
	drop_text(all, d);
	*d = (struct definition){.size = 0};
	(void)idmap_remove(&all->of[DEFINITION_FILE].ids,
			   idmap_pair(ev->rec.process, ev->rec.file));
}

int definitions_add(struct definitions *all, const struct iot_event *ev, struct definition **which)
{
	int status = IOT_OK;
	*which = NULL;
	if (ev->kind == IOT_OP && directive_closes(ev))
		close_file(all, ev);
	if (ev->kind == IOT_OP)
		return report_rename(all, ev);
	if (ev->kind != IOT_PROCESS && ev->kind != IOT_FILE)
		return 0;
	/* first, because the table may move */
	status = report_path(all, ev);
	if (status != IOT_OK)
		return status;
	struct definition *d = entry_for(all, kind_of(ev), ev->rec.process, ev->rec.file, &status);
	if (d == NULL)
		return status;
	*which = d;
	status = set_text(all, d, ev->text);
	if (status != IOT_OK)
		return status;
	d->object = ev->rec.object;
	d->flags = (ev->kind == IOT_FILE ? directive_flags(ev) : 0) & 0xff;
	return IOT_OK;
}
