/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The csv converter:
 *     csv.c        converts rows to events
 *     columns.c    what the columns mean: lists, headers and presets
 *     rows.c       reads rows from the members of the input
 *     fields.c     the values of a row
 *     names.c      numbers texts and emits %process and %file
 */
#ifndef CONVERTERS_CSV_CSV_H
#define CONVERTERS_CSV_CSV_H

#include <string.h>

#include "converters/emit.h"

#include "lib/base/idmap.h"

enum {
	CSV_COLUMNS_MAX = 64,
	CSV_ROW_MAX = 256 << 10,       /* bytes, without the end of line */
	CSV_PATH_MAX = 16 << 10,       /* longer paths are counted and left out */
	CSV_DIRECTIVE = 60 << 10,      /* a path of that size, all of it encoded, and other keys */
	CSV_NAMES_MAX = 256 << 20,     /* bytes of names */
	CSV_SCRATCH = 2 * CSV_ROW_MAX, /* a field is unquoted, then decoded */
};

enum csv_field {
	CSV_SKIP,
	/* numbers */
	CSV_START,
	CSV_END,
	CSV_DURATION,
	CSV_CPU,       /* since the previous record of the process */
	CSV_CPU_CLOCK, /* of the process */
	CSV_OFFSET,
	CSV_RELATIVE_OFFSET,
	CSV_ID, /* of the data, which a cache knows instead of an offset */
	CSV_LENGTH,
	CSV_TYPE,
	CSV_OPERATION,
	CSV_OBJECT,
	CSV_SIZE, /* that a truncate sets */
	/* numbers or names, as in the first row */
	CSV_PROCESS,
	CSV_FILE,
	CSV_DISK,
	/* texts */
	CSV_OP,
	CSV_KIND,
	CSV_PATH,
	CSV_HOST,
	CSV_COMMAND,
	CSV_RANK,
	CSV_TO,
	CSV_RESULT,
	CSV_FIELDS,
};

enum csv_form {
	CSV_IGNORED,
	CSV_TIME,
	CSV_SIGNED,
	CSV_COUNT,
	CSV_KEY, /* a text, whose number is its hash */
	CSV_WORD,
	CSV_TYPES,
	CSV_TEXT
};

struct csv_column {
	uint8_t field, form;
	bool since_1970, filetime; /* zero of CSV_START and CSV_END */
	bool percent;              /* a text is percent-encoded */
	uint64_t unit;             /* in nanoseconds or bytes; 1 for other numbers */
};

/* What the columns of a file mean. */
struct csv_layout {
	struct csv_column column[CSV_COLUMNS_MAX];
	size_t count;    /* up to the last one that is used */
	size_t declared; /* all */
	uint32_t used;   /* bit for each field that has a column or a constant */
	uint32_t constants;
	uint64_t constant[CSV_FIELDS];
	const char *preset; /* name; NULL if none */
	char left_out[128]; /* names of the header that are not known, or known before */
	size_t columns_left_out;
	char delimiter;
	bool own;   /* written by iotrace */
	bool exact; /* a row with more fields than are declared is not valid */
};

struct csv_row {
	uint32_t known; /* bit for each field that is not empty */
	uint64_t number[CSV_FIELDS];
	struct iot_text text[CSV_FIELDS];
};

#define CSV_BIT(field) (UINT32_C(1) << (field))

/* Rows */

enum csv_found { CSV_FAILED = -1, CSV_AT_END = 0, CSV_ROW = 1, CSV_LONG = 2 };

struct csv_rows {
	struct bufreader *in;
	size_t member;
	const char *peeked, *at, *end; /* bytes of in; those from `at` on are not yet used */
	size_t cut;                    /* bytes of a last line without end */
	size_t unjoined; /* bytes from `at` on whose lines are rows, whatever their quotes */
	bool begun;      /* a row of this member has been read */
};

struct csv_file {
	struct iot_text path; /* of the texts */
	uint32_t object;
	bool defined;
};

