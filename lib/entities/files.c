/* SPDX-License-Identifier: BSD-2-Clause */
#include "files.h"

#include <stdlib.h>

#include "lib/base/array.h"

/* Returns its number + 1; 0 if out of memory. */
static uint32_t new_file(struct files *f, struct file_key key)
{
	if (!array_reserve_index(&f->keys, &f->key_capacity, f->count, sizeof *f->keys))
		return 0;
	f->keys[f->count] = key;
	return ++f->count;
}

/* The finalizer of SplitMix64. */
static uint64_t sample_hash(uint64_t v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9U;
	v = (v ^ v >> 27) * 0x94d049bb133111ebU;
	return v ^ v >> 31;
}

unsigned file_key_level(const struct file_key *key)
{
	const uint64_t id =
	    key->object != 0 ? key->object : sample_hash(idmap_pair(key->process, key->file));
	const uint64_t hash = sample_hash(id + 0x9e3779b97f4a7c15U);
	return hash != 0 ? (unsigned)__builtin_clzll(hash) : 64;
}

static bool is_omitted(const struct files *f, const struct file_key *key)
{
	return f->sample_bits > 0 && !f->keeps_all && file_key_level(key) < f->sample_bits;
}

bool files_omit_object(const struct files *f, uint32_t object)
{
	return object != 0 && is_omitted(f, &(struct file_key){.object = object});
}

uint32_t files_number_other(struct files *f)
{
	if (f->other == 0)
		f->other = new_file(f, (struct file_key){.omitted = true});
	return f->other;
}

uint32_t files_number_object(struct files *f, uint32_t object)
{
	const struct file_key key = {.object = object};
	if (is_omitted(f, &key))
		return files_number_other(f);
	const size_t i = idmap_number(&f->object_map, object);
	if (!array_reserve_index(&f->object_file, &f->object_capacity, i, sizeof *f->object_file))
		return 0;
	if (f->object_file[i] == 0)
		f->object_file[i] = new_file(f, key);
	return f->object_file[i];
}

uint32_t files_number_own(struct files *f, struct own_files *own, uint64_t key)
{
	const struct file_key of = file_key_of_id(key);
	if (own->file == 0)
		own->file = is_omitted(f, &of) ? files_number_other(f) : new_file(f, of);
	return own->file;
}

uint32_t files_number_undefined(struct files *f, struct own_files *own, uint64_t key)
{
	struct file_key of = file_key_of_id(key);
	of.undefined = true;
	if (own->undefined != 0)
		return own->undefined;
	if (f->undefined_count == UNDEFINED_MAX && !f->keeps_all) {
		f->undefined_left_out++;
		return files_number_other(f);
	}
	f->undefined_count++;
	return own->undefined = new_file(f, of);
}

void files_free(struct files *f)
{
	idmap_free(&f->object_map);
	free(f->object_file);
	free(f->keys);
	*f = (struct files){.keys = NULL};
}
