/* SPDX-License-Identifier: BSD-2-Clause */
/* Internal functions for directives, beyond the public interface. */
#ifndef LIB_FORMAT_DIRECTIVE_H
#define LIB_FORMAT_DIRECTIVE_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

#include "lib/base/text.h"
#include "lib/base/word.h"

/* Splits at the first '='; returns false if the token has none. */
bool directive_split(struct iot_text token, struct iot_text *key, struct iot_text *value);

enum framing_kind { FRAMING_NONE, FRAMING_HEADER, FRAMING_SYNC, FRAMING_END };
enum framing_kind directive_framing_named(struct iot_text text);
static inline enum framing_kind directive_framing(struct iot_text text)
{
	if (text.size < 4 || text.data[0] != '%' ||
	    (text.data[2] != 'y' && text.data[2] != 'n' && text.data[2] != 'o'))
		return FRAMING_NONE;
	return directive_framing_named(text);
}

/* The IOT_..._UNKNOWN flags by name: values of lacks= in %trace, keys of =unknown in %file. */
enum { UNKNOWNS = 4 };
struct unknown {
	const char *name;
	unsigned flag;
};
extern const struct unknown unknowns[UNKNOWNS];

#define FLAGS_ALL                                                                                  \
	((unsigned)IOT_OFFSET_UNKNOWN | IOT_DURATION_UNKNOWN | IOT_CPU_UNKNOWN | IOT_START_UNKNOWN)

/* Returns the flags of a %file: a flag for each key with the value "unknown". */
unsigned directive_flags(const struct iot_event *ev);

/* The keys with a meaning in every directive. */
enum directive_key {
	KEY_TIME,
	KEY_TOOK,
	KEY_PROCESS,
	KEY_FILE,
	KEY_PARENT,
	KEY_OBJECT,
	KEY_ID,
	KEY_NUMBERS, /* the keys before this one are numeric */
	KEY_NAME = KEY_NUMBERS,
	KEY_KIND,
	KEY_RESULT,
	KEY_COUNT
};
/* Returns the kind of a directive with that name, which includes the %. */
enum iot_kind directive_kind(struct iot_text name);
/* Returns the numeric key of that name, or KEY_NUMBERS; id= is one in %process and %file only. */
enum directive_key directive_number_key(enum iot_kind kind, struct iot_text name);
/* The members of iot_event.rec that numeric keys set. */
enum directive_member {
	MEMBER_TIME,
	MEMBER_TOOK,
	MEMBER_PROCESS,
	MEMBER_FILE,
	MEMBER_OBJECT,
	MEMBER_NONE,
	MEMBERS
};
enum directive_member directive_member(enum iot_kind kind, enum directive_key key);

/* Returns whether the operation of the event ends at a time that exists. */
static inline bool directive_end_fits(const struct iot_event *ev)
{
	const unsigned both = IOT_HAS_TIME | IOT_HAS_TOOK;
	return (ev->has & both) != both ||
	       ev->rec.duration_ns <= (uint64_t)(INT64_MAX - ev->rec.start_ns);
}

/* Returns whether a parsed event is an %op that ends a fileId. */
static inline bool directive_closes(const struct iot_event *ev)
{
	return (ev->has & IOT_CLOSES) != 0;
}

/*
 * Finds n keys in one pass over the text, with the results of iot_directive_get(): values[i] is the
 * value of wanted[i].
 */
void directive_values(const struct iot_event *ev, const struct iot_text *wanted, size_t n,
		      struct iot_text *values);

/* Stores the number of a key, 0 without the key. Returns false if its value is not a number. */
bool directive_number(const struct iot_event *ev, const char *key, uint64_t *v);
/* Returns whether an event is a %sample: what counters of a host counted in an interval. */
bool directive_is_sample(const struct iot_event *ev);

/* Builds the %op of an operation. */
void directive_operation(struct iot_builder *b, void *memory, size_t capacity,
			 const struct iot_operation *op);

/*
 * Returns a value percent-encoded as iot_directive_text() does: the value itself if it contains
 * nothing to encode; otherwise out, which has a capacity of ENCODED_VALUE_MAX(value.size).
 */
#define ENCODED_VALUE_MAX(size) (3 * (size))
struct iot_text directive_encoded(struct iot_text value, char *out);

/*
 * Converts time= and took= in the text from ticks to nanoseconds, or back. *text is unchanged if it
 * contains neither; otherwise it points to the result in out, which needs a capacity of
 * RETIMED_MAX(text.size) bytes. Returns IOT_EFORMAT if a time leaves 0 .. 2^63-1.
 */
#define RETIMED_MAX(size) (4 * (size) + 32)
int directive_to_ns(struct iot_text *text, uint64_t tick_ns, char *out);
void directive_to_ticks(struct iot_text *text, uint64_t tick_ns, char *out);

#endif