struct csv_process {
	struct iot_text host, command, rank; /* of the texts; data is NULL if unknown */
	int64_t cpu_ns;
};

/* Processes and files are numbered apart. */
enum csv_texts { CSV_OF_PROCESSES, CSV_OF_FILES, CSV_TEXTS };

struct csv_names {
	struct idmap hashes[CSV_TEXTS];
	struct iot_text *text[CSV_TEXTS]; /* by number */
	size_t text_capacity[CSV_TEXTS];
	struct idmap files[2]; /* of disks, of logical records: (process, file) */
	struct csv_file *file[2];
	size_t file_capacity[2];
	struct idmap processes;
	struct csv_process *process;
	size_t process_capacity;
	size_t bytes; /* of texts */
	uint64_t seed;
};

struct csv_source {
	struct source_state *src;
	struct csv_layout layout;
	struct csv_rows rows;
	struct csv_row row;
	struct csv_names names;
	struct emit emit;
	char *header; /* the header line, which later members repeat; or NULL */
	size_t header_size;
	char *scratch; /* texts of the row without quotes and escapes */
	size_t scratch_used;
	int64_t latest_ns;
	uint32_t expected; /* fields whose absence is counted */
	uint64_t ops;
	bool named_process, named_disk; /* these columns have names, not numbers */
	bool began, ended;
	struct error cut; /* the first truncated member */
};

/* columns.c */

/* Sets the meaning of the columns from --columns. Returns a status, with *error set. */
int csv_columns_list(struct csv_layout *l, const char *list, struct error *error);
/*
 * Sets the meaning of the columns from a header line. Returns the number of columns known by name.
 * *unit is then the first column of a time that needs a unit, or NULL.
 */
size_t csv_columns_header(struct csv_layout *l, struct iot_text line, const char **unit);
/* Recognizes a preset by rows that have no header. Returns bits of evidence, 0 if unknown. */
int csv_columns_detect(struct csv_layout *l, const char *head, size_t size);
/* The character that separates the fields of a line. */
char csv_delimiter(struct iot_text line);
/* Reports the resolution of the times. */
uint64_t csv_columns_tick(const struct csv_layout *l);

/* rows.c */

/* Opens the first member. */
int csv_rows_open(struct csv_source *c);
/* Reads the next line or row of several lines, without its end of line. */
enum csv_found csv_rows_next(struct csv_source *c, struct iot_text *line);

/* fields.c */

/*
 * Sets c->row from a line. Returns false if it does not have the columns. `limit` is the end of the
 * readable bytes that follow.
 */
bool csv_fields_parse(struct csv_source *c, struct iot_text line, const char *limit);
/*
 * Sets *value to the type of an operation of a cache, such as get. Returns false if it is another
 * word.
 */
bool csv_find_cache_word(struct iot_text text, uint64_t *value);
/* Returns the next field of a line without quotes, blanks around it and escapes. */
bool csv_fields_next(struct csv_source *c, const char **at, const char *end,
		     struct iot_text *field);

/* names.c */

/* Returns whether all ids are of one object, which each process, a client, has as its file 0. */
bool csv_names_one_object(const struct csv_source *c);
/* Returns the number of a text, from 1; 0 if out of memory or beyond the limit. */
uint32_t csv_names_number(struct csv_source *c, enum csv_texts of, struct iot_text text);
/* Returns the state of a process; NULL if out of memory or beyond the limit. */
struct csv_process *csv_names_process(struct csv_source *c, uint32_t process);
/* Emits %process where this row changes it. Returns false if out of memory. */
bool csv_names_define_process(struct csv_source *c, const struct iot_record *rec);
/* Declares that the file was closed: its next use is another open. */
void csv_names_close(struct csv_source *c, uint32_t process, uint32_t file);
/* Emits %process and %file where this row changes them. Returns false if out of memory. */
bool csv_names_define(struct csv_source *c, const struct iot_record *rec);
void csv_names_free(struct csv_names *n);

#endif
