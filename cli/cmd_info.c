/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace info: summarizes traces and logs, and reports whether they are complete. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lib/base/number.h"

#include "cli/ui/trace_in.h"
#include "cli/ui/printable.h"
#include "cli/ui/same_file.h"
#include "lib/base/idmap.h"
#include "cli/ui/json.h"
#include "cli/ui/unseen_json.h"

enum { READ, WRITE, WAYS, TEXT_CAPACITY = 1024, NS_PER_S = 1000000000, KNOWN = 256 };

/* Keys of the first %trace. Values are percent-decoded, or NULL if absent. */
static const char *const trace_keys[] = {"source", "command", "host",    "user",   "epoch",
					 "lacks",  "layer",   "lengths", "clocks", "seen"};
enum { KEY_EPOCH = 4, KEYS = sizeof trace_keys / sizeof *trace_keys };

struct reported {
	char *text;
	size_t size;
};

struct ways {
	uint64_t records[WAYS], bytes[WAYS];
};

/* Recently counted ids: most ids repeat. */
struct known_fields {
	uint32_t process, file, object;
	bool any, logical;
};

struct info {
	struct ways logical, physical;
	struct idmap processes, files, objects;
	struct known_fields known[KNOWN];
	uint64_t unknown_offsets, unknown_durations, unknown_cpu, unknown_starts; /* records */
	uint64_t traces;                                                          /* %trace */
	uint64_t counters, file_counters;        /* %counter, and those about a file */
	uint64_t gaps, lost_records;             /* %lost, and the losses that they state */
	int64_t first_ns, last_ns, completed_ns; /* the first start, the last start, the last end */
	bool any, any_end;                       /* starts; ends */
	bool any_lost;                           /* a %lost has records= */
	bool interrupted; /* a %lost states that a signal ended the input of its writer */
	bool failed;
	struct reported reported[KEYS];
	struct unseen unseen;
};

struct counting {
	struct info *info;
	struct trace_in *in;
};

static void count_ids(struct info *f, const struct iot_record *rec, bool logical)
{
	struct known_fields *k = &f->known[(rec->process * 31 + rec->file) % KNOWN];
	if (k->any && k->process == rec->process && k->file == rec->file &&
	    k->object == rec->object && k->logical == logical)
		return;
	*k = (struct known_fields){rec->process, rec->file, rec->object, true, logical};
	if (idmap_number(&f->processes, rec->process) == SIZE_MAX)
		f->failed = true;
	if (logical && idmap_number(&f->files, idmap_pair(rec->process, rec->file)) == SIZE_MAX)
		f->failed = true;
	if (rec->object && idmap_number(&f->objects, rec->object) == SIZE_MAX)
		f->failed = true;
}

static void count_unknown(struct info *f, unsigned flags)
{
	f->unknown_offsets += (flags & IOT_OFFSET_UNKNOWN) != 0;
	f->unknown_durations += (flags & IOT_DURATION_UNKNOWN) != 0;
	f->unknown_cpu += (flags & IOT_CPU_UNKNOWN) != 0;
	f->unknown_starts += (flags & IOT_START_UNKNOWN) != 0;
}

static void add_starts(struct info *f, int64_t first_ns, int64_t last_ns)
{
	if (!f->any || first_ns < f->first_ns)
		f->first_ns = first_ns;
	if (!f->any || last_ns > f->last_ns)
		f->last_ns = last_ns;
	f->any = true;
}

static void add_end(struct info *f, int64_t end_ns)
{
	if (!f->any_end || end_ns > f->completed_ns)
		f->completed_ns = end_ns;
	f->any_end = true;
}

static void count_record(struct info *f, const struct iot_record *rec)
{
	bool logical = (rec->type & IOT_LOGICAL) != 0;
	int way = rec->type & IOT_WRITE ? WRITE : READ;
	struct ways *w = logical ? &f->logical : &f->physical;
	w->records[way]++;
	w->bytes[way] += logical ? rec->length : rec->length * IOT_BLOCK_SIZE;
	if (rec->flags != 0)
		count_unknown(f, rec->flags);
	if ((rec->flags & IOT_START_UNKNOWN) == 0) {
		add_starts(f, rec->start_ns, rec->start_ns);
		if ((rec->flags & IOT_DURATION_UNKNOWN) == 0)
			add_end(f, rec->start_ns + (int64_t)rec->duration_ns);
	}
	count_ids(f, rec, logical);
}

