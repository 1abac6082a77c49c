/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts .pfw files of DFTracer; see dftracer.h. */
#include "dftracer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/plural.h"

enum {
	SNIFF_BITS = 80,
	SNIFF_MEMBERS = 16,
	LINES_PER_CALL = 65536,
	SAMPLE_LINES = 32, /* examined for the version and the first time */
	VERSION_SIZE = 32,
	NS_PER_US = 1000,
};

#define EPOCH_MIN (INT64_C(100000000) * 1000000000) /* earlier times do not count from 1970 */

struct dftracer {
	struct calls calls;
	struct pfw_members members;
	struct pfw_names names, hosts;
	char version[VERSION_SIZE];
	bool began, ended;
	bool scanned; /* all definitions of names have been read */
	uint64_t repaired, unnamed;
};

static const struct iot_format_option OPTIONS[] = {
    {"ops", "all|names|none", "operations without data to keep"},
    {0},
};

static int sniff(struct input *in)
{
	const size_t count = input_count(in);
	for (size_t i = 0; i < count && i < SNIFF_MEMBERS; i++)
		if (pfw_is_member(in, i))
			return SNIFF_BITS;
	return 0;
}

/* Names */

/* File names have FH, host names HH; in some versions their phase is H. */
static void define(struct dftracer *t, const struct pfw_event *e)
{
	static const char FILES[] = "FH", HOSTS[] = "HH";
	const struct iot_text text = e->text.size > 0 ? e->text : e->name;
	if (e->hash.size == 0)
		return;
	if (e->name.size == 2 && memcmp(e->name.data, HOSTS, 2) == 0)
		pfw_name_define(&t->hosts, e->hash, text);
	else if (e->phase == 'H' || (e->name.size == 2 && memcmp(e->name.data, FILES, 2) == 0))
		pfw_name_define(&t->names, e->hash, text);
}

static bool may_define(struct iot_text line)
{
	static const char M[] = "\"ph\":\"M\"", H[] = "\"ph\":\"H\"";
	return memmem(line.data, line.size, M, sizeof M - 1) != NULL ||
	       memmem(line.data, line.size, H, sizeof H - 1) != NULL;
}

static void scan_member(struct dftracer *t, size_t member)
{
	struct error error = {0};
	struct line_reader r = {.bufreader = input_open(t->calls.src->input, member, &error)};
	struct iot_text line;
	struct pfw_event e;
	enum line_kind kind;
	while (r.bufreader != NULL && (kind = line_reader_next(&r, &line)) != LINE_END)
		if (kind == LINE_WHOLE && may_define(line) &&
		    pfw_line_parse(line, &e) == PFW_EVENT && e.phase != 'X')
			define(t, &e);
	line_reader_close(&r);
}

/*
 * A hash may be used before the line that defines it, or defined in the file of another process:
 * then the definitions of all files are read, once.
 */
static void scan(struct dftracer *t)
{
	t->scanned = true;
	for (size_t i = 0; i < t->members.count && input_again(t->calls.src->input); i++)
		scan_member(t, t->members.index[i]);
}

static struct iot_text name_of(struct dftracer *t, struct pfw_names *n, size_t number, bool hash)
{
	struct iot_text text = pfw_name_text(n, number);
	if (text.size > 0 || !hash || t->scanned)
		return text;
	scan(t);
	return pfw_name_text(n, number);
}

/* Events */

static struct caller *caller_of(struct dftracer *t, const struct pfw_event *e)
{
	struct iot_text host = {NULL, 0};
	uint64_t key = e->pid;
	if (e->host.size > 0) {
		const size_t number = pfw_name_number(&t->hosts, e->host, e->host_hash);
		if (number == SIZE_MAX)
			return NULL;
		key |= (uint64_t)(number + 1) << 32;
		if (caller_known(&t->calls, key) == NULL)
			host = name_of(t, &t->hosts, number, e->host_hash);
	}
	struct caller *p = caller_find(&t->calls, key);
	if (p != NULL && host.size > 0)
		p->host = host;
	return p;
}

static bool is_io(struct iot_text category)
{
	return category.size == 5 &&
	       (memcmp(category.data, "POSIX", 5) == 0 || memcmp(category.data, "STDIO", 5) == 0);
}

/* The path of openat is an argument; fname is then the name of the directory. */
static void set_paths(struct dftracer *t, const struct pfw_event *e, struct call *call)
{
	size_t number = SIZE_MAX;
	call->to_path = call->type->kind == CALL_OPEN_STREAM ? e->mode : e->to_path;
	if (e->path.size > 0) {
		call->path = e->path;
		number = pfw_name_number(&t->names, e->path, false);
		call->has |= e->has & CALL_HAS_TO;
		call->to = e->directory;
	} else if (e->file.size > 0) {
		number = pfw_name_number(&t->names, e->file, e->file_hash);
		if (number != SIZE_MAX)
			call->path = name_of(t, &t->names, number, e->file_hash);
		t->unnamed += call->path.size == 0;
	}
	call->note = call->path;
	call->note_number = number < UINT32_MAX ? (uint32_t)number + 1 : 0;
}

static enum call_outcome run(struct dftracer *t, const struct pfw_event *e,
			     const struct call_type *type)
{
	struct call call = {.type = type,
			    .caller = caller_of(t, e),
			    .start_ns = e->start_ns,
			    .duration_ns = e->duration_ns,
			    .has = e->has & ~(unsigned)CALL_HAS_TO,
			    .fd = e->fd,
			    .result = e->result,
			    .offset = e->offset,
			    .count = e->count,
			    .size = e->size,
			    .flags = e->flags,
			    .whence = e->whence};
	if (call.caller == NULL)
		return CALL_TRACKED;
	set_paths(t, e, &call);
	t->calls.src->report.calls++;
	return calls_run(&t->calls, &call);
}

