/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the output of darshan-parser and darshan-dxt-parser, of any release. Both begin with the
 * same lines about the job, followed by
 *
 *	MODULE <tab> rank <tab> id <tab> COUNTER <tab> value <tab> path <tab> mount <tab> type
 *
 * or, for each DXT record, lines "# DXT, ..." and rows printed with
 * "%8s%8d%7s%9d%16d%16d%12.4f%12.4f":
 *
 *	 X_POSIX       0  write        0               0           16384      0.0301      0.0301
 *
 * [ost]... and a thread (a number or N/A) may follow. Before release 3.2.0 rows of X_MPIIO have no
 * offset. Columns touch if a number fills its column: the expected index shows where an index ends
 * and an offset begins; ambiguous rows are refused. Times have four decimals; the times of the log
 * itself are more precise.
 */
#include "darshan.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/number.h"
#include "lib/base/text.h"

enum {
	SNIFFED = 4096,
	LINE_MAX_SIZE = 1 << 20,
	COMMAND_MAX = 4096, /* offsets in job.text */
	METADATA_MAX = 2048,
	GROUP_LINES_MAX = 4096,
	UUID_TEXT = 36,
	INTEGERS = 4, /* of a row */
	DECIMALS = 4,
	NS_PER_DECIMAL = 100000,
	WORD = 24,
};

#define NS_PER_S    INT64_C(1000000000)
#define SECONDS_MAX INT64_C(1000000000)

static const char VERSION[] = "# darshan log version: ";

struct darshan_text {
	struct bufreader *bufreader;
	size_t line_size; /* of the current line, with its line end */
	/* the current DXT record */
	uint64_t id;
	bool has_id;
	uint64_t next[2]; /* index of the next write and read */
	uint64_t counts[2], rows[2];
};

/* Texts */

/* Returns true if the text begins with the prefix; *rest is then what follows. */
static bool after(struct iot_text text, const char *prefix, struct iot_text *rest)
{
	const size_t n = strlen(prefix);
	if (text.size < n || memcmp(text.data, prefix, n) != 0)
		return false;
	*rest = (struct iot_text){text.data + n, text.size - n};
	return true;
}

/* Splits off the text up to a separator, or all of it; the separator stays in *rest. */
static struct iot_text until(struct iot_text text, char separator, struct iot_text *rest)
{
	const char *end = memchr(text.data, separator, text.size);
	const size_t n = end != NULL ? (size_t)(end - text.data) : text.size;
	*rest = (struct iot_text){text.data + n, text.size - n};
	return (struct iot_text){text.data, n};
}

static bool parse_unsigned(struct iot_text text, uint64_t *value)
{
	return number_decimal(text.data, text.size, value);
}

