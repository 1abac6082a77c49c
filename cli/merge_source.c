/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams of events, in batches that tell each event's place in the order.
 *
 * The place of a record is its own. A dated directive stands at its time, but never behind the
 * record that follows it in its trace; an undated one, or a comment, stands right before what
 * follows it. So directives at the end of a batch are held until the next record is known, unless
 * they fill a batch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/sorter.h"

#include "merge.h"

enum {
	READ_ALL = 4 << 20, /* bytes of windows of all inputs together ... */
	READ_LEAST = 32 << 10,
	READ_MOST = 256 << 10,
	TEXT_FIRST = 4096,
};

static int fail(struct iot_merge_source *s, const char *why)
{
	s->fatal = true;
	return iot_error_set(&s->fault, IOT_EUSAGE, "%s: %s", s->input ? s->input->shown : "", why);
}

static int no_memory(struct iot_merge_source *s)
{
	s->fatal = true;
	return iot_error_set(&s->fault, IOT_ENOMEM, "out of memory");
}

/* Texts */

char *iot_merge_text_room(struct iot_merge_batch *b, size_t upto, size_t n)
{
	if (n <= b->text_room - b->text_used)
		return b->text + b->text_used;
	size_t room = b->text_room > 0 ? b->text_room : TEXT_FIRST;
	while (room - b->text_used < n)
		room *= 2;
	char *text = malloc(room);
	if (text == NULL)
		return NULL;
	if (b->text_used > 0)
		memcpy(text, b->text, b->text_used);
	for (size_t i = 0; i < upto; i++)
		if (b->ev[i].kind != IOT_RECORD && b->ev[i].text.size > 0)
			b->ev[i].text.data = text + (b->ev[i].text.data - b->text);
	free(b->text);
	b->text = text;
	b->text_room = room;
	return text + b->text_used;
}

/* Events before this one have their texts in the batch; this one gets a copy of its own. */
static bool keep_text(struct iot_merge_batch *b, size_t at)
{
	struct iot_text *text = &b->ev[at].text;
	if (text->size == 0)
		return true;
	char *to = iot_merge_text_room(b, at, text->size);
	if (to == NULL)
		return false;
	memcpy(to, text->data, text->size);
	b->text_used += text->size;
	text->data = to;
	return true;
}

/* Time */

static bool move_time(int64_t *start, uint64_t took, int64_t by)
{
	int64_t end;
	return !__builtin_add_overflow(*start, by, start) && took <= INT64_MAX &&
	       !__builtin_add_overflow(*start, (int64_t)took, &end);
}

/* %trace is not here: its text is made when it is written. */
static bool move_directive(struct iot_merge_source *s, struct iot_event *ev, int64_t by)
{
	struct iot_event moved = *ev;
	s->rebase.zero_ns = -by;
	if (!iot_rebase_events(&s->rebase, &moved, 1))
		return false;
	ev->text = moved.text;
	return true;
}

/* Moves what was just read, and keeps its text. */
static int move_other(struct iot_merge_source *s, struct iot_merge_batch *b, size_t at)
{
	struct iot_event *ev = &b->ev[at];
	const int64_t by = s->input->move_ns;
	bool dated = ev->has & IOT_HAS_TIME;
	uint64_t took = ev->has & IOT_HAS_TOOK ? ev->rec.duration_ns : 0;
	if (dated && !move_time(&ev->rec.start_ns, took, by))
		return fail(s, "a time leads beyond 2^63-1 nanoseconds");
	if (dated && ev->rec.start_ns > s->most_ns)
		s->most_ns = ev->rec.start_ns;
	if (dated && by != 0 && ev->kind != IOT_TRACE && !move_directive(s, ev, by))
		return no_memory(s);
	ev->rec.type = IOT_MERGE_TIE;
	ev->rec.spare = s->input->index;
	return keep_text(b, at) ? IOT_OK : no_memory(s);
}

/* Order */

