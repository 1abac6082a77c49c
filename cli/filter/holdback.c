/* SPDX-License-Identifier: BSD-2-Clause */
/* Comments and directives that wait for the record that they belong to. */
#include "holdback.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

enum { BYTES_MAX = 4 << 20 };

static bool keep(struct holdback *u, const struct iot_event *ev)
{
	if (!array_reserve(&u->ev, &u->capacity, u->count + 1, sizeof(*u->ev)) ||
	    !array_reserve(&u->text, &u->text_capacity, u->used + ev->text.size, 1))
		return false;
	u->ev[u->count] = *ev;
	u->ev[u->count++].text.data = NULL;
	if (ev->text.size > 0)
		memcpy(u->text + u->used, ev->text.data, ev->text.size);
	u->used += ev->text.size;
	return true;
}

bool holdback_keep(struct holdback *u, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!keep(u, &ev[i]))
			return false;
	return true;
}

bool holdback_full(const struct holdback *u)
{
	return u->count * sizeof(*u->ev) + u->used > BYTES_MAX;
}

void holdback_place(struct iot_event *ev, size_t n, int64_t next_ns, int64_t record_ns)
{
	for (size_t i = n; i-- > 0;) {
		int64_t *start = &ev[i].rec.start_ns;
		if (*start == INT64_MIN)
			continue;
		if (ev[i].kind == IOT_RECORD)
			record_ns = *start;
		else if (!is_timed(&ev[i]))
			*start = next_ns < record_ns ? next_ns : record_ns;
		next_ns = *start;
	}
}

size_t holdback_take(struct holdback *u, int64_t next_ns, int64_t record_ns,
		     const struct iot_event **ev)
{
	const size_t n = u->count;
	char *text = u->text;
	for (size_t i = 0; i < n; i++) {
		u->ev[i].text.data = text;
		if (u->ev[i].text.size > 0)
			text += u->ev[i].text.size;
	}
	holdback_place(u->ev, n, next_ns, record_ns);
	*ev = u->ev;
	u->count = u->used = 0;
	return n;
}

void holdback_free(struct holdback *u)
{
	free(u->ev);
	free(u->text);
	*u = (struct holdback){.count = 0};
}
