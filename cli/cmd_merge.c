/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace merge: merges traces to one ordered stream. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iotrace/filter.h>

#include "cli/ui/trace_time.h"
#include "cli/ui/piped.h"
#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"
#include "cli/ui/source_warnings.h"
#include "cli/ui/trace_in.h"
#include "lib/base/error.h"
#include "lib/base/interrupt.h"
#include "lib/ties/tie.h"

enum {
	OPEN_FILES_MAX = 512, /* inputs: more would need too much memory */
	DESCRIPTORS_ELSE = 6, /* descriptors for the output, the tempfile, and libraries */
	FIRST_EVENTS = IOT_BATCH_EVENTS - 1,
	READ_ALL = 4 << 20, /* total bytes of buffers of all inputs ... */
	READ_MIN = 32 << 10,
	READ_MAX = 256 << 10,
	VERIFY_ALL = 256 << 20 /* total bytes of unverified intervals of all inputs */
};

struct shift {
	char *name; /* of a file or a host */
	int64_t by_ns;
	bool used, is_host;
};

enum shift_by { SHIFT_BY_FILE, SHIFT_BY_HOST };

struct merge_options {
	const struct command_spec *command;
	struct trace_in_options read;
	struct trace_out_options write;
	struct shift *shifts;
	size_t shift_count;
	int shift_by; /* enum shift_by */
	bool keep_ids, join_paths, distinct_paths, reorder, verbose;
	const char **physical; /* inputs of physical records, which follow the operands */
	size_t physical_count;
	uint64_t memory; /* of all sorters */
};

struct merge_command;

struct merge_operand {
	struct merge_command *merge;
	const char *path;
	char display_name[256];
	bool again;               /* can be reopened */
	bool once;                /* can be read only once */
	struct iot_stream *chain; /* the stages that read it; NULL: not open */
	uint64_t delivered;       /* events */

	struct iot_source *source;
	struct iot_reader *reader;
	bool is_log;     /* not a trace */
	bool is_whole;   /* all of it was read */
	int64_t last_ns; /* start of its previous record */
	uint64_t tick_ns;
	bool lossy; /* the reader skipped damage */
	bool cut;   /* a signal ended it early */
};

/* How an input ended. */
struct end {
	const struct merge_operand *input;
	char *sentence;
	bool damaged;
};

struct merge_command {
	const struct merge_options *options;
	struct merge_operand *inputs;
	const char **paths;
	size_t count;
	size_t open_max; /* inputs that may be open at the same time */
	bool opening;    /* only the first events are read */
	bool reported;   /* the error has been printed */
	bool refused;    /* ... and is one of the command line */
	bool unordered;  /* the error concerns an input not in order */
	bool damaged;
	size_t without_epoch;
	struct end *end; /* of inputs, in the order of their ends */
	atomic_size_t ended;
	size_t end_reported;
	uint64_t total; /* bytes of all files */
	struct iot_writer *writer;
	struct iot_rounding rounding;
	struct progress progress;
};

static const char notes[] =
    "Inputs may differ in tick, base and compression. They are aligned by epoch= of their\n"
    "%trace where all have one, else by their time zero; --shift comes on top of that. TIME is\n"
    "a number followed by ns, us, ms, s, m, h or d; without a unit, seconds.\n"
    "I/Os that start together are ordered by process, then file. The order of the IN does not\n"
    "matter. An id that two inputs use stays with the one that comes first; the other's gets a\n"
    "new number, in directives too.\n"
    "Files with the same path are one object in IN of one job (job= of their %trace), except on\n"
    "node-local file systems such as /tmp of different hosts.\n"
    "A damaged or truncated IN ends with %lost, the rest is complete; the exit status is 1.\n";

static const char examples[] =
    "  iotrace merge -o job.iot.zst node*.iot.zst        one trace of all nodes\n"
    "  iotrace merge --shift=b.iot=+1.5s a.iot b.iot     the clock of b was 1.5 s behind\n"
    "  iotrace merge --shift-by=host --shift=n7=-20ms -o job.iot node*.iot\n"
    "  iotrace merge --keep-ids -o whole.iot part*.iot   parts of one trace, put together\n"
    "  iotrace merge --reorder -o job.iot unordered.iot other.iot\n"
    "  iotrace merge --physical=sda.blktrace.0 -o tied.iot run.iot\n";