/* Reads once more, event by event, to where a record starts before the one before it. */
static uint64_t find_line(const struct iot_merge_source *s, const struct iot_read_options *o)
{
	struct iot_event ev;
	int64_t last_ns = 0;
	uint64_t line = 0;
	struct iot_reader *r = iot_reader_new();
	if (r == NULL)
		return 0;
	(void)iot_reader_set(r, IOT_SET_VERIFY, 0);
	(void)iot_reader_set(r, IOT_SET_RECOVER, o->recover ? 1 : 0);
	if (o->base != IOT_NOT_GIVEN)
		(void)iot_reader_set(r, IOT_SET_BASE, o->base);
	ssize_t n = iot_reader_open(r, s->input->path);
	while (n >= 0 && (n = iot_reader_events(r, &ev, 1)) > 0) {
		if (ev.kind == IOT_RECORD && ev.rec.start_ns < last_ns) {
			line = iot_reader_fact(r, IOT_FACT_LINE);
			break;
		}
		if (ev.kind == IOT_RECORD)
			last_ns = ev.rec.start_ns;
	}
	iot_reader_free(r);
	return line;
}

/* line: of the record, or of one behind it. */
static int out_of_order(struct iot_merge_source *s, uint64_t line, bool exact)
{
	uint64_t found = exact ? line : 0;
	if (!exact && s->input->again)
		found = find_line(s, &s->merge->options->read);
	s->fatal = true;
	return iot_error_set(&s->fault, IOT_EFORMAT,
			     "%s:%s%llu: a record starts before the one before it; --reorder sorts",
			     s->input->shown, found > 0 ? "" : "before line ",
			     (unsigned long long)(found > 0 ? found : line));
}

/* What was read last is b->ev[from .. n), its lines end with `line`. IOT_OK, or the fault. */
static int place_new(struct iot_merge_source *s, struct iot_merge_batch *b, size_t from, size_t n,
		     uint64_t lines, uint64_t line)
{
	const int64_t by = s->input->move_ns;
	const bool sorts = s->merge->options->reorder;
	for (size_t i = from; i < n; i++) {
		struct iot_record *rec = &b->ev[i].rec;
		if (b->ev[i].kind != IOT_RECORD) {
			if (move_other(s, b, i) != IOT_OK)
				return s->fault.status;
			continue;
		}
		if (by != 0 && !move_time(&rec->start_ns, rec->duration_ns, by))
			return fail(s, "a time leads beyond 2^63-1 nanoseconds");
		if (rec->start_ns < s->last_ns && !sorts)
			return out_of_order(s, line - (n - 1 - i), lines == n - from);
		rec->spare = s->input->index;
		s->last_ns = rec->start_ns;
		s->most_ns = rec->start_ns > s->most_ns ? rec->start_ns : s->most_ns;
	}
	return IOT_OK;
}

/* Gives directives their place. Those behind the last record are held, if one may come. */
static void place_others(struct iot_merge_source *s, struct iot_merge_batch *b, size_t n)
{
	const struct iot_record *next = NULL;
	size_t upto = n;
	while (upto > 0 && b->ev[upto - 1].kind != IOT_RECORD)
		upto--;
	if (b->last || upto == 0)
		upto = n;
	b->count = upto;
	b->held = n - upto;
	for (size_t i = upto; i-- > 0;) {
		struct iot_record *rec = &b->ev[i].rec;
		bool own = b->ev[i].kind == IOT_RECORD || (b->ev[i].has & IOT_HAS_TIME);
		if (!own && next == NULL)
			rec->start_ns = s->most_ns;
		else if (next != NULL && (!own || next->start_ns < rec->start_ns))
			*rec = *next;
		next = rec;
	}
}

/* Filling from a reader */

