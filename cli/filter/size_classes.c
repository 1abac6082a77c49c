/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts by class of size; see sizes.h. */
#include "size_classes.h"

#include <stdlib.h>

enum { FIRST_ROOM = 3 };

static struct iot_size_counts *grown(struct iot_size_counts *old)
{
	const unsigned room = old != NULL ? 2U * old->room + 1 : FIRST_ROOM;
	struct iot_size_counts *c = realloc(old, sizeof *c + room * sizeof c->count[0]);
	if (c == NULL)
		return NULL;
	if (old == NULL)
		*c = (struct iot_size_counts){.used = 0};
	c->room = (uint8_t)room;
	return c;
}

static void add(struct iot_size_counts *c, unsigned class, uint64_t n)
{
	c->count[c->used++] = n;
	c->at[class] = c->used;
}

/* From a single class to several. */
static bool spread(struct iot_sizes *s)
{
	struct iot_size_counts *c = grown(NULL);
	if (c == NULL)
		return false;
	add(c, s->single - 1U, s->only);
	s->counts = c;
	s->single = 0;
	return true;
}

/* The class is new. */
bool iot_sizes_add_to_many(struct iot_sizes *s, unsigned class, uint64_t n)
{
	if (s->single == 0 && s->counts == NULL) {
		s->single = (uint8_t)(class + 1);
		s->only = n;
		return true;
	}
	if (s->single != 0 && !spread(s))
		return false;
	if (s->counts->used == s->counts->room) {
		struct iot_size_counts *c = grown(s->counts);
		if (c == NULL)
			return false;
		s->counts = c;
	}
	add(s->counts, class, n);
	return true;
}

uint64_t iot_sizes_count(const struct iot_sizes *s, unsigned class)
{
	if (s->single != 0)
		return s->single == class + 1 ? s->only : 0;
	if (s->counts == NULL || s->counts->at[class] == 0)
		return 0;
	return s->counts->count[s->counts->at[class] - 1];
}

bool iot_sizes_join(struct iot_sizes *s, const struct iot_sizes *more)
{
	for (unsigned k = 0; k < IOT_SIZE_CLASSES; k++) {
		const uint64_t n = iot_sizes_count(more, k);
		if (n > 0 && !iot_sizes_add(s, k, n))
			return false;
	}
	return true;
}

void iot_sizes_free(struct iot_sizes *s)
{
	if (s->single == 0)
		free(s->counts);
	*s = (struct iot_sizes){.single = 0};
}