/* --shift */

/* A signed time. */
static bool parse_shift(const char *text, int64_t *ns)
{
	struct trace_time time;
	bool minus = text[0] == '-';
	text += minus || text[0] == '+';
	if (trace_time_parse(text, &time) != NULL || time.kind != TIME_SINCE_ZERO)
		return false;
	*ns = minus ? -(int64_t)time.value : (int64_t)time.value;
	return true;
}

static const char *add_shift(const struct option *opt, const char *value)
{
	struct merge_options *o = opt->target;
	const char *equals = strrchr(value, '=');
	struct shift shift = {.name = NULL};
	if (equals == NULL || equals == value || !parse_shift(equals + 1, &shift.by_ns))
		return "NAME=TIME, such as b.iot=+1.5s or node7=-20ms: an input, or its host with "
		       "--shift-by=host, and a time";
	struct shift *grown = realloc(o->shifts, (o->shift_count + 1) * sizeof(*grown));
	if (grown == NULL)
		return option_no_memory;
	o->shifts = grown;
	shift.name = strndup(value, (size_t)(equals - value));
	if (shift.name == NULL)
		return option_no_memory;
	o->shifts[o->shift_count++] = shift;
	return NULL;
}

static void find_shift(struct merge_command *m, const char *name, int64_t *shift_ns)
{
	const struct merge_options *o = m->options;
	for (size_t k = 0; k < o->shift_count && name != NULL; k++) {
		if (strcmp(o->shifts[k].name, name) != 0)
			continue;
		*shift_ns = o->shifts[k].by_ns;
		o->shifts[k].used = true;
	}
}

/* Remembers names that are hosts, for the message. */
static void note_host(struct merge_command *m, const char *host)
{
	const struct merge_options *o = m->options;
	for (size_t k = 0; k < o->shift_count && host != NULL; k++)
		o->shifts[k].is_host |= strcmp(o->shifts[k].name, host) == 0;
}

static int refuse_unused(struct merge_command *m)
{
	const struct merge_options *o = m->options;
	for (size_t k = 0; k < o->shift_count; k++) {
		char name[256];
		if (o->shifts[k].used)
			continue;
		(void)options_wrong(
		    o->command, "--shift=%s=...: no input is %s",
		    escape_text(name, sizeof(name), o->shifts[k].name, strlen(o->shifts[k].name)),
		    o->shift_by == SHIFT_BY_HOST ? "of that host"
		    : o->shifts[k].is_host       ? "called that, but of that host: add "
						   "--shift-by=host"
						 : "called that");
		m->reported = m->refused = true;
		return IOT_EUSAGE;
	}
	return IOT_OK;
}

/* --physical */

static const char *add_physical(const struct option *opt, const char *value)
{
	struct merge_options *o = opt->target;
	const char **grown = realloc(o->physical, (o->physical_count + 1) * sizeof *grown);
	if (grown == NULL)
		return option_no_memory;
	o->physical = grown;
	o->physical[o->physical_count++] = value;
	return NULL;
}

/* Times of two clocks tie nothing. */
static int refuse_unaligned(struct merge_command *m)
{
	if (m->options->physical_count == 0 || m->without_epoch == 0 || m->options->shift_count > 0)
		return IOT_OK;
	(void)options_wrong(
	    m->options->command,
	    "--physical: %zu of %zu inputs have no epoch= in their %%trace, so their "
	    "times cannot be compared: state the difference with --shift",
	    m->without_epoch, m->count);
	m->reported = m->refused = true;
	return IOT_EUSAGE;
}

/* The shift of iot_merge_options. */
static int shift_input(void *context, size_t input, const char *host, int has_epoch,
		       int64_t *shift_ns)
{
	struct merge_command *m = context;
	const struct merge_options *o = m->options;
	m->without_epoch += !has_epoch;
	note_host(m, host);
	find_shift(m, o->shift_by == SHIFT_BY_HOST ? host : m->inputs[input].path, shift_ns);
	if (input + 1 < m->count)
		return IOT_OK;
	if (refuse_unaligned(m) != IOT_OK)
		return IOT_EUSAGE;
	if (m->without_epoch > 0 && m->count > 1 && o->shift_count == 0 && !o->keep_ids &&
	    !o->read.quiet)
		message_print(
		    "warning: %zu of %zu inputs have no epoch= in their %%trace: aligned by "
		    "their time zero (see --shift)",
		    m->without_epoch, m->count);
	return refuse_unused(m);
}