/* Leaves *value unchanged if the text is not an integer. */
static bool parse_integer(struct iot_text text, int64_t *value)
{
	const bool minus = text.size > 0 && text.data[0] == '-';
	uint64_t v;
	if (!number_decimal(text.data + minus, text.size - minus, &v) || v > INT64_MAX)
		return false;
	*value = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

/* Lines */

/* The line may follow warnings of the tool, which are comments, too. */
bool darshan_text_is(const char *head, size_t size)
{
	struct iot_text rest = {head, size < SNIFFED ? size : (size_t)SNIFFED}, version;
	while (rest.size > 0 && rest.data[0] == '#') {
		if (after(rest, VERSION, &version))
			return true;
		(void)until(rest, '\n', &rest);
		(void)after(rest, "\n", &rest);
	}
	return false;
}

/* Peeks at the next line. Returns false at the end. */
static bool peek_line(struct darshan *d, struct iot_text *line)
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

static void consume_line(struct darshan *d)
{
	bufreader_consume(d->text->bufreader, d->text->line_size);
	d->src->report.lines++;
}

static void count_unparsed(struct darshan *d, struct iot_text line)
{
	report_unparsed(&d->src->report, input_name(d->src->input, d->members.current),
			d->src->report.lines, line.data, line.size);
}

/* The job */

/* Appends to one of the texts in job.text. */
static void append(struct iot_text *part, char *memory, size_t capacity, struct iot_text text)
{
	const size_t left = capacity - part->size, n = text.size < left ? text.size : left;
	memcpy(memory + part->size, text.data, n);
	part->data = memory;
	part->size += n;
}

/* Converts "key = value" to "key=value". */
static void add_metadata(struct darshan_job *job, struct iot_text text)
{
	char *memory = job->text + COMMAND_MAX;
	const char *equals = memmem(text.data, text.size, " = ", 3);
	const size_t key = equals != NULL ? (size_t)(equals - text.data) : text.size;
	if (job->metadata.size > 0)
		append(&job->metadata, memory, METADATA_MAX, (struct iot_text){"\n", 1});
	append(&job->metadata, memory, METADATA_MAX, (struct iot_text){text.data, key});
	if (equals == NULL)
		return;
	append(&job->metadata, memory, METADATA_MAX, (struct iot_text){"=", 1});
	append(&job->metadata, memory, METADATA_MAX,
	       (struct iot_text){equals + 3, text.size - key - 3});
}

/* Converts "path<tab>type" to "type<tab>path". */
static void add_mount(struct darshan_job *job, struct iot_text text)
{
	char *memory = job->text + COMMAND_MAX + METADATA_MAX;
	const size_t capacity = sizeof job->text - COMMAND_MAX - METADATA_MAX;
	const char *tab = text.size > 0 ? memrchr(text.data, '\t', text.size) : NULL;
	if (tab == NULL || capacity - job->mounts.size < text.size + 1)
		return;
	const size_t path = (size_t)(tab - text.data);
	if (job->mounts.size > 0)
		append(&job->mounts, memory, capacity, (struct iot_text){"\n", 1});
	append(&job->mounts, memory, capacity, (struct iot_text){tab + 1, text.size - path - 1});
	append(&job->mounts, memory, capacity, (struct iot_text){"\t", 1});
	append(&job->mounts, memory, capacity, (struct iot_text){text.data, path});
}

static void parse_job_line(struct darshan *d, struct iot_text line)
{
	struct darshan_job *job = &d->log.job;
	const struct {
		const char *prefix;
		int64_t *value;
	} integers[] = {{"# uid: ", &job->uid},
			{"# jobid: ", &job->id},
			{"# start_time: ", &job->start_s},
			{"# end_time: ", &job->end_s},
			{"# nprocs: ", &job->processes}};
	struct iot_text v;
	for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
		if (after(line, integers[i].prefix, &v))
			(void)parse_integer(v, integers[i].value);
	if (after(line, "# exe: ", &v))
		append(&job->command, job->text, COMMAND_MAX, v);
	else if (after(line, "# metadata: ", &v))
		add_metadata(job, v);
	else if (after(line, "# mount entry:\t", &v))
		add_mount(job, v);
	else if (after(line, VERSION, &v))
		(void)darshan_log_version(&d->log, v.data, v.size);
}

static bool is_body(struct iot_text line)
{
	struct iot_text rest;
	return after(line, "# ****", &rest) || after(line, "# description", &rest) ||
	       after(line, "# no ", &rest) || after(line, "# DXT, ", &rest) ||
	       (line.size > 0 && line.data[0] != '#');
}

int darshan_text_open(struct darshan *d, struct bufreader *in, struct error *error)
{
	struct iot_text line;
	if (d->text == NULL)
		d->text = calloc(1, sizeof *d->text);
	if (d->text == NULL)
		return error_no_memory(error);
	*d->text = (struct darshan_text){.bufreader = in};
	d->log = (struct darshan_log){.job = {.start_ns = -1, .end_ns = -1, .known = true}};
	while (peek_line(d, &line) && !is_body(line)) {
		parse_job_line(d, line);
		consume_line(d);
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
	struct iot_text rank, id, type;
	struct iot_text *const first[] = {&f->module, &rank, &id, &f->name, &f->value};
	struct iot_text *const last[] = {&type, &f->mount};
	for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
		*first[i] = until(line, '\t', &line);
		if (!after(line, "\t", &line))
			return false;
	}
	for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
		const char *tab = memrchr(line.data, '\t', line.size);
		if (tab == NULL)
			return false;
		const size_t n = (size_t)(tab - line.data);
		*last[i] = (struct iot_text){tab + 1, line.size - n - 1};
		line.size = n;
	}
	f->path = line;
	return f->module.size > 0 && f->module.size < 32 && f->name.size > 0 &&
	       f->name.size < 256 && parse_integer(rank, &f->rank) && f->rank >= -1 &&
	       f->rank < INT32_MAX && parse_unsigned(id, &f->id);
}

