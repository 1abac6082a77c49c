/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encoded directives of version 2 (iotrace(5), ENCODED DIRECTIVES). A directive that is written in
 * full defines a template: its text without the values that usually vary. A later directive with
 * the same template is encoded as the number of the template and its values, relative to preceding
 * ones. Writer and reader keep the same state, which is reset at each %sync.
 */
#ifndef LIB_FORMAT_DIRECTIVE_CODEC_H
#define LIB_FORMAT_DIRECTIVE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

struct directive_codec;

/* Returns NULL if out of memory. */
struct directive_codec *directive_codec_new(void);
void directive_codec_free(struct directive_codec *c);
/* Resets the state; c may be NULL. */
void directive_codec_forget(struct directive_codec *c);

/*
 * Encodes the text of a comment, with times in ticks. Returns the size of the result in out, which
 * needs a capacity of ENCODED_DIRECTIVE_MAX(text.size); 0 if the text has to be written unchanged;
 * or IOT_ENOMEM.
 */
#define ENCODED_DIRECTIVE_MAX(size) ((size) + 32)
ssize_t directive_codec_encode(struct directive_codec *c, struct iot_text text, char *out);

/*
 * Parses ev->text as iot_directive_parse() does, but faster, if it has a template that was used
 * lately. Returns false, with ev unspecified except for its text, if it has not.
 */
bool directive_codec_recognize(struct directive_codec *c, struct iot_event *ev);
/*
 * As directive_codec_encode(), for the text that was recognized last, with times in nanoseconds.
 * Returns 0 if directive_codec_encode() has to encode the text with times in ticks.
 */
ssize_t directive_codec_encode_recognized(struct directive_codec *c, struct iot_text text,
					  uint64_t tick_ns, char *out);

/*
 * As directive_codec_encode(), for an operation with times in ticks and its paths percent-encoded,
 * without its text. Returns 0 if it must be written as the text of directive_operation(), which
 * directive_codec_encode() encodes; then call directive_codec_add_operation(). *closes: as
 * IOT_CLOSES. The capacity is OPERATION_ENCODED_MAX plus the sizes of the paths.
 */
#define OPERATION_ENCODED_MAX 128
ssize_t directive_codec_encode_operation(struct directive_codec *c, const struct iot_operation *op,
					 bool *closes, char *out);
/* Loads the memory that a path, percent-encoded, of one of the next operations will need. */
void directive_codec_prefetch(const struct directive_codec *c, struct iot_text path);
/* Makes operations that resemble this one, the text of which was encoded last, need no text. */
void directive_codec_add_operation(struct directive_codec *c, const struct iot_operation *op);

/*
 * Parses the comment line of which ev->text is the text: decodes it, converts its times to
 * nanoseconds, and sets the other members of ev. c is NULL in version 1. If the text changes, it is
 * in out. Returns IOT_OK; IOT_ELIMIT, with nothing changed, if `capacity` is less than
 * directive_codec_bound(), which is at most RETIMED_MAX(IOT_COMMENT_MAX); IOT_EFORMAT with the
 * reason in *why; or IOT_ENOMEM. After the last two the state is undefined until
 * directive_codec_forget().
 */
int directive_codec_parse(struct directive_codec *c, struct iot_event *ev, uint64_t tick_ns,
			  char *out, size_t capacity, const char **why);
size_t directive_codec_bound(const struct directive_codec *c, struct iot_text text,
			     uint64_t tick_ns);

#endif
