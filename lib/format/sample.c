/* SPDX-License-Identifier: BSD-2-Clause */
#include "sample.h"

#include <xxhash.h>

#include "lib/base/number.h"
#include "lib/base/text.h"

#include "directive.h"
#include "tokens.h"

const struct iot_text sample_names[SAMPLE_VALUES] = {
    [SAMPLE_READ_BYTES] = TEXT_OF("read-bytes"),
    [SAMPLE_WRITTEN_BYTES] = TEXT_OF("written-bytes"),
    [SAMPLE_READS] = TEXT_OF("reads"),
    [SAMPLE_WRITES] = TEXT_OF("writes"),
    [SAMPLE_REQUESTS] = TEXT_OF("requests"),
    [SAMPLE_OPENS] = TEXT_OF("opens"),
    [SAMPLE_CLOSES] = TEXT_OF("closes"),
    [SAMPLE_READDIRS] = TEXT_OF("readdirs"),
    [SAMPLE_INODE_UPDATES] = TEXT_OF("inode-updates"),
    [SAMPLE_CREATES] = TEXT_OF("creates"),
    [SAMPLE_READ_NS] = TEXT_OF("read-ns"),
    [SAMPLE_WRITE_NS] = TEXT_OF("write-ns"),
    [SAMPLE_BUSY_NS] = TEXT_OF("busy-ns"),
    [SAMPLE_QUEUE_NS] = TEXT_OF("queue-ns")};

static void take_word(struct sample *s, struct iot_text key, struct iot_text value)
{
	const bool set = !text_equals(value, "0");
	if (text_equals(key, "host"))
		s->host = value;
	else if (text_equals(key, "target"))
		s->target = value;
	else if (text_equals(key, "job"))
		s->job = value;
	else if (text_equals(key, "gap"))
		s->gap = set;
	else if (text_equals(key, "reset"))
		s->reset = set;
	else if (text_equals(key, "doubtful"))
		s->doubtful = set;
}

/* Returns the value of a key, which is usually the one at `next` or follows it. */
static unsigned value_of(struct iot_text key, unsigned next)
{
	for (unsigned i = 0; i < SAMPLE_VALUES; i++) {
		const unsigned v = (next + i) % SAMPLE_VALUES;
		if (key.size == sample_names[v].size && key.data[0] == sample_names[v].data[0] &&
		    text_same(key, sample_names[v]))
			return v;
	}
	return SAMPLE_VALUES;
}

/* Returns whether a key with this beginning can be none of a value. */
static bool is_word(char first)
{
	return first == 'h' || first == 't' || first == 's' || first == 'j' || first == 'g' ||
	       first == 'd';
}

/* Returns false for a value that is not a number. */
static bool take_pair(struct sample *s, struct iot_text key, struct iot_text value, unsigned *next)
{
	const unsigned v = is_word(key.data[0]) ? SAMPLE_VALUES : value_of(key, *next);
	const char *at = value.data, *const end = at + value.size;
	if (v == SAMPLE_VALUES) {
		take_word(s, key, value);
		return true;
	}
	*next = v + 1;
	s->known |= UINT32_C(1) << v;
	return number_scan(&at, end, 10, &s->value[v]) && at == end;
}

bool sample_of(const struct iot_event *ev, struct sample *s)
{
	struct tokens tokens = tokens_of(ev->text);
	struct iot_text token;
	const unsigned both = IOT_HAS_TIME | IOT_HAS_TOOK;
	unsigned next = 0;
	size_t equals;
	*s =
	    (struct sample){.start_ns = (uint64_t)ev->rec.start_ns, .took_ns = ev->rec.duration_ns};
	if ((ev->has & both) != both || !directive_end_fits(ev) || s->took_ns == 0)
		return false;
	while (tokens_next(&tokens, &token, &equals)) {
		const struct iot_text key = {token.data, equals},
				      value = {token.data + equals + 1, token.size - equals - 1};
		if (equals > 0 && equals < token.size && !take_pair(s, key, value, &next))
			return false;
	}
	return s->host.data != NULL;
}

uint64_t sample_key(const struct sample *s)
{
	const struct iot_text parts[] = {s->host, s->target, s->job};
	uint64_t hash = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		hash = XXH3_64bits_withSeed(parts[i].size > 0 ? parts[i].data : "", parts[i].size,
					    hash);
	return hash;
}