static unsigned module_of(const char *name)
{
	for (unsigned i = 1; i <= DARSHAN_DAOS; i++)
		if (strcmp(darshan_module_name(i), name) == 0)
			return i;
	return DARSHAN_NULL;
}

static char *copy(char *out, size_t capacity, struct iot_text text)
{
	snprintf(out, capacity, "%.*s", (int)text.size, text.data);
	return out;
}

static bool is_key(struct iot_text name)
{
	for (size_t i = 0; i < name.size; i++)
		if (name.data[i] <= ' ' || name.data[i] > '~' || name.data[i] == '=')
			return false;
	return true;
}

/* In the mount column, DFS and DAOS have the "pool:container" of their log. */
static void append_pool(struct iot_builder *b, struct iot_text mount, unsigned module)
{
	const bool dfs = module == DARSHAN_DFS;
	if ((!dfs && module != DARSHAN_DAOS) || mount.size != 2 * UUID_TEXT + 1 ||
	    mount.data[UUID_TEXT] != ':')
		return;
	iot_directive_text(b, dfs ? "DFS_POOL_UUID" : "DAOS_POOL_UUID", mount.data, UUID_TEXT);
	iot_directive_text(b, dfs ? "DFS_CONT_UUID" : "DAOS_CONT_UUID", mount.data + UUID_TEXT + 1,
			   UUID_TEXT);
}

/*
 * Converts the lines of one record: until module, rank or id changes, or its first counter is
 * repeated.
 */
static int convert_group(struct darshan *d, struct fields f)
{
	char source[32], first[256], name[256];
	struct iot_text line;
	int64_t value;
	unsigned lines = 0;
	struct darshan_group g = {.source = copy(source, sizeof source, f.module),
				  .id = f.id,
				  .rank = f.rank,
				  .times = 1};
	const unsigned module = module_of(source);
	copy(first, sizeof first, f.name);
	if (f.path.size > 0 && f.path.size <= DARSHAN_NAME_MAX && !text_equals(f.path, "(null)") &&
	    !darshan_name_add(d, f.id, f.path.data, f.path.size))
		return -1;
	if (!darshan_group_begin(d, &g))
		return -1;
	append_pool(&g.b, f.mount, module);
	do {
		copy(name, sizeof name, f.name);
		emit_text(&g.b, name, f.value);
		if (d->check && parse_integer(f.value, &value))
			darshan_check_counter(d, module, &g, name, value);
		consume_line(d);
		if (!darshan_group_split(d, &g))
			return -1;
	} while (++lines < GROUP_LINES_MAX && peek_line(d, &line) && split(line, &f) &&
		 f.id == g.id && f.rank == g.rank && text_equals(f.module, source) &&
		 !text_equals(f.name, first) && is_key(f.name));
	darshan_group_end(d, &g);
	return 1;
}

/* "# *WARNING*: The POSIX module contains incomplete data!" */
static void note_warning(struct darshan *d, struct iot_text v)
{
	char shown[200];
	escape_text(shown, sizeof shown, v.data, v.size);
	darshan_count(d, "partial.modules", 1);
	darshan_note(d, d->members.current, "%s", shown);
	darshan_emit_lost(d, shown);
}

/* Sums of darshan-parser --total, --file and --perf, which follow from the counters. */
static bool is_sum(struct iot_text line)
{
	struct iot_text rest;
	return after(line, "total_", &rest) || after(line, "unique files:", &rest) ||
	       after(line, "shared files:", &rest);
}

/* DXT records. A step returns true if the batch must be emitted before it can proceed. */

static bool close_batch(struct darshan *d, bool last)
{
	if (d->dxt.batch.count == 0)
		return false;
	darshan_batch_close(d, last);
	return true;
}

/* Counts rows that the header announced and that are missing. */
static bool end_record(struct darshan *d)
{
	struct darshan_text *t = d->text;
	if (close_batch(d, true))
		return true;
	for (unsigned part = 0; part < 2; part++)
		if (d->dxt.active && t->rows[part] < t->counts[part])
			darshan_count(d, "damaged.segments", t->counts[part] - t->rows[part]);
	d->dxt.active = false;
	return false;
}

