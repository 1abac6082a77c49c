/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extracts a part of a trace: selects its events, and adds the definitions that its records need
 * and their CPU times.
 *
 * Events are selected in runs: the events between two records belong to the second record, unless
 * they have a time of their own. Events after the last record of a batch are carried to the next
 * batch.
 *
 * The first record of a process in the slice has on its CPU clock the time since its previous
 * record, in the slice or not, and the clock continues from there.
 */
#include <iotrace/filter.h>

#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/idmap.h"
#include "lib/base/number.h"
#include "lib/base/options.h"
#include "lib/format/directive.h"

enum {
	SELECTED_MAX = 1024, /* ranges or globs of a kind */
	/*
	 * Maximum number of events without a following record before they are selected without it.
	 */
	CARRY_MAX = 1 << 16,
	CARRY_SIZE_MAX = 4 << 20, /* bytes */
};

/* Selections of processes and files */

struct id_range {
	uint32_t first, last;
};

struct id_ranges {
	struct id_range *range;
	size_t count, capacity;
};

struct globs {
	char **glob;
	size_t count, capacity;
};

struct iot_selection {
	struct id_ranges processes, ranks;
	struct globs names, paths;
};

static const struct iot_selection everything;

struct iot_selection *iot_selection_new(void)
{
	return calloc(1, sizeof(struct iot_selection));
}

static void free_globs(struct globs *g)
{
	for (size_t i = 0; i < g->count; i++)
		free(g->glob[i]);
	free(g->glob);
}

void iot_selection_free(struct iot_selection *s)
{
	if (s == NULL)
		return;
	free(s->processes.range);
	free(s->ranks.range);
	free_globs(&s->names);
	free_globs(&s->paths);
	free(s);
}

static bool is_id(const char *text, size_t n, uint32_t *value)
{
	uint64_t number;
	if (!number_decimal(text, n, &number) || number > UINT32_MAX)
		return false;
	*value = (uint32_t)number;
	return true;
}

static bool is_range(const char *item, size_t n, struct id_range *range)
{
	const char *dash = memchr(item, '-', n);
	const size_t first = dash != NULL ? (size_t)(dash - item) : n;
	if (!is_id(item, first, &range->first))
		return false;
	range->last = range->first;
	return dash == NULL ||
	       (is_id(dash + 1, n - first - 1, &range->last) && range->first <= range->last);
}

static int add_range(struct id_ranges *r, struct id_range range)
{
	if (r->count == SELECTED_MAX)
		return IOT_ELIMIT;
	if (!array_reserve(&r->range, &r->capacity, r->count + 1, sizeof *r->range))
		return IOT_ENOMEM;
	r->range[r->count++] = range;
	return IOT_OK;
}

static int add_glob(struct globs *g, const char *glob, size_t n)
{
	if (g->count == SELECTED_MAX)
		return IOT_ELIMIT;
	char *copy = strndup(glob, n);
	if (copy == NULL || !array_reserve(&g->glob, &g->capacity, g->count + 1, sizeof *g->glob)) {
		free(copy);
		return IOT_ENOMEM;
	}
	g->glob[g->count++] = copy;
	return IOT_OK;
}

static int add_item(struct iot_selection *s, enum iot_select what, const char *item, size_t n)
{
	struct id_range range;
	if (is_range(item, n, &range))
		return add_range(what == IOT_SELECT_RANKS ? &s->ranks : &s->processes, range);
	/* 12-7, and other items of digits and dashes, are not names. */
	if (what == IOT_SELECT_RANKS || strspn(item, "0123456789-") >= n)
		return IOT_EFORMAT;
	return add_glob(&s->names, item, n);
}

int iot_selection_add(struct iot_selection *s, enum iot_select what, const char *list)
{
	if (what == IOT_SELECT_PATHS)
		return add_glob(&s->paths, list, strlen(list));
	for (;;) {
		const size_t n = strcspn(list, ",");
		const int status = add_item(s, what, list, n);
		if (status != IOT_OK || list[n] == '\0')
			return status;
		list += n + 1;
	}
}

