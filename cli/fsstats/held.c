/* SPDX-License-Identifier: BSD-2-Clause */
#include "held.h"

#include <string.h>
#include <unistd.h>

static void put_first(struct held_directories *h, size_t places, struct held_directory one)
{
	memmove(&h->at[1], &h->at[0], places * sizeof *h->at);
	h->at[0] = one;
}

static void release_last(struct held_directories *h)
{
	const struct held_directory *last = &h->at[--h->count];
	close(last->fd);
	subtree_release(last->of);
}

int held_find(struct held_directories *h, const struct subtree *d)
{
	for (size_t i = 0; d != NULL && i < h->count; i++)
		if (h->at[i].of == d) {
			put_first(h, i, h->at[i]);
			return h->at[0].fd;
		}
	return -1;
}

void held_add(struct held_directories *h, struct subtree *d, int fd)
{
	if (atomic_load_explicit(&d->users, memory_order_relaxed) < 2) { /* without children */
		close(fd);
		return;
	}
	if (h->count == h->max)
		release_last(h);
	subtree_use(d);
	put_first(h, h->count++, (struct held_directory){d, fd});
}

void held_release(struct held_directories *h)
{
	while (h->count > 0)
		release_last(h);
}