static void keep_reported(struct info *f, const struct iot_event *ev)
{
	for (int i = 0; i < KEYS; i++) {
		struct iot_text value = iot_directive_get(ev, trace_keys[i]);
		if (!value.data || f->reported[i].text)
			continue;
		f->reported[i].text = malloc(value.size + 1);
		if (f->reported[i].text)
			f->reported[i].size = iot_percent_decode(value, f->reported[i].text, NULL);
		else
			f->failed = true;
	}
}

/* A trace can claim any number: the sum saturates. */
static void add_lost(struct info *f, uint64_t records)
{
	if (__builtin_add_overflow(f->lost_records, records, &f->lost_records))
		f->lost_records = UINT64_MAX;
}

static void count_lost(struct info *f, const struct iot_event *ev)
{
	const struct iot_text records = iot_directive_get(ev, "records");
	const struct iot_text why = iot_directive_get(ev, "why");
	static const char interrupted[] = "interrupted";
	uint64_t n;
	f->gaps++;
	f->interrupted |=
	    why.size == sizeof interrupted - 1 && memcmp(why.data, interrupted, why.size) == 0;
	if (records.data == NULL || !number_decimal(records.data, records.size, &n))
		return;
	add_lost(f, n);
	f->any_lost = true;
}

static void count_counter(struct info *f, const struct iot_event *ev)
{
	f->counters++;
	f->file_counters += (ev->has & (IOT_HAS_FILE | IOT_HAS_OBJECT)) != 0 ||
			    iot_directive_get(ev, "path").data != NULL;
}

static void count_event(struct info *f, const struct iot_event *ev)
{
	unseen_add(&f->unseen, ev);
	switch (ev->kind) {
	case IOT_RECORD:
		count_record(f, &ev->rec);
		break;
	case IOT_OP:
		if ((ev->has & IOT_HAS_PROCESS) != 0 &&
		    idmap_number(&f->processes, ev->rec.process) == SIZE_MAX)
			f->failed = true;
		break;
	case IOT_LOST:
		count_lost(f, ev);
		break;
	case IOT_COUNTER:
		count_counter(f, ev);
		break;
	case IOT_TRACE:
		f->traces++;
		keep_reported(f, ev);
		break;
	default:
		break;
	}
}

/* Parts, see iot_reader_fold */

static void forget(struct info *f)
{
	idmap_free(&f->processes);
	idmap_free(&f->files);
	idmap_free(&f->objects);
	for (int i = 0; i < KEYS; i++)
		free(f->reported[i].text);
}

static void *begin_part(void *context)
{
	(void)context;
	return calloc(1, sizeof(struct info));
}

static int count_events(void *part, const struct iot_event *ev, size_t n)
{
	struct info *f = part;
	for (size_t i = 0; i < n; i++)
		count_event(f, &ev[i]);
	return f->failed ? IOT_ENOMEM : IOT_OK;
}

static void drop_part(void *context, void *part)
{
	(void)context;
	forget(part);
	free(part);
}

static void add_ways(struct ways *w, const struct ways *more)
{
	for (int way = READ; way < WAYS; way++) {
		w->records[way] += more->records[way];
		w->bytes[way] += more->bytes[way];
	}
}

static bool add_keys(struct idmap *map, const struct idmap *more)
{
	for (size_t i = 0; i < more->count; i++)
		if (idmap_number(map, more->keys[i]) == SIZE_MAX)
			return false;
	return true;
}

static void add_span(struct info *f, const struct info *more)
{
	if (more->any)
		add_starts(f, more->first_ns, more->last_ns);
	if (more->any_end)
		add_end(f, more->completed_ns);
}

static void add_unknown(struct info *f, const struct info *more)
{
	f->unknown_offsets += more->unknown_offsets;
	f->unknown_durations += more->unknown_durations;
	f->unknown_cpu += more->unknown_cpu;
	f->unknown_starts += more->unknown_starts;
}

static void add_reported(struct info *f, struct info *more)
{
	for (int i = 0; i < KEYS; i++) {
		if (f->reported[i].text || !more->reported[i].text)
			continue;
		f->reported[i] = more->reported[i];
		more->reported[i].text = NULL;
	}
}

