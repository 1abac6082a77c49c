/* SPDX-License-Identifier: BSD-2-Clause */
/* What reader, writer and names need of directives beyond the public interface. */
#ifndef LIB_FORMAT_DIRECTIVE_H
#define LIB_FORMAT_DIRECTIVE_H

#include <stdbool.h>
#include <string.h>

#include <iotrace/iotrace.h>

static inline bool iot_text_is(struct iot_text text, const char *word)
{
	return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

/* Takes the first token (no blanks in it) off *rest; false if there is none any more. */
bool iot_directive_token(struct iot_text *rest, struct iot_text *token);
/* Splits at the first '='; false if there is none. */
bool iot_directive_split(struct iot_text token, struct iot_text *key, struct iot_text *value);

enum iot_framing { IOT_FRAMING_NONE, IOT_FRAMING_HEADER, IOT_FRAMING_SYNC, IOT_FRAMING_END };
enum iot_framing iot_directive_framing(struct iot_text text);

/* The IOT_..._UNKNOWN flags by name: words of lacks= in %trace, keys of =unknown in %file. */
enum { IOT_UNKNOWNS = 4 };
struct iot_unknown {
	const char *name;
	unsigned flag;
};
extern const struct iot_unknown iot_unknowns[IOT_UNKNOWNS];

#define IOT_FLAGS_ALL                                                                              \
	((unsigned)IOT_OFFSET_UNKNOWN | IOT_DURATION_UNKNOWN | IOT_CPU_UNKNOWN | IOT_START_UNKNOWN)

/* The flags of a %file: those of its keys that are =unknown. */
unsigned iot_directive_flags(const struct iot_event *ev);

/* IOT_..._UNKNOWN flags of a %trace's lacks=; false if it has no such key. */
bool iot_directive_lacks(const struct iot_event *ev, unsigned *flags);

/* Whether ev is an %op that ends a fileId: name=close that did not fail, of a known file. */
bool iot_directive_closes(const struct iot_event *ev);

/*
 * The text with its time= and took= turned from ticks to nanoseconds, or back. Returns *text as it
 * is where there is nothing to turn, else what was written to out, which has room for
 * IOT_RETIMED_MAX(text.size) bytes. IOT_EFORMAT: a time leaves 0 .. 2^63-1.
 */
#define IOT_RETIMED_MAX(size) (4 * (size) + 32)
int iot_directive_to_ns(struct iot_text *text, uint64_t tick_ns, char *out);
void iot_directive_to_ticks(struct iot_text *text, uint64_t tick_ns, char *out);

#endif
