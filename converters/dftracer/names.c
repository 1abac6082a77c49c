/* SPDX-License-Identifier: BSD-2-Clause */
/* Names, numbered by themselves or by the hash that stands for them. */
#include "dftracer.h"

#include <string.h>
#include <xxhash.h>

enum { FIRST_CAPACITY = 256 };

static void set_text(struct pfw_names *n, struct pfw_name *name, struct iot_text text)
{
	if (name->text != NULL || text.size == 0)
		return;
	name->text = fdtable_grow(n->fds, NULL, 0, text.size);
	if (name->text == NULL)
		return;
	memcpy(name->text, text.data, text.size);
	name->size = text.size;
}

/* Hashes that are never defined need memory as well, which counts. */
static bool reserve(struct pfw_names *n, size_t number)
{
	const size_t capacity = n->capacity > 0 ? 2 * n->capacity : FIRST_CAPACITY;
	struct pfw_name *name = NULL;
	if (number < capacity)
		name = fdtable_grow(n->fds, n->name, n->capacity * sizeof *name,
				    capacity * sizeof *name);
	if (name == NULL) {
		n->fds->status = n->fds->status != IOT_OK ? n->fds->status : IOT_ENOMEM;
		return false;
	}
	n->name = name;
	n->capacity = capacity;
	return true;
}

size_t pfw_name_number(struct pfw_names *n, struct iot_text text, bool hash)
{
	const uint64_t key = XXH3_64bits_withSeed(text.data, text.size, n->seed + hash);
	const size_t number = idmap_number(&n->map, key);
	if (number >= n->capacity && !reserve(n, number))
		return SIZE_MAX;
	if (!hash)
		set_text(n, &n->name[number], text);
	return number;
}

void pfw_name_define(struct pfw_names *n, struct iot_text hash, struct iot_text text)
{
	const size_t number = pfw_name_number(n, hash, true);
	if (number != SIZE_MAX)
		set_text(n, &n->name[number], text);
}

struct iot_text pfw_name_text(const struct pfw_names *n, size_t number)
{
	return (struct iot_text){n->name[number].text, n->name[number].size};
}

void pfw_names_free(struct pfw_names *n)
{
	for (size_t i = 0; i < n->map.count && i < n->capacity; i++)
		fdtable_drop(n->fds, n->name[i].text, n->name[i].size);
	fdtable_drop(n->fds, n->name, n->capacity * sizeof *n->name);
	idmap_free(&n->map);
}