/* Says in the output that this input stops early. */
static void add_lost(struct iot_merge_source *s, struct iot_merge_batch *b, size_t *n)
{
	char memory[1024];
	struct iot_builder builder;
	struct iot_event ev;
	const char *why = s->fault.text;
	iot_directive_begin(&builder, memory, sizeof memory, "lost");
	iot_directive_number(&builder, "time", (uint64_t)s->most_ns);
	iot_directive_text(&builder, "why", why, strnlen(why, 300));
	if (iot_directive_end(&builder, &ev) != IOT_OK)
		return;
	b->ev[*n] = ev;
	b->ev[*n].rec.type = IOT_MERGE_TIE;
	b->ev[*n].rec.spare = s->input->index;
	if (keep_text(b, *n))
		++*n;
}

/* The events that the batch before this one held. */
static bool take_held(struct iot_merge_batch *b, struct iot_merge_batch *before)
{
	for (size_t i = 0; i < before->held; i++) {
		b->ev[i] = before->ev[before->count + i];
		if (!keep_text(b, i))
			return false;
	}
	before->held = 0;
	return true;
}

/* The end of an input: a proper one, or damage. */
static void end_input(struct iot_merge_source *s, struct iot_merge_batch *b, int status)
{
	s->lossy = iot_reader_fact(s->reader, IOT_FACT_LOST) > 0;
	if (status < 0)
		iot_error_set(&s->fault, status, "%s", iot_reader_error(s->reader));
	if (status == IOT_ENOMEM || status == IOT_ELIMIT)
		s->fatal = true;
	b->last = true;
}

static void fill_from_reader(struct iot_merge_source *s, struct iot_merge_batch *b, size_t n)
{
	/* One place is left for a %lost. */
	while (n < IOT_MERGE_BATCH - 1 && !b->last) {
		const uint64_t line = iot_reader_fact(s->reader, IOT_FACT_LINE);
		ssize_t got = iot_reader_events(s->reader, b->ev + n, IOT_MERGE_BATCH - 1 - n);
		if (got <= 0) {
			end_input(s, b, (int)got);
			break;
		}
		const uint64_t now = iot_reader_fact(s->reader, IOT_FACT_LINE);
		if (place_new(s, b, n, n + (size_t)got, now - line, now) != IOT_OK)
			b->last = true;
		n += (size_t)got;
	}
	if (s->fatal)
		n = 0;
	else if (s->fault.status != IOT_OK)
		add_lost(s, b, &n);
	b->stored = iot_reader_fact(s->reader, IOT_FACT_BYTES_STORED);
	place_others(s, b, n);
}

/* Filling from a sorter and from the spool: places are known. */

static bool copy_sorted(struct iot_merge_source *s, struct iot_merge_batch *b)
{
	size_t n = 0;
	while (n < IOT_MERGE_BATCH) {
		ssize_t got = iot_sorter_events(s->sorter, b->ev + n, IOT_MERGE_BATCH - n);
		if (got < 0) {
			s->fatal = true;
			iot_error_set(&s->fault, (int)got, "%s", iot_sorter_error(s->sorter)->text);
		}
		b->last = got <= 0;
		if (b->last)
			break;
		for (size_t end = n + (size_t)got; n < end; n++)
			if (b->ev[n].kind != IOT_RECORD && !keep_text(b, n))
				return false;
	}
	b->count = n;
	return true;
}

static bool copy_spooled(struct iot_merge_source *s, struct iot_merge_batch *b)
{
	const size_t record = sizeof(struct iot_record);
	struct iot_spooled e = {.size = 0};
	b->count = 0;
	while (b->count < IOT_MERGE_BATCH) {
		struct iot_event *ev = &b->ev[b->count];
		const void *data = NULL;
		b->last = s->spool_at == s->spool_end && s->spool_have == 0;
		if (b->last)
			return true;
		if ((data = iot_spool_read(s, record)) == NULL)
			return false;
		memcpy(&e.rec, data, record);
		*ev = (struct iot_event){.rec = e.rec, .kind = IOT_RECORD};
		b->count++;
		if (e.rec.zero == 0)
			continue;
		if ((data = iot_spool_read(s, sizeof e - record)) == NULL)
			return false;
		memcpy((char *)&e + record, data, sizeof e - record);
		*ev = (struct iot_event){.rec = e.rec, .kind = e.kind, .has = e.has};
		ev->rec.zero = 0;
		if (e.size > 0 && (data = iot_spool_read(s, e.size)) == NULL)
			return false;
		ev->text = (struct iot_text){data, e.size};
		if (!keep_text(b, b->count - 1))
			return false;
	}
	return true;
}

