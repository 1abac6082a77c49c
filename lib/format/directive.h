/* SPDX-License-Identifier: BSD-2-Clause */
/* What reader, writer and names need of directives beyond the public interface. */
#ifndef LIB_FORMAT_DIRECTIVE_H
#define LIB_FORMAT_DIRECTIVE_H

#include <stdbool.h>
#include <string.h>

#include <iotrace/iotrace.h>

static inline bool text_equals(struct iot_text text, const char *word)
{
	return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

/* Takes the first token (no blanks in it) off *rest; false if there is none any more. */
bool directive_token(struct iot_text *rest, struct iot_text *token);
/* Splits at the first '='; false if there is none. */
bool directive_split(struct iot_text token, struct iot_text *key, struct iot_text *value);

enum framing_kind { FRAMING_NONE, FRAMING_HEADER, FRAMING_SYNC, FRAMING_END };
enum framing_kind directive_framing(struct iot_text text);

/* The IOT_..._UNKNOWN flags by name: words of lacks= in %trace, keys of =unknown in %file. */
enum { UNKNOWNS = 4 };
struct unknown {
	const char *name;
	unsigned flag;
};
extern const struct unknown unknowns[UNKNOWNS];

#define FLAGS_ALL                                                                                  \
	((unsigned)IOT_OFFSET_UNKNOWN | IOT_DURATION_UNKNOWN | IOT_CPU_UNKNOWN | IOT_START_UNKNOWN)

/* The flags of a %file: those of its keys that are =unknown. */
unsigned directive_flags(const struct iot_event *ev);

/* IOT_..._UNKNOWN flags of a %trace's lacks=; false if it has no such key. */
bool directive_lacks(const struct iot_event *ev, unsigned *flags);

/* Whether ev is an %op that ends a fileId: name=close that did not fail, of a known file. */
bool directive_closes(const struct iot_event *ev);

/*
 * The text with its time= and took= turned from ticks to nanoseconds, or back. Returns *text as it
 * is where there is nothing to turn, else what was written to out, which has room for
 * RETIMED_MAX(text.size) bytes. IOT_EFORMAT: a time leaves 0 .. 2^63-1.
 */
#define RETIMED_MAX(size) (4 * (size) + 32)
int directive_to_ns(struct iot_text *text, uint64_t tick_ns, char *out);
void directive_to_ticks(struct iot_text *text, uint64_t tick_ns, char *out);

#endif
