/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assigns the numbers of the trace: a process is a rank, an object is a Darshan record id, a file
 * is a record of one rank and layer. Ids come from input, so the hash is seeded at random per
 * process.
 */
#include "darshan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <xxhash.h>

#include "lib/base/array.h"
#include "lib/base/hash.h"

enum {
	NAMES_MAX = 16 << 20,
	SLOTS_FIRST = 256,
	OLD_NAME_HEAD = 12,
	NAME_HEAD = 8,
};

#define NAME_BYTES_MAX ((size_t)1 << 30)
/* Threads have the highest process ids, so that they never collide with a rank of any log. */
#define THREADS_MAX   (UINT32_C(1) << 20)
#define THREADS_FIRST (UINT32_MAX - THREADS_MAX + 1)

/* Tables */

static struct darshan_slot *look(const struct darshan_table *t, uint64_t a, uint64_t b)
{
	const uint64_t key[2] = {a, b};
	size_t i = (size_t)XXH3_64bits_withSeed(key, sizeof key, t->seed) & (t->slots - 1);
	while (t->slot[i].value != 0 && (t->slot[i].a != a || t->slot[i].b != b))
		i = (i + 1) & (t->slots - 1);
	return &t->slot[i];
}

static bool grow_table(struct darshan_table *t)
{
	struct darshan_table now = {.slots = t->slots == 0 ? SLOTS_FIRST : 2 * t->slots,
				    .seed = t->slots == 0 ? hash_seed() : t->seed};
	now.slot = calloc(now.slots, sizeof *now.slot);
	if (now.slot == NULL)
		return false;
	for (size_t i = 0; i < t->slots; i++) {
		const struct darshan_slot *was = &t->slot[i];
		if (was->value == 0)
			continue;
		*look(&now, was->a, was->b) = *was;
		now.count++;
	}
	free(t->slot);
	*t = now;
	return true;
}

uint32_t *darshan_slot(struct darshan_table *t, uint64_t a, uint64_t b)
{
	if (t->count >= NAMES_MAX || (2 * t->count >= t->slots && !grow_table(t)))
		return NULL;
	struct darshan_slot *slot = look(t, a, b);
	if (slot->value == 0) {
		slot->a = a;
		slot->b = b;
		t->count++; /* the caller sets the value */
	}
	return &slot->value;
}

uint32_t darshan_find(const struct darshan_table *t, uint64_t a, uint64_t b)
{
	return t->slots == 0 ? 0 : look(t, a, b)->value;
}

void darshan_table_free(struct darshan_table *t)
{
	free(t->slot);
	*t = (struct darshan_table){.slot = NULL};
}

/* Names */

static bool keep_text(struct darshan *d, const char *text, size_t size)
{
	if (size > NAME_BYTES_MAX - d->name_used ||
	    !array_reserve(&d->name_text, &d->name_text_capacity, d->name_used + size, 1))
		return false;
	if (size > 0)
		memcpy(d->name_text + d->name_used, text, size);
	d->name_used += size;
	return true;
}

/* If an id has several names, the first non-empty one is used. */
bool darshan_name_add(struct darshan *d, uint64_t id, const char *text, size_t size)
{
	uint32_t *at = darshan_slot(&d->name_ids, id, 0);
	if (at != NULL && *at != 0 && (d->name[*at - 1].size > 0 || size == 0))
		return true;
	bool ok =
	    at != NULL && array_reserve(&d->name, &d->name_capacity, d->names + 1, sizeof *d->name);
	if (!ok || !keep_text(d, text, size)) {
		darshan_no_memory(d);
		return false;
	}
	if (*at == 0)
		*at = (uint32_t)++d->names;
	d->name[*at - 1] =
	    (struct darshan_name){.id = id, .text = d->name_used - size, .size = size};
	return true;
}

struct iot_text darshan_name(const struct darshan *d, uint64_t id)
{
	uint32_t at = darshan_find(&d->name_ids, id, 0);
	if (at == 0 || d->name[at - 1].size == 0)
		return (struct iot_text){NULL, 0};
	return (struct iot_text){d->name_text + d->name[at - 1].text, d->name[at - 1].size};
}

/* Format: u64 id, u32 length, text. */
static int take_old_name(struct darshan *d)
{
	size_t have;
	const unsigned char *p = darshan_ahead(&d->region, OLD_NAME_HEAD, &have);
	if (have == 0)
		return 0;
	uint32_t size = have < OLD_NAME_HEAD ? 0 : darshan_u32(p + 8, d->log.swap);
	if (have < OLD_NAME_HEAD || size > DARSHAN_NAME_MAX) {
		darshan_damage(d, IOT_EFORMAT,
			       have < OLD_NAME_HEAD ? "ends inside a name" : "a name is too long");
		return 0;
	}
	p = darshan_ahead(&d->region, OLD_NAME_HEAD + size, &have);
	if (have < OLD_NAME_HEAD + size) {
		darshan_damage(d, IOT_EFORMAT, "ends inside a name");
		return 0;
	}
	if (!darshan_name_add(d, darshan_u64(p, d->log.swap), (const char *)p + OLD_NAME_HEAD,
			      strnlen((const char *)p + OLD_NAME_HEAD, size)))
		return -1;
	darshan_consume(&d->region, OLD_NAME_HEAD + size);
	return 1;
}

