/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prepares a batch for merging: shifts times to the zero of the output, copies texts into the
 * batch, and assigns each event its sort key.
 *
 * The key of a record is its start. A timed directive has its time as the key, but not less than
 * the preceding record of its trace and not more than the following one; an untimed one, or a
 * comment, has the key of the event that follows it. Keys therefore never decrease within a stream.
 * Directives at the end of a batch are held until the next record is known; if there are too many
 * of them, a second reader finds that record's start.
 */
#include <stdlib.h>
#include <string.h>

#include "merge.h"

enum { TEXT_FIRST = 4096 };

static int fail(struct merge_source *s, const char *why)
{
	s->fatal = true;
	return error_set(&s->fault, IOT_EUSAGE, "%s: %s", s->input->shown, why);
}

int merge_out_of_memory(struct merge_source *s)
{
	s->fatal = true;
	return error_set(&s->fault, IOT_ENOMEM, "out of memory");
}

/* Texts */

static char *text_capacity(struct merge_batch *b, size_t end, size_t n)
{
	if (n <= b->text_capacity - b->text_used)
		return b->text + b->text_used;
	size_t capacity = b->text_capacity > 0 ? b->text_capacity : TEXT_FIRST;
	while (capacity - b->text_used < n)
		capacity *= 2;
	char *text = malloc(capacity);
	if (text == NULL)
		return NULL;
	if (b->text_used > 0)
		memcpy(text, b->text, b->text_used);
	for (size_t i = 0; i < end; i++)
		if (b->ev[i].kind != IOT_RECORD && b->ev[i].text.size > 0)
			b->ev[i].text.data = text + (b->ev[i].text.data - b->text);
	free(b->text);
	b->text = text;
	b->text_capacity = capacity;
	return text + b->text_used;
}

