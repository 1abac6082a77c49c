/* SPDX-License-Identifier: BSD-2-Clause */
#include "file_numbers.h"

#include <xxhash.h>

#include "lib/base/hash.h"

static const uint64_t hashed = (uint64_t)1 << 63; /* of keys that are not objects */

static uint64_t key_of_path(struct names *names, const struct iot_record *rec)
{
	const struct name *path = names_path(names, rec);
	if (path->text != NULL)
		return XXH3_64bits_withSeed(path->text, path->size, hash_seed()) | hashed;
	const uint32_t id[] = {rec->process, rec->file, (rec->type & IOT_LOGICAL) != 0};
	return XXH3_64bits_withSeed(id, sizeof id, hash_seed() + 1) | hashed;
}

size_t file_number(struct file_numbers *f, struct names *names, const struct iot_record *rec)
{
	const uint32_t object = f->by_path ? 0 : names_object(names, rec);
	return idmap_number(&f->map, object != 0 ? object : key_of_path(names, rec));
}

void file_numbers_free(struct file_numbers *f)
{
	idmap_free(&f->map);
}
