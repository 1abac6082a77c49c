/* SPDX-License-Identifier: BSD-2-Clause */
#include "samples.h"

#include "lib/base/civil_time.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Marks bytes that are 0; those after the first one may be marked wrongly. */
static uint64_t zero_bytes(uint64_t bytes)
{
	return (bytes - 0x0101010101010101U) & ~bytes & 0x8080808080808080U;
}

static const char *find_blank(const char *at, const char *end)
{
	for (; end - at >= 8; at += 8) {
		const uint64_t bytes = number_load(at);
		const uint64_t blank = zero_bytes(bytes ^ 0x2020202020202020U) |
				       zero_bytes(bytes ^ 0x0909090909090909U);
		if (blank != 0)
			return at + __builtin_ctzll(blank) / 8;
	}
	while (at < end && !is_blank(*at))
		at++;
	return at;
}

bool samples_word(struct iot_text *rest, struct iot_text *word)
{
	const char *at = rest->data, *end = at + rest->size;
	while (at < end && is_blank(*at))
		at++;
	const char *from = at;
	at = find_blank(at, end);
	*word = (struct iot_text){from, (size_t)(at - from)};
	*rest = (struct iot_text){at, (size_t)(end - at)};
	return word->size > 0;
}

bool samples_set_host(struct sampling *s, struct iot_text name)
{
	if (name.size > sizeof s->host)
		return false;
	memcpy(s->host, name.data, name.size);
	s->host_size = name.size;
	return true;
}

bool samples_stamp(struct sampling *s, struct iot_text line)
{
	struct iot_text rest = line, key, value, more;
	int64_t ns;
	if (!samples_word(&rest, &key) || !samples_word(&rest, &value) ||
	    samples_word(&rest, &more))
		return false;
	if (text_equals(key, "host"))
		return source_setting(s->src, "host") != NULL || samples_set_host(s, value);
	if (!text_equals(key, "time") || !civil_seconds_parse(value, &ns) || ns > SAMPLES_TIME_MAX)
		return false;
	s->stamp_ns = ns;
	return true;
}

void samples_host_of_member(struct sampling *s)
{
	const char *host = source_setting(s->src, "host");
	const char *path = input_name(s->src->input, s->member - 1), *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	s->host_size = 0;
	if (host != NULL)
		(void)samples_set_host(s, (struct iot_text){host, strlen(host)});
	else if (strcmp(path, "-") != 0)
		(void)samples_set_host(s, (struct iot_text){name, strcspn(name, ".")});
}

bool samples_has_host(struct sampling *s)
{
	if (s->host_size > 0)
		return true;
	return samples_fail(s, "no host: expected a line \"host NAME\" before it, or %shost=NAME",
			    s->src->option_prefix);
}

bool samples_is_stamped(struct sampling *s)
{
	if (s->stamp_ns == SAMPLES_TIME_UNKNOWN)
		return samples_fail(s, "no time: expected a line \"time SECONDS\" before it");
	return samples_has_host(s);
}