/* "file_id: 123, file_name: /a/b" */
static bool parse_file(struct darshan *d, struct iot_text v)
{
	struct darshan_text *t = d->text;
	struct iot_text name;
	if (end_record(d))
		return true;
	t->has_id = parse_unsigned(until(v, ',', &name), &t->id);
	if (!t->has_id)
		count_unparsed(d, v);
	else if (after(name, ", file_name: ", &name) && name.size <= DARSHAN_NAME_MAX)
		(void)darshan_name_add(d, t->id, name.data, name.size);
	return false;
}

/* "rank: 0, hostname: node01" */
static bool parse_rank(struct darshan *d, struct iot_text v)
{
	struct darshan_text *t = d->text;
	struct iot_text host;
	int64_t rank;
	if (end_record(d))
		return true;
	if (!t->has_id || !parse_integer(until(v, ',', &host), &rank) || rank < 0 ||
	    rank > INT32_MAX) {
		count_unparsed(d, v);
		return false;
	}
	if (!after(host, ", hostname: ", &host))
		host.size = 0;
	for (unsigned part = 0; part < 2; part++)
		t->next[part] = t->rows[part] = t->counts[part] = 0;
	/* The layer is known only at the first row. */
	(void)darshan_dxt_begin(d, EMIT_LAYER_POSIX, t->id, rank, host);
	return false;
}

/* "write_count: 12, read_count: 13" */
static void parse_counts(struct darshan_text *t, struct iot_text v)
{
	struct iot_text reads;
	if (!parse_unsigned(until(v, ',', &reads), &t->counts[0]) ||
	    !after(reads, ", read_count: ", &reads) || !parse_unsigned(reads, &t->counts[1]))
		t->counts[0] = t->counts[1] = 0;
}

/* Parses the text after "# DXT, ". */
static bool parse_head(struct darshan *d, struct iot_text line)
{
	if (after(line, "file_id: ", &line))
		return parse_file(d, line);
	if (after(line, "rank: ", &line))
		return parse_rank(d, line);
	if (after(line, "write_count: ", &line))
		parse_counts(d->text, line);
	return false;
}

/* A row */

struct row {
	struct iot_text rest;
	/* index, offset, length; adjacent ones may be one word */
	struct iot_text integer[INTEGERS];
	unsigned integers;
	int64_t rank;
	struct darshan_segment segment; /* times count from the start of the job */
	uint64_t thread;
	bool write, has_thread;
	unsigned layer;
};

static struct iot_text next_word(struct iot_text *rest)
{
	for (; rest->size > 0 && *rest->data == ' '; rest->size--)
		rest->data++;
	return until(*rest, ' ', rest);
}

/*
 * Parses seconds with four decimals from the start of text, which may continue with another time.
 */
static bool parse_time(struct iot_text *text, int64_t *ns)
{
	const char *dot = memchr(text->data, '.', text->size);
	const size_t whole = dot != NULL ? (size_t)(dot - text->data) : 0;
	const size_t size = whole + 1 + DECIMALS;
	int64_t seconds;
	uint64_t decimals;
	if (dot == NULL || text->size < size ||
	    !parse_integer((struct iot_text){text->data, whole}, &seconds) ||
	    seconds > SECONDS_MAX || seconds < -SECONDS_MAX ||
	    !number_decimal(dot + 1, DECIMALS, &decimals))
		return false;
	const int64_t fraction = (int64_t)decimals * NS_PER_DECIMAL;
	*ns = seconds * NS_PER_S + (text->data[0] == '-' ? -fraction : fraction);
	*text = (struct iot_text){text->data + size, text->size - size};
	return true;
}

static bool parse_words(struct row *r)
{
	struct iot_text w = next_word(&r->rest);
	r->layer = text_equals(w, "X_MPIIO") ? EMIT_LAYER_MPIIO : EMIT_LAYER_POSIX;
	if (r->layer == EMIT_LAYER_POSIX && !text_equals(w, "X_POSIX"))
		return false;
	if (!parse_integer(next_word(&r->rest), &r->rank))
		return false;
	w = next_word(&r->rest);
	r->write = text_equals(w, "write");
	if (!r->write && !text_equals(w, "read"))
		return false;
	w = next_word(&r->rest);
	while (memchr(w.data, '.', w.size) == NULL) {
		if (w.size == 0 || r->integers == INTEGERS)
			return false;
		r->integer[r->integers++] = w;
		w = next_word(&r->rest);
	}
	if (!parse_time(&w, &r->segment.start_ns))
		return false;
	if (w.size == 0)
		w = next_word(&r->rest);
	return parse_time(&w, &r->segment.end_ns) && w.size == 0;
}