/* Reading a trace */

static void warn(void *context, const char *sentence)
{
	const struct merge_operand *in = context;
	if (!in->merge->options->read.quiet)
		message_print("warning: %s", sentence);
}

static int set_up(const struct merge_command *m, struct iot_reader *r)
{
	const struct trace_in_options *o = &m->options->read;
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

/* No file of an input may be the output. */
static int check_files(struct merge_operand *in, struct iot_stream *self)
{
	struct merge_command *m = in->merge;
	struct same_file_set files = {.command = m->options->command};
	enum exit_status status = EXIT_OK;
	const char *path;
	same_file_add(&files, ROLE_TRACE, m->options->write.path);
	for (size_t i = 0; status == EXIT_OK && (path = iot_source_file(in->source, i)); i++)
		status = same_file_check_member(&files, path);
	same_file_free(&files);
	if (status == EXIT_OK)
		return IOT_OK;
	m->reported = m->refused = true;
	return iot_stream_fail(self, IOT_EUSAGE, "");
}

static int open_source(struct merge_operand *in, struct iot_stream *self)
{
	const struct merge_command *m = in->merge;
	struct source_in_options o = m->options->read.source;
	o.memory = m->options->memory / (m->count < m->open_max ? m->count : m->open_max);
	if (in->source == NULL)
		in->source = iot_source_new();
	if (in->source == NULL)
		return iot_stream_fail(self, IOT_ENOMEM, "out of memory");
	const int status = source_in_start(in->source, in->path, &o, true);
	in->cut = source_in_cut(in->source);
	if (in->cut)
		return iot_stream_fail(self, IOT_ETRUNCATED, "interrupted");
	char text[1024];
	if (status != IOT_OK)
		return iot_stream_fail(
		    self, status,
		    source_in_sentence(in->source, "--in-format", NULL, text, sizeof text));
	in->is_log = !source_in_is_trace(in->source);
	return in->is_log && m->opening ? check_files(in, self) : IOT_OK;
}

static int open_reader(struct merge_operand *in, struct iot_stream *self)
{
	int status = open_source(in, self);
	if (status != IOT_OK)
		return status;
	in->reader = iot_reader_new();
	if (in->reader == NULL)
		return iot_stream_fail(self, IOT_ENOMEM, "out of memory");
	iot_reader_on_warning(in->reader, warn, in);
	status = set_up(in->merge, in->reader);
	if (status == IOT_OK)
		status = iot_source_open_reader(in->source, in->reader);
	if (status == IOT_OK)
		return IOT_OK;
	const char *sentence = iot_reader_error(in->reader);
	return iot_stream_fail(self, status,
			       *sentence != '\0' ? sentence : iot_source_error(in->source));
}

/* The source of a pipe is freed later: another thread may cancel it. So is the source of a log, for its
 * warnings. */
static void close_reader(void *context)
{
	struct merge_operand *in = context;
	iot_reader_free(in->reader);
	in->reader = NULL;
	if (in->once || (in->is_log && in->is_whole))
		return;
	iot_source_free(in->source);
	in->source = NULL;
}

/* Reads the input again, event by event, up to a record that starts before its predecessor. */
static uint64_t find_line(const struct merge_operand *in)
{
	const struct trace_in_options *o = &in->merge->options->read;
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
	ssize_t n = iot_reader_open(r, in->path);
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
static int refuse_order(const struct merge_operand *in, struct iot_stream *self, uint64_t line,
			bool exact)
{
	char why[512];
	uint64_t found = exact ? line : 0;
	if (!exact && in->again)
		found = find_line(in);
	snprintf(why, sizeof(why),
		 "%s:%s%llu: a record starts before the one before it; --reorder sorts",
		 in->display_name, found > 0 ? "" : " before line ",
		 (unsigned long long)(found > 0 ? found : line + 1));
	in->merge->unordered = true;
	return iot_stream_fail(self, IOT_EUSAGE, why);
}

/* lines: of the events from `first` on, the last of which is `line`. */
static int check_order(struct merge_operand *in, struct iot_stream *self, const struct iot_batch *b,
		       size_t first, uint64_t lines, uint64_t line)
{
	for (size_t i = first; i < b->count; i++) {
		if (b->events[i].kind != IOT_RECORD)
			continue;
		if (b->events[i].rec.start_ns < in->last_ns)
			return refuse_order(in, self, line - (b->count - 1 - i),
					    lines == b->count - first);
		in->last_ns = b->events[i].rec.start_ns;
	}
	return 1;
}

/* If a signal ends a pipe, a file that is read with it ends as well; a pipe handles this itself. */
static bool is_asked_to_end(struct merge_operand *in)
{
	struct interrupt *interrupt = signals_interrupt();
	if (in->once || interrupt->request == INTERRUPT_NONE)
		return false;
	atomic_store(&interrupt->cut, true);
	in->cut = true;
	return true;
}

/* The end of an input: regular, or damage. */
static int end_input(struct merge_operand *in, struct iot_stream *self, int status)
{
	in->lossy = iot_reader_fact(in->reader, IOT_FACT_LOST) > 0;
	in->cut = source_in_cut(in->source) || in->cut;
	in->is_whole = true;
	if (in->cut)
		return iot_stream_fail(self, IOT_ETRUNCATED, "interrupted");
	return status < 0 ? iot_stream_fail(self, status, iot_reader_error(in->reader)) : 0;
}

/* Adds events to the batch. Returns 1, 0 at the end, or a negative status. */
static int add_events(struct merge_operand *in, struct iot_stream *self, struct iot_batch *b,
		      size_t max)
{
	const uint64_t line = iot_reader_fact(in->reader, IOT_FACT_LINE);
	const size_t first = b->count;
	const ssize_t n = iot_reader_events(in->reader, b->events + first, max - first);
	in->tick_ns = iot_reader_fact(in->reader, IOT_FACT_TICK_NS);
	if (n <= 0)
		return first > 0 ? 0 : end_input(in, self, (int)n);
	const uint64_t now = iot_reader_fact(in->reader, IOT_FACT_LINE);
	b->count += (size_t)n;
	return in->merge->options->reorder ? 1 : check_order(in, self, b, first, now - line, now);
}

/*
 * The `next` of the stage that reads the trace. The first batch has a fixed number of events, because
 * new ids depend on it, and the reader delivers fewer events before damage.
 */
static int read_trace(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct merge_operand *in = context;
	int status = in->reader == NULL ? open_reader(in, self) : IOT_OK;
	if (status != IOT_OK)
		return status;
	if (is_asked_to_end(in))
		return end_input(in, self, IOT_ETRUNCATED);
	const bool first = iot_reader_fact(in->reader, IOT_FACT_INDEX) == 0;
	status = add_events(in, self, b, first ? FIRST_EVENTS : b->capacity);
	while (status > 0 && first && b->count < FIRST_EVENTS) {
		if (iot_batch_keep_text(b) != IOT_OK)
			return iot_stream_fail(self, IOT_ENOMEM, "out of memory");
		status = add_events(in, self, b, FIRST_EVENTS);
	}
	(void)iot_reader_progress(in->reader, &b->bytes_done, &b->bytes_total);
	return status < 0 ? status : b->count > 0;
}

/* Inputs */

/* An input that is not a trace is not merged; one truncated after its header is. */
static bool is_trace(struct merge_operand *in)
{
	return in->delivered > 0 || (in->cut && in->merge->count > 1) ||
	       (in->reader != NULL && !in->is_log &&
		iot_reader_fact(in->reader, IOT_FACT_FRAMED) != 0);
}

static int refuse_input(struct merge_operand *in, struct iot_stream *self, int status)
{
	if (signals_ending() == 0 && !in->merge->refused &&
	    (in->reader == NULL || in->is_log || !trace_in_refused(in->path, in->reader, status)))
		message_print("%s", iot_stream_error(in->chain));
	in->merge->reported = true;
	return iot_stream_fail(self, IOT_EUSAGE, "");
}

static int open_chain(struct merge_operand *in, struct iot_stream *self)
{
	static const struct iot_stage reading = {.next = read_trace, .close = close_reader};
	const struct merge_command *m = in->merge;
	const size_t open = m->count < m->open_max ? m->count : m->open_max;
	const struct iot_sort_options sort = {.size = sizeof(sort),
					      .memory = m->options->memory / open};
	in->last_ns = 0;
	in->chain = iot_stream_new(NULL, &reading, in);
	if (in->chain != NULL && m->options->reorder)
		in->chain = iot_stream_sort(in->chain, &sort);
	return in->chain != NULL ? IOT_OK : iot_stream_fail(self, IOT_ENOMEM, "out of memory");
}

/* Skips the events that were delivered before the input was closed. */
static int skip_delivered(const struct merge_operand *in, struct iot_batch *b)
{
	uint64_t left = in->delivered;
	int got = 1;
	while (left > 0 && (got = iot_stream_next(in->chain, b)) > 0) {
		const size_t n = left < b->count ? (size_t)left : b->count;
		memmove(b->events, b->events + n, (b->count - n) * sizeof(*b->events));
		b->count -= n;
		left -= n;
	}
	return got;
}

/* A failure of the input ends the input; one of its temporary files ends the merge. */
static int fail_input(const struct merge_operand *in, struct iot_stream *self, int status)
{
	const bool of_sorting = status == IOT_EIO && iot_reader_error(in->reader)[0] == '\0';
	return iot_stream_fail(self, of_sorting ? IOT_ENOMEM : status, iot_stream_error(in->chain));
}

/* The `next` of an input, which is closed until needed if not all of them can be open at once. */
static int read_input(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct merge_operand *in = context;
	struct merge_command *m = in->merge;
	int got = 1;
	if (signals_pending() != 0)
		return iot_stream_fail(self, IOT_EUSAGE, "");
	if (in->chain == NULL) {
		if (open_chain(in, self) != IOT_OK)
			return IOT_ENOMEM;
		got = skip_delivered(in, b);
		if (got <= 0)
			return iot_stream_fail(self, IOT_EUSAGE, iot_stream_error(in->chain));
	}
	if (got > 0 && b->count == 0)
		got = iot_stream_next(in->chain, b);
	if (got < 0 && !is_trace(in))
		return refuse_input(in, self, got);
	if (got < 0)
		return fail_input(in, self, got);
	if (got == 0)
		return 0;
	in->delivered += b->count;
	if (!m->opening || m->count <= m->open_max || !in->again)
		return 1;
	const int status = iot_batch_keep_text(b);
	iot_stream_free(in->chain);
	in->chain = NULL;
	return status == IOT_OK ? 1 : iot_stream_fail(self, status, "out of memory");
}

static void close_input(void *context)
{
	struct merge_operand *in = context;
	iot_stream_free(in->chain);
	in->chain = NULL;
}

/* The `ended` of iot_merge_options: keeps the message for the thread that writes. */
static void end_of_input(void *context, size_t input, int status, const char *sentence)
{
	struct merge_command *m = context;
	struct merge_operand *in = &m->inputs[input];
	const size_t n = atomic_load(&m->ended);
	m->end[n].input = in;
	m->end[n].sentence = !in->cut && status != IOT_OK ? strdup(sentence) : NULL;
	m->end[n].damaged = status != IOT_OK || in->lossy;
	atomic_store(&m->ended, n + 1);
	close_input(in);
}

static void report_ends(struct merge_command *m)
{
	for (; m->end_reported < atomic_load(&m->ended); m->end_reported++) {
		const struct end *e = &m->end[m->end_reported];
		m->damaged = m->damaged || e->damaged;
		if (!e->damaged || e->input->cut)
			continue;
		progress_clear(&m->progress);
		if (e->sentence != NULL)
			message_print("%s", e->sentence);
		else
			message_print("%s: damaged; records were lost", e->input->display_name);
		if (!e->input->is_log && !m->options->read.quiet)
			trace_in_suggest_repair(e->input->path);
	}
}

/* Operands */

/* The number of inputs that may be open: free descriptors, up to the limit of this process. */
static size_t find_open_max(const struct merge_options *o)
{
	struct rlimit limit;
	size_t used = 0, each = o->reorder ? 3 : 2;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return OPEN_FILES_MAX;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > each * OPEN_FILES_MAX * 2)
		return OPEN_FILES_MAX;
	for (int fd = 0; fd < (int)limit.rlim_cur; fd++)
		used += fcntl(fd, F_GETFD) >= 0;
	used += DESCRIPTORS_ELSE;
	size_t free_ones = limit.rlim_cur > used ? (size_t)limit.rlim_cur - used : 0;
	return free_ones / each < 2 ? 2 : free_ones / each;
}

static enum exit_status take_operand(struct merge_command *m, struct merge_operand *in,
				     const char *path)
{
	const struct merge_options *o = m->options;
	struct stat st;
	bool standard = strcmp(path, "-") == 0;
	in->merge = m;
	in->path = path;
	m->paths[in - m->inputs] = path;
	escape_text(in->display_name, sizeof(in->display_name), standard ? "standard input" : path,
		    standard ? strlen("standard input") : strlen(path));
	if (standard && isatty(STDIN_FILENO))
		return options_wrong(o->command, "standard input is a terminal; name a trace");
	bool known = (standard ? fstat(STDIN_FILENO, &st) : stat(path, &st)) == 0;
	in->again = known && S_ISREG(st.st_mode) && !standard;
	in->once = piped_detect(path);
	in->source = in->once ? iot_source_new() : NULL;
	if (in->once && in->source == NULL)
		return message_no_memory();
	m->total += known && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	return EXIT_OK;
}

static enum exit_status refuse_files(const struct merge_command *m, char *const *paths)
{
	static const char if_twice[] = "the output has all of its events twice";
	struct same_file_set files = {.command = m->options->command,
				      .reads_directories = true,
				      .if_twice = m->options->read.quiet ? NULL : if_twice};
	same_file_add(&files, ROLE_TRACE, m->options->write.path);
	same_file_add_inputs(&files, paths, m->count);
	const enum exit_status status = same_file_check(&files);
	same_file_free(&files);
	return status;
}

static enum exit_status take_operands(struct merge_command *m, char *const *paths)
{
	bool piped = false;
	const enum exit_status refused = refuse_files(m, paths);
	if (refused != EXIT_OK)
		return refused;
	for (size_t i = 0; i < m->count; i++) {
		enum exit_status status = take_operand(m, &m->inputs[i], paths[i]);
		if (status != EXIT_OK)
			return status;
		piped = piped || m->inputs[i].once;
	}
	signals_catch(piped ? SIGNALS_PIPE : SIGNALS_FILES, m->options->write.path,
		      m->options->read.quiet);
	return EXIT_OK;
}

/* Writing */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

static enum exit_status report_write(struct merge_command *m)
{
	progress_clear(&m->progress);
	return trace_out_error(m->writer, &m->options->write);
}

static enum exit_status begin_writing(struct merge_command *m)
{
	const struct merge_options *o = m->options;
	struct trace_out_options write = o->write;
	uint64_t tick_ns = 0;
	assert(m->inputs != NULL);
	for (size_t i = 0; i < m->count; i++)
		tick_ns = common_divisor(tick_ns, m->inputs[i].tick_ns);
	if (write.tick_ns == NOT_GIVEN && tick_ns > 0)
		write.tick_ns = tick_ns;
	m->writer = iot_writer_new();
	if (m->writer == NULL)
		return message_no_memory();
	const enum exit_status status = trace_out_open(m->writer, &write, o->command);
	m->rounding = trace_out_rounding(m->writer, o->verbose && !o->read.quiet);
	return status;
}

/* Reports why the stream of all events failed. */
static enum exit_status report_failure(struct merge_command *m, const struct iot_stream *s,
				       int status)
{
	progress_clear(&m->progress);
	if (m->refused)
		return EXIT_FAILED;
	if (m->reported || signals_pending() != 0)
		return EXIT_FAILED;
	if (status == IOT_EUSAGE && m->opening && !m->unordered)
		return options_wrong(m->options->command, "%s", iot_stream_error(s));
	message_print("%s", iot_stream_error(s));
	return EXIT_FAILED;
}

static enum exit_status write_batch(struct merge_command *m, const struct iot_batch *b)
{
	if (iot_writer_events(m->writer, b->events, b->count) != IOT_OK)
		return report_write(m);
	progress_show(&m->progress, b->bytes_done, m->total,
		      iot_writer_fact(m->writer, IOT_FACT_RECORDS));
	return EXIT_OK;
}

static enum exit_status write_events(struct merge_command *m, struct iot_stream *s,
				     struct iot_batch *b)
{
	enum exit_status status = EXIT_OK;
	int got = 1;
	while (status == EXIT_OK && (got = iot_stream_next(s, b)) > 0) {
		report_ends(m);
		status = signals_pending() != 0 ? EXIT_FAILED : write_batch(m, b);
	}
	report_ends(m);
	return got < 0 ? report_failure(m, s, got) : status;
}

static enum exit_status finish_writing(struct merge_command *m)
{
	progress_clear(&m->progress);
	if (trace_out_close(m->writer) != IOT_OK)
		return report_write(m);
	if (signals_cut())
		trace_out_report_cut(m->options->write.path);
	trace_out_report_rounding(&m->rounding);
	return m->damaged ? EXIT_DAMAGED : EXIT_OK;
}

/* Streams that cannot be reopened stay open. */
static size_t group_size(const struct merge_command *m)
{
	size_t size = m->open_max;
	for (size_t i = 0; i < m->count; i++)
		size -= !m->inputs[i].again && size > 2;
	return size;
}

/* The stream of all events. */
static struct iot_stream *merged_stream(struct merge_command *m)
{
	static const struct iot_stage stage = {.next = read_input, .close = close_input};
	const struct iot_merge_options options = {
	    .size = sizeof(options),
	    .keep_ids = m->options->keep_ids,
	    .keep_processes = m->options->physical_count > 0,
	    .join_paths = m->options->keep_ids || m->options->distinct_paths ? IOT_JOIN_NONE
			  : m->options->join_paths                           ? IOT_JOIN_HOSTS
									     : IOT_JOIN_JOBS,
	    .open_max = m->count <= m->open_max ? 0 : group_size(m),
	    .name = m->paths,
	    .shift = shift_input,
	    .ended = end_of_input,
	    .context = m,
	};
	struct iot_stream **all = calloc(m->count + 1, sizeof(struct iot_stream *));
	bool complete = all != NULL;
	for (size_t i = 0; i < m->count && complete; i++)
		complete = (all[i] = iot_stream_new(NULL, &stage, &m->inputs[i])) != NULL;
	struct iot_stream *s = complete ? iot_stream_merge(all, m->count, &options) : NULL;
	for (size_t i = 0; i < m->count && all != NULL && !complete; i++)
		iot_stream_free(all[i]);
	free(all);
	return s;
}

/* A thread may be blocked on a pipe. */
static void stop_waiting(struct merge_command *m)
{
	for (size_t i = 0; i < m->count; i++) {
		struct iot_source *pipe = m->inputs[i].once ? m->inputs[i].source : NULL;
		for (int n = 0; pipe != NULL && n < INTERRUPT_QUIT; n++)
			iot_source_cancel(pipe);
	}
}

/* Returns EXIT_DAMAGED if most lines of any of them were not understood. */
static enum exit_status warn_of_logs(struct merge_command *m)
{
	enum exit_status status = EXIT_OK;
	progress_clear(&m->progress);
	for (size_t i = 0; i < m->count; i++) {
		const struct merge_operand *in = &m->inputs[i];
		if (!in->is_log || in->source == NULL)
			continue;
		source_in_warn(in->source, m->count > 1 ? in->path : NULL, true,
			       m->options->read.quiet);
		if (source_is_mostly_unparsed(in->source))
			status = EXIT_DAMAGED;
	}
	return status;
}

static enum exit_status merge_inputs(struct merge_command *m, struct iot_batch *b)
{
	assert(m->inputs != NULL);
	struct iot_stream *s = merged_stream(m);
	const int got = s != NULL ? iot_stream_next(s, b) : IOT_ENOMEM;
	enum exit_status status = s == NULL ? message_no_memory()
				  : got < 0 ? report_failure(m, s, got)
					    : EXIT_OK;
	m->opening = false;
	if (status == EXIT_OK)
		status = begin_writing(m);
	if (m->options->physical_count > 0)
		s = tie_stream(s);
	if (status == EXIT_OK) {
		s = iot_stream_count_rounding(iot_stream_prefetch(s), &m->rounding);
		status = s != NULL ? write_events(m, s, b) : message_no_memory();
	}
	if (status == EXIT_OK)
		status = finish_writing(m);
	stop_waiting(m);
	iot_stream_free(s);
	if (signals_pending() != 0 && status == EXIT_FAILED)
		trace_out_report_discarded(m->options->write.path);
	if (signals_pending() == 0 && !m->reported)
		status = exit_status_worse(status, warn_of_logs(m));
	iot_writer_free(m->writer);
	return status;
}

static enum exit_status merge_traces(const struct merge_options *o, char *const *paths,
				     size_t count)
{
	struct merge_command m = {.options = o,
				  .count = count,
				  .opening = true,
				  .inputs = calloc(count, sizeof(*m.inputs)),
				  .paths = calloc(count, sizeof(*m.paths)),
				  .end = calloc(count, sizeof(*m.end))};
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	progress_begin(&m.progress, o->read.progress, o->read.quiet, o->write.path);
	enum exit_status status = m.inputs != NULL && m.paths != NULL && m.end != NULL && b != NULL
				      ? take_operands(&m, paths)
				      : message_no_memory();
	m.open_max = find_open_max(o);
	if (status == EXIT_OK)
		status = merge_inputs(&m, b);
	progress_clear(&m.progress);
	for (size_t i = 0; i < atomic_load(&m.ended); i++)
		free(m.end[i].sentence);
	iot_batch_free(b);
	for (size_t i = 0; m.inputs != NULL && i < count; i++)
		iot_source_free(m.inputs[i].source);
	free(m.end);
	free(m.paths);
	free(m.inputs);
	signals_restore();
	return status;
}

/* Merges the operands and the inputs of --physical. */
static enum exit_status merge_all(const struct merge_options *o, char **operands, size_t count)
{
	const size_t all = count + o->physical_count;
	char **paths = calloc(all, sizeof *paths);
	if (paths == NULL)
		return message_no_memory();
	for (size_t i = 0; i < all; i++)
		paths[i] = i < count ? operands[i] : (char *)(uintptr_t)o->physical[i - count];
	const enum exit_status status = merge_traces(o, paths, all);
	free(paths);
	return status;
}

static enum exit_status work(const struct merge_options *o, char **argv, size_t count)
{
	if (o->keep_ids && o->join_paths)
		return options_wrong(o->command, "--keep-ids and --join-paths exclude each other");
	if (o->join_paths && o->distinct_paths)
		return options_wrong(o->command,
				     "--join-paths and --distinct-paths exclude each other");
	if (o->keep_ids && o->physical_count > 0)
		return options_wrong(o->command, "--keep-ids and --physical exclude each other");
	return merge_all(o, argv, count);
}

enum exit_status cmd_merge(int argc, char **argv)
{
	struct merge_options o = {.read = TRACE_IN_OPTIONS_INIT,
				  .write = TRACE_OUT_OPTIONS_INIT,
				  .memory = MEMORY_DEFAULT};
	const struct option options[] = {
	    OPTION_OUTPUT(o.write),
	    CALL("shift", "NAME=TIME", &o, "add TIME to the times of input NAME (repeatable)",
		 add_shift),
	    OPTION(CHOICE, 0, "shift-by", "file|host", &o.shift_by,
		   "what NAME is: an IN, or a host= of %trace (default: file)"),
	    OPTION(FLAG, 0, "join-paths", NULL, &o.join_paths,
		   "files of the same host and path are one object, whatever their jobs"),
	    OPTION(FLAG, 0, "distinct-paths", NULL, &o.distinct_paths,
		   "files of different IN are different objects"),
	    OPTION(FLAG, 0, "keep-ids", NULL, &o.keep_ids,
		   "ids mean the same in all IN: they are parts of one trace"),
	    CALL("physical", "BLKTRACE", &o,
		 "tie the physical records of BLKTRACE to logical records of IN (repeatable)",
		 add_physical),
	    OPTION(FLAG, 0, "reorder", NULL, &o.reorder, "sort IN that are not in order"),
	    OPTION_MEMORY(&o.memory),
	    OPTION(FLAG, 'v', "verbose", NULL, &o.verbose, "report what a coarser tick rounds"),
	    OPTION_QUIET(o.read.quiet, o.read.progress),
	    GROUP("Reading"),
	    OPTION_READING(o.read),
	    GROUP("Writing"),
	    OPTION_TICK(o.write, "the greatest that divides all ticks"),
	    OPTION_BASE(o.write),
	    OPTION_WRITING(o.write),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "merge",
	    .summary = "Merge traces to one, in order of time",
	    .synopsis = "[OPTION]... IN...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_min = 1,
	};
	size_t count;
	enum exit_status status;
	o.command = &command;
	if (options_parse(&command, argc, argv, &count, &status))
		status = work(&o, argv, count);
	for (size_t i = 0; i < o.shift_count; i++)
		free(o.shifts[i].name);
	free(o.shifts);
	free(o.physical);
	return status;
}
