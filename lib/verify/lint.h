/* SPDX-License-Identifier: BSD-2-Clause */
/* What is odd in a valid trace. verify.c shows it every line that holds. */
#ifndef LIB_VERIFY_LINT_H
#define LIB_VERIFY_LINT_H

#include "lib/format/framing.h"
#include "verify.h"

/* Whoever counts and tells findings. */
struct findings {
	const struct verify_options *options;
	uint64_t *count;
};

/* Counts; true: this one is to be told. */
bool findings_select(const struct findings *f, enum finding_kind kind);
/* Counts and tells. */
void findings_report(const struct findings *f, enum finding_kind kind, uint64_t line,
		     unsigned column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Tells what findings_select has counted. */
void findings_print(const struct findings *f, enum finding_kind kind, uint64_t line,
		    unsigned column, const char *format, ...) __attribute__((format(printf, 5, 6)));

struct lint;

/* NULL: no memory. */
struct lint *lint_new(const struct findings *findings, uint64_t tick_ns, unsigned base);
void lint_free(struct lint *l);

/* n records, each on one line of text, the first of which has this number. IOT_OK, IOT_ENOMEM, IOT_ELIMIT. */
int lint_records(struct lint *l, const char *text, size_t size, const struct iot_record *rec,
		 size_t n, uint64_t line);
/* The record shown last is the first of its file since the %sync before; named: a %file was there. */
void lint_new_file(struct lint *l, const struct iot_record *rec, bool named);

/* A comment at p, and the event that it is. */
void lint_comment(struct lint *l, const char *p, const struct text_line *look, uint64_t line);
void lint_directive(struct lint *l, const struct iot_event *ev, uint64_t line, unsigned column);
/* A line of framing, and its text as a writer would have it. */
void lint_framing(struct lint *l, const char *p, const struct text_line *look,
		  struct iot_text canonical, uint64_t line);
void lint_blank(struct lint *l, uint64_t line);

/* Behind a %sync; start_ticks: of the record before. */
void lint_interval(struct lint *l, int64_t start_ticks);

#endif
