/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts by class of size; see size_classes.h. */
#include "size_classes.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 3 };

static struct size_counts *grown(struct size_counts *old)
{
	const unsigned capacity = old != NULL ? 2U * old->capacity + 1 : FIRST_CAPACITY;
	struct size_counts *c = realloc(old, sizeof *c + capacity * sizeof c->count[0]);
	if (c == NULL)
		return NULL;
	if (old == NULL)
		*c = (struct size_counts){.used = 0};
	c->capacity = (uint8_t)capacity;
	return c;
}

static void add(struct size_counts *c, unsigned class, uint64_t n)
{
	c->count[c->used++] = n;
	c->at[class] = c->used;
}

/* Converts a single class to several. */
static bool spread(struct sizes *s)
{
	struct size_counts *c = grown(NULL);
	if (c == NULL)
		return false;
	add(c, s->single - 1U, s->only);
	s->counts = c;
	s->single = 0;
	return true;
}

/* The class is new. */
bool sizes_add_to_many(struct sizes *s, unsigned class, uint64_t n)
{
	if (s->single == 0 && s->counts == NULL) {
		s->single = (uint8_t)(class + 1);
		s->only = n;
		return true;
	}
	if (s->single != 0 && !spread(s))
		return false;
	if (s->counts->used == s->counts->capacity) {
		struct size_counts *c = grown(s->counts);
		if (c == NULL)
			return false;
		s->counts = c;
	}
	add(s->counts, class, n);
	return true;
}

uint64_t sizes_count(const struct sizes *s, unsigned class)
{
	if (s->single != 0)
		return s->single == class + 1 ? s->only : 0;
	if (s->counts == NULL || s->counts->at[class] == 0)
		return 0;
	return s->counts->count[s->counts->at[class] - 1];
}

bool sizes_join(struct sizes *s, const struct sizes *more)
{
	for (unsigned k = 0; k < SIZE_CLASSES; k++) {
		const uint64_t n = sizes_count(more, k);
		if (n > 0 && !sizes_add(s, k, n))
			return false;
	}
	return true;
}

void sizes_free(struct sizes *s)
{
	if (s->single == 0)
		free(s->counts);
	*s = (struct sizes){.single = 0};
}
