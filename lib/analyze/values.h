/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of results. */
#ifndef LIB_ANALYZE_VALUES_H
#define LIB_ANALYZE_VALUES_H

#include <stdbool.h>

#include <iotrace/analyze.h>

#include "lib/analyze/containers/histogram.h"

/* Reasons of values that a join of parts, or of traces of a job, cannot compute. */
#define VALUES_INEXACT   "not available of these parts"
#define VALUES_UNORDERED "merge the traces: see iotrace-merge(1)"
/* That of values that a sample of the files does not have. */
#define VALUES_SAMPLED "not available of a sample of the files"

struct values {
	struct iot_analyze_value *value;
	size_t count, capacity;
	const char *section; /* of the values that follow */
	const char *inexact; /* the reason of values that a join cannot compute */
	bool failed;         /* out of memory */
};

/* Names, units and reasons are constants; key NULL: none. */
void values_number(struct values *v, const char *name, const char *key, const char *unit,
		   uint64_t number);
void values_real(struct values *v, const char *name, const char *key, const char *unit,
		 double real);
void values_unknown(struct values *v, const char *name, const char *key, const char *unit,
		    const char *reason);
/* size bytes of text, which is valid as long as the values. */
void values_text(struct values *v, const char *name, const char *key, struct iot_text text);
/* A constant, which needs no encoding. */
void values_word(struct values *v, const char *name, const char *key, const char *word);
/* The number, text or reason of another value, with its note. */
void values_copy(struct values *v, const char *name, const char *key,
		 struct iot_analyze_value value);
/* part / whole; unknown for the reason if the whole is 0. */
void values_ratio(struct values *v, const char *name, const char *key, const char *unit,
		  double part, double whole, const char *reason);
/* The names of a summary: of its moments, quantiles and bins. */
struct summary_names {
	const char *moments, *quantile, *bins;
};
#define SUMMARY(name) ((struct summary_names){name, name "_quantile", name "_bins"})
/* The names of a summary of times end in the unit. */
#define SUMMARY_NS(name) ((struct summary_names){name "_ns", name "_quantile_ns", name "_bins"})

/*
 * A histogram: its moments by key (n, sum, min, max, mean, cv), its quantiles, and its bins by
 * upper bound. Without values, n and sum alone.
 */
void values_summary(struct values *v, struct summary_names name, const char *unit,
		    const struct histogram *h);
void values_summary_unknown(struct values *v, struct summary_names name, const char *unit,
			    const char *reason);
/* Returns NULL if the value does not exist. */
const struct iot_analyze_value *values_find(const struct values *v, const char *section,
					    const char *name, const char *key);
/* Makes a value unknown unless it is a text; and the values from number i on. */
void values_forget_one(struct iot_analyze_value *v, const char *reason);
void values_forget(struct values *v, size_t i, const char *reason);
/* Makes values from number i on unknown that are known and have no note. */
void values_forget_plain(struct values *v, size_t i, const char *reason);
/* Keeps those for which `keeps` returns true. */
void values_filter(struct values *v, bool (*keeps)(const char *section, unsigned context),
		   unsigned context);
/* Adds a note to the last value. */
void values_note(struct values *v, const char *note);
/* Adds a note to those values from number i on that are known and have none. */
void values_note_since(struct values *v, size_t i, const char *note);
/* Moves the values from number i on, all of one section, next to earlier values of it. */
void values_group(struct values *v, size_t i);
void values_free(struct values *v);

/* Write a number as a key. */
enum { VALUE_KEY = sizeof((struct iot_analyze_value *)0)->key };
const char *values_key(char key[VALUE_KEY], uint64_t number);
const char *values_signed_key(char key[VALUE_KEY], int64_t number);

#endif
