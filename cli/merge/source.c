/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams of events in batches: from a reader, from a sorter after one, or from the tempfile. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sort/sorter.h"

#include "merge.h"
#include "cli/ui/signals.h"

enum {
	READ_ALL = 4 << 20, /* total bytes of buffers of all inputs ... */
	READ_MIN = 32 << 10,
	READ_MAX = 256 << 10,
	HELD_MAX = 1 << 16, /* directives held until the record that follows them is known ... */
	HELD_SIZE_MAX = 4 << 20, /* ... and bytes of their texts */
	VERIFY_ALL = 256 << 20,  /* total bytes of unverified intervals of all inputs */
};

/* Filling from a reader */

/* Records in the output that this input ends early. */
static void add_lost(struct merge_source *s, struct merge_batch *b, size_t *n)
{
	char memory[1024];
	struct iot_builder builder;
	struct iot_event ev;
	const char *why = s->fault.text;
	iot_directive_begin(&builder, memory, sizeof memory, "lost");
	iot_directive_number(&builder, "time", (uint64_t)s->max_ns);
	iot_directive_text(&builder, "why", why, strnlen(why, 300));
	if (iot_directive_end(&builder, &ev) != IOT_OK)
		return;
	b->ev[*n] = ev;
	b->ev[*n].rec.type = MERGE_TIE;
	b->ev[*n].rec.spare = s->input->index;
	if (merge_keep_text(b, *n))
		++*n;
}

static bool reserve_capacity(struct merge_batch *b, size_t capacity)
{
	struct iot_event *grown =
	    capacity > b->capacity ? realloc(b->ev, capacity * sizeof *grown) : b->ev;
	if (grown == NULL)
		return false;
	b->ev = grown;
	b->capacity = capacity > b->capacity ? capacity : b->capacity;
	return true;
}

/* Whether a batch of n events can take more: one with a record is full at MERGE_BATCH. */
static bool takes_more(struct merge_batch *b, size_t n)
{
	size_t i = n;
	if (n < MERGE_BATCH - 1)
		return true;
	while (i > 0 && b->ev[i - 1].kind != IOT_RECORD)
		i--;
	if (i > 0)
		return false;
	if (n < b->capacity - 1)
		return true;
	return b->capacity < HELD_MAX && b->text_used < HELD_SIZE_MAX &&
	       reserve_capacity(b, 2 * b->capacity);
}

/* The events that the previous batch held. */
static bool take_held(struct merge_batch *b, struct merge_batch *before)
{
	if (!reserve_capacity(b, before->held > 0 ? before->capacity : 0))
		return false;
	for (size_t i = 0; i < before->held; i++) {
		b->ev[i] = before->ev[before->count + i];
		if (!merge_keep_text(b, i))
			return false;
	}
	before->held = 0;
	return true;
}

/* The end of an input: regular, or damage. */
static void end_input(struct merge_source *s, struct merge_batch *b, int status)
{
	s->lossy = iot_reader_fact(s->reader, IOT_FACT_LOST) > 0;
	s->cut = s->cut || atomic_load(&s->piped.cut);
	if (s->cut)
		error_set(&s->fault, IOT_ETRUNCATED, "interrupted");
	else if (status < 0)
		error_set(&s->fault, status, "%s", iot_reader_error(s->reader));
	if (status == IOT_ENOMEM || status == IOT_ELIMIT)
		s->fatal = true;
	b->last = true;
}

/* If a signal ends a pipe, a file that is read with it ends as well; a pipe handles this itself. */
static bool is_asked_to_end(struct merge_source *s)
{
	struct interrupt *stop = signal_stop();
	if (s->input->piped || stop->asked == ASKED_NOTHING)
		return false;
	atomic_store(&stop->cut, true);
	s->cut = true;
	return true;
}

