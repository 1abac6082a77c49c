/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events are selected in runs: the events between two records belong to the second record, unless
 * they have a time of their own. Events after the last record of a batch are carried to the next
 * batch.
 *
 * The first record of a process in the slice has on its CPU clock the time since its previous
 * record, in the slice or not, and the clock continues from there.
 */
#include "slice.h"

#include <stdlib.h>
#include <string.h>

#include "lib/format/directive.h"
#include "lib/base/number.h"

enum {
	BATCH = sizeof((struct slice *)0)->batch / sizeof(struct iot_event),
	/*
	 * Maximum number of events without a following record before they are selected without it.
	 */
	CARRY_MAX = 1 << 16,
	CARRY_SIZE_MAX = 4 << 20, /* bytes */
};

/* Output */

static int fail(struct slice *s, int status)
{
	if (s->status == IOT_OK)
		s->status = status;
	return s->status;
}

static void flush(struct slice *s)
{
	if (s->batched > 0 && s->status == IOT_OK)
		fail(s, s->out(s->context, s->batch, s->batched));
	s->batched = 0;
}

static void put(struct slice *s, const struct iot_event *ev)
{
	if (s->batched == BATCH)
		flush(s);
	s->batch[s->batched++] = *ev;
}

static void put_declared(struct slice *s, struct slice_definition *declared)
{
	struct iot_event ev = {.text = {declared->text, declared->size}};
	if (declared->text == NULL || declared->reported)
		return;
	declared->reported = true;
	if (iot_directive_parse(&ev, NULL) == IOT_OK)
		put(s, &ev);
}

/* Definitions */

static bool chooses(const struct slice *s)
{
	return s->op != SLICE_ALL || s->every > 1 || s->choice->file_glob_count > 0 ||
	       slice_filter_of_processes(s->choice);
}

/* The value of a key, decoded and NUL-terminated; the caller frees it. NULL if there is none. */
static char *decoded(struct slice *s, const struct iot_event *ev, const char *key)
{
	const struct iot_text value = iot_directive_get(ev, key);
	if (value.data == NULL)
		return NULL;
	char *text = malloc(value.size + 1);
	if (text == NULL) {
		s->names.failed = true;
		return NULL;
	}
	text[iot_percent_decode(value, text, NULL)] = '\0';
	return text;
}

static bool chosen_process(struct slice *s, const struct iot_event *ev)
{
	const struct iot_text text = iot_directive_get(ev, "rank");
	char *name = decoded(s, ev, "name");
	uint64_t rank;
	const bool chosen = slice_filter_has_process(s->choice, ev->rec.process, name) ||
			    (text.data != NULL && number_decimal(text.data, text.size, &rank) &&
			     slice_filter_has_rank(s->choice, rank));
	free(name);
	return chosen;
}

static bool chosen_file(struct slice *s, const struct iot_event *ev)
{
	if (s->choice->file_glob_count == 0)
		return true;
	char *path = decoded(s, ev, "path");
	size_t size;
	const char *known = path == NULL ? iot_reader_name(s->reader, ev->rec.object, &size) : NULL;
	if (known != NULL)
		path = strndup(known, size);
	const bool chosen = slice_filter_has_path(s->choice, path);
	free(path);
	return chosen;
}

/* A %process or %file becomes current; it is written in place if the whole range is selected. */
static void remember(struct slice *s, const struct iot_event *ev, bool in)
{
	struct slice_definition *declared =
	    ev->kind == IOT_PROCESS
		? slice_define_process(&s->names, ev->rec.process)
		: slice_define_file(&s->names, &ev->rec, ev->has & IOT_HAS_DISK);
	char *text = malloc(ev->text.size + 1);
	if (declared == NULL || text == NULL) {
		free(text);
		s->names.failed = true;
		return;
	}
	flush(s); /* the text before may be in the batch */
	free(declared->text);
	memcpy(text, ev->text.data, ev->text.size);
	declared->text = text;
	declared->size = ev->text.size;
	declared->reported = false;
	declared->known = true;
	declared->chosen = ev->kind == IOT_PROCESS ? chosen_process(s, ev) : chosen_file(s, ev);
	if (in && !(ev->has & IOT_IN_FORCE) && !chooses(s))
		put_declared(s, declared);
}