/* Format: u64 id, text, NUL. */
static int take_new_name(struct darshan *d)
{
	size_t have, want = NAME_HEAD + 1, seen = NAME_HEAD;
	const unsigned char *p, *nul = NULL;
	do {
		p = darshan_ahead(&d->region, want, &have);
		if (have >= want)
			nul = memchr(p + seen, '\0', have - seen);
		seen = have;
		want = have + 1;
	} while (nul == NULL && !d->region.ended && have <= NAME_HEAD + DARSHAN_NAME_MAX);
	if (have == 0)
		return 0;
	size_t size = nul != NULL ? (size_t)(nul - p) - NAME_HEAD : DARSHAN_NAME_MAX + 1;
	if (size > DARSHAN_NAME_MAX) {
		darshan_damage(d, IOT_EFORMAT,
			       have <= NAME_HEAD + DARSHAN_NAME_MAX ? "ends inside a name"
								    : "a name is too long");
		return 0;
	}
	if (!darshan_name_add(d, darshan_u64(p, d->log.swap), (const char *)p + NAME_HEAD, size))
		return -1;
	darshan_consume(&d->region, NAME_HEAD + size + 1);
	return 1;
}

int darshan_ids_step(struct darshan *d)
{
	return d->log.minor == 0 ? take_old_name(d) : take_new_name(d);
}

/* Objects, files, processes */

uint32_t darshan_object(struct darshan *d, uint64_t id)
{
	uint32_t *at = darshan_slot(&d->objects, id, 0);
	if (at == NULL) {
		darshan_no_memory(d);
		return 0;
	}
	if (*at == 0)
		*at = ++d->object_count;
	return *at;
}

uint32_t darshan_process(struct darshan *d, int64_t rank)
{
	uint64_t id = d->process_base + (uint64_t)rank + 1;
	uint32_t *at = darshan_slot(&d->process_ids, id, 0);
	if (id >= THREADS_FIRST) {
		d->status =
		    error_set(&d->src->error, IOT_ELIMIT,
			      "rank %" PRId64 " of log %zu: the ranks of all logs need more "
			      "than %" PRIu32 " numbers",
			      rank, d->member + 1, THREADS_FIRST - 1);
		return 0;
	}
	bool ok = at != NULL && (*at != 0 || array_reserve(&d->process, &d->process_capacity,
							   d->processes + 1, sizeof *d->process));
	if (!ok) {
		darshan_no_memory(d);
		return 0;
	}
	if (*at == 0) {
		d->process[d->processes++] =
		    (struct darshan_process){.rank = rank, .reported_ns = INT64_MAX};
		*at = (uint32_t)d->processes;
	}
	return (uint32_t)id;
}

uint32_t darshan_file(struct darshan *d, unsigned layer, int64_t rank, uint64_t id)
{
	uint64_t process = rank < 0 ? 0 : d->process_base + (uint64_t)rank + 1;
	uint32_t *at = darshan_slot(&d->file_ids, id, process << 2 | layer);
	if (at != NULL && *at != 0)
		return *at;
	bool ok =
	    at != NULL && array_reserve(&d->file, &d->file_capacity, d->files + 1, sizeof *d->file);
	uint32_t object = ok ? darshan_object(d, id) : 0;
	if (object == 0) {
		darshan_no_memory(d);
		return 0;
	}
	d->file[d->files++] = (struct darshan_file){
	    .id = id, .rank = rank, .process = (uint32_t)process, .object = object, .layer = layer};
	*at = (uint32_t)d->files;
	return *at;
}

/* Threads beyond THREADS_MAX are counted as their rank's process. */
uint32_t darshan_thread(struct darshan *d, uint32_t process, uint64_t thread)
{
	uint32_t known = darshan_find(&d->thread_ids, thread, process);
	if (known != 0)
		return known;
	uint32_t *at =
	    d->thread_count < THREADS_MAX ? darshan_slot(&d->thread_ids, thread, process) : NULL;
	if (at == NULL) {
		darshan_count(d, "threads.too_many", 1);
		return process;
	}
	*at = THREADS_FIRST + d->thread_count++;
	return *at;
}

void darshan_ids_free(struct darshan *d)
{
	struct darshan_table *const tables[] = {&d->name_ids,    &d->file_ids,     &d->process_ids,
						&d->thread_ids,  &d->thread_files, &d->objects,
						&d->declared.ids};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		darshan_table_free(tables[i]);
	free(d->name);
	free(d->name_text);
	free(d->file);
	free(d->declared.declared);
	free(d->process);
}
