/* SPDX-License-Identifier: BSD-2-Clause */
#include "few.h"

#include <stdlib.h>

static bool grow(struct few *f)
{
	const unsigned capacity = f->capacity == 0 ? 3U : 2U * f->capacity + 1;
	struct few_value *other = realloc(f->other, capacity * sizeof *other);
	if (other == NULL)
		return false;
	f->other = other;
	f->capacity = (uint8_t)capacity;
	return true;
}

static void become_many(struct few *f)
{
	few_free(f);
	f->many = true;
}

bool few_add_other(struct few *f, uint64_t value, uint64_t count)
{
	if (f->many || count == 0)
		return true;
	if (f->first.count == 0) {
		f->first = (struct few_value){value, count};
		return true;
	}
	for (unsigned i = 0; i < f->used; i++) {
		if (f->other[i].value != value)
			continue;
		f->other[i].count += count;
		return true;
	}
	if (f->used == FEW_MAX - 1) {
		become_many(f);
		return true;
	}
	if (f->used == f->capacity && !grow(f))
		return false;
	f->other[f->used++] = (struct few_value){value, count};
	return true;
}

bool few_join(struct few *f, const struct few *more)
{
	const struct few_value *v;
	if (more->many)
		become_many(f);
	for (unsigned i = 0; (v = few_at(more, i)) != NULL; i++)
		if (!few_add(f, v->value, v->count))
			return false;
	return true;
}

const struct few_value *few_at(const struct few *f, unsigned i)
{
	if (i == 0)
		return f->first.count > 0 ? &f->first : NULL;
	return i <= f->used ? &f->other[i - 1] : NULL;
}

static bool is_more(const struct few_value *a, const struct few_value *b)
{
	return a->count != b->count ? a->count > b->count : (int64_t)a->value < (int64_t)b->value;
}

void few_largest(const struct few *f, struct few_value largest[2])
{
	const struct few_value *v;
	largest[0] = largest[1] = (struct few_value){.count = 0};
	for (unsigned i = 0; (v = few_at(f, i)) != NULL; i++) {
		if (is_more(v, &largest[0])) {
			largest[1] = largest[0];
			largest[0] = *v;
		} else if (is_more(v, &largest[1])) {
			largest[1] = *v;
		}
	}
}

void few_free(struct few *f)
{
	free(f->other);
	*f = (struct few){.many = false};
}
