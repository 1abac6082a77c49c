/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of results. */
#ifndef LIB_ANALYZE_VALUES_H
#define LIB_ANALYZE_VALUES_H

#include <stdbool.h>

#include <iotrace/analyze.h>

struct values {
	struct iot_analyze_value *value;
	size_t count, capacity;
	const char *section; /* of the values that follow */
	bool failed;         /* out of memory */
};

/* Names, units and reasons are constants; key NULL: none. */
void values_number(struct values *v, const char *name, const char *key, const char *unit,
		   uint64_t number);
void values_real(struct values *v, const char *name, const char *key, const char *unit,
		 double real);
void values_unknown(struct values *v, const char *name, const char *key, const char *unit,
		    const char *reason);
/* part / whole; unknown for the reason if the whole is 0. */
void values_ratio(struct values *v, const char *name, const char *key, const char *unit,
		  double part, double whole, const char *reason);
/* Adds a note to the last value. */
void values_note(struct values *v, const char *note);
void values_free(struct values *v);

/* Write a number as a key. */
enum { VALUE_KEY = sizeof((struct iot_analyze_value *)0)->key };
const char *values_key(char key[VALUE_KEY], uint64_t number);
const char *values_signed_key(char key[VALUE_KEY], int64_t number);

#endif
