/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which %process and %file are in force (iotrace(5), DIRECTIVES). Entries are told apart by a hash
 * with a seed of this process's own, so that a trace cannot be made to collide.
 */
#include "definitions.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "directive.h"
#include "lib/base/hash.h"

enum { SLOTS_FIRST = 16 };

void iot_names_init(struct iot_names *n, size_t limit, bool texts, bool paths)
{
	*n = (struct iot_names){.seed = iot_seed(), .limit = limit, .texts = texts, .paths = paths};
}

void iot_names_free(struct iot_names *n)
{
	for (size_t i = 0; i < n->slots; i++)
		free(n->slot[i].text);
	free(n->slot);
	*n = (struct iot_names){0};
}

bool iot_names_reserve(struct iot_names *n, size_t bytes)
{
	if (n->used > n->limit || bytes > n->limit - n->used)
		return false;
	n->used += bytes;
	return true;
}

int iot_names_grow_codec(struct iot_names *n, struct iot_codec **codec, size_t *size)
{
	if (!iot_names_reserve(n, *size))
		return IOT_ELIMIT;
	void *bigger = realloc(*codec, 2 * *size);
	if (bigger == NULL)
		return IOT_ENOMEM;
	*size *= 2;
	*codec = iot_codec_grow(bigger, *size);
	return IOT_OK;
}

static size_t home_of(const struct iot_names *n, uint32_t kind, uint32_t process, uint32_t file)
{
	const uint32_t key[3] = {kind, process, file};
	return (size_t)XXH3_64bits_withSeed(key, sizeof(key), n->seed) & (n->slots - 1);
}

static bool is_it(const struct iot_name *e, uint32_t kind, uint32_t process, uint32_t file)
{
	return e->process == process && e->file == file && e->kind == kind;
}

/* The entry, or the empty slot where it would be. There is always an empty one. */
static struct iot_name *slot_of(const struct iot_names *n, uint32_t kind, uint32_t process,
				uint32_t file)
{
	size_t i = home_of(n, kind, process, file);
	while (n->slot[i].kind != 0 && !is_it(&n->slot[i], kind, process, file))
		i = (i + 1) & (n->slots - 1);
	return &n->slot[i];
}

struct iot_name *iot_names_find(const struct iot_names *n, enum iot_name_kind kind,
				uint32_t process, uint32_t file)
{
	if (n->slots == 0)
		return NULL;
	struct iot_name *e = slot_of(n, kind, process, file);
	return e->kind != 0 ? e : NULL;
}

static int grow(struct iot_names *n)
{
	struct iot_names bigger = *n;
	bigger.slots = n->slots > 0 ? n->slots * 2 : SLOTS_FIRST;
	if (!iot_names_reserve(n, (bigger.slots - n->slots) * sizeof(*n->slot)))
		return IOT_ELIMIT;
	bigger.slot = calloc(bigger.slots, sizeof(*bigger.slot));
	if (bigger.slot == NULL)
		return IOT_ENOMEM;
	for (size_t i = 0; i < n->slots; i++) {
		const struct iot_name *e = &n->slot[i];
		if (e->kind != 0)
			*slot_of(&bigger, e->kind, e->process, e->file) = *e;
	}
	free(n->slot);
	n->slot = bigger.slot;
	n->slots = bigger.slots;
	return IOT_OK;
}

/* The entry, made anew where there is none; NULL with *status set. */
static struct iot_name *entry_for(struct iot_names *n, enum iot_name_kind kind, uint32_t process,
				  uint32_t file, int *status)
{
	if (n->count >= n->slots / 4 * 3) {
		*status = grow(n);
		if (*status != IOT_OK)
			return NULL;
	}
	struct iot_name *e = slot_of(n, kind, process, file);
	if (e->kind == 0) {
		*e = (struct iot_name){.kind = kind, .process = process, .file = file};
		n->count++;
	}
	return e;
}

static void drop_text(struct iot_names *n, struct iot_name *e)
{
	if (e->text != NULL)
		n->used -= e->size;
	free(e->text);
	e->text = NULL;
	e->size = 0;
}

