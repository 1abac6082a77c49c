/* SPDX-License-Identifier: BSD-2-Clause */
#include "process_ids.h"

#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/number.h"

size_t process_ids_number(struct process_ids *p, uint32_t id)
{
	const size_t i = idmap_number(&p->map, id);
	return array_reserve_index(&p->owner, &p->owner_capacity, i, sizeof *p->owner) ? i
										       : SIZE_MAX;
}

size_t process_ids_owner(const struct process_ids *p, size_t thread)
{
	return p->owner[thread] != 0 ? p->owner[thread] - 1 : thread;
}

bool process_ids_define(struct process_ids *p, const struct iot_event *ev, bool per_thread)
{
	const struct iot_text text = iot_directive_get(ev, "thread-of");
	uint64_t of;
	const bool owned = !per_thread && text.data != NULL &&
			   number_decimal(text.data, text.size, &of) && of <= UINT32_MAX;
	const size_t thread = process_ids_number(p, ev->rec.process);
	const size_t process = owned ? process_ids_number(p, (uint32_t)of) : thread;
	if (thread == SIZE_MAX || process == SIZE_MAX)
		return false;
	p->owner_changes += process_ids_owner(p, thread) != process;
	p->owner[thread] = (uint32_t)process + 1;
	return true;
}

bool process_ids_mark_active(struct process_ids *p, size_t number)
{
	if (!array_reserve_index(&p->active, &p->active_capacity, number, sizeof *p->active))
		return false;
	p->active_count += !p->active[number];
	p->active[number] = true;
	return true;
}

void process_ids_free(struct process_ids *p)
{
	idmap_free(&p->map);
	free(p->owner);
	free(p->active);
	*p = (struct process_ids){.owner = NULL};
}