static int join_part(void *context, void *part)
{
	struct counting *all = context;
	struct info *f = all->info, *more = part;
	add_ways(&f->logical, &more->logical);
	add_ways(&f->physical, &more->physical);
	add_span(f, more);
	add_reported(f, more);
	add_unknown(f, more);
	f->traces += more->traces;
	f->counters += more->counters;
	f->file_counters += more->file_counters;
	f->gaps += more->gaps;
	f->interrupted |= more->interrupted;
	add_lost(f, more->lost_records);
	f->any_lost |= more->any_lost;
	unseen_join(&f->unseen, &more->unseen);
	const bool ok = add_keys(&f->processes, &more->processes) &&
			add_keys(&f->files, &more->files) && add_keys(&f->objects, &more->objects);
	drop_part(NULL, part);
	trace_in_show_progress(all->in);
	return ok ? IOT_OK : IOT_ENOMEM;
}

static const char *state_name(const struct info *f, const struct trace_in *in)
{
	if (in->grows)
		return "being written";
	if (in->status == IOT_ETRUNCATED)
		return "cut short";
	if (in->status != IOT_OK || iot_reader_fact(in->reader, IOT_FACT_LOST) > 0)
		return "damaged";
	if (f->interrupted)
		return "incomplete: interrupted";
	if (unseen_any(&f->unseen))
		return unseen_state_name(&f->unseen);
	return iot_reader_fact(in->reader, IOT_FACT_FRAMED) ? "complete"
							    : "complete, without an end mark";
}

/* Whether the trace contains the I/Os, or only counters. */
static bool has_ios(const struct info *f, const struct trace_in *in)
{
	return iot_reader_fact(in->reader, IOT_FACT_RECORDS) > 0 || f->file_counters == 0;
}

/* Whether there is anything to report: a trace that fails on its first line has no counts. */
static bool was_read(const struct trace_in *in)
{
	const struct iot_reader *r = in->reader;
	return in->status == IOT_OK ||
	       (in->log == NULL && iot_reader_fact(r, IOT_FACT_FRAMED) != 0) ||
	       iot_reader_fact(r, IOT_FACT_RECORDS) > 0 ||
	       iot_reader_fact(r, IOT_FACT_COMMENTS) > 0;
}

static const char *compression_name(uint64_t compression)
{
	return compression == IOT_GZIP ? "gzip" : compression == IOT_ZSTD ? "zstd" : "plain";
}

/* JSON */

static void json_ways(struct json *j, const char *key, const struct ways *w, bool known)
{
	json_open(j, key, '{');
	json_known(j, "reads", known, w->records[READ]);
	json_known(j, "writes", known, w->records[WRITE]);
	json_known(j, "read_bytes", known, w->bytes[READ]);
	json_known(j, "written_bytes", known, w->bytes[WRITE]);
	json_close(j, '}');
}

static void json_reported(struct json *j, const struct info *f)
{
	uint64_t epoch;
	for (int i = 0; i < KEYS; i++) {
		const struct reported *t = &f->reported[i];
		if (t->text && i == KEY_EPOCH && number_decimal(t->text, t->size, &epoch))
			json_number(j, "epoch_ns", epoch);
		else if (t->text && i != KEY_EPOCH)
			json_text(j, trace_keys[i], t->text, t->size);
	}
}

static void json_time(struct json *j, const char *key, bool known, int64_t ns)
{
	if (known)
		json_signed(j, key, ns);
	else
		json_null(j, key);
}

static void json_span(struct json *j, const struct info *f)
{
	json_time(j, "first_ns", f->any, f->first_ns);
	json_time(j, "last_start_ns", f->any, f->last_ns);
	json_time(j, "last_ns", f->any_end, f->completed_ns);
}

static void json_unknown(struct json *j, const struct info *f)
{
	json_number(j, "unknown_offsets", f->unknown_offsets);
	json_number(j, "unknown_durations", f->unknown_durations);
	json_number(j, "unknown_cpu", f->unknown_cpu);
	json_number(j, "unknown_starts", f->unknown_starts);
}

