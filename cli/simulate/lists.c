/* SPDX-License-Identifier: BSD-2-Clause */
#include "lists.h"

#include <string.h>

#include "lib/base/number.h"
#include "lib/base/size.h"

enum { MILLION = 1000000 };

/* The part of a list up to the next comma. */
static struct iot_text element_at(const char *at)
{
	return (struct iot_text){at, strcspn(at, ",")};
}

static const char *next_element(struct iot_text element)
{
	return element.data[element.size] == ',' ? element.data + element.size + 1 : NULL;
}

/* A number with up to six decimals, in millionths. */
static bool parse_millionths(const char *text, size_t n, uint64_t *value)
{
	const char *at = text, *end = text + n;
	uint64_t whole, unit = MILLION;
	if (!number_scan(&at, end, 10, &whole) || whole > MILLION)
		return false;
	*value = whole * MILLION;
	if (at == end)
		return true;
	if (*at++ != '.' || at == end)
		return false;
	for (; at < end && unit > 1 && *at >= '0' && *at <= '9'; at++) {
		unit /= 10;
		*value += (uint64_t)(*at - '0') * unit;
	}
	return at == end;
}

static bool parse_bytes(const char *text, uint64_t *bytes)
{
	return size_parse(text, strlen(text), bytes) == SIZE_VALID;
}

static enum size_status parse_size(struct iot_text text, struct cache_size *size)
{
	const char last = text.size > 0 ? text.data[text.size - 1] : '\0';
	size->text = text.data;
	size->unit = last == 'b' ? SIZE_BLOCKS : last == '%' ? SIZE_SHARE : SIZE_BYTES;
	if (size->unit == SIZE_SHARE)
		return parse_millionths(text.data, text.size - 1, &size->value) ? SIZE_VALID
										: SIZE_INVALID;
	return size_parse(text.data, text.size - (size->unit == SIZE_BLOCKS), &size->value);
}

/* Returns NULL, or the expected size. */
static const char *check_size(enum size_status status, const struct cache_size *size)
{
	if (status == SIZE_INVALID)
		return "up to 64 sizes such as 64MiB, 1000b (blocks) or 10% (of the distinct "
		       "blocks), separated by commas";
	if (status == SIZE_VALID && size->value == 0)
		return "sizes of at least one block, such as 64MiB or 1000b";
	if (size->unit == SIZE_SHARE && size->value > (uint64_t)100 * MILLION)
		return "at most 100%";
	return status == SIZE_VALID ? NULL : "caches of at most 67108864 blocks";
}

const char *option_cache_sizes(const struct option *opt, const char *value)
{
	struct size_list *list = opt->target;
	list->count = 0;
	for (const char *at = value; at != NULL;) {
		const struct iot_text element = element_at(at);
		if (list->count == LIST_MAX)
			return "at most 64 sizes";
		struct cache_size *size = &list->size[list->count++];
		const char *expected = check_size(parse_size(element, size), size);
		if (expected != NULL)
			return expected;
		at = next_element(element);
	}
	return NULL;
}

const char *option_policy_word(size_t i)
{
	return i < CACHE_POLICIES ? cache_policy_name((enum cache_policy)i) : NULL;
}

const char *option_policies(const struct option *opt, const char *value)
{
	struct policy_list *list = opt->target;
	list->count = 0;
	for (const char *at = value; at != NULL;) {
		const struct iot_text element = element_at(at);
		const enum cache_policy policy = cache_policy_find(element.data, element.size);
		if (list->count == LIST_MAX || policy == CACHE_POLICIES)
			return "a list of";
		list->policy[list->count++] = policy;
		at = next_element(element);
	}
	return NULL;
}

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

const char *option_prefetch(const struct option *opt, const char *value)
{
	static const char expected[] = "none, next:BLOCKS, request or window:SIZE";
	struct prefetch_option *p = opt->target;
	const char *number = strchr(value, ':');
	*p = (struct prefetch_option){.kind = PREFETCH_NONE};
	if (strcmp(value, "none") == 0)
		return NULL;
	if (strcmp(value, "request") == 0) {
		p->kind = PREFETCH_REQUEST;
		return NULL;
	}
	if (has_prefix(value, "next:") &&
	    number_decimal(number + 1, strlen(number + 1), &p->value) && p->value > 0 &&
	    p->value <= REFERENCES_MAX) {
		p->kind = PREFETCH_NEXT;
		return NULL;
	}
	if (!has_prefix(value, "window:") || !parse_bytes(number + 1, &p->value) ||
	    p->value > UINT32_MAX)
		return expected;
	p->kind = p->value > 0 ? PREFETCH_WINDOW : PREFETCH_NONE;
	return NULL;
}

bool sizes_need_distinct(const struct size_list *sizes)
{
	for (size_t i = 0; i < sizes->count; i++)
		if (sizes->size[i].unit == SIZE_SHARE)
			return true;
	return false;
}

const char *size_to_blocks(const struct cache_size *size, uint32_t block, uint64_t distinct,
			   uint64_t *blocks)
{
	*blocks = size->value;
	if (size->unit == SIZE_BYTES && block == OBJECT_BLOCK)
		return "is in bytes, but objects are counted; 1000b or 10% is expected";
	if (size->unit == SIZE_BYTES)
		*blocks = size->value / block;
	else if (size->unit == SIZE_SHARE) {
		const double share = (double)size->value / MILLION / 100;
		*blocks = (uint64_t)((double)distinct * share);
		*blocks = *blocks > 0 ? *blocks : 1;
	}
	if (*blocks == 0)
		return "is smaller than a block (--block)";
	return *blocks <= CACHE_CAPACITY_MAX ? NULL : "has more than 67108864 blocks";
}
