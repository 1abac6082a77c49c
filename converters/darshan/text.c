/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the output of darshan-parser and darshan-dxt-parser, of any release. Both begin with the
 * same lines about the job, followed by
 *
 *	MODULE <tab> rank <tab> id <tab> COUNTER <tab> value <tab> path <tab> mount <tab> type
 *
 * or, for each DXT record, lines "# DXT, ..." and the rows of text_rows.c. The times of rows have
 * four decimals; those of the log itself are more precise.
 */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/number.h"

enum {
	SNIFFED = 4096,
	LINE_MAX_SIZE = 1 << 20,
	COMMAND_MAX = 4096, /* offsets in job.text */
	METADATA_MAX = 2048,
	GROUP_LINES_MAX = 4096,
	FIELDS = 8,
	UUID_TEXT = 36,
};

static const char VERSION[] = "# darshan log version: ";

/* The line may follow warnings of the tool, which are comments, too. */
bool darshan_text_is(const char *head, size_t size)
{
	const char *p = head, *end = head + (size < SNIFFED ? size : (size_t)SNIFFED);
	while (p < end && *p == '#') {
		size_t left = (size_t)(end - p);
		if (left >= sizeof VERSION - 1 && memcmp(p, VERSION, sizeof VERSION - 1) == 0)
			return true;
		p = memchr(p, '\n', left);
		if (p == NULL)
			return false;
		p++;
	}
	return false;
}

/* Lines */

/* Peeks at the next line. Returns false at the end. */
static bool peek(struct darshan *d, struct iot_text *line)
{
	struct darshan_text *t = d->text;
	size_t want = 1, have;
	const char *p, *end = NULL;
	for (;;) {
		p = bufreader_peek(t->bufreader, want, &have);
		end = have > 0 ? memchr(p, '\n', have) : NULL;
		if (end != NULL || have < want || have >= LINE_MAX_SIZE)
			break;
		want = have + 1;
	}
	t->line_size = end != NULL ? (size_t)(end - p) + 1 : have;
	*line = (struct iot_text){p, end != NULL ? (size_t)(end - p) : have};
	if (line->size > 0 && p[line->size - 1] == '\r')
		line->size--;
	return have > 0;
}

static void consume(struct darshan *d)
{
	bufreader_consume(d->text->bufreader, d->text->line_size);
	d->src->report.lines++;
}

static bool after(struct iot_text line, const char *prefix, struct iot_text *rest)
{
	size_t n = strlen(prefix);
	if (line.size < n || memcmp(line.data, prefix, n) != 0)
		return false;
	*rest = (struct iot_text){line.data + n, line.size - n};
	return true;
}