static enum call_outcome run_event(struct dftracer *t, const struct pfw_event *e)
{
	if (e->phase == 'M' || e->phase == 'H') {
		define(t, e);
		return CALL_METADATA;
	}
	if (e->phase != 'X' || !e->timed || e->name.size == 0 || !is_io(e->category))
		return CALL_UNUSED;
	const struct call_type *type = call_type_find(t->calls.names, e->name.data, e->name.size);
	return type == NULL ? CALL_UNUSED : run(t, e, type);
}

static void run_line(struct dftracer *t, const struct pfw_member *m)
{
	struct report *r = &t->calls.src->report;
	if (m->kind == PFW_UNKNOWN) {
		report_unparsed(r, input_name(t->calls.src->input, m->index), m->reader.number,
				m->line.data, m->line.size);
		return;
	}
	t->repaired += m->kind == PFW_EVENT && m->event.repaired;
	if (m->kind == PFW_EVENT && m->event.backwards)
		report_add(r, "clock.negative_duration", 1);
	t->calls.lines[m->kind == PFW_FRAME ? CALL_METADATA : run_event(t, &m->event)]++;
}

/* Interface */

/* Looks at the first lines of a member for the first time and the version. */
static void look(struct dftracer *t, size_t member, int64_t *first_ns)
{
	struct iot_text line, head;
	struct pfw_event e;
	head.data = input_head(t->calls.src->input, member, &head.size);
	for (int i = 0; i < SAMPLE_LINES && line_take(&head, &line); i++) {
		if (pfw_line_parse(line, &e) != PFW_EVENT)
			continue;
		if (e.timed && e.start_ns < *first_ns)
			*first_ns = e.start_ns;
		if (e.version.size > 0 && e.version.size < VERSION_SIZE && t->version[0] == '\0')
			memcpy(t->version, e.version.data, e.version.size);
	}
}

static void emit_trace(struct dftracer *t)
{
	struct iot_builder b;
	if (!emit_begin(&t->calls.emit, &b, "trace"))
		return;
	emit_string(&b, "source", "dftracer");
	if (t->version[0] != '\0')
		emit_string(&b, "log-format", t->version);
	if (t->calls.src->first_ns >= EPOCH_MIN)
		iot_directive_number(&b, "epoch", 0);
	emit_string(&b, "lacks", "cpu,created,asynchronous");
	emit_end(&t->calls.emit, &b, t->calls.src->first_ns);
}

static int open_source(struct source_state *src)
{
	struct dftracer *t = calloc(1, sizeof *t);
	if (t == NULL)
		return error_no_memory(&src->error);
	src->state = t;
	calls_init(&t->calls, src);
	t->names = t->hosts = (struct pfw_names){.fds = &t->calls.fds, .seed = hash_seed()};
	if (emit_set_ops(&t->calls.emit, src) != IOT_OK)
		return src->error.status;
	const int status = pfw_members_open(&t->members, src);
	if (status != IOT_OK)
		return status;
	int64_t first_ns = INT64_MAX;
	for (size_t i = 0; i < t->members.count; i++)
		look(t, t->members.index[i], &first_ns);
	src->tick_ns = NS_PER_US;
	src->unordered = true; /* calls are in the order of their returns, without a limit */
	src->first_ns = first_ns == INT64_MAX ? 0 : first_ns;
	t->calls.copies_hidden = true;
	t->calls.sizes_unknown = t->members.count > PFW_OPEN_MAX;
	return IOT_OK;
}

static void close_source(struct source_state *src)
{
	struct dftracer *t = src->state;
	if (t == NULL)
		return;
	pfw_members_close(&t->members);
	pfw_names_free(&t->names);
	pfw_names_free(&t->hosts);
	calls_free(&t->calls);
	free(t);
	src->state = NULL;
}

static void finish(struct dftracer *t)
{
	struct source_state *src = t->calls.src;
	struct report *r = &src->report;
	if (t->repaired > 0)
		report_add(r, "repaired", t->repaired);
	if (t->unnamed > 0)
		report_add(r, "unnamed.files", t->unnamed);
	if (t->repaired > 0)
		report_note(r,
			    "%ju %s quotes or backslashes in names, which DFTracer does not "
			    "escape; the names may be cut",
			    (uintmax_t)t->repaired, plural(t->repaired, "line has", "lines have"));
	t->ended = true;
	calls_finish(&t->calls, "dftracer");
	if (src->error.status == IOT_OK && r->lines == r->unparsed)
		error_set(&src->error, IOT_EFORMAT, "no line looks like an event of DFTracer");
}

static int next(struct source_state *src, struct iot_event *out, int max)
{
	struct dftracer *t = src->state;
	struct emit *e = &t->calls.emit;
	struct pfw_member *m;
	if (e->over_count > 0)
		return emit_leftovers(e, out, max);
	emit_start(e, out, max);
	if (!t->began)
		emit_trace(t);
	t->began = true;
	for (int lines = 0; !t->ended && e->count < e->max; lines++) {
		if ((m = pfw_members_next(&t->members)) == NULL)
			finish(t);
		else
			run_line(t, m);
		if (calls_failed(&t->calls))
			t->ended = true;
		if (lines >= LINES_PER_CALL && e->count > 0)
			break;
	}
	if (e->count > 0)
		return (int)e->count;
	return t->ended ? src->error.status : 0;
}

const struct converter converter_dftracer = {
    .name = "dftracer",
    .summary = "DFTracer: .pfw files of deep learning applications, also compressed",
    .options = OPTIONS,
    .sniff = sniff,
    .open = open_source,
    .next = next,
    .close = close_source,
};