void iot_merge_source_fill(struct iot_merge_source *s)
{
	struct iot_merge_batch *b = &s->batch[!s->current], *before = &s->batch[s->current];
	size_t held = before->held;
	b->count = b->held = b->text_used = 0;
	b->last = before->last;
	if (b->last)
		return;
	if (s->sorter != NULL || s->spool != NULL) {
		bool fine = s->sorter != NULL ? copy_sorted(s, b) : copy_spooled(s, b);
		if (!fine)
			(void)no_memory(s);
		b->last = b->last || !fine;
		return;
	}
	if (take_held(b, before)) {
		fill_from_reader(s, b, held);
		return;
	}
	(void)no_memory(s);
	b->last = true;
}

/* Opening */

static void warn(void *context, const char *sentence)
{
	const struct iot_merge_source *s = context;
	if (!s->merge->options->read.quiet)
		iot_message("warning: %s", sentence);
}

static int set_up(struct iot_merge_source *s, const struct iot_read_options *o)
{
	const struct iot_merge *m = s->merge;
	size_t open = m->count < m->open_max ? m->count : m->open_max;
	uint64_t read_size = READ_ALL / (open > 0 ? open : 1);
	read_size = read_size < READ_LEAST ? READ_LEAST : read_size;
	read_size = read_size > READ_MOST ? READ_MOST : read_size;
	struct iot_reader *r = s->reader;
	iot_reader_on_warning(r, warn, s);
	int status = iot_reader_set(r, IOT_SET_READ_SIZE, read_size);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_VERIFY, o->no_verify ? 0 : 1);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_RECOVER, o->recover ? 1 : 0);
	if (status == IOT_OK && o->base != IOT_NOT_GIVEN)
		status = iot_reader_set(r, IOT_SET_BASE, o->base);
	if (status == IOT_OK && o->tick_ns != IOT_NOT_GIVEN)
		status = iot_reader_set(r, IOT_SET_TICK_NS, o->tick_ns);
	return status;
}

static bool make_batches(struct iot_merge_source *s)
{
	for (int i = 0; i < 2; i++) {
		s->batch[i].ev = malloc(IOT_MERGE_BATCH * sizeof *s->batch[i].ev);
		if (s->batch[i].ev == NULL)
			return false;
	}
	return true;
}

int iot_merge_source_open(struct iot_merge_source *s, const struct iot_merge *m,
			  struct iot_merge_input *in)
{
	*s = (struct iot_merge_source){.merge = m,
				       .input = in,
				       .reader = iot_reader_new(),
				       .moved_ns = in->move_ns,
				       .last_ns = in->move_ns,
				       .most_ns = in->move_ns};
	if (s->reader == NULL || !make_batches(s))
		return no_memory(s);
	int status = set_up(s, &m->options->read);
	if (status == IOT_OK)
		status = iot_reader_open(s->reader, in->path);
	if (status != IOT_OK)
		return iot_error_set(&s->fault, status, "%s", iot_reader_error(s->reader));
	iot_merge_source_fill(s);
	s->current = 1;
	in->tick_ns = iot_reader_fact(s->reader, IOT_FACT_TICK_NS);
	/* What is no trace at all is not merged; one that was cut short behind its header is. */
	const struct iot_merge_batch *b = &s->batch[1];
	bool header = iot_reader_fact(s->reader, IOT_FACT_FRAMED) != 0;
	bool blank = b->count + b->held <= 1 && iot_reader_fact(s->reader, IOT_FACT_RECORDS) == 0;
	return blank && !header ? s->fault.status : s->fatal ? s->fault.status : IOT_OK;
}