static void fill_from_reader(struct merge_source *s, struct merge_batch *b, size_t n)
{
	/* Reserves one event for a %lost. */
	while (!b->last && takes_more(b, n)) {
		if (is_asked_to_end(s)) {
			end_input(s, b, IOT_ETRUNCATED);
			break;
		}
		const uint64_t line = iot_reader_fact(s->reader, IOT_FACT_LINE);
		ssize_t got = iot_reader_events(s->reader, b->ev + n, b->capacity - 1 - n);
		if (got <= 0) {
			end_input(s, b, (int)got);
			break;
		}
		const uint64_t now = iot_reader_fact(s->reader, IOT_FACT_LINE);
		if (merge_place_new(s, b, n, n + (size_t)got, now - line, now) != IOT_OK)
			b->last = true;
		n += (size_t)got;
	}
	if (s->fatal)
		n = 0;
	else if (s->fault.status != IOT_OK)
		add_lost(s, b, &n);
	b->stored = iot_reader_fact(s->reader, IOT_FACT_BYTES_STORED);
	merge_place_others(s, b, n);
}

/* Filling from a sorter, and from the tempfile, where sort keys are known. */

static int keep_replayed(struct merge_batch *b, const struct iot_event *ev, int64_t start_ns,
			 uint32_t index)
{
	struct iot_record *rec = &b->ev[b->count].rec;
	b->ev[b->count] = *ev;
	rec->spare = index;
	rec->object = 0;
	if (ev->kind != IOT_RECORD) {
		rec->start_ns = start_ns;
		rec->type = MERGE_TIE;
		if (!merge_keep_text(b, b->count))
			return IOT_ENOMEM;
	}
	b->count++;
	return IOT_OK;
}

/* One event, preceded by the definitions that must be written again, with its sort key. */
static int report_sorted(struct merge_source *s, struct merge_batch *b, struct iot_event *ev,
			 uint32_t tag)
{
	const uint32_t index = s->input->index;
	const int64_t start_ns = ev->rec.start_ns;
	struct iot_event definition;
	int step, status = IOT_OK;
	while ((step = scope_replay(&s->scopes, ev, tag, &definition)) == SCOPE_DEFINITION &&
	       status == IOT_OK)
		status = keep_replayed(b, &definition, start_ns, index);
	if (status != IOT_OK || step < 0)
		return status != IOT_OK ? status : step;
	return step == SCOPE_EVENT ? keep_replayed(b, ev, start_ns, index) : IOT_OK;
}

/* After those that the previous batch held. */
static bool copy_sorted(struct merge_source *s, struct merge_batch *b, size_t held)
{
	enum { SOME = 64, EACH = 3 }; /* maximum number of events that one becomes */
	struct iot_event ev[SOME];
	uint32_t tag[SOME];
	b->count = held;
	while (b->count + SOME * EACH <= MERGE_BATCH && !b->last) {
		ssize_t got = sorter_events(s->sorter, ev, tag, SOME);
		scope_release(&s->scopes);
		if (got < 0) {
			s->fatal = true;
			error_set(&s->fault, (int)got, "%s", sorter_error(s->sorter)->text);
		}
		b->last = got <= 0;
		for (ssize_t i = 0; i < got; i++)
			if (report_sorted(s, b, &ev[i], tag[i]) != IOT_OK)
				return false;
	}
	merge_place_others(s, b, b->count);
	return true;
}

static bool copy_spooled(struct merge_source *s, struct merge_batch *b)
{
	const size_t record = sizeof(struct iot_record);
	struct merge_tempfile_event e = {.size = 0};
	b->count = 0;
	while (b->count < MERGE_BATCH) {
		struct iot_event *ev = &b->ev[b->count];
		const void *data = NULL;
		b->last = s->tempfile_at == s->tempfile_end && s->tempfile_have == 0;
		if (b->last)
			return true;
		if ((data = merge_tempfile_read(s, record)) == NULL)
			return false;
		memcpy(&e.rec, data, record);
		*ev = (struct iot_event){.rec = e.rec, .kind = IOT_RECORD};
		b->count++;
		if (e.rec.zero == 0)
			continue;
		if ((data = merge_tempfile_read(s, sizeof e - record)) == NULL)
			return false;
		memcpy((char *)&e + record, data, sizeof e - record);
		*ev = (struct iot_event){.rec = e.rec, .kind = e.kind, .has = e.has};
		ev->rec.zero = 0;
		if (e.size > 0 && (data = merge_tempfile_read(s, e.size)) == NULL)
			return false;
		ev->text = (struct iot_text){data, e.size};
		if (!merge_keep_text(b, b->count - 1))
			return false;
	}
	return true;
}

