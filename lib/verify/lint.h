/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports warnings and notes about a valid trace. verify.c passes it every valid line. */
#ifndef LIB_VERIFY_LINT_H
#define LIB_VERIFY_LINT_H

#include "verify_internal.h"

struct lint;

/* Returns NULL if out of memory. */
struct lint *lint_new(struct iot_verifier *handle, uint64_t tick_ns, unsigned base,
		      uint64_t version);
void lint_free(struct lint *l);

/*
 * Checks n records, each on one line of text, the first of which has number `line`. Returns IOT_OK,
 * IOT_ENOMEM, IOT_ELIMIT.
 */
int lint_records(struct lint *l, const char *text, size_t size, const struct iot_record *rec,
		 size_t n, uint64_t line);
/*
 * Reports that the last record is the first of its file since the last %sync; named: a %file
 * declares the file.
 */
void lint_new_file(struct lint *l, const struct iot_record *rec, bool named);

/* Checks the event that was parsed from a comment. */
void lint_directive(struct lint *l, const struct iot_event *ev, uint64_t line, unsigned column);
/* Compares the comment or framing line at p with its canonical text. */
void lint_spelling(struct lint *l, const char *p, const struct text_line *look,
		   struct iot_text canonical, uint64_t line);
/* The same for a comment of which that is the decoded text. */
void lint_comment(struct lint *l, const char *p, const struct text_line *look,
		  struct iot_text decoded, uint64_t line);
void lint_blank(struct lint *l, uint64_t line);

/* Begins an interval after a %sync; start_ticks: start of the preceding record. */
void lint_interval(struct lint *l, int64_t start_ticks);

#endif