/* How the trace is written, which does not apply to a log. */
static void json_storage(struct json *j, const struct trace_in *in)
{
	const struct iot_reader *r = in->reader;
	const bool known = in->log == NULL;
	const char *packed = compression_name(iot_reader_fact(r, IOT_FACT_COMPRESSION));
	json_number(j, "tick_ns", iot_reader_fact(r, IOT_FACT_TICK_NS));
	json_known(j, "base", known, iot_reader_fact(r, IOT_FACT_BASE));
	json_known(j, "sync", known, iot_reader_fact(r, IOT_FACT_SYNC));
	if (known)
		json_text(j, "compression", packed, strlen(packed));
	else
		json_null(j, "compression");
	json_known(j, "text_bytes", known, iot_reader_fact(r, IOT_FACT_BYTES_TEXT));
	json_known(j, "stored_bytes", known, iot_reader_fact(r, IOT_FACT_BYTES_STORED));
}

static void print_json(struct output *o, const char *path, const struct info *f,
		       const struct trace_in *in)
{
	struct json j = {.out = o};
	const struct iot_reader *r = in->reader;
	const bool known = has_ios(f, in);
	json_open(&j, NULL, '{');
	json_text(&j, "path", path, strlen(path));
	if (in->log != NULL)
		json_text(&j, "format", in->log, strlen(in->log));
	json_text(&j, "state", state_name(f, in), strcspn(state_name(f, in), ","));
	if (in->log == NULL)
		json_bool(&j, "framed", iot_reader_fact(r, IOT_FACT_FRAMED) != 0);
	else
		json_null(&j, "framed");
	json_reported(&j, f);
	json_number(&j, "records", iot_reader_fact(r, IOT_FACT_RECORDS));
	json_number(&j, "comments", iot_reader_fact(r, IOT_FACT_COMMENTS));
	json_number(&j, "counters", f->counters);
	json_ways(&j, "logical", &f->logical, known);
	json_ways(&j, "physical", &f->physical, known);
	json_unknown(&j, f);
	json_number(&j, "traces", f->traces);
	json_number(&j, "gaps", f->gaps);
	json_known(&j, "lost_records", f->any_lost || f->gaps == 0, f->lost_records);
	unseen_json(&j, &f->unseen);
	json_known(&j, "processes", known, f->processes.count);
	json_known(&j, "files", known, f->files.count);
	json_known(&j, "objects", known, f->objects.count);
	json_span(&j, f);
	json_storage(&j, in);
	json_close(&j, '}');
}

/* Text */

static void line(struct output *o, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void line(struct output *o, const char *label, const char *format, ...)
{
	char text[TEXT_CAPACITY];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	output_printf(o, "  %-12s %s\n", label, text);
}

static void print_epoch(struct output *o, const struct reported *t)
{
	char date[64];
	struct tm tm;
	uint64_t ns;
	if (!t->text || !number_decimal(t->text, t->size, &ns))
		return;
	time_t seconds = (time_t)(ns / NS_PER_S);
	if (gmtime_r(&seconds, &tm) && strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &tm) > 0)
		line(o, "start", "%s.%09u UTC", date, (unsigned)(ns % NS_PER_S));
}

static void print_reported(struct output *o, const struct info *f)
{
	char text[TEXT_CAPACITY];
	for (int i = 0; i < KEYS; i++) {
		const struct reported *t = &f->reported[i];
		if (i == KEY_EPOCH)
			print_epoch(o, t);
		else if (t->text)
			line(o, trace_keys[i], "%s",
			     printable(text, sizeof text, t->text, t->size));
	}
}

static void print_ways(struct output *o, const char *what, const struct ways *w)
{
	char label[32], bytes[32];
	for (int way = READ; way < WAYS; way++) {
		snprintf(label, sizeof label, "%s%s", what, way == READ ? "reads" : "writes");
		line(o, label, "%ju, %s (%ju bytes)", (uintmax_t)w->records[way],
		     printable_bytes(bytes, sizeof bytes, w->bytes[way]), (uintmax_t)w->bytes[way]);
	}
}

