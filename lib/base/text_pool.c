/* SPDX-License-Identifier: BSD-2-Clause */
#include "text_pool.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SLAB_SIZE = 1 << 16, ADDRESS = sizeof(char *) };

struct text_slab {
	struct text_slab *next;
	char data[SLAB_SIZE - sizeof(struct text_slab *)];
};

static_assert(sizeof(struct text_slab) == SLAB_SIZE, "no padding");
static_assert(TEXT_POOL_STEP >= sizeof(char *), "freed texts have an address");

static size_t steps_of(size_t size)
{
	return size > 0 ? (size + TEXT_POOL_STEP - 1) / TEXT_POOL_STEP : 1;
}

/* Freed texts contain the address of the next one. */
static char *reuse(struct text_pool *p, size_t steps)
{
	char *text = p->freed[steps];
	memcpy(&p->freed[steps], text, ADDRESS);
	return text;
}

static void free_short(struct text_pool *p, char *text, size_t steps)
{
	memcpy(text, &p->freed[steps], ADDRESS);
	p->freed[steps] = text;
}

static bool add_slab(struct text_pool *p)
{
	struct text_slab *slab = malloc(sizeof *slab);
	if (slab == NULL)
		return false;
	if (p->unused_size > 0)
		free_short(p, p->unused, p->unused_size / TEXT_POOL_STEP);
	slab->next = p->slabs;
	p->slabs = slab;
	p->unused = slab->data;
	p->unused_size = sizeof slab->data;
	return true;
}

char *text_pool_get(struct text_pool *p, size_t size)
{
	const size_t steps = steps_of(size), need = steps * TEXT_POOL_STEP;
	if (size > TEXT_POOL_SHORT)
		return malloc(size);
	if (p->freed[steps] != NULL)
		return reuse(p, steps);
	if (p->unused_size < need && !add_slab(p))
		return NULL;
	char *text = p->unused;
	p->unused += need;
	p->unused_size -= need;
	return text;
}

void text_pool_give(struct text_pool *p, char *text, size_t size)
{
	if (size > TEXT_POOL_SHORT)
		free(text);
	else if (text != NULL)
		free_short(p, text, steps_of(size));
}

char *text_pool_shorten(struct text_pool *p, char *text, size_t size, size_t to)
{
	if (to > TEXT_POOL_SHORT || steps_of(size) == steps_of(to))
		return text;
	char *shorter = text_pool_get(p, to);
	if (shorter == NULL)
		return NULL;
	memcpy(shorter, text, to);
	text_pool_give(p, text, size);
	return shorter;
}

void text_pool_free(struct text_pool *p)
{
	while (p->slabs != NULL) {
		struct text_slab *next = p->slabs->next;
		free(p->slabs);
		p->slabs = next;
	}
	*p = (struct text_pool){.slabs = NULL};
}