static void forget_file(struct slice *s, const struct iot_event *ev)
{
	struct slice_definition *declared = slice_define_file(&s->names, &ev->rec, false);
	if (declared == NULL || declared->text == NULL)
		return;
	flush(s);
	free(declared->text);
	declared->text = NULL;
	declared->chosen = s->choice->file_glob_count == 0;
}

/* Selection */

static struct slice_definition *process_of(struct slice *s, uint32_t process)
{
	struct slice_definition *declared = slice_define_process(&s->names, process);
	if (declared != NULL && !declared->known) {
		declared->known = true;
		declared->chosen = slice_filter_has_process(s->choice, process, NULL);
	}
	return declared;
}

static bool about_chosen_process(struct slice *s, const struct iot_event *ev)
{
	if (!(ev->has & IOT_HAS_PROCESS) || !slice_filter_of_processes(s->choice))
		return true;
	const struct slice_definition *declared = process_of(s, ev->rec.process);
	return declared != NULL && declared->chosen;
}

static bool about_chosen_file(struct slice *s, const struct iot_event *ev)
{
	if (s->choice->file_glob_count == 0)
		return true;
	char *path = decoded(s, ev, "path"), *to = decoded(s, ev, "to");
	const bool named = path != NULL || to != NULL || (ev->has & IOT_HAS_FILE);
	bool chosen = (path != NULL && slice_filter_has_path(s->choice, path)) ||
		      (to != NULL && slice_filter_has_path(s->choice, to));
	free(path);
	free(to);
	if (!chosen && (ev->has & IOT_HAS_FILE) && (ev->has & IOT_HAS_PROCESS)) {
		const struct slice_definition *declared =
		    slice_define_file(&s->names, &ev->rec, false);
		chosen = declared != NULL && declared->text != NULL && declared->chosen;
	}
	return chosen || !named;
}

static bool chosen_record(struct slice *s, const struct iot_record *rec,
			  const struct slice_definition *process,
			  const struct slice_definition *file)
{
	const bool write = (rec->type & IOT_WRITE) != 0;
	if ((s->op == SLICE_READS && write) || (s->op == SLICE_WRITES && !write))
		return false;
	if (!process->chosen ||
	    (s->choice->file_glob_count > 0 && (file->text == NULL || !file->chosen)))
		return false;
	return s->passed++ % s->every == 0;
}

/* Records */

/* The record's CPU time on the slice's clock of its process; changes *ev. */
static void set_clock(struct slice_definition *process, struct iot_record *rec, bool in)
{
	const int64_t cpu_ns = rec->cpu_ns;
	if (in && !process->has_clock) {
		process->has_clock = true;
		process->zero_ns = process->seen_ns;
	}
	process->seen_ns = cpu_ns;
	if (__builtin_sub_overflow(cpu_ns, process->zero_ns, &rec->cpu_ns))
		rec->cpu_ns = cpu_ns;
}

static void take_record(struct slice *s, const struct iot_event *given, bool in)
{
	struct iot_event ev = *given;
	struct slice_definition *process = process_of(s, ev.rec.process);
	struct slice_definition *file =
	    slice_define_file(&s->names, &ev.rec, !(ev.rec.type & IOT_LOGICAL));
	s->last_in = in;
	s->index++;
	if (process == NULL || file == NULL)
		return;
	in = in && chosen_record(s, &ev.rec, process, file);
	set_clock(process, &ev.rec, in);
	if (!in)
		return;
	put_declared(s, process);
	put_declared(s, file);
	put(s, &ev);
	s->records++;
}

/* Runs */

static bool in_time(const struct slice *s, int64_t ns)
{
	return ns >= s->from_ns && ns < s->to_ns;
}