/* How to log what the records of a log of strace lack. */
static void print_log_remedy(struct output *o, const struct info *f)
{
	const struct reported *source = &f->reported[0];
	const size_t size = strlen("strace");
	if (source->text == NULL || source->size != size ||
	    memcmp(source->text, "strace", size) != 0 ||
	    f->unknown_offsets + f->unknown_durations + f->unknown_starts == 0)
		return;
	line(o, "remedy", "log%s%s",
	     f->unknown_starts > 0      ? " with 'strace -ttt -T'"
	     : f->unknown_durations > 0 ? " with 'strace -T'"
					: "",
	     f->unknown_offsets > 0 ? " from the start of the program, without -e trace=" : "");
}

static void print_ios(struct output *o, const struct info *f)
{
	const uint64_t physical = f->physical.records[READ] + f->physical.records[WRITE];
	const uint64_t records = f->logical.records[READ] + f->logical.records[WRITE] + physical;
	print_ways(o, "", &f->logical);
	if (physical > 0)
		print_ways(o, "disk ", &f->physical);
	if (f->unknown_offsets > 0)
		line(o, "offsets", "%ju count from an unknown base", (uintmax_t)f->unknown_offsets);
	if (f->unknown_durations > 0)
		line(o, "durations", "%ju of %ju are not known", (uintmax_t)f->unknown_durations,
		     (uintmax_t)records);
	if (f->unknown_starts > 0)
		line(o, "starts", "%ju of %ju are not known", (uintmax_t)f->unknown_starts,
		     (uintmax_t)records);
	print_log_remedy(o, f);
}

static void print_no_ios(struct output *o)
{
	line(o, "reads", "- (there are counters, but no I/Os)");
	line(o, "writes", "-");
}

/* An I/O without a known end may have been the last one to end. */
static void print_span(struct output *o, const struct info *f)
{
	const bool ends = f->any_end && f->completed_ns >= f->last_ns;
	const int64_t last_ns = ends ? f->completed_ns : f->last_ns;
	const bool min = f->unknown_durations + f->unknown_starts > 0;
	if (!f->any && f->unknown_starts > 0)
		line(o, "span", "-");
	if (!f->any)
		return;
	line(o, "span", "%s%.6f s, from %.6f to %s%.6f s", min ? "at least " : "",
	     (double)(last_ns - f->first_ns) / NS_PER_S, (double)f->first_ns / NS_PER_S,
	     ends ? "" : "the last start at ", (double)last_ns / NS_PER_S);
}

static void print_ids(struct output *o, const struct info *f, bool known)
{
	if (!known) {
		line(o, "processes", "-");
		line(o, "files", "-");
		return;
	}
	line(o, "processes", "%zu", f->processes.count);
	line(o, "files", "%zu read or written, %zu different", f->files.count, f->objects.count);
}

static void print_storage(struct output *o, const struct iot_reader *r)
{
	char stored[32];
	uint64_t records = iot_reader_fact(r, IOT_FACT_RECORDS);
	uint64_t bytes = iot_reader_fact(r, IOT_FACT_BYTES_STORED);
	uint64_t sync = iot_reader_fact(r, IOT_FACT_SYNC);
	line(o, "format", "base %ju, tick %ju ns, %s", (uintmax_t)iot_reader_fact(r, IOT_FACT_BASE),
	     (uintmax_t)iot_reader_fact(r, IOT_FACT_TICK_NS),
	     compression_name(iot_reader_fact(r, IOT_FACT_COMPRESSION)));
	if (sync > 0)
		line(o, "sync", "every %ju records", (uintmax_t)sync);
	printable_bytes(stored, sizeof stored, bytes);
	if (records > 0)
		line(o, "size", "%s, %.2f bytes per record", stored,
		     (double)bytes / (double)records);
	else
		line(o, "size", "%s", stored);
}

static void print_format(struct output *o, const struct trace_in *in)
{
	line(o, "format", "%s, tick %ju ns", in->log,
	     (uintmax_t)iot_reader_fact(in->reader, IOT_FACT_TICK_NS));
}

static void print_unseen(struct output *o, const struct unseen *u)
{
	char sentence[UNSEEN_TEXT], text[TEXT_CAPACITY];
	if (!unseen_any(u))
		return;
	(void)unseen_sentence(u, sentence);
	line(o, "not seen", "%s", printable(text, sizeof text, sentence, strlen(sentence)));
	line(o, "remedy", "%s", unseen_remedy(u));
}

