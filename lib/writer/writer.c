/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writer: records from the codec in a buffer, comments between them, framing around them.
 *
 * A record is encoded first; if it is the first use of a process or file in its interval, the
 * directives that are due are inserted before its line. That is possible because comments change no
 * codec state. A %sync is written only when an event follows it, never directly before %end, so
 * that the same events always produce the same bytes.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "lib/base/error.h"
#include "lib/codec/codec.h"
#include "lib/format/definitions.h"
#include "lib/format/directive.h"
#include "lib/format/directive_codec.h"
#include "lib/format/file_flags.h"
#include "lib/format/framing.h"
#include "lib/base/atomic_file.h"
#include "lib/base/byte_sink.h"

enum {
	BUFFER_SIZE = 256 * 1024,
	COMMENT_MAX = IOT_COMMENT_MAX + 8, /* a comment line with either mark */
	CODEC_PROCESSES = 64,
	GZIP_LEVELS = 9,
	ZSTD_LEVELS = 19,
	THREADS_MAX = 256,
	OPERATIONS_AHEAD = 4,      /* whose memory is loaded while one is written */
	OPERATION_PATH_MAX = 8192, /* bytes of each path; the text of longer ones is made */
};

static const uint64_t NOT_SET = UINT64_MAX;

struct writer_settings {
	bool framing, compression_given, no_fsync, undeclared_disks, in_place, is_new, no_index;
	enum iot_compression compression;
	uint64_t level, threads, tick_ns, base, memory_max, sync, version;
	uint64_t flush, flush_ns; /* between flushes; 0: no limit */
};

struct iot_writer {
	struct error error;
	struct writer_settings set;
	bool open, closed;

	struct byte_sink *sink;
	struct iot_codec *codec;
	size_t codec_size;
	struct directive_codec *directives; /* NULL: they are written in full */
	struct definitions names;
	XXH3_state_t *hash;
	char *buffer; /* BUFFER_SIZE bytes */
	size_t used;
	size_t hashed; /* bytes of the buffer that are in the hash, or need not be */
	char *scratch; /* for texts with their times in ticks, or a %file under construction */
	char *encoded; /* for an encoded directive */

	uint64_t since_flush; /* events since the last flush */
	int64_t flushed_ns;
	uint32_t interval; /* number of %syncs so far */
	uint64_t since_sync;
	uint64_t records, comments, text_bytes;
};

/* Errors; each returns the status. */

static int refuse(struct iot_writer *w, const char *why)
{
	return error_set(&w->error, IOT_EUSAGE, "%s", why);
}

static int sink_failed(struct iot_writer *w)
{
	const struct error *e = byte_sink_error(w->sink);
	return error_set(&w->error, e->status, "%s", e->text);
}

static int out_of_memory(struct iot_writer *w)
{
	return error_set(&w->error, IOT_ENOMEM, "out of memory");
}

static int limit_reached(struct iot_writer *w)
{
	return error_set(&w->error, IOT_ELIMIT,
			 "the trace needs more memory than the limit of %llu bytes "
			 "(IOT_SET_LIMIT_MEMORY)",
			 (unsigned long long)w->set.memory_max);
}

static int memory_failed(struct iot_writer *w, int status)
{
	return status == IOT_ENOMEM ? out_of_memory(w) : limit_reached(w);
}

/* Returns IOT_OK while events may be written; otherwise the error. */
static int check_open(struct iot_writer *w)
{
	if (w->error.status != IOT_OK)
		return w->error.status;
	if (!w->open || w->closed)
		return refuse(w, w->closed ? "the writer is closed" : "the writer is not open");
	return IOT_OK;
}

/* The buffer */

static void hash_buffer(struct iot_writer *w)
{
	if (w->set.framing)
		XXH3_64bits_update(w->hash, w->buffer + w->hashed, w->used - w->hashed);
	w->hashed = w->used;
}

static int empty_buffer(struct iot_writer *w)
{
	hash_buffer(w);
	if (w->used > 0 && byte_sink_write(w->sink, w->buffer, w->used) != IOT_OK)
		return sink_failed(w);
	w->text_bytes += w->used;
	w->used = w->hashed = 0;
	return IOT_OK;
}

static int reserve_capacity(struct iot_writer *w, size_t n)
{
	return n <= BUFFER_SIZE - w->used ? IOT_OK : empty_buffer(w);
}

