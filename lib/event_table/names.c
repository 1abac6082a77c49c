/* SPDX-License-Identifier: BSD-2-Clause */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/hash.h"

void names_init(struct names *n, names_encode *encode)
{
	*n = (struct names){.encode = encode, .version = 1};
}

void names_free(struct names *n)
{
	for (size_t i = 0; i < NAMES_SLOTS; i++) {
		free(n->path[i].memory);
		free(n->process[i].memory);
	}
	free(n->memory);
	current_free(&n->current);
}

static struct path_slot *path_slot(struct names *n, uint32_t process, uint32_t file)
{
	const uint64_t hash = hash_mix(0x9e3779b97f4a7c15U, idmap_pair(process, file));
	return &n->path[hash >> (64 - NAMES_SLOT_BITS)];
}

void names_event(struct names *n, const struct iot_event *ev)
{
	if (ev->kind == IOT_TRACE)
		(void)iot_directive_lacks(ev, &n->lacks);
	if (ev->kind != IOT_FILE && ev->kind != IOT_OP && ev->kind != IOT_PROCESS)
		return;
	n->failed |= !current_add(&n->current, ev);
	if (ev->kind == IOT_PROCESS) {
		n->process[ev->rec.process % NAMES_SLOTS].valid = false;
		return;
	}
	path_slot(n, ev->rec.process, ev->rec.file)->version = 0;
	n->version++;
}

static size_t encoded(struct names *n, char *out, const char *text, size_t size)
{
	if (n->encode != NULL)
		return n->encode(out, text, size);
	memcpy(out, text, size);
	return size;
}

static size_t encoded_max(size_t size)
{
	return 3 * size + 2 > NAMES_CAPACITY ? 3 * size + 2 : NAMES_CAPACITY;
}

const char *names_decode(struct names *n, struct iot_text value, size_t *size)
{
	if (value.data == NULL)
		return NULL;
	if (!array_reserve(&n->memory, &n->capacity, value.size + 1, 1)) {
		n->failed = true;
		return NULL;
	}
	*size = iot_percent_decode(value, n->memory, NULL);
	return n->memory;
}

/* The path of the %file, decoded, or else of the object. */
static const char *find_path(struct names *n, struct path_slot *p, const struct iot_record *rec,
			     size_t *size)
{
	const struct iot_text path = current_key(current_file(&n->current, rec), "path");
	p->own = path.data != NULL || rec->object == 0;
	if (path.data != NULL)
		return names_decode(n, path, size);
	if (p->own)
		return NULL;
	const struct current_text *object = current_object(&n->current, rec->object);
	*size = object != NULL ? object->size : 0;
	return object != NULL ? object->text : NULL;
}

static void look_up_path(struct names *n, struct path_slot *p, const struct iot_record *rec)
{
	size_t size;
	const char *path = find_path(n, p, rec, &size);
	p->process = rec->process;
	p->file = rec->file;
	p->logical = (rec->type & IOT_LOGICAL) != 0;
	p->version = n->version;
	p->name = (struct name){.lookup = ++n->lookups};
	if (path == NULL)
		return;
	if (!array_reserve(&p->memory, &p->capacity, encoded_max(size), 1)) {
		n->failed = true;
		return;
	}
	p->name.text = p->memory;
	p->name.size = encoded(n, p->memory, path, size);
}

static bool is_of(const struct names *n, const struct path_slot *p, const struct iot_record *rec)
{
	return p->version > 0 && (p->own || p->version == n->version) && p->file == rec->file &&
	       p->process == rec->process && p->logical == ((rec->type & IOT_LOGICAL) != 0);
}

struct name *names_path(struct names *n, const struct iot_record *rec)
{
	struct path_slot *p = path_slot(n, rec->process, rec->file);
	if (!is_of(n, p, rec))
		look_up_path(n, p, rec);
	return &p->name;
}

static void look_up_process(struct names *n, struct process_slot *p, uint32_t process)
{
	static const char *const keys[] = {
	    [PROCESS_RANK] = "rank", [PROCESS_HOST] = "host", [PROCESS_PROGRAM] = "name"};
	const struct current_text *d = current_process(&n->current, process);
	size_t used = 0;
	p->process = process;
	p->valid = true;
	for (size_t i = 0; i < PROCESS_KEYS; i++)
		p->name[i] = (struct name){.lookup = ++n->lookups};
	if (d == NULL)
		return;
	if (!array_reserve(&p->memory, &p->capacity,
			   PROCESS_KEYS * NAMES_CAPACITY + encoded_max(d->size), 1)) {
		n->failed = true;
		return;
	}
	for (size_t i = 0; i < PROCESS_KEYS; i++) {
		size_t size;
		const struct iot_text value = current_key(d, keys[i]);
		const char *text = names_decode(n, value, &size);
		if (text == NULL)
			continue;
		p->name[i].text = p->memory + used;
		p->name[i].size = encoded(n, p->memory + used, text, size);
		used += p->name[i].size;
	}
}

struct name *names_process(struct names *n, uint32_t process, enum process_key key)
{
	struct process_slot *p = &n->process[process % NAMES_SLOTS];
	if (!p->valid || p->process != process)
		look_up_process(n, p, process);
	return &p->name[key];
}

struct name *names_value(struct names *n, const struct iot_event *ev, const char *key)
{
	const struct iot_text value = iot_directive_get(ev, key);
	struct name *name = &n->value;
	const size_t max = encoded_max(value.size);
	*name = (struct name){.lookup = ++n->lookups};
	if (value.data == NULL)
		return name;
	if (!array_reserve(&n->memory, &n->capacity, value.size + 1 + max, 1)) {
		n->failed = true;
		return name;
	}
	const size_t size = iot_percent_decode(value, n->memory, NULL);
	name->text = n->memory + value.size + 1;
	name->size = encoded(n, name->text, n->memory, size);
	return name;
}

uint32_t names_object_of_file(const struct names *n, const struct iot_record *rec)
{
	const struct current_text *file = current_file(&n->current, rec);
	return file != NULL ? file->object : 0;
}
