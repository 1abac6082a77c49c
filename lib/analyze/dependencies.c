/* SPDX-License-Identifier: BSD-2-Clause */
#include "dependencies.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

#include "saturate.h"

static bool add_request(struct dependencies *d, const struct io_request *q)
{
	struct owner_change c = {.begin = q->offset,
				 .end = saturate_add(q->offset, q->length),
				 .process = q->process,
				 .write = q->write};
	if (!array_reserve_index(&d->files, &d->capacity, q->file, sizeof *d->files))
		return false;
	memcpy(c.bytes, d->bytes[q->write], sizeof c.bytes);
	const bool changed = owner_map_change(&d->maps, &d->files[q->file], &c);
	memcpy(d->bytes[q->write], c.bytes, sizeof c.bytes);
	return changed;
}

bool dependencies_add(struct dependencies *d, const struct io_spans *spans)
{
	for (size_t i = 0; i < spans->count; i++) {
		const struct io_span *span = &spans->span[i];
		for (size_t k = 0; k < span->count && span_is_located(span); k++)
			if (!add_request(d, &span->request[k]))
				return false;
	}
	return true;
}

void dependencies_values(const struct dependencies *d, struct values *v)
{
	static const struct {
		const char *name;
		bool write;
		enum owner_use before;
	} kinds[] = {{"read_after_write_by", false, OWNER_WRITTEN},
		     {"write_after_read_by", true, OWNER_READ},
		     {"overwrite_unread_by", true, OWNER_WRITTEN},
		     {"overwrite_read_by", true, OWNER_WRITTEN_READ}};
	static const char *const keys[2] = {"other", "same"};
	v->section = "reuse";
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		for (unsigned same = 0; same < 2; same++)
			if (d->unordered || d->maps.limited)
				values_unknown(v, kinds[i].name, keys[same], "bytes",
					       d->unordered ? VALUES_UNORDERED
							    : "more ranges than 2097152, or too "
							      "many for the requests");
			else
				values_number(v, kinds[i].name, keys[same], "bytes",
					      d->bytes[kinds[i].write][kinds[i].before][same]);
}

void dependencies_free(struct dependencies *d)
{
	owner_maps_free(&d->maps);
	free(d->files);
}
