/* SPDX-License-Identifier: BSD-2-Clause */
/* Comments and directives that wait for the record that they belong to. */
#include "holdback.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

enum { BYTES_MAX = 4 << 20 };

static bool keep(struct iot_undated *u, const struct iot_event *ev)
{
	if (!iot_room(&u->ev, &u->room, u->count + 1, sizeof(*u->ev)) ||
	    !iot_room(&u->text, &u->text_room, u->used + ev->text.size, 1))
		return false;
	u->ev[u->count] = *ev;
	u->ev[u->count++].text.data = NULL;
	if (ev->text.size > 0)
		memcpy(u->text + u->used, ev->text.data, ev->text.size);
	u->used += ev->text.size;
	return true;
}

bool iot_undated_keep(struct iot_undated *u, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!keep(u, &ev[i]))
			return false;
	return true;
}

bool iot_undated_full(const struct iot_undated *u)
{
	return u->count * sizeof(*u->ev) + u->used > BYTES_MAX;
}

void iot_undated_place(struct iot_event *ev, size_t n, int64_t next_ns, int64_t record_ns)
{
	for (size_t i = n; i-- > 0;) {
		int64_t *start = &ev[i].rec.start_ns;
		if (*start == INT64_MIN)
			continue;
		if (ev[i].kind == IOT_RECORD)
			record_ns = *start;
		else if (!iot_is_dated(&ev[i]))
			*start = next_ns < record_ns ? next_ns : record_ns;
		next_ns = *start;
	}
}

size_t iot_undated_take(struct iot_undated *u, int64_t next_ns, int64_t record_ns,
			const struct iot_event **ev)
{
	const size_t n = u->count;
	char *text = u->text;
	for (size_t i = 0; i < n; i++) {
		u->ev[i].text.data = text;
		if (u->ev[i].text.size > 0)
			text += u->ev[i].text.size;
	}
	iot_undated_place(u->ev, n, next_ns, record_ns);
	*ev = u->ev;
	u->count = u->used = 0;
	return n;
}

void iot_undated_free(struct iot_undated *u)
{
	free(u->ev);
	free(u->text);
	*u = (struct iot_undated){.count = 0};
}