/* Writes a comment line unchanged; the caller has checked the limits. */
static int put_line(struct iot_writer *w, struct iot_text text)
{
	const char *mark = w->set.base == 16 ? "ff " : "255 ";
	size_t n = strlen(mark) - (text.size == 0);
	if (reserve_capacity(w, COMMENT_MAX) != IOT_OK)
		return w->error.status;
	memcpy(w->buffer + w->used, mark, n);
	w->used += n;
	if (text.size > 0)
		memcpy(w->buffer + w->used, text.data, text.size);
	w->used += text.size;
	w->buffer[w->used++] = '\n';
	return IOT_OK;
}

static int too_long(struct iot_writer *w)
{
	return refuse(w, "a comment line would be longer than 65536 bytes");
}

/*
 * Writes a comment whose times are in nanoseconds; `recognized`: the codec of directives recognized
 * it.
 */
static int put_comment(struct iot_writer *w, struct iot_text text, bool recognized)
{
	const size_t mark = w->set.base == 16 ? 3 : 4;
	ssize_t n = 0;
	if (recognized && text.size + mark <= IOT_COMMENT_MAX)
		n = directive_codec_encode_recognized(w->directives, text, w->set.tick_ns,
						      w->encoded);
	if (n == 0) {
		if (w->set.tick_ns != 1 && text.size > 0 && text.data[0] == '%')
			directive_to_ticks(&text, w->set.tick_ns, w->scratch);
		if (text.size + mark > IOT_COMMENT_MAX)
			return too_long(w);
		if (w->directives != NULL)
			n = directive_codec_encode(w->directives, text, w->encoded);
	}
	if (n < 0)
		return out_of_memory(w);
	if (n > 0)
		text = (struct iot_text){w->encoded, (size_t)n};
	return text.size + mark > IOT_COMMENT_MAX ? too_long(w) : put_line(w, text);
}

static int put_text(struct iot_writer *w, struct iot_text text)
{
	return put_comment(w, text, false);
}

/* Framing */

static int put_header(struct iot_writer *w)
{
	char text[FRAMING_MAX];
	const struct header_directive h = {
	    .version = w->set.version, .tick_ns = w->set.tick_ns, .sync = w->set.sync};
	return put_line(w, (struct iot_text){text, framing_build_header(text, &h)});
}

static int put_sync(struct iot_writer *w)
{
	char text[FRAMING_MAX];
	if (empty_buffer(w) != IOT_OK)
		return w->error.status;
	if (byte_sink_frame(w->sink) != IOT_OK)
		return sink_failed(w);
	const struct sync_directive s = {.time = (uint64_t)codec_start(w->codec),
					 .record = w->records,
					 .hash = XXH3_64bits_digest(w->hash)};
	int status = put_line(w, (struct iot_text){text, framing_build_sync(text, &s)});
	XXH3_64bits_reset(w->hash);
	w->hashed = w->used;
	iot_codec_forget(w->codec);
	directive_codec_forget(w->directives);
	w->since_sync = 0;
	w->interval++;
	return status;
}

static int sync_if_due(struct iot_writer *w)
{
	return w->set.sync > 0 && w->since_sync == w->set.sync ? put_sync(w) : IOT_OK;
}

/* Flushing */