static bool parse_thread(struct row *r)
{
	for (struct iot_text w = next_word(&r->rest); w.size > 0; w = next_word(&r->rest)) {
		if (w.data[0] == '[' || w.data[w.size - 1] == ']' || text_equals(w, "N/A"))
			continue;
		if (!parse_unsigned(w, &r->thread))
			return false;
		r->has_thread = true;
	}
	return true;
}

/* Splits the words before the times into index, offset and length; `index` is the expected one. */
static bool split_integers(struct row *r, uint64_t index)
{
	struct darshan_segment *s = &r->segment;
	struct iot_text first = r->integer[0], offset;
	char expected[WORD];
	snprintf(expected, sizeof expected, "%llu", (unsigned long long)index);
	if (r->integers < 2 || r->integers > 3 ||
	    !parse_integer(r->integer[r->integers - 1], &s->length))
		return false;
	if (r->integers == 3)
		return text_equals(first, expected) && parse_integer(r->integer[1], &s->offset);
	s->offset = -1;
	if (text_equals(first, expected))
		return r->layer == EMIT_LAYER_MPIIO; /* old release, without offset */
	return after(first, expected, &offset) && parse_integer(offset, &s->offset);
}

/* The header does not name the layer. Returns false if out of memory. */
static bool set_layer(struct darshan *d, unsigned layer)
{
	struct darshan_dxt *dxt = &d->dxt;
	d->contents.layers |= layer;
	if (d->ids.file[dxt->file - 1].layer == layer || (d->layers & layer) == 0)
		return true;
	dxt->file = darshan_file(d, layer, dxt->rank, dxt->id);
	dxt->reported = false;
	return dxt->file != 0;
}

static bool parse_row(struct darshan *d, struct iot_text line)
{
	struct darshan_text *t = d->text;
	struct darshan_dxt *dxt = &d->dxt;
	struct row r = {.rest = line};
	const bool fine = parse_words(&r) && parse_thread(&r) && dxt->active && r.rank == dxt->rank;
	const unsigned part = !r.write;
	if (!fine || !split_integers(&r, t->next[part])) {
		count_unparsed(d, line);
		t->next[part]++;
		return false;
	}
	if (dxt->batch.count > 0 && (part < dxt->part || dxt->batch.count == DARSHAN_BATCH_MAX))
		return close_batch(d, false);
	if (!set_layer(d, r.layer))
		return false;
	dxt->part = part;
	t->next[part]++;
	t->rows[part]++;
	if ((d->layers & r.layer) != 0) {
		d->contents.selected |= r.layer;
		r.segment.start_ns = darshan_moment(d, r.segment.start_ns);
		r.segment.end_ns = darshan_moment(d, r.segment.end_ns);
		darshan_batch_add(d, r.segment, r.has_thread ? &r.thread : NULL);
	}
	return false;
}

/* Converts a line, or the lines of a record of counters. */
int darshan_text_step(struct darshan *d)
{
	struct iot_text line, v;
	struct fields f;
	bool wait = false;
	if (!peek_line(d, &line))
		return end_record(d);
	if (after(line, "# DXT, ", &v)) {
		wait = parse_head(d, v);
	} else if (line.size > 3 && line.data[0] == ' ') {
		wait = parse_row(d, line);
	} else if (after(line, "# *WARNING*: ", &v)) {
		note_warning(d, v);
	} else if (line.size > 0 && line.data[0] != '#') {
		if (split(line, &f) && is_key(f.name))
			return convert_group(d, f);
		if (!is_sum(line))
			count_unparsed(d, line);
	}
	if (!wait)
		consume_line(d);
	return d->status == IOT_OK ? 1 : -1;
}

void darshan_text_end(struct darshan *d)
{
	const struct bufreader *in = d->text->bufreader;
	if (bufreader_status(in) != IOT_OK)
		darshan_damage(d, bufreader_status(in), "%s", bufreader_error(in)->text);
}

void darshan_text_close(struct darshan *d)
{
	free(d->text);
	d->text = NULL;
}