static bool selects_processes(const struct iot_selection *s)
{
	return s->processes.count + s->ranks.count + s->names.count > 0;
}

/* Matches the name, or its last component if the glob contains no '/'. */
static bool fits(const char *glob, const char *name)
{
	const char *slash = strchr(glob, '/') == NULL ? strrchr(name, '/') : NULL;
	return fnmatch(glob, name, 0) == 0 || (slash != NULL && fnmatch(glob, slash + 1, 0) == 0);
}

static bool matches(const struct globs *g, const char *name)
{
	for (size_t i = 0; i < g->count && name != NULL; i++)
		if (fits(g->glob[i], name))
			return true;
	return false;
}

static bool is_within(const struct id_ranges *r, uint64_t value)
{
	for (size_t i = 0; i < r->count; i++)
		if (value >= r->range[i].first && value <= r->range[i].last)
			return true;
	return false;
}

/* name is NULL if unknown. */
static bool selects_process(const struct iot_selection *s, uint32_t process, const char *name)
{
	return !selects_processes(s) || is_within(&s->processes, process) ||
	       matches(&s->names, name);
}

static bool selects_path(const struct iot_selection *s, const char *path)
{
	return s->paths.count == 0 || matches(&s->paths, path);
}

/* The slice */

/* The current %process or %file of an id. */
struct slice_definition {
	char *text; /* of its directive; NULL: no definition */
	size_t size;
	bool reported; /* in the slice */
	bool selected;
	/* Processes only: */
	bool has_clock;
	bool known; /* selected is valid */
	int64_t seen_ns, zero_ns;
};

struct slice_definitions {
	struct idmap map;
	struct slice_definition *entries;
	size_t capacity;
};

struct event_list {
	struct iot_event *ev;
	size_t count, capacity;
};

struct slice {
	struct iot_slice_options options;
	const struct iot_selection *selection;
	uint64_t index;  /* of the next record */
	uint64_t passed; /* records that passed every filter but `every` */
	bool over;       /* all following events are outside the slice */
	bool last_in;    /* the previous record is in the range */
	bool failed;     /* out of memory */
	struct slice_definitions processes, files, disks;
	struct event_list carry; /* events after the last record of a batch; owns the texts */
	size_t carried_size;     /* bytes of texts */
	struct iot_batch *in;    /* of the upstream */
	struct iot_batch *out;   /* of the caller; if it is full, events go to the queue */
	struct event_list queue;
	size_t delivered; /* of the queue */
	int status;       /* 1 while the upstream may have more; then its last result */
	/* Texts that events refer to until the next pull. */
	char **retired;
	size_t retired_count, retired_capacity;
};

/* Output */

static void put(struct slice *s, const struct iot_event *ev)
{
	struct iot_batch *b = s->out;
	struct event_list *l = &s->queue;
	if (b->count < b->capacity)
		b->events[b->count++] = *ev;
	else if (array_reserve(&l->ev, &l->capacity, l->count + 1, sizeof *l->ev))
		l->ev[l->count++] = *ev;
	else
		s->failed = true;
}