bool darshan_integer(struct iot_text text, int64_t *value)
{
	bool minus = text.size > 0 && text.data[0] == '-';
	uint64_t v;
	if (!number_decimal(text.data + minus, text.size - minus, &v) || v > INT64_MAX)
		return false;
	*value = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

void darshan_unparsed(struct darshan *d, struct iot_text line)
{
	report_unparsed(&d->src->report, input_name(d->src->input, d->member), d->src->report.lines,
			line.data, line.size);
}

/* The job */

static void take_integer(struct iot_text text, int64_t *value)
{
	int64_t v;
	if (darshan_integer(text, &v))
		*value = v;
}

/* Appends to one of the texts in job.text. */
static void append(struct iot_text *part, char *memory, size_t capacity, const char *text, size_t n)
{
	if (capacity - part->size < n)
		n = capacity - part->size;
	memcpy(memory + part->size, text, n);
	part->data = memory;
	part->size += n;
}

/* Converts "key = value" to "key=value". */
static void take_metadata(struct darshan_job *job, struct iot_text text)
{
	char *memory = job->text + COMMAND_MAX;
	const char *equals = memmem(text.data, text.size, " = ", 3);
	if (job->metadata.size > 0)
		append(&job->metadata, memory, METADATA_MAX, "\n", 1);
	if (equals == NULL) {
		append(&job->metadata, memory, METADATA_MAX, text.data, text.size);
		return;
	}
	size_t key = (size_t)(equals - text.data);
	append(&job->metadata, memory, METADATA_MAX, text.data, key);
	append(&job->metadata, memory, METADATA_MAX, "=", 1);
	append(&job->metadata, memory, METADATA_MAX, equals + 3, text.size - key - 3);
}

/* Converts "path<tab>type" to "type<tab>path". */
static void take_mount(struct darshan_job *job, struct iot_text text)
{
	char *memory = job->text + COMMAND_MAX + METADATA_MAX;
	const size_t capacity = sizeof job->text - COMMAND_MAX - METADATA_MAX;
	const char *tab = text.size > 0 ? memrchr(text.data, '\t', text.size) : NULL;
	if (tab == NULL || capacity - job->mounts.size < text.size + 1)
		return;
	if (job->mounts.size > 0)
		append(&job->mounts, memory, capacity, "\n", 1);
	size_t path = (size_t)(tab - text.data);
	append(&job->mounts, memory, capacity, tab + 1, text.size - path - 1);
	append(&job->mounts, memory, capacity, "\t", 1);
	append(&job->mounts, memory, capacity, text.data, path);
}

static void take_job_line(struct darshan *d, struct iot_text line)
{
	struct darshan_job *job = &d->log.job;
	struct iot_text v;
	if (after(line, "# exe: ", &v))
		append(&job->command, job->text, COMMAND_MAX, v.data, v.size);
	else if (after(line, "# uid: ", &v))
		take_integer(v, &job->uid);
	else if (after(line, "# jobid: ", &v))
		take_integer(v, &job->id);
	else if (after(line, "# start_time: ", &v))
		take_integer(v, &job->start_s);
	else if (after(line, "# end_time: ", &v))
		take_integer(v, &job->end_s);
	else if (after(line, "# nprocs: ", &v))
		take_integer(v, &job->processes);
	else if (after(line, "# metadata: ", &v))
		take_metadata(job, v);
	else if (after(line, "# mount entry:\t", &v))
		take_mount(job, v);
	else if (after(line, VERSION, &v))
		(void)darshan_take_version(&d->log, v.data, v.size);
}

static bool is_body(struct iot_text line)
{
	struct iot_text rest;
	return after(line, "# ****", &rest) || after(line, "# description", &rest) ||
	       after(line, "# no ", &rest) || after(line, "# DXT, ", &rest) ||
	       (line.size > 0 && line.data[0] != '#');
}

int darshan_text_open(struct darshan *d, struct bufreader *w, struct error *error)
{
	struct iot_text line;
	if (d->text == NULL)
		d->text = calloc(1, sizeof *d->text);
	if (d->text == NULL)
		return error_set(error, IOT_ENOMEM, "out of memory");
	*d->text = (struct darshan_text){.bufreader = w};
	d->log = (struct darshan_log){.job = {.start_ns = -1, .end_ns = -1, .known = true}};
	while (peek(d, &line) && !is_body(line)) {
		take_job_line(d, line);
		consume(d);
	}
	darshan_log_times(&d->log);
	return IOT_OK;
}

/* Counters */

struct fields {
	struct iot_text module, name, value, path, mount;
	uint64_t id;
	int64_t rank;
};

/* A path may contain tabs: mount and type are the last two fields of the line. */
static bool split(struct iot_text line, struct fields *f)
{
	struct iot_text field[FIELDS];
	const char *p = line.data, *end = p + line.size;
	size_t n = 0;
	for (; n < 5; n++) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		if (tab == NULL)
			return false;
		field[n] = (struct iot_text){p, (size_t)(tab - p)};
		p = tab + 1;
	}
	for (n = 0; n < 2; n++) {
		const char *tab = memrchr(p, '\t', (size_t)(end - p));
		if (tab == NULL)
			return false;
		f->mount = (struct iot_text){tab + 1, (size_t)(end - tab - 1)};
		end = tab;
	}
	f->module = field[0];
	f->name = field[3];
	f->value = field[4];
	f->path = (struct iot_text){p, (size_t)(end - p)};
	return f->module.size > 0 && f->module.size < 32 && f->name.size > 0 &&
	       f->name.size < 256 && darshan_integer(field[1], &f->rank) && f->rank >= -1 &&
	       f->rank < INT32_MAX && number_decimal(field[2].data, field[2].size, &f->id);
}

static bool same(struct iot_text text, const char *known)
{
	return strlen(known) == text.size && memcmp(known, text.data, text.size) == 0;
}

static unsigned module_of(const char *name)
{
	for (unsigned i = 1; i <= DARSHAN_DAOS; i++)
		if (strcmp(darshan_module_name(i), name) == 0)
			return i;
	return DARSHAN_NULL;
}

static void copy(char *out, size_t capacity, struct iot_text text)
{
	snprintf(out, capacity, "%.*s", (int)text.size, text.data);
}

static bool is_plain(struct iot_text name)
{
	for (size_t i = 0; i < name.size; i++)
		if (name.data[i] <= ' ' || name.data[i] > '~' || name.data[i] == '=')
			return false;
	return true;
}

