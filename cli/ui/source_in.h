/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inputs of all commands: traces, and whatever else iotrace/source.h reads (here called logs). An
 * input of unknown format is taken for a trace, whose reader then says what is wrong with it.
 */
#ifndef CLI_UI_SOURCE_IN_H
#define CLI_UI_SOURCE_IN_H

#include <iotrace/source.h>

#include "options.h"

enum { SOURCE_IN_SETTINGS_MAX = 32 };

/* --in-format and --in-option. Initialize to zero. */
struct source_in_options {
	const char *format;                          /* NULL: auto-detect */
	const char *setting[SOURCE_IN_SETTINGS_MAX]; /* "KEY" or "KEY=VALUE" */
	size_t settings;
	uint64_t memory; /* for sorting a log; 0: default */
};

/* Elements of an array of options, for a struct source_in_options. */
/* clang-format off */
#define OPTION_SOURCE_IN(o)                                                                       \
	WORDS("in-format", "FORMAT", &(o), "format of IN: iotrace, or a source format of "         \
	      "iotrace convert (default: auto-detect)",                                          \
	      source_in_take_format, source_in_format_word),                                    \
	CALL("in-option", "KEY[=VALUE]", &(o), "an option of that format, --KEY[=VALUE] of "      \
	     "iotrace convert, or memory=SIZE; repeatable", source_in_take_setting)
/* clang-format on */

option_fn source_in_take_format;
option_word_fn source_in_format_word;
option_fn source_in_take_setting;

/*
 * Returns the sentence of a source, in text; if no format recognizes its input, with the option
 * that names one, such as "--from". key: a setting, whose format is suggested; NULL: none.
 */
const char *source_in_sentence(const struct iot_source *s, const char *option, const char *key,
			       char *text, size_t capacity);

/*
 * Opens an input. interruptible: the signals that the command has caught end it early. Returns
 * EXIT_OK with *s set, or the exit status after a message.
 */
enum exit_status source_in_open(struct iot_source **s, const char *path,
				const struct source_in_options *o, bool interruptible,
				const struct command_spec *cmd);
/*
 * The same for a new source, without a message: returns an IOT_ status, of which iot_source_error
 * has the sentence.
 */
int source_in_start(struct iot_source *s, const char *path, const struct source_in_options *o,
		    bool interruptible);
/*
 * Returns the format of an input, which can be read afterwards as if it had not been examined; of a
 * pipe (fd) its first bytes are. Returns NULL if it is unknown. *packed: a trace in a tar, or
 * compressed with xz, bzip2 or lz4, as only sources can read it.
 */
const char *source_in_detect(const char *path, int fd, const struct source_in_options *o,
			     bool *packed);
/* Returns whether a file begins as xz, bzip2 or lz4, which only sources decompress. */
bool source_in_is_compressed(const char *path);
/* Returns whether it is a trace. */
bool source_in_is_trace(const struct iot_source *s);
/* Returns whether a signal ended it early; if so, the command ends by that signal. */
bool source_in_cut(const struct iot_source *s);
/*
 * After its stream or reader was freed: prints the warnings about what a log does not contain.
 * name: NULL if the command has only one input; whole: all of it was read; quiet: only that most
 * lines were not understood.
 */
void source_in_warn(const struct iot_source *s, const char *name, bool whole, bool quiet);

#endif