static void put_queued(struct slice *s)
{
	struct iot_batch *b = s->out;
	const size_t left = s->queue.count - s->delivered;
	b->count = left < b->capacity ? left : b->capacity;
	memcpy(b->events, s->queue.ev + s->delivered, b->count * sizeof *b->events);
	s->delivered += b->count;
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

/* Frees a text at the next pull. */
static void retire(struct slice *s, char *text)
{
	if (text == NULL)
		return;
	if (array_reserve(&s->retired, &s->retired_capacity, s->retired_count + 1,
			  sizeof *s->retired)) {
		s->retired[s->retired_count++] = text;
	} else {
		s->failed = true;
		free(text);
	}
}

static void free_retired(struct slice *s)
{
	for (size_t i = 0; i < s->retired_count; i++)
		free(s->retired[i]);
	s->retired_count = 0;
}

/* Definitions */

static struct slice_definition *definition_of(struct slice *s, struct slice_definitions *d,
					      uint64_t key)
{
	const size_t i = idmap_number(&d->map, key);
	if (array_reserve_index(&d->entries, &d->capacity, i, sizeof *d->entries))
		return &d->entries[i];
	s->failed = true;
	return NULL;
}

static struct slice_definition *file_of(struct slice *s, const struct iot_record *rec, bool disk)
{
	return definition_of(s, disk ? &s->disks : &s->files, idmap_pair(rec->process, rec->file));
}

static bool selects_some(const struct slice *s)
{
	return (s->options.flags & (IOT_SLICE_READS | IOT_SLICE_WRITES)) != 0 ||
	       s->options.every > 1 || s->selection->paths.count > 0 ||
	       selects_processes(s->selection);
}

/* The value of a key, decoded and NUL-terminated; the caller frees it. NULL if there is none. */
static char *decoded(struct slice *s, const struct iot_event *ev, const char *key)
{
	const struct iot_text value = iot_directive_get(ev, key);
	if (value.data == NULL)
		return NULL;
	char *text = malloc(value.size + 1);
	if (text == NULL) {
		s->failed = true;
		return NULL;
	}
	text[iot_percent_decode(value, text, NULL)] = '\0';
	return text;
}

static bool is_selected_process(struct slice *s, const struct iot_event *ev)
{
	const struct iot_text text = iot_directive_get(ev, "rank");
	char *name = decoded(s, ev, "name");
	uint64_t rank;
	const bool selected = selects_process(s->selection, ev->rec.process, name) ||
			      (text.data != NULL && number_decimal(text.data, text.size, &rank) &&
			       is_within(&s->selection->ranks, rank));
	free(name);
	return selected;
}

static bool is_selected_file(struct slice *s, const struct iot_event *ev)
{
	if (s->selection->paths.count == 0)
		return true;
	char *path = decoded(s, ev, "path");
	size_t size;
	const char *known = path == NULL && s->options.names != NULL
				? iot_reader_name(s->options.names, ev->rec.object, &size)
				: NULL;
	if (known != NULL)
		path = strndup(known, size);
	const bool selected = selects_path(s->selection, path);
	free(path);
	return selected;
}

/* A %process or %file becomes current; it is written in place if the whole range is selected. */
static void remember(struct slice *s, const struct iot_event *ev, bool in)
{
	struct slice_definition *declared = ev->kind == IOT_PROCESS
						? definition_of(s, &s->processes, ev->rec.process)
						: file_of(s, &ev->rec, ev->has & IOT_HAS_DISK);
	char *text = malloc(ev->text.size + 1);
	if (declared == NULL || text == NULL) {
		free(text);
		s->failed = true;
		return;
	}
	retire(s, declared->text);
	memcpy(text, ev->text.data, ev->text.size);
	declared->text = text;
	declared->size = ev->text.size;
	declared->reported = false;
	declared->known = true;
	declared->selected =
	    ev->kind == IOT_PROCESS ? is_selected_process(s, ev) : is_selected_file(s, ev);
	if (in && !(ev->has & IOT_IN_FORCE) && !selects_some(s))
		put_declared(s, declared);
}

static void forget_file(struct slice *s, const struct iot_event *ev)
{
	struct slice_definition *declared = file_of(s, &ev->rec, false);
	if (declared == NULL || declared->text == NULL)
		return;
	retire(s, declared->text);
	declared->text = NULL;
	declared->selected = s->selection->paths.count == 0;
}

/* Selection */

static struct slice_definition *process_of(struct slice *s, uint32_t process)
{
	struct slice_definition *declared = definition_of(s, &s->processes, process);
	if (declared != NULL && !declared->known) {
		declared->known = true;
		declared->selected = selects_process(s->selection, process, NULL);
	}
	return declared;
}

static bool about_selected_process(struct slice *s, const struct iot_event *ev)
{
	if (!(ev->has & IOT_HAS_PROCESS) || !selects_processes(s->selection))
		return true;
	const struct slice_definition *declared = process_of(s, ev->rec.process);
	return declared != NULL && declared->selected;
}

static bool about_selected_file(struct slice *s, const struct iot_event *ev)
{
	if (s->selection->paths.count == 0)
		return true;
	char *path = decoded(s, ev, "path"), *to = decoded(s, ev, "to");
	const bool named = path != NULL || to != NULL || (ev->has & IOT_HAS_FILE);
	bool selected = (path != NULL && selects_path(s->selection, path)) ||
			(to != NULL && selects_path(s->selection, to));
	free(path);
	free(to);
	if (!selected && (ev->has & IOT_HAS_FILE) && (ev->has & IOT_HAS_PROCESS)) {
		const struct slice_definition *declared = file_of(s, &ev->rec, false);
		selected = declared != NULL && declared->text != NULL && declared->selected;
	}
	return selected || !named;
}

static bool is_selected_record(struct slice *s, const struct iot_record *rec,
			       const struct slice_definition *process,
			       const struct slice_definition *file)
{
	const bool write = (rec->type & IOT_WRITE) != 0;
	if (s->options.flags & (write ? IOT_SLICE_READS : IOT_SLICE_WRITES))
		return false;
	if (!process->selected ||
	    (s->selection->paths.count > 0 && (file->text == NULL || !file->selected)))
		return false;
	return s->passed++ % s->options.every == 0;
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
	struct slice_definition *file = file_of(s, &ev.rec, !(ev.rec.type & IOT_LOGICAL));
	s->last_in = in;
	s->index++;
	if (process == NULL || file == NULL)
		return;
	in = in && is_selected_record(s, &ev.rec, process, file);
	set_clock(process, &ev.rec, in);
	if (!in)
		return;
	put_declared(s, process);
	put_declared(s, file);
	put(s, &ev);
}

/* Runs */

static bool in_time(const struct slice *s, int64_t ns)
{
	return ns >= s->options.from_ns && ns < s->options.to_ns;
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
	declared = ev->has & IOT_HAS_FILE ? file_of(s, &ev->rec, false) : NULL;
	if (declared != NULL)
		put_declared(s, declared);
}

/*
 * An event that is not a record; `in`: the following record is in the range; here: its position is,
 * whatever its time.
 */
static void take_directive(struct slice *s, const struct iot_event *ev, bool in, bool here)
{
	if (ev->has & IOT_HAS_TIME)
		in = here && in_time(s, ev->rec.start_ns);
	if (ev->kind == IOT_TRACE && s->index == 0)
		in = (s->options.flags & IOT_SLICE_NO_TRACE) == 0;
	if (ev->kind == IOT_PROCESS || ev->kind == IOT_FILE) {
		remember(s, ev, in);
		return;
	}
	if (in && about_selected_process(s, ev) && about_selected_file(s, ev)) {
		put_names(s, ev);
		put(s, ev);
	}
	if (directive_closes(ev))
		forget_file(s, ev);
}

/* Handles the carried events and the first n of ev. */
static void take_directives(struct slice *s, const struct iot_event *ev, size_t n, bool in,
			    bool here)
{
	for (size_t i = 0; i < s->carry.count; i++) {
		take_directive(s, &s->carry.ev[i], in, here);
		retire(s, (char *)(uintptr_t)s->carry.ev[i].text.data);
	}
	s->carry.count = s->carried_size = 0;
	for (size_t i = 0; i < n; i++)
		take_directive(s, &ev[i], in, here);
}

static bool is_before_end(const struct slice *s, uint64_t index)
{
	return s->options.end == 0 || index < s->options.end;
}

static bool is_after(const struct slice *s, const struct iot_record *rec)
{
	return !is_before_end(s, s->index) ||
	       ((s->options.flags & IOT_SLICE_UNSORTED) == 0 && rec->start_ns >= s->options.to_ns);
}

static void carry(struct slice *s, const struct iot_event *ev, size_t n)
{
	struct event_list *l = &s->carry;
	for (size_t i = 0; i < n && !s->failed; i++) {
		char *text = malloc(ev[i].text.size + 1);
		if (text == NULL ||
		    !array_reserve(&l->ev, &l->capacity, l->count + 1, sizeof *l->ev)) {
			free(text);
			s->failed = true;
			return;
		}
		memcpy(text, ev[i].text.data, ev[i].text.size);
		l->ev[l->count] = ev[i];
		l->ev[l->count++].text.data = text;
		s->carried_size += ev[i].text.size;
	}
	if (l->count > CARRY_MAX || s->carried_size > CARRY_SIZE_MAX)
		take_directives(s, NULL, 0, s->last_in, s->last_in || s->index == 0);
}

static void take_events(struct slice *s, const struct iot_event *ev, size_t n)
{
	size_t from = 0;
	for (size_t i = 0; i < n && !s->over; i++) {
		if (ev[i].kind != IOT_RECORD)
			continue;
		const bool here = s->index >= s->options.first && is_before_end(s, s->index);
		const bool in = here && in_time(s, ev[i].rec.start_ns);
		if (i > from || s->carry.count > 0)
			take_directives(s, ev + from, i - from, in, here);
		s->over = is_after(s, &ev[i].rec);
		if (!s->over)
			take_record(s, &ev[i], in);
		from = i + 1;
	}
	if (!s->over)
		carry(s, ev + from, n - from);
}

/* The upstream has ended: the carried events have no following record. */
static void take_end(struct slice *s)
{
	const bool empty = s->index == 0;
	const bool here = empty || (s->index > s->options.first && is_before_end(s, s->index - 1));
	take_directives(s, NULL, 0, s->last_in || (empty && s->options.from_ns <= 0), here);
}

/* The stage */

static void pull(struct slice *s, struct iot_stream *upstream)
{
	s->status = iot_stream_next(upstream, s->in);
	s->out->bytes_done = s->in->bytes_done;
	s->out->bytes_total = s->in->bytes_total;
	if (s->status > 0)
		take_events(s, s->in->events, s->in->count);
	else
		take_end(s);
	if (s->over)
		s->status = 0;
}

static int next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct slice *s = context;
	s->out = b;
	if (s->delivered == s->queue.count) {
		s->delivered = s->queue.count = 0;
		free_retired(s);
		if (s->status <= 0)
			return s->status;
		pull(s, iot_stream_upstream(self));
	} else {
		put_queued(s);
	}
	return s->failed ? iot_stream_fail(self, IOT_ENOMEM, "out of memory") : 1;
}

