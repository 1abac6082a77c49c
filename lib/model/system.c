/* SPDX-License-Identifier: BSD-2-Clause */
#include "system.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/number.h"
#include "lib/base/size.h"
#include "lib/base/text.h"

enum { BITS = 8, BUFFER_DEFAULT = 4 << 20 };

void model_system_init(struct model_system *s)
{
	*s = (struct model_system){.io_nodes = MODEL_NODES_MAX,
				   .compute_nodes = 1,
				   .request_max = BUFFER_DEFAULT,
				   .ciod_buffer = BUFFER_DEFAULT,
				   .tree_shared = true};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct iot_text trim(struct iot_text t)
{
	while (t.size > 0 && is_blank(t.data[0]))
		t = (struct iot_text){t.data + 1, t.size - 1};
	while (t.size > 0 && is_blank(t.data[t.size - 1]))
		t.size--;
	return t;
}

static bool cut_suffix(struct iot_text *t, const char *suffix)
{
	const size_t n = strlen(suffix);
	if (t->size <= n || memcmp(t->data + t->size - n, suffix, n) != 0)
		return false;
	t->size -= n;
	return true;
}

/* Parses 10G of 10Gbit: a number with a decimal prefix. */
static bool parse_bits(struct iot_text t, uint64_t *bits)
{
	static const char prefixes[] = "kMGT";
	uint64_t unit = 1;
	const char *prefix = t.size > 0 ? strchr(prefixes, t.data[t.size - 1]) : NULL;
	if (t.size > 0 && prefix != NULL && *prefix != '\0') {
		for (const char *p = prefixes; p <= prefix; p++)
			unit *= 1000;
		t.size--;
	}
	return number_decimal(t.data, t.size, bits) && !__builtin_mul_overflow(*bits, unit, bits);
}

bool model_parse_bandwidth(struct iot_text t, uint64_t *bandwidth)
{
	if (text_equals(t, "0")) {
		*bandwidth = MODEL_NO_DELAY;
		return true;
	}
	if (!cut_suffix(&t, "/s"))
		return false;
	if (cut_suffix(&t, "bit")) {
		if (!parse_bits(t, bandwidth) || *bandwidth % BITS != 0)
			return false;
		*bandwidth /= BITS;
		return *bandwidth > 0;
	}
	return size_parse(t.data, t.size, bandwidth) == SIZE_VALID && *bandwidth > 0;
}

static bool parse_size(struct iot_text t, uint64_t *bytes)
{
	return size_parse(t.data, t.size, bytes) == SIZE_VALID;
}

static bool parse_count(struct iot_text t, uint32_t max, uint32_t *count)
{
	uint64_t n;
	if (!number_decimal(t.data, t.size, &n) || n < 1 || n > max)
		return false;
	*count = (uint32_t)n;
	return true;
}

/* Burst buffer: "none", or "size 64GiB, internal 850MiB/s, external 1Gbit/s" */

static bool set_burst_part(struct model_system *s, struct iot_text part)
{
	const char *blank = memchr(part.data, ' ', part.size);
	if (blank == NULL)
		return false;
	const struct iot_text key = {part.data, (size_t)(blank - part.data)};
	const struct iot_text value = trim((struct iot_text){blank, part.size - key.size});
	if (text_equals(key, "size"))
		return parse_size(value, &s->burst_buffer) && s->burst_buffer > 0;
	if (text_equals(key, "internal"))
		return model_parse_bandwidth(value, &s->burst_internal);
	return text_equals(key, "external") && model_parse_bandwidth(value, &s->burst_external);
}

static const char *set_burst_buffer(struct model_system *s, struct iot_text value)
{
	unsigned parts = 0;
	s->burst_buffer = 0;
	if (text_equals(value, "none"))
		return NULL;
	for (bool more = true; more; parts++) {
		const char *comma = memchr(value.data, ',', value.size);
		const size_t size = comma != NULL ? (size_t)(comma - value.data) : value.size;
		if (!set_burst_part(s, trim((struct iot_text){value.data, size})))
			return "none, or \"size SIZE, internal BANDWIDTH, external BANDWIDTH\"";
		more = comma != NULL;
		if (more)
			value = (struct iot_text){comma + 1, value.size - size - 1};
	}
	return parts == 3 && s->burst_buffer > 0
		   ? NULL
		   : "none, or \"size SIZE, internal BANDWIDTH, external BANDWIDTH\"";
}

/* Keys */

static const char *set_few_nodes(struct model_system *s, struct iot_text key, struct iot_text value)
{
	static const char prefix[] = "io-nodes-";
	const struct iot_text number = {key.data + sizeof prefix - 1, key.size - sizeof prefix + 1};
	return parse_count(number, MODEL_COMPUTE_MAX, &s->few_compute_nodes) &&
		       parse_count(value, MODEL_NODES_MAX, &s->few_nodes)
		   ? NULL
		   : "a number of I/O nodes up to 4096";
}

struct number_key {
	const char *name;
	size_t offset; /* in the system */
	bool is_bandwidth;
};

static const struct number_key *find_number(struct iot_text key)
{
	static const struct number_key keys[] = {
	    {"tree", offsetof(struct model_system, tree), true},
	    {"network", offsetof(struct model_system, network), true},
	    {"server", offsetof(struct model_system, server), true},
	    {"internal", offsetof(struct model_system, internal), true},
	    {"request-max", offsetof(struct model_system, request_max), false},
	    {"ciod-buffer", offsetof(struct model_system, ciod_buffer), false},
	    {"page-pool", offsetof(struct model_system, page_pool), false},
	};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (text_equals(key, keys[i].name))
			return &keys[i];
	return NULL;
}

static uint64_t *number_at(struct model_system *s, const struct number_key *key)
{
	return (void *)((char *)s + key->offset);
}

uint64_t *model_system_number(struct model_system *s, struct iot_text key)
{
	const struct number_key *found = find_number(key);
	return found != NULL ? number_at(s, found) : NULL;
}

static const char *set_number(struct model_system *s, const struct number_key *key,
			      struct iot_text value)
{
	uint64_t *to = number_at(s, key);
	if (key->is_bandwidth)
		return model_parse_bandwidth(value, to)
			   ? NULL
			   : "a bandwidth such as 850MiB/s or 10Gbit/s, or 0: no delay";
	return parse_size(value, to) ? NULL : "a size such as 4MiB";
}

const char *model_system_set(struct model_system *s, struct iot_text key, struct iot_text value)
{
	const struct number_key *number = find_number(key);
	if (number != NULL)
		return set_number(s, number, value);
	if (text_equals(key, "io-nodes"))
		return parse_count(value, MODEL_NODES_MAX, &s->io_nodes)
			   ? NULL
			   : "a number of I/O nodes up to 4096";
	if (text_equals(key, "compute-nodes"))
		return parse_count(value, MODEL_COMPUTE_MAX, &s->compute_nodes)
			   ? NULL
			   : "a number of compute nodes up to 1048576";
	if (text_equals(key, "burst-buffer"))
		return set_burst_buffer(s, value);
	if (text_equals(key, "tree-links")) {
		s->tree_shared = text_equals(value, "shared");
		return s->tree_shared || text_equals(value, "private") ? NULL : "shared or private";
	}
	if (key.size > 9 && memcmp(key.data, "io-nodes-", 9) == 0)
		return set_few_nodes(s, key, value);
	return "a known key: io-nodes, io-nodes-N, compute-nodes, request-max, ciod-buffer, "
	       "page-pool, tree, tree-links, network, server, internal, burst-buffer";
}

/* Lines */

/* Returns the end of a setting: two blanks, or a tab, before another key and '='. */
static size_t setting_size(struct iot_text line)
{
	for (size_t i = 0; i + 1 < line.size; i++)
		if ((line.data[i] == ' ' && line.data[i + 1] == ' ') || line.data[i] == '\t') {
			struct iot_text rest =
			    trim((struct iot_text){line.data + i, line.size - i});
			const char *equals = memchr(line.data, '=', i);
			if (equals == NULL ||
			    trim(
				(struct iot_text){equals + 1, (size_t)(line.data + i - equals - 1)})
				    .size == 0)
				continue;
			if (rest.size == 0 || memchr(rest.data, '=', rest.size) != NULL)
				return i;
		}
	return line.size;
}

static const char *parse_setting(struct model_system *s, struct iot_text setting)
{
	const char *equals = memchr(setting.data, '=', setting.size);
	if (equals == NULL)
		return "\"key = value\"";
	const struct iot_text key =
	    trim((struct iot_text){setting.data, (size_t)(equals - setting.data)});
	const struct iot_text value =
	    trim((struct iot_text){equals + 1, setting.size - (size_t)(equals + 1 - setting.data)});
	return model_system_set(s, key, value);
}

static const char *parse_line(struct model_system *s, struct iot_text line)
{
	const char *comment = memchr(line.data, '#', line.size);
	if (comment != NULL)
		line.size = (size_t)(comment - line.data);
	for (line = trim(line); line.size > 0; line = trim(line)) {
		const size_t size = setting_size(line);
		const char *expected = parse_setting(s, (struct iot_text){line.data, size});
		if (expected != NULL)
			return expected;
		line = (struct iot_text){line.data + size, line.size - size};
	}
	return NULL;
}

static const char *check_system(const struct model_system *s)
{
	if (s->request_max == 0)
		return "a request-max of at least one byte";
	if (s->request_max > s->ciod_buffer)
		return "a ciod-buffer of at least request-max";
	if (s->burst_buffer > 0 && s->request_max > s->burst_buffer)
		return "a burst-buffer of at least request-max";
	if (s->internal != MODEL_NO_DELAY)
		return "internal = 0, as links inside of an I/O node have no delay";
	if (s->request_max > MODEL_BYTES_MAX || s->page_pool > MODEL_BYTES_MAX)
		return "sizes up to 1 PiB";
	return NULL;
}

int model_system_parse(struct model_system *s, const char *text, size_t size, struct error *e)
{
	uint64_t number = 0;
	for (const char *end = text + size; text < end;) {
		const char *lf = memchr(text, '\n', (size_t)(end - text));
		const struct iot_text line = {text, (size_t)((lf != NULL ? lf : end) - text)};
		const char *expected = parse_line(s, line);
		char shown[128];
		number++;
		if (expected != NULL)
			return error_set(
			    e, IOT_EFORMAT, "line %ju: '%s', expected %s", (uintmax_t)number,
			    escape_text(shown, sizeof shown, line.data, line.size), expected);
		text += line.size + 1;
	}
	const char *expected = check_system(s);
	return expected == NULL ? IOT_OK : error_set(e, IOT_EFORMAT, "expected %s", expected);
}