/* Writes the current definitions of the process and file that a directive names. */
static void put_names(struct slice *s, const struct iot_event *ev)
{
	struct slice_definition *declared;
	if (!(ev->has & IOT_HAS_PROCESS))
		return;
	declared = process_of(s, ev->rec.process);
	if (declared != NULL)
		put_declared(s, declared);
	declared = ev->has & IOT_HAS_FILE ? slice_define_file(&s->names, &ev->rec, false) : NULL;
	if (declared != NULL)
		put_declared(s, declared);
}

/*
 * An event that is not a record; `in`: the following record is in the range; here: its position is,
 * whatever its time.
 */
static void take_other(struct slice *s, const struct iot_event *ev, bool in, bool here)
{
	if (ev->has & IOT_HAS_TIME)
		in = here && in_time(s, ev->rec.start_ns);
	if (ev->kind == IOT_TRACE && s->index == 0)
		in = !s->traces_reported;
	if (ev->kind == IOT_PROCESS || ev->kind == IOT_FILE) {
		remember(s, ev, in);
		return;
	}
	if (in && about_chosen_process(s, ev) && about_chosen_file(s, ev)) {
		put_names(s, ev);
		put(s, ev);
	}
	if (directive_closes(ev))
		forget_file(s, ev);
}

static void drop_carry(struct slice *s)
{
	for (size_t i = 0; i < s->carried; i++)
		free((char *)s->carry[i].text.data);
	s->carried = s->carried_size = 0;
}

/* Handles the carried events and the first n of ev. */
static void take_others(struct slice *s, const struct iot_event *ev, size_t n, bool in, bool here)
{
	for (size_t i = 0; i < s->carried; i++)
		take_other(s, &s->carry[i], in, here);
	for (size_t i = 0; i < n; i++)
		take_other(s, &ev[i], in, here);
	if (s->carried > 0)
		flush(s);
	drop_carry(s);
}

static bool is_after(const struct slice *s, const struct iot_record *rec)
{
	return s->index > s->last || (!s->all_read && rec->start_ns >= s->to_ns);
}

static void carry(struct slice *s, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n && !s->names.failed; i++) {
		char *text = malloc(ev[i].text.size + 1);
		if (text == NULL || !array_reserve(&s->carry, &s->carry_capacity, s->carried + 1,
						   sizeof *s->carry)) {
			free(text);
			s->names.failed = true;
			return;
		}
		memcpy(text, ev[i].text.data, ev[i].text.size);
		s->carry[s->carried] = ev[i];
		s->carry[s->carried++].text.data = text;
		s->carried_size += ev[i].text.size;
	}
	if (s->carried > CARRY_MAX || s->carried_size > CARRY_SIZE_MAX)
		take_others(s, NULL, 0, s->last_in, s->last_in || s->index == 0);
}

static int end_of_call(struct slice *s)
{
	flush(s); /* texts are valid until the reader's next call */
	return s->names.failed ? fail(s, IOT_ENOMEM) : s->status;
}

int slice_events(struct slice *s, const struct iot_event *ev, size_t n)
{
	size_t from = 0;
	for (size_t i = 0; i < n && !s->over; i++) {
		if (ev[i].kind != IOT_RECORD)
			continue;
		const bool here = s->index >= s->first && s->index <= s->last;
		const bool in = here && in_time(s, ev[i].rec.start_ns);
		if (i > from || s->carried > 0)
			take_others(s, ev + from, i - from, in, here);
		s->over = is_after(s, &ev[i].rec);
		if (!s->over)
			take_record(s, &ev[i], in);
		from = i + 1;
	}
	if (!s->over)
		carry(s, ev + from, n - from);
	return end_of_call(s);
}

int slice_end(struct slice *s)
{
	const bool empty = s->index == 0;
	const bool here = empty || (s->index > s->first && s->index - 1 <= s->last);
	if (!s->over)
		take_others(s, NULL, 0, s->last_in || (empty && s->from_ns <= 0), here);
	return end_of_call(s);
}

void slice_free(struct slice *s)
{
	drop_carry(s);
	free(s->carry);
	slice_definitions_free(&s->names);
}
