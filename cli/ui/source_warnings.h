/* SPDX-License-Identifier: BSD-2-Clause */
/* Warnings about what a source does not show, for every command that reads sources. */
#ifndef CLI_UI_SOURCE_WARNINGS_H
#define CLI_UI_SOURCE_WARNINGS_H

#include <stdbool.h>

#include <iotrace/source.h>

struct source_warnings {
	const struct iot_source *source; /* its stream has been freed */
	const char *name;   /* of the input, named in each warning; NULL if there is only one */
	bool verbose;       /* what is not alarming, too */
	bool whole;         /* all events were used: a lack of records is worth a warning */
	bool has_options;   /* the command has the options of the format: hints may name them */
	bool all_was_given; /* the option --all */
};

void source_warnings_print(const struct source_warnings *w);
/* Prints the number of lines that were not understood, if there are any. */
void source_warnings_unparsed(const struct source_warnings *w);
/* Returns whether most lines of the input were not understood. */
bool source_is_mostly_unparsed(const struct iot_source *s);

/* "warning: ", with the name of the input if it is one of several. */
void source_warnings_one(const struct source_warnings *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the count of this name, 0 if nothing was counted. */
uint64_t source_count_of(const struct iot_source *s, const char *name);
/* "hidden.mmap" and "hidden" have the prefix "hidden"; "hiddenness" does not. */
bool source_count_belongs(const char *name, const char *prefix);
/* Returns the sum of the counts with this prefix. */
uint64_t source_count_sum(const struct iot_source *s, const char *prefix);
/* Returns whether the format of the source has an option. */
bool source_has_option(const struct iot_source *s, const char *name);
/* A source that has only counters does not record the number of calls. */
bool source_knows_calls(const struct iot_source *s);

#endif
