/* SPDX-License-Identifier: BSD-2-Clause */
/* What is odd in a valid trace. verify.c shows it every line that holds. */
#ifndef LIB_VERIFY_LINT_H
#define LIB_VERIFY_LINT_H

#include "lib/format/framing.h"
#include "verify.h"

/* Whoever counts and tells findings. */
struct iot_findings {
	const struct iot_verify_options *options;
	uint64_t *count;
};

/* Counts; true: this one is to be told. */
bool iot_findings_wanted(const struct iot_findings *f, enum iot_finding_kind kind);
/* Counts and tells. */
void iot_findings_tell(const struct iot_findings *f, enum iot_finding_kind kind, uint64_t line,
		       unsigned column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Tells what iot_findings_wanted has counted. */
void iot_findings_show(const struct iot_findings *f, enum iot_finding_kind kind, uint64_t line,
		       unsigned column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

struct iot_lint;

/* NULL: no memory. */
struct iot_lint *iot_lint_new(const struct iot_findings *findings, uint64_t tick_ns, unsigned base);
void iot_lint_free(struct iot_lint *l);

/* n records, each on one line of text, the first of which has this number. IOT_OK, IOT_ENOMEM, IOT_ELIMIT. */
int iot_lint_records(struct iot_lint *l, const char *text, size_t size,
		     const struct iot_record *rec, size_t n, uint64_t line);
/* The record shown last is the first of its file since the %sync before; named: a %file was there. */
void iot_lint_new_file(struct iot_lint *l, const struct iot_record *rec, bool named);

/* A comment at p, and the event that it is. */
void iot_lint_comment(struct iot_lint *l, const char *p, const struct iot_line *look,
		      uint64_t line);
void iot_lint_directive(struct iot_lint *l, const struct iot_event *ev, uint64_t line,
			unsigned column);
/* A line of framing, and its text as a writer would have it. */
void iot_lint_framing(struct iot_lint *l, const char *p, const struct iot_line *look,
		      struct iot_text canonical, uint64_t line);
void iot_lint_blank(struct iot_lint *l, uint64_t line);

/* Behind a %sync; start_ticks: of the record before. */
void iot_lint_interval(struct iot_lint *l, int64_t start_ticks);

#endif
