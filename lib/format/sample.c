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

/* Returns the value that a key names; SAMPLE_VALUES if it names none. */
static unsigned value_of(struct iot_text key)
{
	unsigned v = 0;
	while (v < SAMPLE_VALUES && !text_same(key, sample_names[v]))
		v++;
	return v;
}

/* Returns whether a key with this beginning can be none of a value. */
static bool is_word(char first)
{
	return first == 'h' || first == 't' || first == 's' || first == 'j' || first == 'g' ||
	       first == 'd';
}

/* Returns false for a value that is not a number. */
static bool take_pair(struct sample *s, struct iot_text key, struct iot_text value)
{
	const unsigned v = is_word(key.data[0]) ? SAMPLE_VALUES : value_of(key);
	const char *at = value.data, *const end = at + value.size;
	if (v == SAMPLE_VALUES) {
		take_word(s, key, value);
		return true;
	}
	s->known |= UINT32_C(1) << v;
	return number_scan(&at, end, 10, &s->value[v]) && at == end;
}

/*
 * Converters write values in the order of their names, after one blank each. Such values with
 * numbers of up to 19 digits are read without tokens, by loads of 8 bytes.
 */
enum { LOADED = 16 + NUMBER_LOADED /* bytes of a name with its blank and '=', and a number */ };

static const struct usual {
	char text[16];
	uint8_t size;
} usual[SAMPLE_VALUES] = {
#define USUAL(name)                                                                                \
	{                                                                                          \
		" " name "=", sizeof(" " name "=") - 1                                             \
	}
    [SAMPLE_READ_BYTES] = USUAL("read-bytes"),
    [SAMPLE_WRITTEN_BYTES] = USUAL("written-bytes"),
    [SAMPLE_READS] = USUAL("reads"),
    [SAMPLE_WRITES] = USUAL("writes"),
    [SAMPLE_REQUESTS] = USUAL("requests"),
    [SAMPLE_OPENS] = USUAL("opens"),
    [SAMPLE_CLOSES] = USUAL("closes"),
    [SAMPLE_READDIRS] = USUAL("readdirs"),
    [SAMPLE_INODE_UPDATES] = USUAL("inode-updates"),
    [SAMPLE_CREATES] = USUAL("creates"),
    [SAMPLE_READ_NS] = USUAL("read-ns"),
    [SAMPLE_WRITE_NS] = USUAL("write-ns"),
    [SAMPLE_BUSY_NS] = USUAL("busy-ns"),
    [SAMPLE_QUEUE_NS] = USUAL("queue-ns")};

static inline bool is_at(const char *at, const struct usual *u)
{
	static const uint64_t first[9] = {
	    0,          0xff,         0xffff,         0xffffff,
	    0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff,
	    UINT64_MAX};
	const uint64_t low = number_load(at) ^ number_load(u->text),
		       high = number_load(at + 8) ^ number_load(u->text + 8);
	return u->size < 8 ? (low & first[u->size]) == 0 : (low | (high & first[u->size - 8])) == 0;
}

/*
 * Takes values from number *v on, from a text of which bytes may be loaded up to a limit. Returns
 * their end.
 */
static const char *take_usual(struct sample *s, unsigned *v, const char *at, const char *limit)
{
	unsigned i = *v;
	for (; i < SAMPLE_VALUES && limit - at >= LOADED; i++) {
		if (!is_at(at, &usual[i]))
			continue;
		const char *number = at + usual[i].size;
		const unsigned n = number_loaded(number, &s->value[i]);
		if (n == 0 || n > 19 || number[n] != ' ')
			break;
		s->known |= UINT32_C(1) << i;
		at = number + n;
	}
	*v = i;
	return at;
}

/* As take_usual, up to the end of a text. */
static const char *take_all_usual(struct sample *s, const char *at, const char *end)
{
	unsigned v = 0;
	at = take_usual(s, &v, at, end);
	const size_t left = (size_t)(end - at);
	if (left >= LOADED)
		return at;
	char tail[2 * LOADED];
	memset(tail, ' ', sizeof tail);
	memcpy(tail, at, left);
	return at + (take_usual(s, &v, tail, tail + sizeof tail) - tail);
}

/* Moves over digits of a text, of which 24 bytes may be loaded. */
static const char *skip_digits(const char *at)
{
	unsigned n = 8;
	for (unsigned i = 0; i < 3 && n == 8; i++, at += n)
		n = number_leading(number_load(at));
	return at;
}

size_t sample_interval_size(struct iot_text text)
{
	static const char sample[] = "%sample time=", took[] = " took=";
	enum { TIME = sizeof sample - 1, TOOK = sizeof took - 1, DIGITS = 24 };
	if (text.size <= TIME + DIGITS + TOOK + DIGITS || memcmp(text.data, sample, TIME) != 0)
		return 0;
	const char *at = skip_digits(text.data + TIME);
	if (memcmp(at, took, TOOK) != 0)
		return 0;
	at = skip_digits(at + TOOK);
	return *at == ' ' ? (size_t)(at - text.data) : 0;
}

bool sample_of(const struct iot_event *ev, struct sample *s)
{
	const size_t interval = sample_interval_size(ev->text); /* known from ev->rec */
	struct tokens tokens =
	    tokens_of((struct iot_text){ev->text.data + interval, ev->text.size - interval});
	struct iot_text token;
	const unsigned both = IOT_HAS_TIME | IOT_HAS_TOOK;
	size_t equals;
	*s =
	    (struct sample){.start_ns = (uint64_t)ev->rec.start_ns, .took_ns = ev->rec.duration_ns};
	if ((ev->has & both) != both || !directive_end_fits(ev) || s->took_ns == 0)
		return false;
	while (tokens_next(&tokens, &token, &equals)) {
		const struct iot_text key = {token.data, equals},
				      value = {token.data + equals + 1, token.size - equals - 1};
		if (equals > 0 && equals < token.size && !take_pair(s, key, value))
			return false;
		if (tokens.end - tokens.at > 1 && !is_word(tokens.at[1]))
			tokens.at = take_all_usual(s, tokens.at, tokens.end);
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