int iot_merge_source_open_spool(struct iot_merge_source *s, const struct iot_merge *m,
				const struct iot_spool *spool, size_t part)
{
	*s = (struct iot_merge_source){.merge = m, .spool = spool};
	s->spool_at = iot_spool_part(spool, part, &s->spool_end);
	s->spool_buffer = malloc(IOT_SPOOL_BUFFER);
	if (s->spool_buffer == NULL || !make_batches(s))
		return no_memory(s);
	iot_merge_source_fill(s);
	s->current = 1;
	return s->fault.status;
}

/* Sorting */

static void drain(struct iot_merge_source *s, struct iot_sorter *sorter)
{
	int status = IOT_OK;
	while (status == IOT_OK) {
		struct iot_merge_batch *b = &s->batch[s->current];
		status = iot_sorter_add(sorter, b->ev, b->count);
		if (status != IOT_OK || b->last || s->fatal)
			break;
		iot_merge_source_fill(s);
		s->current = !s->current;
	}
	if (status == IOT_OK)
		status = iot_sorter_end(sorter);
	if (status != IOT_OK) {
		s->fatal = true;
		iot_error_set(&s->fault, status, "%s", iot_sorter_error(sorter)->text);
	}
}

static void sort(struct iot_merge_source *s)
{
	const struct iot_merge *m = s->merge;
	size_t open = m->count < m->open_max ? m->count : m->open_max;
	struct iot_sorter *sorter =
	    iot_sorter_new((size_t)(m->options->memory / (open > 0 ? open : 1)), IOT_SORTER_HOLD);
	if (sorter == NULL) {
		(void)no_memory(s);
		return;
	}
	drain(s, sorter);
	iot_reader_free(s->reader);
	s->reader = NULL;
	s->sorter = sorter;
	s->batch[0].last = s->batch[1].last = s->fatal;
	s->batch[0].held = s->batch[1].held = 0;
	iot_merge_source_fill(s);
	s->current = !s->current;
}

static int move_first(struct iot_merge_source *s, struct iot_merge_batch *b, size_t n)
{
	const int64_t by = s->input->move_ns - s->moved_ns;
	for (size_t i = 0; i < n && by != 0; i++) {
		struct iot_event *ev = &b->ev[i];
		bool dated =
		    ev->kind != IOT_RECORD && ev->kind != IOT_TRACE && (ev->has & IOT_HAS_TIME);
		if (!move_time(&ev->rec.start_ns, ev->kind == IOT_RECORD ? ev->rec.duration_ns : 0,
			       by))
			return fail(s, "a time leads beyond 2^63-1 nanoseconds");
		if (!dated)
			continue;
		if (!move_directive(s, ev, by))
			return no_memory(s);
		/* All other texts stay where they are, or move with the batch's. */
		struct iot_text text = ev->text;
		ev->text = (struct iot_text){NULL, 0};
		char *to = iot_merge_text_room(b, n, text.size);
		if (to == NULL)
			return no_memory(s);
		memcpy(to, text.data, text.size);
		b->text_used += text.size;
		ev->text = (struct iot_text){to, text.size};
	}
	return IOT_OK;
}

void iot_merge_source_begin(struct iot_merge_source *s)
{
	struct iot_merge_batch *b = &s->batch[s->current];
	const size_t n = b->count + b->held;
	for (size_t i = 0; i < n; i++)
		b->ev[i].rec.spare = s->input->index;
	if (move_first(s, b, n) != IOT_OK) {
		b->count = b->held = 0;
		b->last = true;
	}
	s->last_ns += s->input->move_ns - s->moved_ns;
	s->most_ns += s->input->move_ns - s->moved_ns;
	if (s->merge->options->reorder && !s->fatal)
		sort(s);
}

void iot_merge_source_close(struct iot_merge_source *s)
{
	iot_reader_free(s->reader);
	iot_sorter_free(s->sorter);
	iot_rebase_free(&s->rebase);
	free(s->spool_buffer);
	for (int i = 0; i < 2; i++) {
		free(s->batch[i].ev);
		free(s->batch[i].text);
	}
	*s = (struct iot_merge_source){.merge = NULL};
}
