/* SPDX-License-Identifier: BSD-2-Clause */
#include "host_list.h"

#include <stdint.h>
#include <string.h>

#include "lib/base/number.h"

struct expansion {
	host_fn *fn;
	void *context;
	size_t hosts;
	char name[HOST_NAME_MAX_BYTES];
};

static enum host_list_result expand(struct expansion *e, size_t used, const char *at,
				    const char *end);

static enum host_list_result append(struct expansion *e, size_t used, const char *text, size_t size,
				    const char *at, const char *end)
{
	if (size > sizeof e->name - used)
		return HOST_LIST_WRONG;
	memcpy(e->name + used, text, size);
	return expand(e, used + size, at, end);
}

/* Expands the names of a range of numbers, 001-004, which keeps its leading zeros. */
static enum host_list_result expand_range(struct expansion *e, size_t used, const char *range,
					  size_t size, const char *at, const char *end)
{
	const char *dash = memchr(range, '-', size);
	const size_t width = dash != NULL ? (size_t)(dash - range) : size;
	uint64_t first, last;
	char digits[NUMBER_DIGITS_MAX + 1];
	enum host_list_result result = HOST_LIST_OK;
	if (width > NUMBER_DIGITS_MAX - 1 || !number_decimal(range, width, &first))
		return HOST_LIST_WRONG;
	last = first;
	if (dash != NULL && (!number_decimal(dash + 1, size - width - 1, &last) || last < first))
		return HOST_LIST_WRONG;
	if (last - first >= HOST_LIST_MAX)
		return HOST_LIST_TOO_LONG;
	for (uint64_t i = first; i <= last && result == HOST_LIST_OK; i++) {
		const unsigned n = number_count(i) > width ? number_count(i) : (unsigned)width;
		number_fixed(digits, i, n);
		result = append(e, used, digits, n, at, end);
	}
	return result;
}

/* Expands the ranges between brackets, each followed by the rest of the name. */
static enum host_list_result expand_brackets(struct expansion *e, size_t used, const char *at,
					     const char *close, const char *end)
{
	enum host_list_result result = HOST_LIST_OK;
	for (const char *comma; result == HOST_LIST_OK; at = comma + 1) {
		comma = memchr(at, ',', (size_t)(close - at));
		const char *stop = comma != NULL ? comma : close;
		result = expand_range(e, used, at, (size_t)(stop - at), close + 1, end);
		if (comma == NULL)
			break;
	}
	return result;
}

/* The name begins with e->name[0, used), and continues with [at, end). */
static enum host_list_result expand(struct expansion *e, size_t used, const char *at,
				    const char *end)
{
	const size_t size = (size_t)(end - at);
	const char *open = size > 0 ? memchr(at, '[', size) : NULL;
	if (open != NULL) {
		const char *close = memchr(open, ']', (size_t)(end - open));
		const size_t literal = (size_t)(open - at);
		if (close == NULL || literal > sizeof e->name - used)
			return HOST_LIST_WRONG;
		memcpy(e->name + used, at, literal);
		return expand_brackets(e, used + literal, open + 1, close, end);
	}
	if (size > sizeof e->name - used || used + size == 0)
		return HOST_LIST_WRONG;
	memcpy(e->name + used, at, size);
	if (++e->hosts > HOST_LIST_MAX)
		return HOST_LIST_TOO_LONG;
	return e->fn(e->context, e->name, used + size) ? HOST_LIST_OK : HOST_LIST_ENDED;
}

/* Returns the end of the first name: the first comma outside of brackets. */
static const char *name_end(const char *at)
{
	bool inside = false;
	for (; *at != '\0' && (inside || *at != ','); at++)
		inside = *at == '[' || (inside && *at != ']');
	return at;
}

enum host_list_result host_list_expand(const char *list, host_fn *fn, void *context)
{
	struct expansion e = {.fn = fn, .context = context};
	enum host_list_result result = HOST_LIST_OK;
	for (const char *at = list; result == HOST_LIST_OK; at++) {
		const char *end = name_end(at);
		result = expand(&e, 0, at, end);
		at = end;
		if (*at == '\0')
			break;
	}
	return result;
}