void merge_source_fill(struct merge_source *s)
{
	struct merge_batch *b = &s->batch[!s->current], *before = &s->batch[s->current];
	size_t held = before->held;
	b->count = b->held = b->text_used = 0;
	b->last = before->last;
	if (b->last)
		return;
	bool fine = s->tempfile != NULL ? copy_spooled(s, b) : take_held(b, before);
	if (fine && s->sorter != NULL)
		fine = copy_sorted(s, b, held);
	else if (fine && s->tempfile == NULL)
		fill_from_reader(s, b, held);
	if (fine)
		return;
	(void)merge_out_of_memory(s);
	b->last = true;
}

/* Opening */

static void warn(void *context, const char *sentence)
{
	const struct merge_source *s = context;
	if (!s->merge->options->read.quiet)
		print_message("warning: %s", sentence);
}

int merge_set_up(const struct merge_source *s, struct iot_reader *r)
{
	const struct merge *m = s->merge;
	const struct read_options *o = &m->options->read;
	size_t open = m->count < m->open_max ? m->count : m->open_max;
	uint64_t read_size = READ_ALL / (open > 0 ? open : 1);
	read_size = read_size < READ_MIN ? READ_MIN : read_size;
	read_size = read_size > READ_MAX ? READ_MAX : read_size;
	int status = iot_reader_set(r, IOT_SET_READ_SIZE, read_size);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_VERIFY, o->no_verify ? 0 : 1);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_VERIFIED, 1);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_LIMIT_HELD, VERIFY_ALL / (open > 0 ? open : 1));
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_RECOVER, o->recover ? 1 : 0);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_ALLOW_EMPTY, o->allow_empty ? 1 : 0);
	if (status == IOT_OK && o->base != NOT_GIVEN)
		status = iot_reader_set(r, IOT_SET_BASE, o->base);
	if (status == IOT_OK && o->tick_ns != NOT_GIVEN)
		status = iot_reader_set(r, IOT_SET_TICK_NS, o->tick_ns);
	return status;
}

static bool make_batches(struct merge_source *s)
{
	for (int i = 0; i < 2; i++) {
		if (!reserve_capacity(&s->batch[i], MERGE_BATCH))
			return false;
	}
	return true;
}

static int open_reader(struct merge_source *s)
{
	const struct merge_input *in = s->input;
	const bool standard = strcmp(in->path, "-") == 0;
	if (!in->piped)
		return iot_reader_open(s->reader, in->path);
	if (!piped_open(&s->piped, in->path, signal_stop()))
		return error_system(&s->fault, errno, "%s: cannot be opened", in->shown);
	return iot_reader_open_callback(s->reader, piped_read, &s->piped,
					standard ? "standard input" : in->path);
}

int merge_source_open(struct merge_source *s, const struct merge *m, struct merge_input *in)
{
	*s = (struct merge_source){.merge = m,
				   .input = in,
				   .reader = iot_reader_new(),
				   .moved_ns = in->move_ns,
				   .last_ns = in->move_ns,
				   .max_ns = in->move_ns,
				   .placed_ns = in->move_ns};
	if (s->reader == NULL || !make_batches(s))
		return merge_out_of_memory(s);
	iot_reader_on_warning(s->reader, warn, s);
	int status = merge_set_up(s, s->reader);
	if (status == IOT_OK)
		status = open_reader(s);
	if (s->fault.status != IOT_OK)
		return s->fault.status;
	if (status != IOT_OK)
		return error_set(&s->fault, status, "%s", iot_reader_error(s->reader));
	merge_source_fill(s);
	s->current = 1;
	in->tick_ns = iot_reader_fact(s->reader, IOT_FACT_TICK_NS);
	/* An input that is not a trace is not merged; one truncated after its header is. */
	const struct merge_batch *b = &s->batch[1];
	bool header = iot_reader_fact(s->reader, IOT_FACT_FRAMED) != 0;
	bool blank = b->count + b->held <= 1 && iot_reader_fact(s->reader, IOT_FACT_RECORDS) == 0;
	if (s->cut && m->count > 1)
		return IOT_OK;
	return blank && !header ? s->fault.status : s->fatal ? s->fault.status : IOT_OK;
}