/* Adds one counter to the directive of a group. */
static void put_counter(struct darshan *d, struct iot_builder *b, const struct fields *f,
			unsigned module)
{
	char name[256];
	int64_t value;
	copy(name, sizeof name, f->name);
	iot_directive_text(b, name, f->value.data, f->value.size);
	if (d->check && darshan_integer(f->value, &value))
		darshan_check_counters(d, module, f->id, f->rank, name, value);
}

/* In the mount column, DFS and DAOS have the "pool:container" of their log. */
static void put_pool(struct iot_builder *b, const struct fields *f, unsigned module)
{
	const bool dfs = module == DARSHAN_DFS;
	if ((!dfs && module != DARSHAN_DAOS) || f->mount.size != 2 * UUID_TEXT + 1 ||
	    f->mount.data[UUID_TEXT] != ':')
		return;
	iot_directive_text(b, dfs ? "DFS_POOL_UUID" : "DAOS_POOL_UUID", f->mount.data, UUID_TEXT);
	iot_directive_text(b, dfs ? "DFS_CONT_UUID" : "DAOS_CONT_UUID",
			   f->mount.data + UUID_TEXT + 1, UUID_TEXT);
}

/*
 * Converts the lines of one record: until module, rank or id changes, or its first counter is
 * repeated.
 */
static int take_group(struct darshan *d, struct fields f)
{
	char module[32], first[256];
	struct iot_text line;
	struct iot_builder b;
	const uint64_t id = f.id;
	const int64_t rank = f.rank;
	unsigned part = 0, lines = 0;
	copy(module, sizeof module, f.module);
	copy(first, sizeof first, f.name);
	const unsigned known = module_of(module);
	if (f.path.size > 0 && f.path.size <= DARSHAN_NAME_MAX && !same(f.path, "(null)") &&
	    !darshan_name_add(d, id, f.path.data, f.path.size))
		return -1;
	if (!darshan_counter_begin(d, &b, module, id, rank, 0))
		return -1;
	put_pool(&b, &f, known);
	do {
		put_counter(d, &b, &f, known);
		consume(d);
		if (b.size < DARSHAN_DIRECTIVE_SPLIT)
			continue;
		emit_end(&d->emit, &b, d->end_ns);
		if (!darshan_counter_begin(d, &b, module, id, rank, ++part))
			return -1;
	} while (++lines < GROUP_LINES_MAX && peek(d, &line) && split(line, &f) && f.id == id &&
		 f.rank == rank && same(f.module, module) && !same(f.name, first) &&
		 is_plain(f.name));
	emit_end(&d->emit, &b, d->end_ns);
	darshan_count(d, "counters.records", 1);
	return 1;
}

/* "# *WARNING*: The POSIX module contains incomplete data!" */
static void take_warning(struct darshan *d, struct iot_text v)
{
	char shown[200];
	escape_text(shown, sizeof shown, v.data, v.size);
	darshan_count(d, "partial.modules", 1);
	darshan_note(d, d->member, "%s", shown);
	darshan_emit_lost(d, shown);
}

/* Sums of darshan-parser --total, --file and --perf, which follow from the counters. */
static bool is_sum(struct iot_text line)
{
	struct iot_text rest;
	return after(line, "total_", &rest) || after(line, "unique files:", &rest) ||
	       after(line, "shared files:", &rest);
}

int darshan_text_step(struct darshan *d)
{
	struct iot_text line, v;
	struct fields f;
	if (!peek(d, &line))
		return darshan_rows_end(d);
	if (after(line, "# DXT, ", &v)) {
		int status = darshan_rows_head(d, v);
		if (status != 0)
			return status;
	} else if (line.size > 3 && line.data[0] == ' ') {
		int status = darshan_row(d, line);
		if (status != 0)
			return status;
	} else if (after(line, "# *WARNING*: ", &v)) {
		take_warning(d, v);
	} else if (line.size > 0 && line.data[0] != '#') {
		if (split(line, &f) && is_plain(f.name))
			return take_group(d, f);
		if (!is_sum(line))
			darshan_unparsed(d, line);
	}
	consume(d);
	return d->status == IOT_OK ? 1 : -1;
}

void darshan_text_end(struct darshan *d)
{
	const struct bufreader *w = d->text->bufreader;
	if (bufreader_status(w) != IOT_OK)
		darshan_damage(d, bufreader_status(w), "%s", bufreader_error(w)->text);
}

void darshan_text_close(struct darshan *d)
{
	free(d->text);
	d->text = NULL;
}