/* Room for a text of so many bytes in the entry, instead of the one it has. */
static int make_room(struct iot_names *n, struct iot_name *e, size_t size)
{
	drop_text(n, e);
	if (!iot_names_reserve(n, size))
		return IOT_ELIMIT;
	e->text = malloc(size > 0 ? size : 1);
	if (e->text == NULL) {
		n->used -= size;
		return IOT_ENOMEM;
	}
	e->size = size;
	return IOT_OK;
}

/* Linear probing without tombstones: entries behind the gap move up to where they can be found. */
static void remove_entry(struct iot_names *n, struct iot_name *e)
{
	drop_text(n, e);
	size_t gap = (size_t)(e - n->slot), mask = n->slots - 1;
	for (size_t i = (gap + 1) & mask; n->slot[i].kind != 0; i = (i + 1) & mask) {
		const struct iot_name *next = &n->slot[i];
		size_t home = home_of(n, next->kind, next->process, next->file);
		if (((i - home) & mask) < ((i - gap) & mask))
			continue;
		n->slot[gap] = *next;
		gap = i;
	}
	n->slot[gap] = (struct iot_name){0};
	n->count--;
}

static bool says_the_same(const struct iot_names *n, const struct iot_name *e, struct iot_text text,
			  uint64_t hash)
{
	return e->hash == hash && e->size == text.size &&
	       (!n->texts || memcmp(e->text, text.data, text.size) == 0);
}

static int keep_text(struct iot_names *n, struct iot_name *e, struct iot_text text, uint64_t hash)
{
	if (n->texts) {
		int status = make_room(n, e, text.size);
		if (status != IOT_OK)
			return status;
		memcpy(e->text, text.data, text.size);
	}
	e->size = text.size;
	e->hash = hash;
	return IOT_OK;
}

static int keep_path(struct iot_names *n, uint32_t object, struct iot_text path)
{
	int status = IOT_OK;
	struct iot_name *e = entry_for(n, IOT_NAME_OBJECT, object, 0, &status);
	if (e == NULL)
		return status;
	uint64_t hash = XXH3_64bits_withSeed(path.data, path.size, n->seed);
	if (e->text != NULL && e->hash == hash)
		return IOT_OK;
	status = make_room(n, e, path.size);
	if (status != IOT_OK)
		return status;
	size_t size = iot_percent_decode(path, e->text, NULL);
	n->used -= path.size - size;
	e->size = size;
	e->hash = hash;
	return IOT_OK;
}

static int tell_path(struct iot_names *n, const struct iot_event *ev)
{
	if (!n->paths || ev->kind != IOT_FILE || ev->rec.object == 0)
		return IOT_OK;
	struct iot_text path = iot_directive_get(ev, "path");
	return path.data != NULL ? keep_path(n, ev->rec.object, path) : IOT_OK;
}

static enum iot_name_kind kind_of(const struct iot_event *ev)
{
	if (ev->kind == IOT_PROCESS)
		return IOT_NAME_PROCESS;
	return ev->has & IOT_HAS_DISK ? IOT_NAME_DISK : IOT_NAME_FILE;
}

static void close_file(struct iot_names *n, const struct iot_event *ev)
{
	struct iot_name *e = iot_names_find(n, IOT_NAME_FILE, ev->rec.process, ev->rec.file);
	if (e != NULL)
		remove_entry(n, e);
}

int iot_names_tell(struct iot_names *n, const struct iot_event *ev, struct iot_name **which)
{
	int status = IOT_OK;
	*which = NULL;
	if (ev->kind == IOT_OP && iot_directive_closes(ev))
		close_file(n, ev);
	if (ev->kind != IOT_PROCESS && ev->kind != IOT_FILE)
		return 0;
	/* first, for the table may move */
	status = tell_path(n, ev);
	if (status != IOT_OK)
		return status;
	struct iot_name *e = entry_for(n, kind_of(ev), ev->rec.process, ev->rec.file, &status);
	if (e == NULL)
		return status;
	*which = e;
	uint64_t hash = XXH3_64bits_withSeed(ev->text.data, ev->text.size, n->seed);
	if (e->size > 0 && says_the_same(n, e, ev->text, hash))
		return 1;
	e->object = ev->rec.object;
	e->flags = ev->kind == IOT_FILE ? iot_directive_flags(ev) : 0;
	return keep_text(n, e, ev->text, hash);
}