int merge_source_open_tempfile(struct merge_source *s, const struct merge *m,
			       const struct merge_tempfile *tempfile, size_t part)
{
	*s = (struct merge_source){.merge = m, .tempfile = tempfile};
	s->tempfile_at = merge_tempfile_part(tempfile, part, &s->tempfile_end);
	s->tempfile_buffer = malloc(MERGE_TEMPFILE_BUFFER);
	if (s->tempfile_buffer == NULL || !make_batches(s))
		return merge_out_of_memory(s);
	merge_source_fill(s);
	s->current = 1;
	return s->fault.status;
}

/* Sorting */

static void drain(struct merge_source *s, struct sorter *sorter)
{
	uint32_t tag[MERGE_BATCH];
	int status = IOT_OK;
	while (status == IOT_OK) {
		struct merge_batch *b = &s->batch[s->current];
		for (size_t i = 0, n; i < b->count && status == IOT_OK; i += n) {
			n = b->count - i < MERGE_BATCH ? b->count - i : MERGE_BATCH;
			status = scope_attach(&s->scopes, b->ev + i, tag, n);
			if (status == IOT_OK)
				status = sorter_add(sorter, b->ev + i, tag, n);
		}
		if (status != IOT_OK || b->last || s->fatal)
			break;
		merge_source_fill(s);
		s->current = !s->current;
	}
	if (status == IOT_OK)
		status = sorter_end(sorter);
	if (status != IOT_OK) {
		s->fatal = true;
		if (s->fault.status == IOT_OK)
			error_set(&s->fault, status, "%s", sorter_error(sorter)->text);
	}
}

static void sort(struct merge_source *s)
{
	const struct merge *m = s->merge;
	size_t open = m->count < m->open_max ? m->count : m->open_max;
	struct sorter *sorter =
	    sorter_new((size_t)(m->options->memory / (open > 0 ? open : 1)), SORTER_HOLD);
	if (sorter == NULL || scope_tracker_init(&s->scopes, &s->fault) != IOT_OK) {
		sorter_free(sorter);
		(void)merge_out_of_memory(s);
		return;
	}
	drain(s, sorter);
	iot_reader_free(s->reader);
	iot_reader_free(s->ahead);
	s->reader = s->ahead = NULL;
	s->sorter = sorter;
	s->batch[0].last = s->batch[1].last = s->fatal;
	s->batch[0].held = s->batch[1].held = 0;
	merge_source_fill(s);
	s->current = !s->current;
}

static void move_mark(int64_t *time_ns, int64_t by)
{
	if (__builtin_add_overflow(*time_ns, by, time_ns))
		*time_ns = INT64_MAX;
}

void merge_source_begin(struct merge_source *s)
{
	struct merge_batch *b = &s->batch[s->current];
	const size_t n = b->count + b->held;
	for (size_t i = 0; i < n; i++)
		b->ev[i].rec.spare = s->input->index;
	if (merge_shift_first(s, b, n) != IOT_OK) {
		b->count = b->held = 0;
		b->last = true;
	}
	move_mark(&s->last_ns, s->input->move_ns - s->moved_ns);
	move_mark(&s->max_ns, s->input->move_ns - s->moved_ns);
	move_mark(&s->placed_ns, s->input->move_ns - s->moved_ns);
	s->next_known = false;
	iot_reader_free(s->ahead); /* it may have read past the record */
	s->ahead = NULL;
	if (s->merge->options->reorder && !s->fatal)
		sort(s);
}

void merge_source_close(struct merge_source *s)
{
	piped_end(&s->piped);
	iot_reader_free(s->reader);
	iot_reader_free(s->ahead);
	piped_close(&s->piped);
	sorter_free(s->sorter);
	scope_tracker_free(&s->scopes);
	time_shift_free(&s->rebase);
	free(s->tempfile_buffer);
	for (int i = 0; i < 2; i++) {
		free(s->batch[i].ev);
		free(s->batch[i].text);
	}
	*s = (struct merge_source){.merge = NULL};
}
