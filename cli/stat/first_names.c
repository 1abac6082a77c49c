/* SPDX-License-Identifier: BSD-2-Clause */
#include "first_names.h"

#include <stdlib.h>

#include "lib/base/array.h"

bool first_names_add(struct first_names *n, uint32_t trace, uint32_t object, struct iot_text name)
{
	const size_t i = idmap_number(&n->ids, idmap_pair(trace, object));
	if (!array_reserve_index(&n->name, &n->capacity, i, sizeof *n->name) ||
	    !text_blocks_copy(&n->texts, &name))
		return false;
	n->name[i] = name;
	return true;
}

struct iot_text first_names_of(const struct first_names *n, uint32_t trace, uint32_t object)
{
	const size_t i =
	    n->ids.count > 0 ? idmap_find(&n->ids, idmap_pair(trace, object)) : SIZE_MAX;
	return i < n->capacity ? n->name[i] : (struct iot_text){NULL, 0};
}

void first_names_free(struct first_names *n)
{
	idmap_free(&n->ids);
	free(n->name);
	text_blocks_free(&n->texts);
}
