/* SPDX-License-Identifier: BSD-2-Clause */
#include "breakdown.h"

#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/number.h"

bool breakdown_process(struct breakdown *b, const struct iot_event *ev)
{
	const struct iot_text text = iot_directive_get(ev, "rank");
	uint64_t rank;
	if (text.data == NULL || !number_decimal(text.data, text.size, &rank))
		return true;
	const size_t i = idmap_number(&b->rank_map, ev->rec.process);
	if (!array_reserve_index(&b->ranks, &b->rank_capacity, i, sizeof *b->ranks))
		return false;
	b->ranks[i] = rank + 1;
	return true;
}

static uint64_t rank_of(const struct breakdown *b, uint32_t process)
{
	const size_t i = idmap_find(&b->rank_map, process);
	return i != SIZE_MAX ? b->ranks[i] : 0;
}

static uint64_t key_of(const struct breakdown *b, const struct iot_record *rec, size_t object)
{
	switch (b->by) {
	case BREAKDOWN_NONE:
		break;
	case BREAKDOWN_OBJECT:
		return object;
	case BREAKDOWN_FILE:
		return idmap_pair(b->physical ? 0 : rec->process, rec->file);
	case BREAKDOWN_PROCESS:
		return rec->process;
	case BREAKDOWN_RANK:
		return rank_of(b, rec->process);
	case BREAKDOWN_KIND:
		return rec->type & IOT_DATA_KIND;
	case BREAKDOWN_OPERATION:
		return rec->type & IOT_WRITE;
	}
	return 0;
}

static struct breakdown_name name_of(const struct breakdown *b, const struct iot_record *rec,
				     struct breakdown_name object)
{
	struct breakdown_name name = {.process = rec->process};
	switch (b->by) {
	case BREAKDOWN_NONE:
	case BREAKDOWN_PROCESS:
		break;
	case BREAKDOWN_OBJECT:
		return object;
	case BREAKDOWN_FILE:
		name.file = rec->file;
		name.object = rec->object;
		break;
	case BREAKDOWN_RANK:
		name.rank = rank_of(b, rec->process);
		break;
	case BREAKDOWN_KIND:
		name.kind = rec->type & IOT_DATA_KIND;
		break;
	case BREAKDOWN_OPERATION:
		name.kind = rec->type & IOT_WRITE;
		break;
	}
	return name;
}

size_t breakdown_row(struct breakdown *b, const struct iot_record *rec, size_t object,
		     struct breakdown_name name)
{
	const size_t known = b->rows.count, row = idmap_number(&b->rows, key_of(b, rec, object));
	if (!array_reserve_index(&b->names, &b->name_capacity, row, sizeof *b->names))
		return SIZE_MAX;
	if (row == known)
		b->names[row] = name_of(b, rec, name);
	return row;
}

/* An operation is neither a read nor a write, and has no kind of data. */
size_t breakdown_find(const struct breakdown *b, const struct iot_record *rec, size_t object)
{
	if (b->by == BREAKDOWN_KIND || b->by == BREAKDOWN_OPERATION ||
	    (b->by == BREAKDOWN_OBJECT && object == SIZE_MAX))
		return SIZE_MAX;
	return idmap_find(&b->rows, key_of(b, rec, object));
}

uint64_t breakdown_bytes(const struct breakdown *b)
{
	return idmap_bytes(&b->rows) + idmap_bytes(&b->rank_map) +
	       b->name_capacity * sizeof *b->names + b->rank_capacity * sizeof *b->ranks;
}

void breakdown_free(struct breakdown *b)
{
	idmap_free(&b->rows);
	idmap_free(&b->rank_map);
	free(b->names);
	free(b->ranks);
	*b = (struct breakdown){.by = BREAKDOWN_NONE};
}
