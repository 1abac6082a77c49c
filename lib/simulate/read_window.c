/* SPDX-License-Identifier: BSD-2-Clause */
#include "read_window.h"

static uint64_t first_size(uint64_t request, uint64_t max)
{
	uint64_t size = 1;
	if (request >= max)
		return max;
	while (size < request)
		size *= 2;
	if (size <= max / 32)
		return 4 * size;
	return size <= max / 4 ? 2 * size : max;
}

static uint64_t next_size(uint64_t size, uint64_t max)
{
	if (size < max / 16)
		return 4 * size;
	return size <= max / 2 ? 2 * size : max;
}

bool read_window_advance(struct read_window *w, uint64_t first, uint64_t end, bool opens,
			 uint64_t max)
{
	if (w->size > 0 && first <= w->marker && w->marker < end) {
		w->size = next_size(w->size, max);
		w->marker = w->end;
		w->end += w->size;
		return true;
	}
	if (!opens)
		return false;
	const uint64_t size = first_size(end - first, max);
	/* A request as long as the window leaves nothing to read ahead, and no marker. */
	*w = size > end - first
		 ? (struct read_window){.size = size, .end = first + size, .marker = end}
		 : (struct read_window){.size = 0};
	return w->size > 0;
}
