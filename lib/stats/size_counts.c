/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/stats/size_counts.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY_FIRST = 3 };

static struct packed_counts *size_counts_grow(struct packed_counts *old)
{
	const unsigned capacity = old != NULL ? 2U * old->capacity + 1 : CAPACITY_FIRST;
	struct packed_counts *c = realloc(old, sizeof *c + capacity * sizeof c->count[0]);
	if (c == NULL)
		return NULL;
	if (old == NULL)
		*c = (struct packed_counts){.used = 0};
	c->capacity = (uint8_t)capacity;
	return c;
}

static void size_counts_append(struct packed_counts *c, unsigned class, uint64_t n)
{
	c->count[c->used++] = n;
	c->at[class] = c->used;
}

/* Converts a single class to several. */
static bool size_counts_spread(struct size_counts *s)
{
	struct packed_counts *c = size_counts_grow(NULL);
	if (c == NULL)
		return false;
	size_counts_append(c, s->single - 1U, s->only);
	s->counts = c;
	s->single = 0;
	return true;
}

bool size_counts_add_to_many(struct size_counts *s, unsigned class, uint64_t n)
{
	if (s->single == 0 && s->counts == NULL) {
		s->single = (uint8_t)(class + 1);
		s->only = n;
		return true;
	}
	if (s->single != 0 && !size_counts_spread(s))
		return false;
	if (s->counts->used == s->counts->capacity) {
		struct packed_counts *c = size_counts_grow(s->counts);
		if (c == NULL)
			return false;
		s->counts = c;
	}
	size_counts_append(s->counts, class, n);
	return true;
}

uint64_t size_counts_count(const struct size_counts *s, unsigned class)
{
	if (s->single != 0)
		return s->single == class + 1 ? s->only : 0;
	if (s->counts == NULL || s->counts->at[class] == 0)
		return 0;
	return s->counts->count[s->counts->at[class] - 1];
}

bool size_counts_join(struct size_counts *s, const struct size_counts *more)
{
	for (unsigned k = 0; k < IOT_SIZE_CLASSES; k++) {
		const uint64_t n = size_counts_count(more, k);
		if (n > 0 && !size_counts_add(s, k, n))
			return false;
	}
	return true;
}

void size_counts_free(struct size_counts *s)
{
	if (s->single == 0)
		free(s->counts);
	*s = (struct size_counts){.single = 0};
}

bool size_counts_copy(struct size_counts *to, const struct size_counts *from)
{
	*to = *from;
	if (from->single != 0 || from->counts == NULL)
		return true;
	const size_t size =
	    sizeof *from->counts + from->counts->capacity * sizeof from->counts->count[0];
	to->counts = malloc(size);
	if (to->counts != NULL)
		memcpy(to->counts, from->counts, size);
	return to->counts != NULL;
}