static void print_human(struct output *o, const char *path, const struct info *f,
			const struct trace_in *in)
{
	char text[TEXT_CAPACITY], lost[32];
	const struct iot_reader *r = in->reader;
	output_printf(o, "%s: %s\n", printable(text, sizeof text, path, strlen(path)),
		      state_name(f, in));
	print_unseen(o, &f->unseen);
	print_reported(o, f);
	if (f->traces > 1)
		line(o, "traces", "%ju traces in one; the properties above are of the first",
		     (uintmax_t)f->traces);
	line(o, "records", "%ju", (uintmax_t)iot_reader_fact(r, IOT_FACT_RECORDS));
	if (has_ios(f, in))
		print_ios(o, f);
	else
		print_no_ios(o);
	if (f->gaps > 0)
		line(o, "gaps", "%ju, records lost: %s", (uintmax_t)f->gaps,
		     message_lost(lost, sizeof lost, f->lost_records));
	line(o, "comments", "%ju", (uintmax_t)iot_reader_fact(r, IOT_FACT_COMMENTS));
	if (f->counters > 0)
		line(o, "counters", "%ju", (uintmax_t)f->counters);
	print_ids(o, f, has_ios(f, in));
	print_span(o, f);
	if (in->log != NULL)
		print_format(o, in);
	else
		print_storage(o, r);
}

static enum exit_status show(struct output *o, const char *path,
			     const struct trace_in_options *options, bool json,
			     const struct command_spec *command)
{
	struct info f = {0};
	struct trace_in in;
	struct counting counting = {&f, &in};
	enum exit_status status = trace_in_open(&in, path, options, command);
	if (status == EXIT_OK) {
		const struct iot_fold fold = {&counting, begin_part, count_events, join_part,
					      drop_part};
		trace_in_fold(&in, &fold);
		if (was_read(&in) && json)
			print_json(o, path, &f, &in);
		else if (was_read(&in))
			print_human(o, path, &f, &in);
		status = f.interrupted ? EXIT_DAMAGED : trace_in_exit(&in, was_read(&in));
	}
	trace_in_close(&in);
	forget(&f);
	return status;
}

static const char notes[] =
    "json: an object per input, on one line; keys are always the same, but source, command,\n"
    "host, user, epoch_ns, lacks, layer, lengths, clocks and seen are omitted if the trace does\n"
    "not state them. A log of another tool has its format, and null for what only traces have.\n"
    "Bytes are those that I/Os moved; of physical records (\"disk\") 512 times their blocks.\n"
    "What is not known is \"-\" or null, never 0: of counters alone no reads and writes, without\n"
    "times no span; unknown_offsets, _durations, _cpu and _starts count records. last_ns is the\n"
    "latest end that is known, last_start_ns the latest start.\n"
    "The exit status is 1 if a trace is cut short, interrupted or damaged; what was good is\n"
    "counted.\n";

static const char examples[] =
    "  iotrace info t.iot.zst\n"
    "  iotrace info --json *.iot.zst | jq -r 'select(.state != \"complete\") | .path'\n"
    "  iotrace info --recover damaged.iot.zst\n"
    "  iotrace info app.strace                           a log, as a trace made of it\n";

enum exit_status cmd_info(int argc, char **argv)
{
	struct trace_in_options read = TRACE_IN_COUNTED_INIT;
	bool json = false;
	read.growing = true;
	const struct option options[] = {
	    OPTION(FLAG, 'j', "json", NULL, &json, "print JSON"),
	    OPTION_QUIET(read.quiet, read.progress),
	    GROUP("Reading"),
	    OPTION_READING(read),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "info",
	    .summary = "Summarize traces and report whether they are complete",
	    .synopsis = "[OPTION]... IN...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_min = 1,
	};
	struct output out;
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	status = same_file_check_inputs(&command, argv, count, NULL);
	if (status != EXIT_OK)
		return status;
	if (output_open(&out, "-", 0) != EXIT_OK)
		return EXIT_FAILED;
	read.names_input = count > 1;
	for (size_t i = 0; i < count; i++) {
		enum exit_status shown = show(&out, argv[i], &read, json, &command);
		status = exit_status_worse(status, shown);
	}
	const enum exit_status closed = output_close(&out);
	return exit_status_worse(status, closed);
}