static int64_t now_ns(void)
{
	struct timespec t;
	if (clock_gettime(CLOCK_MONOTONIC_COARSE, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/*
 * Writes no %sync if no record has been written since the last one: two with the same record= would
 * be damage.
 */
static int flush_interval(struct iot_writer *w)
{
	if (w->set.framing && w->since_sync > 0 && put_sync(w) != IOT_OK)
		return w->error.status;
	if (empty_buffer(w) != IOT_OK)
		return w->error.status;
	if (byte_sink_flush(w->sink) != IOT_OK)
		return sink_failed(w);
	w->since_flush = 0;
	if (w->set.flush_ns > 0)
		w->flushed_ns = now_ns();
	return IOT_OK;
}

static int flush_if_full(struct iot_writer *w)
{
	return w->set.flush > 0 && w->since_flush >= w->set.flush ? flush_interval(w) : IOT_OK;
}

/* Called after the events of a caller have been written. */
static int flush_if_late(struct iot_writer *w)
{
	if (w->set.flush_ns == 0 || w->since_flush == 0 ||
	    (uint64_t)(now_ns() - w->flushed_ns) < w->set.flush_ns)
		return IOT_OK;
	return flush_interval(w);
}

static int put_end(struct iot_writer *w)
{
	char text[FRAMING_MAX];
	hash_buffer(w);
	const struct end_directive e = {
	    .records = w->records, .comments = w->comments, .hash = XXH3_64bits_digest(w->hash)};
	return put_line(w, (struct iot_text){text, framing_build_end(text, &e)});
}

/* Comments and directives */

static const char *unfit(const struct iot_event *ev)
{
	const struct iot_text text = ev->text;
	if (ev->kind < IOT_RECORD || ev->kind > IOT_DIRECTIVE)
		return "an event of no known kind";
	if (text.size > IOT_COMMENT_MAX)
		return "a comment line would be longer than 65536 bytes";
	if (text.size > 0 && memchr(text.data, '\n', text.size) != NULL)
		return "a comment cannot have a line end (LF) in it";
	if (text.size > 0 && text.data[text.size - 1] == '\r')
		return "a comment cannot end in CR: readers take it for a part of the line end";
	return NULL;
}

static void obey(struct iot_writer *w, const struct iot_event *ev, struct definition *name)
{
	unsigned lacks;
	if (name != NULL)
		name->reported = w->interval;
	if (ev->kind == IOT_FILE && name != NULL)
		codec_update(w->codec, ev->rec.process, ev->rec.file, (ev->has & IOT_HAS_DISK) != 0,
			     name->object, name->flags);
	else if (ev->kind == IOT_TRACE && iot_directive_lacks(ev, &lacks))
		codec_set_missing(w->codec, lacks);
	else if (ev->kind == IOT_OP && directive_closes(ev))
		codec_update(w->codec, ev->rec.process, ev->rec.file, false, 0, 0);
}

/* The meaning of an event is taken only from its text, because that is what readers will see. */
static int write_comment(struct iot_writer *w, const struct iot_event *given)
{
	struct iot_event ev = {.text = given->text};
	struct definition *name = NULL;
	const char *why = unfit(given);
	if (why != NULL)
		return refuse(w, why);
	const bool recognized =
	    w->directives != NULL && directive_codec_recognize(w->directives, &ev);
	if (!recognized && iot_directive_parse(&ev, &why) != IOT_OK)
		return refuse(w, why);
	int status = definitions_add(&w->names, &ev, &name);
	if (status < 0)
		return memory_failed(w, status);
	if (status == 1)
		return IOT_OK;
	if (sync_if_due(w) != IOT_OK || put_comment(w, ev.text, recognized) != IOT_OK)
		return w->error.status;
	obey(w, &ev, name);
	w->comments++;
	w->since_flush++;
	return flush_if_full(w);
}

/* Operations */

/* The operation as its line has it: in ticks, and its paths encoded in the scratch memory. */
static struct iot_operation as_written(const struct iot_writer *w, const struct iot_operation *op)
{
	struct iot_operation to = *op;
	const uint64_t tick = w->set.tick_ns, start = (uint64_t)op->start_ns;
	if (tick != 1) {
		to.start_ns = (int64_t)(start / tick);
		to.duration_ns = (start + op->duration_ns) / tick - start / tick;
	}
	to.path = directive_encoded(op->path, w->scratch);
	to.to = directive_encoded(op->to, w->scratch + ENCODED_VALUE_MAX(op->path.size));
	return to;
}

static int write_operation_text(struct iot_writer *w, const struct iot_operation *op)
{
	/* put_comment uses the first half of the scratch memory */
	char *text = w->scratch + RETIMED_MAX(COMMENT_MAX) / 2;
	struct iot_builder b;
	directive_operation(&b, text, COMMENT_MAX, op);
	if (b.status != IOT_OK)
		return too_long(w);
	return write_comment(w, &(struct iot_event){.kind = IOT_OP, .text = {b.data, b.size}});
}

/* The first operations of a kind are written as text; later ones resemble these. */
static int learn_operation(struct iot_writer *w, const struct iot_operation *op)
{
	if (write_operation_text(w, op) == IOT_OK && w->directives != NULL)
		directive_codec_add_operation(w->directives, op);
	return w->error.status;
}

static bool is_short(const struct iot_operation *op)
{
	return op->path.size <= OPERATION_PATH_MAX && op->to.size <= OPERATION_PATH_MAX &&
	       op->start_ns >= 0 && op->duration_ns <= (uint64_t)(INT64_MAX - op->start_ns);
}

static void close_file(struct iot_writer *w, const struct iot_operation *op)
{
	struct definition *name;
	(void)definitions_add(
	    &w->names,
	    &(struct iot_event){.kind = IOT_OP,
				.has = IOT_CLOSES,
				.rec = {.process = op->process, .file = op->file}},
	    &name);
	codec_update(w->codec, op->process, op->file, false, 0, 0);
}

static int write_operation(struct iot_writer *w, const struct iot_operation *op)
{
	const bool is_hex = w->set.base == 16;
	bool closes;
	if (w->directives == NULL || !is_short(op))
		return learn_operation(w, op);
	if (sync_if_due(w) != IOT_OK || reserve_capacity(w, COMMENT_MAX) != IOT_OK)
		return w->error.status;
	char *line = w->buffer + w->used, *text = line + (is_hex ? 3 : 4);
	const struct iot_operation written = as_written(w, op);
	const ssize_t n = directive_codec_encode_operation(w->directives, &written, &closes, text);
	if (n == 0)
		return learn_operation(w, op);
	if (n < 0)
		return out_of_memory(w);
	memcpy(line, is_hex ? "ff " : "255 ", (size_t)(text - line));
	text[n] = '\n';
	w->used = (size_t)(text + n + 1 - w->buffer);
	if (closes)
		close_file(w, op);
	w->comments++;
	w->since_flush++;
	return flush_if_full(w);
}

int iot_writer_operations(struct iot_writer *w, const struct iot_operation *op, size_t n)
{
	int status = check_open(w);
	for (size_t i = 0; i < n && status == IOT_OK; i++) {
		if (w->directives != NULL && i + OPERATIONS_AHEAD < n)
			directive_codec_prefetch(w->directives, op[i + OPERATIONS_AHEAD].path);
		status = write_operation(w, &op[i]);
	}
	return status == IOT_OK ? flush_if_late(w) : status;
}

/* Records */

/*
 * Repeats a current %process or %file once per interval. Repetitions are not counted as comments.
 */
static int repeat(struct iot_writer *w, struct definition *name)
{
	if (name == NULL || name->reported == w->interval)
		return IOT_OK;
	name->reported = w->interval;
	return put_text(w, definitions_text(&w->names, name));
}

/* Makes a new %file of a record current, with =unknown or =known for each flag that changed. */
static int declare_flags(struct iot_writer *w, const struct iot_record *rec, unsigned changed)
{
	/* put_text uses the first half of the scratch memory */
	char *text = w->scratch + RETIMED_MAX(COMMENT_MAX) / 2;
	struct definition *name;
	struct iot_event ev;
	if (file_flags_build(&w->names, rec, changed, text, &ev) != IOT_OK)
		return refuse(w, "a %file cannot be built");
	int status = definitions_add(&w->names, &ev, &name);
	if (status < 0)
		return memory_failed(w, status);
	if (put_text(w, ev.text) != IOT_OK)
		return w->error.status;
	name->reported = w->interval;
	w->comments++;
	return IOT_OK;
}

/* Rejects a record that has already been encoded and counted. */
static int refuse_introduced(struct iot_writer *w, const char *why)
{
	return error_set(&w->error, IOT_EUSAGE, "record %llu cannot be written: %s",
			 (unsigned long long)w->records - 1, why);
}

/*
 * Writes the directives that are due before a record: first the new %file for changed flags, which
 * is a comment like any other, then the repetitions, in the same order as when a reader's events
 * are written again.
 */
static int introduce(struct iot_writer *w, const struct iot_record *rec)
{
	const unsigned first_use = codec_first_use(w->codec);
	const struct definition *name = definitions_path(&w->names, rec);
	const unsigned changed =
	    (rec->flags ^ (name != NULL ? name->flags : 0)) & ~codec_missing(w->codec);
	int status = IOT_OK;
	if ((rec->flags & ~FLAGS_ALL) != 0)
		return refuse_introduced(w, "its flags have a bit that is not in enum iot_flag");
	if (name == NULL && !(rec->type & IOT_LOGICAL) && !w->set.undeclared_disks)
		return refuse_introduced(
		    w, "its type lacks IOT_LOGICAL, so it is an I/O of a disk, in blocks of 512 "
		       "bytes, and no %file kind=disk declares that disk");
	if (changed != 0)
		status = declare_flags(w, rec, changed);
	if (status == IOT_OK && (first_use & FIRST_USE_PROCESS))
		status =
		    repeat(w, definitions_find(&w->names, DEFINITION_PROCESS, rec->process, 0));
	if (status == IOT_OK)
		status = repeat(w, definitions_path(&w->names, rec));
	name = definitions_path(&w->names, rec);
	codec_set_object(w->codec, rec->object, name != NULL ? name->flags : 0);
	return status;
}

/*
 * Inserts the directives that are due before the line at the end of the buffer, which is a first
 * use.
 */
static int put_before(struct iot_writer *w, const struct iot_record *rec, size_t size)
{
	char line[IOT_ENCODED_MAX];
	memcpy(line, w->buffer + w->used, size);
	int status = introduce(w, rec);
	if (status == IOT_OK)
		status = reserve_capacity(w, IOT_ENCODED_MAX);
	if (status == IOT_OK)
		memcpy(w->buffer + w->used, line, size);
	return status;
}

static int grow_codec(struct iot_writer *w)
{
	const int status = definitions_grow_codec(&w->names, &w->codec, &w->codec_size);
	return status == IOT_OK ? IOT_OK : memory_failed(w, status);
}

static int refuse_record(struct iot_writer *w)
{
	return error_set(&w->error, IOT_EUSAGE, "record %llu cannot be written: %s",
			 (unsigned long long)w->records, iot_codec_error(w->codec, NULL));
}

/* Encodes up to n records; *done is the number encoded. */
static int write_some(struct iot_writer *w, const struct iot_record *rec, size_t n, size_t stride,
		      size_t *done)
{
	size_t size;
	ssize_t last;
	if (sync_if_due(w) != IOT_OK || reserve_capacity(w, IOT_ENCODED_MAX) != IOT_OK)
		return w->error.status;
	if (w->set.sync > 0 && n > w->set.sync - w->since_sync)
		n = (size_t)(w->set.sync - w->since_sync);
	if (w->set.flush > 0 && n > w->set.flush - w->since_flush)
		n = (size_t)(w->set.flush - w->since_flush);
	*done = codec_encode_lines(w->codec, rec, n, stride, w->buffer + w->used,
				   BUFFER_SIZE - w->used, &size, &last);
	w->records += *done;
	w->since_sync += *done;
	w->since_flush += *done;
	w->used += size;
	if (*done > 0 && codec_first_use(w->codec) != 0) {
		rec = (const struct iot_record *)((const char *)rec + (*done - 1) * stride);
		w->used -= (size_t)last;
		if (put_before(w, rec, (size_t)last) != IOT_OK)
			return w->error.status;
		w->used += (size_t)last;
	}
	if (last >= 0)
		return IOT_OK;
	return last == IOT_ELIMIT ? grow_codec(w) : refuse_record(w);
}

static int write_records(struct iot_writer *w, const struct iot_record *rec, size_t n,
			 size_t stride)
{
	while (n > 0) {
		size_t done = 0;
		if (write_some(w, rec, n, stride, &done) != IOT_OK || flush_if_full(w) != IOT_OK)
			return w->error.status;
		rec = (const struct iot_record *)((const char *)rec + done * stride);
		n -= done;
	}
	return IOT_OK;
}

int iot_writer_records(struct iot_writer *w, const struct iot_record *rec, size_t n)
{
	int status = check_open(w);
	if (status == IOT_OK)
		status = write_records(w, rec, n, sizeof(*rec));
	return status == IOT_OK ? flush_if_late(w) : status;
}

int iot_writer_events(struct iot_writer *w, const struct iot_event *ev, size_t n)
{
	int status = check_open(w);
	for (size_t i = 0; i < n && status == IOT_OK;) {
		size_t run = 0;
		while (i + run < n && ev[i + run].kind == IOT_RECORD)
			run++;
		if (run > 0)
			status = write_records(w, &ev[i].rec, run, sizeof(*ev));
		else
			status = write_comment(w, &ev[i]);
		i += run > 0 ? run : 1;
	}
	return status == IOT_OK ? flush_if_late(w) : status;
}

/* Declarations, built in the half of the scratch memory that put_text does not use. */

static void begin_declaration(struct iot_writer *w, struct iot_builder *b, const char *name)
{
	iot_directive_begin(b, w->scratch + RETIMED_MAX(COMMENT_MAX) / 2,
			    IOT_COMMENT_MAX - strlen("255 "), name);
}

static void put_name(struct iot_builder *b, const char *key, const char *name)
{
	if (name != NULL)
		iot_directive_text(b, key, name, strlen(name));
}

static int declare(struct iot_writer *w, struct iot_builder *b)
{
	struct iot_event ev;
	const int status = iot_directive_end(b, &ev);
	if (status == IOT_ELIMIT)
		return error_refuse(&w->error, "the name in a declaration is too long");
	return status == IOT_OK ? iot_writer_events(w, &ev, 1)
				: refuse(w, "a declaration cannot be built");
}

int iot_writer_process(struct iot_writer *w, uint32_t process, uint32_t parent, const char *name)
{
	struct iot_builder b;
	if (check_open(w) != IOT_OK)
		return w->error.status;
	begin_declaration(w, &b, "process");
	iot_directive_number(&b, "id", process);
	put_name(&b, "name", name);
	if (parent != 0)
		iot_directive_number(&b, "parent", parent);
	return declare(w, &b);
}

static int declare_file(struct iot_writer *w, uint32_t process, uint32_t file, uint32_t object,
			const char *path, bool disk)
{
	struct iot_builder b;
	if (check_open(w) != IOT_OK)
		return w->error.status;
	begin_declaration(w, &b, "file");
	iot_directive_number(&b, "process", process);
	iot_directive_number(&b, "id", file);
	if (object != 0)
		iot_directive_number(&b, "object", object);
	if (disk)
		iot_directive_text(&b, "kind", "disk", strlen("disk"));
	put_name(&b, "path", path);
	return declare(w, &b);
}

int iot_writer_file(struct iot_writer *w, uint32_t process, uint32_t file, uint32_t object,
		    const char *path)
{
	return declare_file(w, process, file, object, path, false);
}

int iot_writer_disk(struct iot_writer *w, uint32_t process, uint32_t disk, const char *path)
{
	return declare_file(w, process, disk, 0, path, true);
}

/* The handle */

struct iot_writer *iot_writer_new(void)
{
	struct iot_writer *w = calloc(1, sizeof(*w));
	if (w == NULL)
		return NULL;
	w->sink = byte_sink_new();
	w->hash = XXH3_createState();
	w->buffer = malloc(BUFFER_SIZE);
	if (w->sink == NULL || w->hash == NULL || w->buffer == NULL) {
		iot_writer_free(w);
		return NULL;
	}
	XXH3_64bits_reset(w->hash);
	w->set.framing = true;
	w->set.tick_ns = IOT_TICK_DEFAULT_NS;
	w->set.base = 16;
	w->set.version = FRAMING_VERSION;
	w->set.sync = IOT_SYNC_DEFAULT;
	w->set.memory_max = (uint64_t)1 << 30;
	w->set.flush = w->set.flush_ns = NOT_SET;
	return w;
}

void iot_writer_free(struct iot_writer *w)
{
	if (w == NULL)
		return;
	byte_sink_free(w->sink);
	definitions_free(&w->names);
	XXH3_freeState(w->hash);
	directive_codec_free(w->directives);
	free(w->codec);
	free(w->encoded);
	free(w->buffer);
	free(w->scratch);
	free(w);
}

/* Settings and opening */

static int set_number(struct iot_writer *w, uint64_t *where, uint64_t value, uint64_t min,
		      uint64_t max)
{
	if (value < min || value > max)
		return refuse(w, "a setting of the writer is out of range");
	*where = value;
	return IOT_OK;
}

static int set_switch(struct iot_writer *w, bool *where, uint64_t value)
{
	if (value > 1)
		return refuse(w, "this setting of the writer is 0 or 1");
	*where = value == 1;
	return IOT_OK;
}

static int set_compression(struct iot_writer *w, uint64_t value)
{
	if (value > IOT_ZSTD)
		return refuse(w, "a compression is plain, gzip or zstd");
	w->set.compression = (enum iot_compression)value;
	w->set.compression_given = true;
	return IOT_OK;
}

int iot_writer_set(struct iot_writer *w, enum iot_option option, uint64_t value)
{
	if (w->error.status != IOT_OK)
		return w->error.status;
	if (w->open)
		return error_refuse(&w->error, "settings of a writer are made before it is opened");
	switch (option) {
	case IOT_SET_TICK_NS:
		return set_number(w, &w->set.tick_ns, value, 1, INT64_MAX);
	case IOT_SET_LIMIT_MEMORY:
		return set_number(w, &w->set.memory_max, value, 1, SIZE_MAX);
	case IOT_SET_SYNC:
		return set_number(w, &w->set.sync, value, 0, UINT64_MAX);
	case IOT_SET_LEVEL:
		return set_number(w, &w->set.level, value, 0, ZSTD_LEVELS);
	case IOT_SET_THREADS:
		return set_number(w, &w->set.threads, value, 0, THREADS_MAX);
	case IOT_SET_COMPRESSION:
		return set_compression(w, value);
	case IOT_SET_BASE:
		if (value != 10 && value != 16)
			return refuse(w, "a base is 16 or 10");
		w->set.base = value;
		return IOT_OK;
	case IOT_SET_FSYNC:
		if (value > 1)
			return refuse(w, "fsync is 0 or 1");
		w->set.no_fsync = value == 0;
		return IOT_OK;
	case IOT_SET_FRAMING:
		return set_switch(w, &w->set.framing, value);
	case IOT_SET_UNDECLARED_DISKS:
		return set_switch(w, &w->set.undeclared_disks, value);
	case IOT_SET_IN_PLACE:
		return set_switch(w, &w->set.in_place, value);
	case IOT_SET_NEW:
		return set_switch(w, &w->set.is_new, value);
	case IOT_SET_INDEX:
		if (value > 1)
			return refuse(w, "index is 0 or 1");
		w->set.no_index = value == 0;
		return IOT_OK;
	case IOT_SET_VERSION:
		return set_number(w, &w->set.version, value, 1, FRAMING_VERSION);
	case IOT_SET_FLUSH:
		return set_number(w, &w->set.flush, value, 0, UINT64_MAX - 1);
	case IOT_SET_FLUSH_NS:
		return set_number(w, &w->set.flush_ns, value, 0, INT64_MAX);
	default:
		return refuse(w, "not a setting of writers");
	}
}

/*
 * Returns whether the trace is flushed regularly, with a %sync each time so that a reader can
 * verify the flushed part.
 */
static bool is_live(const struct iot_writer *w)
{
	return w->set.in_place || w->set.flush > 0 || w->set.flush_ns > 0;
}

static bool ends_in(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);
	return n > m && memcmp(path + n - m, suffix, m) == 0;
}

static enum iot_compression by_suffix(const char *path)
{
	if (path != NULL && ends_in(path, ".gz"))
		return IOT_GZIP;
	return path != NULL && ends_in(path, ".zst") ? IOT_ZSTD : IOT_PLAIN;
}

static void choose_flushes(struct iot_writer *w)
{
	if (w->set.flush == NOT_SET)
		w->set.flush = w->set.in_place ? IOT_FLUSH_DEFAULT : 0;
	if (w->set.flush_ns == NOT_SET)
		w->set.flush_ns = w->set.in_place ? IOT_FLUSH_NS_DEFAULT : 0;
}

/*
 * Prepares everything before the sink is opened; path NULL: no suffix to derive the compression
 * from.
 */
static int prepare(struct iot_writer *w, const char *path)
{
	if (w->error.status != IOT_OK)
		return w->error.status;
	if (w->open)
		return error_refuse(&w->error, "a writer is opened once");
	if (!w->set.compression_given)
		w->set.compression = by_suffix(path);
	if (w->set.compression == IOT_GZIP && w->set.level > GZIP_LEVELS)
		return refuse(w, "levels of gzip are 1 to 9");
	w->codec_size = iot_codec_size(CODEC_PROCESSES);
	definitions_init(&w->names, w->set.memory_max, true, false);
	if (!definitions_reserve(&w->names, w->codec_size))
		return limit_reached(w);
	w->scratch = malloc(RETIMED_MAX(COMMENT_MAX));
	void *block = malloc(w->codec_size);
	if (block == NULL || w->scratch == NULL) {
		free(block);
		return out_of_memory(w);
	}
	w->codec = iot_codec_init(block, w->codec_size, w->set.tick_ns, (unsigned)w->set.base);
	if (!w->set.framing)
		w->set.sync = 0;
	if (w->set.framing && w->set.version > 1) {
		w->directives = directive_codec_new();
		w->encoded = malloc(ENCODED_DIRECTIVE_MAX(IOT_COMMENT_MAX));
		if (w->directives == NULL || w->encoded == NULL)
			return out_of_memory(w);
	}
	choose_flushes(w);
	if (w->set.no_index)
		byte_sink_no_index(w->sink);
	if (byte_sink_compress(w->sink, w->set.compression, (int)w->set.level,
			       (unsigned)w->set.threads) != IOT_OK)
		return sink_failed(w);
	return IOT_OK;
}

static int opened(struct iot_writer *w, int status)
{
	if (status != IOT_OK)
		return sink_failed(w);
	w->open = true;
	if (w->set.framing && put_header(w) != IOT_OK)
		return w->error.status;
	return is_live(w) ? flush_interval(w) : IOT_OK;
}

int iot_writer_open(struct iot_writer *w, const char *path)
{
	int status = prepare(w, path);
	if (status != IOT_OK)
		return status;
	byte_sink_how(w->sink, (w->set.no_fsync ? ATOMIC_FILE_NO_SYNC : 0U) |
				   (w->set.in_place ? ATOMIC_FILE_IN_PLACE : 0U) |
				   (w->set.is_new ? ATOMIC_FILE_NEW : 0U));
	return opened(w, byte_sink_open(w->sink, path));
}

int iot_writer_open_fd(struct iot_writer *w, int fd, const char *name)
{
	int status = prepare(w, NULL);
	return status != IOT_OK ? status : opened(w, byte_sink_open_fd(w->sink, fd, name));
}

int iot_writer_open_callback(struct iot_writer *w, iot_write_fn *write, void *context,
			     const char *name)
{
	int status = prepare(w, NULL);
	return status != IOT_OK ? status
				: opened(w, byte_sink_open_callback(w->sink, write, context, name));
}

int iot_writer_open_memory(struct iot_writer *w)
{
	int status = prepare(w, NULL);
	return status != IOT_OK ? status : opened(w, byte_sink_open_memory(w->sink));
}

const void *iot_writer_memory(const struct iot_writer *w, size_t *size)
{
	return byte_sink_memory(w->sink, size);
}

/* Closing, and properties of the trace */

int iot_writer_flush(struct iot_writer *w)
{
	int status = check_open(w);
	if (status == IOT_OK && is_live(w))
		return flush_interval(w);
	if (status == IOT_OK)
		status = empty_buffer(w);
	if (status == IOT_OK && byte_sink_flush(w->sink) != IOT_OK)
		status = sink_failed(w);
	return status;
}

int iot_writer_close(struct iot_writer *w)
{
	int status = check_open(w);
	if (status == IOT_OK && w->set.framing)
		status = put_end(w);
	if (status == IOT_OK)
		status = empty_buffer(w);
	if (status == IOT_OK && byte_sink_close(w->sink) != IOT_OK)
		status = sink_failed(w);
	w->closed = true;
	return status;
}

uint64_t iot_writer_fact(const struct iot_writer *w, enum iot_fact fact)
{
	switch (fact) {
	case IOT_FACT_TICK_NS:
		return w->set.tick_ns;
	case IOT_FACT_BASE:
		return w->set.base;
	case IOT_FACT_COMPRESSION:
		return (uint64_t)w->set.compression;
	case IOT_FACT_FRAMED:
		return w->set.framing;
	case IOT_FACT_VERSION:
		return w->set.framing ? w->set.version : 0;
	case IOT_FACT_SYNC:
		return w->set.sync;
	case IOT_FACT_COMPLETE:
		return w->closed && w->error.status == IOT_OK;
	case IOT_FACT_RECORDS:
		return w->records;
	case IOT_FACT_COMMENTS:
		return w->comments;
	case IOT_FACT_BYTES_TEXT:
		return w->text_bytes + w->used;
	case IOT_FACT_BYTES_STORED:
		return byte_sink_stored(w->sink);
	case IOT_FACT_LAST_NS:
		if (w->codec == NULL)
			return 0;
		return (uint64_t)(codec_start(w->codec) * (int64_t)w->set.tick_ns);
	default:
		return 0;
	}
}

const char *iot_writer_error(const struct iot_writer *w)
{
	return w->error.text;
}
