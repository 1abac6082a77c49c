/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of an analysis as %state directives: tables of integers.
 *
 * Each group of statistics has one function, NAME_state(), that both saves and loads. It visits its
 * tables in a fixed order, and in each row the same columns in the same order. A column takes the
 * address of a number: saving writes the number, loading sets it.
 *
 *	void colours_state(struct state *s, struct colours *c)
 *	{
 *		size_t i;
 *		while (state_each(s, "colours", 1, &i)) {
 *			state_number(s, "reads", &c->reads);
 *			state_flag(s, "inexact", &c->inexact);
 *		}
 *		while (state_each(s, "colours.file", s->files.count, &i)) {
 *			struct colour *of = state_at(s, &c->files, &c->capacity, s->files.own[i],
 *						     sizeof *of);
 *			if (of != NULL)
 *				state_limited(s, "red", &of->red, RED_MAX);
 *		}
 *	}
 *
 * Rows of processes, files, pairs and open streams are in the order of their keys, so that the
 * bytes do not depend on the order in which parts were joined; `own` converts a row to the number
 * that the analysis uses. A group may only save what one pass over a trace and a join of its parts
 * have in common: caches are settled before, and lists are sorted unless they are in the order of
 * the trace. Rows of zeros are left out.
 *
 * Loading trusts nothing: each number has a limit, and a group checks what its loops rely on with
 * state_check(). After the first failure no table has further rows, and numbers are 0.
 */
#ifndef LIB_ANALYZE_STATE_H
#define LIB_ANALYZE_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include <iotrace/iotrace.h>

#include "lib/analyze/containers/common.h"
#include "lib/analyze/containers/few.h"
#include "lib/analyze/containers/histogram.h"
#include "lib/base/error.h"

enum {
	STATE_COLUMNS = 48,
	STATE_TEXT_MAX = 16384,     /* bytes of a text, before it is encoded */
	STATE_ROWS_MAX = 1 << 24,   /* of one table */
	STATE_ELEMENT_MAX = 512,    /* bytes of an element of an array */
	STATE_NUMBERS_MAX = 1 << 28 /* of all tables */
};

struct state_column {
	const char *key; /* saving */
	uint128 *number; /* saving: of each row of the line; */
	char *text;      /* or, if the column has texts, all of them, each after a comma */
	size_t count, number_capacity, size, text_capacity;
	size_t count_before, size_before; /* saving: without the current row */
	struct iot_text name;             /* loading */
	const char *at, *end;             /* loading: what is left; at: NULL after the last text */
	bool has_differences;             /* loading */
	uint128 before;                   /* loading: the written number of the previous row */
	uint128 min, factor;              /* loading: of what is written; 0, 1: it is the number */
};

struct cells;

/* Rows in the order of their keys, and the numbers that the analysis uses for them. */
struct state_numbers {
	uint32_t *own;   /* by row */
	uint32_t *index; /* saving: row + 1, by number; 0: none */
	size_t count, own_capacity, index_capacity;
};

struct state {
	struct iot_writer *writer; /* saving; NULL: loading */
	struct iot_reader *reader;
	const char *directive; /* NULL: %state */
	struct error error;
	bool whole;           /* of a whole trace: what only a further part needs is left out */
	int layer, direction; /* of the tables; -1: of all */
	const struct cells *cells; /* of the layer, which precede its series */
	struct state_numbers processes, files, pairs, ids, streams, heads;

	/* The open table: */
	const char *kind; /* NULL: none */
	struct state_column column[STATE_COLUMNS];
	size_t columns, next;
	size_t bytes,
	    bytes_before;         /* saving: of the rows in the line, and without the current row */
	unsigned char value[256]; /* loading: of digits */
	uint64_t rows;            /* saving: in the line; loading: left in the line */
	uint64_t all_rows, next_row;
	bool in_row, first;    /* first: of its line */
	bool filled;           /* not all numbers of the row are 0 */
	uint64_t numbers;      /* loading: of all tables */
	struct iot_event line; /* loading: the next one, if `has_line` */
	struct state_head {
		struct iot_text kind;
		int layer, direction;
		uint64_t rows;
	} head; /* of the line */
	bool has_line;
	bool member; /* loading: another state may follow, after a line of kind=member */
	char *text;  /* the line that is written; or the last text read */
	_Alignas(max_align_t) uint64_t zero[STATE_ELEMENT_MAX / 8];
};

static inline bool state_saves(const struct state *s)
{
	return s->writer != NULL;
}

/*
 * Begins the next row of a table with up to `rows` rows, and stores its number: 0, 1, ... Returns
 * false at the end of the table; no row may be left early.
 */
bool state_each(struct state *s, const char *kind, size_t rows, size_t *i);
/* Begins the next row of a list; saving: if `more`; loading: if the list has one. */
bool state_list(struct state *s, const char *kind, bool more);

/* Columns. Their keys are none of time, took, process, file and parent; see iotrace(5). */
void state_number(struct state *s, const char *key, uint64_t *v);
void state_limited(struct state *s, const char *key, uint64_t *v, uint64_t max);
void state_small(struct state *s, const char *key, uint32_t *v, uint32_t max);
void state_time(struct state *s, const char *key, int64_t *v); /* not negative */
void state_signed(struct state *s, const char *key, int64_t *v);
void state_flag(struct state *s, const char *key, bool *v);
void state_wide(struct state *s, const char *key, uint128 *v);
/* Loading: the text is valid until the next call for a text. */
void state_text(struct state *s, const char *key, struct iot_text *v);
/* A number of the analysis that has a row in `of`. */
void state_reference(struct state *s, const char *key, const struct state_numbers *of, uint32_t *v);

/* Helpers */

/*
 * Returns element i of an array that grows by array_reserve_index(); NULL if out of memory. Saving:
 * the array does not grow; an element beyond it is zero, and valid until the next call.
 */
void *state_at(struct state *s, void *array, size_t *capacity, size_t i, size_t size);
/* Loading: the state is refused unless `valid`. */
void state_check(struct state *s, bool valid, const char *expected);
void state_no_memory(struct state *s);
static inline bool state_failed(const struct state *s)
{
	return s->error.status != IOT_OK;
}
/* Adds a row to the numbers. */
void state_add_number(struct state *s, struct state_numbers *of, uint32_t own);

/* Tables. A histogram or a table of common values has two names: NAME and NAME.list. */
struct state_names {
	const char *kind, *list;
};
#define STATE_NAMES(name) ((struct state_names){name, name ".list"})

void state_histogram(struct state *s, struct state_names name, struct histogram *h);
void state_common(struct state *s, struct state_names name, struct common *c);
/*
 * Columns of the sum of n numbers, and of all but the first of them, less what is expected: the sum
 * if it alone has calls, otherwise 0. So a row of one kind of calls has one number above 0. calls:
 * NULL if 0 is expected of all.
 */
void state_shares(struct state *s, const char *const key[], uint64_t *v, const uint64_t *calls,
		  unsigned n);
/* A column of what a number is above or below the one that is expected. */
void state_differing(struct state *s, const char *key, uint64_t *v, uint64_t expected);
/* at() returns list i of n, or NULL if it does not exist or, when loading, if out of memory. */
void state_few(struct state *s, const char *kind, struct few *(*at)(void *context, size_t i),
	       void *context, size_t n);

/* Returns false if out of memory. Set the writer, or the reader and its first line, before. */
bool state_begin(struct state *s);
/* Loading: whether no further table follows. */
bool state_ends(struct state *s);
void state_free(struct state *s);

#endif