/* Earlier events have their texts in the batch; this one gets its own copy. */
bool merge_keep_text(struct merge_batch *b, size_t at)
{
	struct iot_text *text = &b->ev[at].text;
	if (text->size == 0)
		return true;
	char *to = text_capacity(b, at, text->size);
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

/* %trace is not shifted here: its text is generated when it is written. */
static bool move_directive(struct merge_source *s, struct iot_event *ev, int64_t by)
{
	struct iot_event moved = *ev;
	s->rebase.zero_ns = -by;
	if (!time_shift_events(&s->rebase, &moved, 1))
		return false;
	ev->text = moved.text;
	return true;
}

/* Shifts the events just read, and copies their texts. */
static int move_other(struct merge_source *s, struct merge_batch *b, size_t at)
{
	struct iot_event *ev = &b->ev[at];
	const int64_t by = s->input->move_ns;
	bool dated = ev->has & IOT_HAS_TIME;
	uint64_t took = ev->has & IOT_HAS_TOOK ? ev->rec.duration_ns : 0;
	if (dated && !move_time(&ev->rec.start_ns, took, by))
		return fail(s, "a time leads beyond 2^63-1 nanoseconds");
	if (dated && ev->rec.start_ns > s->max_ns)
		s->max_ns = ev->rec.start_ns;
	if (dated && by != 0 && ev->kind != IOT_TRACE && !move_directive(s, ev, by))
		return merge_out_of_memory(s);
	ev->rec.type = MERGE_TIE;
	ev->rec.spare = s->input->index;
	return merge_keep_text(b, at) ? IOT_OK : merge_out_of_memory(s);
}

/* Order check */

/* Reads the input again, event by event, up to a record that starts before its predecessor. */
static uint64_t find_line(const struct merge_source *s, const struct read_options *o)
{
	struct iot_event ev;
	int64_t last_ns = 0;
	uint64_t line = 0;
	struct iot_reader *r = iot_reader_new();
	if (r == NULL)
		return 0;
	(void)iot_reader_set(r, IOT_SET_VERIFY, 0);
	(void)iot_reader_set(r, IOT_SET_RECOVER, o->recover ? 1 : 0);
	if (o->base != NOT_GIVEN)
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

/* line: of the record, or of a later one. */
static int out_of_order(struct merge_source *s, uint64_t line, bool exact)
{
	uint64_t found = exact ? line : 0;
	if (!exact && s->input->again)
		found = find_line(s, &s->merge->options->read);
	s->fatal = true;
	return error_set(&s->fault, IOT_EFORMAT,
			 "%s:%s%llu: a record starts before the one before it; --reorder sorts",
			 s->input->shown, found > 0 ? "" : " before line ",
			 (unsigned long long)(found > 0 ? found : line + 1));
}

/*
 * The events just read are b->ev[from .. n), whose lines end with `line`. Returns IOT_OK, or the
 * error.
 */
int merge_place_new(struct merge_source *s, struct merge_batch *b, size_t from, size_t n,
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
		s->next_known = false;
		s->last_ns = rec->start_ns;
		s->max_ns = rec->start_ns > s->max_ns ? rec->start_ns : s->max_ns;
	}
	return IOT_OK;
}

/* Opens the second reader of an input at a record. */
static int open_ahead(struct merge_source *s, uint64_t index)
{
	int status;
	if ((s->ahead = iot_reader_new()) == NULL)
		return IOT_ENOMEM;
	status = merge_set_up(s, s->ahead);
	if (status == IOT_OK)
		status = iot_reader_open(s->ahead, s->input->path);
	return status == IOT_OK ? iot_reader_seek(s->ahead, IOT_SEEK_RECORD, index) : status;
}

/*
 * Finds record number `index` of the input, with its times in the output. Returns 0 if there is none.
 * The second reader stays open and only reads forward, so that all runs together cost at most one
 * more pass over the input.
 */
static ssize_t find_record(struct merge_source *s, uint64_t index, struct iot_record *rec)
{
	ssize_t n = s->ahead == NULL ? open_ahead(s, index) : IOT_OK;
	if (n == IOT_OK)
		do /* INDEX is the number of the record after it */
			n = iot_reader_records(s->ahead, rec, 1);
		while (n > 0 && iot_reader_fact(s->ahead, IOT_FACT_INDEX) <= index);
	if (n > 0 && __builtin_add_overflow(rec->start_ns, s->input->move_ns, &rec->start_ns))
		n = IOT_EFORMAT;
	rec->spare = s->input->index;
	return n;
}

/*
 * The record after a run of directives too long to be held, or NULL. If it cannot be found, the run
 * gets the key of the preceding record: early rather than late.
 */
static const struct iot_record *next_record(struct merge_source *s)
{
	if (!s->next_known) {
		const uint64_t index = iot_reader_fact(s->reader, IOT_FACT_INDEX);
		ssize_t n = s->input->again ? find_record(s, index, &s->next) : IOT_EUSAGE;
		if (n < 0)
			s->next = (struct iot_record){
			    .start_ns = s->last_ns, .type = MERGE_TIE, .spare = s->input->index};
		s->has_next = n != 0;
	}
	s->next_known = true;
	return s->has_next ? &s->next : NULL;
}

/* If the input is to be sorted, a timed event keeps its time. %trace precedes all records. */
static void place_for_sorting(struct merge_source *s, struct merge_batch *b,
			      const struct iot_record *record)
{
	int64_t record_ns = record != NULL ? record->start_ns : INT64_MAX;
	int64_t next_ns = record != NULL ? record->start_ns : s->max_ns;
	for (size_t i = b->count; i-- > 0;) {
		int64_t *start = &b->ev[i].rec.start_ns;
		if (b->ev[i].kind == IOT_RECORD)
			record_ns = *start;
		else if (!(b->ev[i].has & IOT_HAS_TIME))
			*start = next_ns < record_ns ? next_ns : record_ns;
		next_ns = *start;
	}
	for (size_t i = 0; i < b->count && !s->begun; i++) {
		s->begun = b->ev[i].kind == IOT_RECORD;
		if (b->ev[i].kind == IOT_TRACE)
			b->ev[i].rec.start_ns = s->input->move_ns;
	}
}

/* If the input is in order, each event stays between its neighbouring records. */
static void place_in_order(struct merge_source *s, struct merge_batch *b,
			   const struct iot_record *record)
{
	const struct iot_record *next = record;
	for (size_t i = b->count; i-- > 0;) {
		struct iot_record *rec = &b->ev[i].rec;
		const bool dated = b->ev[i].has & IOT_HAS_TIME;
		if (b->ev[i].kind == IOT_RECORD)
			record = rec;
		else if (!dated && next != NULL)
			*rec = *next;
		else if (!dated && s->sorter == NULL)
			rec->start_ns = INT64_MIN;
		else if (record != NULL && record->start_ns < rec->start_ns)
			*rec = *record;
		next = rec;
	}
	for (size_t i = 0; i < b->count; i++) {
		int64_t *start = &b->ev[i].rec.start_ns;
		*start = *start < s->placed_ns ? s->placed_ns : *start;
		s->placed_ns = *start;
	}
}

/*
 * Assigns sort keys to directives. Those after the last record are held, if one may follow. Events
 * that are still to be sorted keep their own times and numbers.
 */
void merge_place_others(struct merge_source *s, struct merge_batch *b, size_t n)
{
	const struct iot_record *record = NULL;
	size_t end = n;
	while (end > 0 && b->ev[end - 1].kind != IOT_RECORD)
		end--;
	if (!b->last && end == 0 && n > 0 && s->sorter == NULL)
		record = next_record(s);
	if (b->last || end == 0)
		end = n;
	b->count = end;
	b->held = n - end;
	if (s->merge->options->reorder && s->sorter == NULL)
		place_for_sorting(s, b, record);
	else
		place_in_order(s, b, record);
}

/* The first batch, which was read before its shift was known */

/* The sort key is shifted, and so are the times in the text. */
static bool can_move(const struct iot_event *ev, int64_t by)
{
	struct iot_event own = {.text = ev->text, .rec.start_ns = 0};
	int64_t place_ns = ev->rec.start_ns;
	if (ev->kind == IOT_RECORD)
		return move_time(&place_ns, ev->rec.duration_ns, by);
	if ((ev->has & IOT_HAS_TIME) && iot_directive_parse(&own, NULL) != IOT_OK)
		return false;
	uint64_t took = own.has & IOT_HAS_TOOK ? own.rec.duration_ns : 0;
	return move_time(&place_ns, 0, by) && move_time(&own.rec.start_ns, took, by);
}

int merge_shift_first(struct merge_source *s, struct merge_batch *b, size_t n)
{
	const int64_t by = s->input->move_ns - s->moved_ns;
	for (size_t i = 0; i < n && by != 0; i++) {
		struct iot_event *ev = &b->ev[i];
		bool dated =
		    ev->kind != IOT_RECORD && ev->kind != IOT_TRACE && (ev->has & IOT_HAS_TIME);
		if (!can_move(ev, by))
			return fail(s, "a time leads beyond 2^63-1 nanoseconds");
		ev->rec.start_ns += by;
		if (!dated)
			continue;
		if (!move_directive(s, ev, by))
			return merge_out_of_memory(s);
		/* All other texts stay where they are, or move with those of the batch. */
		struct iot_text text = ev->text;
		ev->text = (struct iot_text){NULL, 0};
		char *to = text_capacity(b, n, text.size);
		if (to == NULL)
			return merge_out_of_memory(s);
		memcpy(to, text.data, text.size);
		b->text_used += text.size;
		ev->text = (struct iot_text){to, text.size};
	}
	return IOT_OK;
}