static void free_definitions(struct slice_definitions *d)
{
	/* out of memory may leave an element in the map, but not in the array */
	for (size_t i = 0; i < d->map.count && i < d->capacity; i++)
		free(d->entries[i].text);
	free(d->entries);
	idmap_free(&d->map);
}

static void close_stage(void *context)
{
	struct slice *s = context;
	for (size_t i = 0; i < s->carry.count; i++)
		free((char *)(uintptr_t)s->carry.ev[i].text.data);
	free_retired(s);
	free(s->retired);
	free(s->carry.ev);
	free(s->queue.ev);
	free_definitions(&s->processes);
	free_definitions(&s->files);
	free_definitions(&s->disks);
	iot_batch_free(s->in);
	free(s);
}

static bool set_options(struct slice *s, const struct iot_slice_options *options)
{
	struct iot_slice_options *o = &s->options;
	if (!options_copy(o, sizeof *o, options))
		return false;
	s->selection = o->selection != NULL ? o->selection : &everything;
	s->index = o->index;
	if (o->to_ns == 0)
		o->to_ns = INT64_MAX;
	if (o->every == 0)
		o->every = 1;
	return true;
}

struct iot_stream *iot_stream_slice(struct iot_stream *upstream,
				    const struct iot_slice_options *options)
{
	static const struct iot_stage stage = {.next = next, .close = close_stage};
	struct slice *s = upstream != NULL ? calloc(1, sizeof *s) : NULL;
	if (s == NULL) {
		iot_stream_free(upstream);
		return NULL;
	}
	s->status = 1;
	s->in = iot_batch_new(IOT_BATCH_EVENTS);
	if (s->in != NULL && set_options(s, options))
		return iot_stream_new(upstream, &stage, s);
	close_stage(s);
	iot_stream_free(upstream);
	return NULL;
}
