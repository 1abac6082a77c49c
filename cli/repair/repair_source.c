/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of the kept intervals, piece by piece. */
#include "repair_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void make_line(struct repair_source *f, const char *text, size_t size)
{
	const int n = snprintf(f->made + f->made_size, sizeof(f->made) - f->made_size, "%s %.*s\n",
			       f->base == 16 ? "ff" : "255", (int)size, text);
	f->made_size += (size_t)n;
}

/* The lines before an interval. */
static void begin_interval(struct repair_source *f, const struct interval *e)
{
	char text[FRAMING_MAX];
	f->made_at = f->made_size = 0;
	if (!f->any) {
		const size_t size = framing_build_header(text, &f->header);
		make_line(f, text, size);
	}
	if (f->any || e->record > 0 || e->time > 0) {
		const struct sync_directive s = {.time = e->time, .record = e->record};
		const size_t size = framing_build_sync(text, &s);
		make_line(f, text, size);
	}
	if (e->disposition == DISPOSITION_UNVERIFIED) {
		char note[200];
		const int n = snprintf(note, sizeof(note),
				       "not verified: the next %ju records (line %ju: %s)",
				       (uintmax_t)e->records, (uintmax_t)e->why_line,
				       e->why != NULL ? e->why : "no hash");
		make_line(f, note, (size_t)n);
	}
	f->any = true;
	f->now = e;
}

/* Returns false if there are no more. */
static bool next_interval(struct repair_source *f)
{
	const struct intervals *t = f->intervals;
	while (f->next < t->count && !repair_source_keeps(&t->entry[f->next]))
		f->next++;
	if (f->next == t->count)
		return false;
	begin_interval(f, &t->entry[f->next++]);
	return true;
}

static size_t give(const char *from, size_t have, void *to, size_t capacity)
{
	const size_t n = have < capacity ? have : capacity;
	memcpy(to, from, n);
	return n;
}

/* Copies the part of the current piece that is in the interval, as far as it fits. */
static size_t give_text(struct repair_source *f, void *to, size_t capacity)
{
	struct raw_item *p = &f->piece;
	const struct interval *e = f->now;
	if (e == NULL || p->size == 0 || p->at >= e->to || p->at + p->size <= e->from)
		return 0;
	const size_t skip = e->from > p->at ? (size_t)(e->from - p->at) : 0;
	const uint64_t left = e->to - p->at;
	const size_t stop = left < p->size ? (size_t)left : p->size;
	const size_t n = give(p->text + skip, stop - skip, to, capacity);
	p->text += skip + n;
	p->at += skip + n;
	p->size -= skip + n;
	return n;
}

static int next_piece(struct repair_source *f)
{
	const bool was_cut = f->piece.kind == RAW_CUT;
	if (was_cut && f->now != NULL && f->now->to > f->piece.at) {
		f->made_at = 0;
		f->made_size = 1;
		f->made[0] = '\n';
		f->piece.kind = RAW_END;
		return IOT_OK;
	}
	const int status = raw_lines_next(f->raw, &f->piece);
	f->ended = f->piece.kind == RAW_END;
	if (f->piece.kind != RAW_LINES && f->piece.kind != RAW_CUT)
		f->piece.size = 0;
	return status;
}

ssize_t repair_source_read(void *feed, void *buffer, size_t size)
{
	struct repair_source *f = feed;
	for (;;) {
		size_t n = give(f->made + f->made_at, f->made_size - f->made_at, buffer, size);
		f->made_at += n;
		if (n == 0)
			n = give_text(f, buffer, size);
		if (n > 0)
			return (ssize_t)n;
		if (f->now == NULL || (f->piece.size > 0 && f->piece.at >= f->now->to)) {
			if (!next_interval(f))
				return 0;
		} else if (f->ended) {
			return 0;
		} else if (next_piece(f) != IOT_OK) {
			errno = EIO;
			return -1;
		}
	}
}
