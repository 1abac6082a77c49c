/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writer: records from the codec into a buffer, comments between them, framing round them.
 *
 * A record is encoded first; if it meets a process or file for the first time in its interval, the
 * directives due are put before its line. That is possible because comments change no state.
 * A %sync is written when something follows it, never directly before %end, so that the same
 * events always make the same bytes.
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "error.h"
#include "framing.h"
#include "names.h"
#include "number.h"
#include "predict.h"
#include "sink.h"

enum {
	BUFFER_SIZE = 256 * 1024,
	COMMENT_ROOM = IOT_COMMENT_MAX + 8,
	CODEC_PROCESSES = 64,
	GZIP_LEVELS = 9,
	ZSTD_LEVELS = 19,
	THREADS_MAX = 256,
};

struct iot_writer {
	struct iot_error error;
	bool framing, open, closed, told_compression;
	enum iot_compression compression;
	uint64_t level, threads, tick_ns, base, memory_max;

	struct iot_sink *sink;
	struct iot_codec *codec;
	size_t codec_size;
	struct iot_names names;
	XXH3_state_t *hash;
	char *buffer; /* BUFFER_SIZE */
	size_t used;
	size_t hashed; /* bytes of the buffer that are in the hash, or need not be */
	char *scratch; /* for texts with their times in ticks; a %file being built */

	bool lacks_offset; /* %trace lacks=offset: no need to say so of every file */
	uint32_t interval; /* counts %syncs */
	uint64_t sync, since_sync;
	uint64_t records, comments, text_bytes;
};

struct iot_writer *iot_writer_new(void)
{
	struct iot_writer *w = calloc(1, sizeof(*w));
	if (w == NULL)
		return NULL;
	w->sink = iot_sink_new();
	w->hash = XXH3_createState();
	w->buffer = malloc(BUFFER_SIZE);
	if (w->sink == NULL || w->hash == NULL || w->buffer == NULL) {
		iot_writer_free(w);
		return NULL;
	}
	XXH3_64bits_reset(w->hash);
	w->framing = true;
	w->tick_ns = IOT_TICK_DEFAULT_NS;
	w->base = 16;
	w->sync = IOT_SYNC_DEFAULT;
	w->memory_max = (uint64_t)1 << 30;
	return w;
}

void iot_writer_free(struct iot_writer *w)
{
	if (w == NULL)
		return;
	iot_sink_free(w->sink);
	iot_names_free(&w->names);
	XXH3_freeState(w->hash);
	free(w->codec);
	free(w->buffer);
	free(w->scratch);
	free(w);
}

/* Settings and opening */

static int refuse(struct iot_writer *w, const char *why)
{
	return iot_error_set(&w->error, IOT_EUSAGE, "%s", why);
}

static int set_number(struct iot_writer *w, uint64_t *where, uint64_t value, uint64_t min,
		      uint64_t max)
{
	if (value < min || value > max)
		return refuse(w, "a setting of the writer is out of range");
	*where = value;
	return IOT_OK;
}

static int set_compression(struct iot_writer *w, uint64_t value)
{
	if (value > IOT_ZSTD)
		return refuse(w, "a compression is plain, gzip or zstd");
	w->compression = (enum iot_compression)value;
	w->told_compression = true;
	return IOT_OK;
}

int iot_writer_set(struct iot_writer *w, enum iot_option option, uint64_t value)
{
	if (w->error.status != IOT_OK)
		return w->error.status;
	if (w->open)
		return refuse(w, "settings of a writer are made before it is opened");
	switch (option) {
	case IOT_SET_TICK_NS:
		return set_number(w, &w->tick_ns, value, 1, INT64_MAX);
	case IOT_SET_LIMIT_MEMORY:
		return set_number(w, &w->memory_max, value, 1, SIZE_MAX);
	case IOT_SET_SYNC:
		return set_number(w, &w->sync, value, 0, UINT64_MAX);
	case IOT_SET_LEVEL:
		return set_number(w, &w->level, value, 0, ZSTD_LEVELS);
	case IOT_SET_THREADS:
		return set_number(w, &w->threads, value, 0, THREADS_MAX);
	case IOT_SET_COMPRESSION:
		return set_compression(w, value);
	case IOT_SET_BASE:
		if (value != 10 && value != 16)
			return refuse(w, "a base is 16 or 10");
		w->base = value;
		return IOT_OK;
	case IOT_SET_FRAMING:
		if (value > 1)
			return refuse(w, "framing is 0 or 1");
		w->framing = value == 1;
		return IOT_OK;
	default:
		return refuse(w, "not a setting of writers");
	}
}

static int sink_failed(struct iot_writer *w)
{
	const struct iot_error *e = iot_sink_error(w->sink);
	return iot_error_set(&w->error, e->status, "%s", e->text);
}

static int out_of_memory(struct iot_writer *w)
{
	return iot_error_set(&w->error, IOT_ENOMEM, "out of memory");
}

static int limit_reached(struct iot_writer *w)
{
	return iot_error_set(&w->error, IOT_ELIMIT,
			     "the trace needs more memory than the limit of %llu bytes "
			     "(IOT_SET_LIMIT_MEMORY)",
			     (unsigned long long)w->memory_max);
}

static int memory_failed(struct iot_writer *w, int status)
{
	return status == IOT_ENOMEM ? out_of_memory(w) : limit_reached(w);
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

static int put_header(struct iot_writer *w);

/* Before the sink is opened; path NULL: there is no name to tell a compression. */
static int prepare(struct iot_writer *w, const char *path)
{
	if (w->error.status != IOT_OK)
		return w->error.status;
	if (w->open)
		return refuse(w, "a writer is opened once");
	if (!w->told_compression)
		w->compression = by_suffix(path);
	if (w->compression == IOT_GZIP && w->level > GZIP_LEVELS)
		return refuse(w, "levels of gzip are 1 to 9");
	w->codec_size = iot_codec_size(CODEC_PROCESSES);
	iot_names_init(&w->names, w->memory_max, true, false);
	if (!iot_names_reserve(&w->names, w->codec_size))
		return limit_reached(w);
	w->scratch = malloc(IOT_RETIMED_MAX(COMMENT_ROOM));
	void *block = malloc(w->codec_size);
	if (block == NULL || w->scratch == NULL) {
		free(block);
		return out_of_memory(w);
	}
	w->codec = iot_codec_init(block, w->codec_size, w->tick_ns, (unsigned)w->base);
	if (!w->framing)
		w->sync = 0;
	if (iot_sink_compress(w->sink, w->compression, (int)w->level, (unsigned)w->threads) !=
	    IOT_OK)
		return sink_failed(w);
	return IOT_OK;
}

static int opened(struct iot_writer *w, int status)
{
	if (status != IOT_OK)
		return sink_failed(w);
	w->open = true;
	return w->framing ? put_header(w) : IOT_OK;
}

int iot_writer_open(struct iot_writer *w, const char *path)
{
	int status = prepare(w, path);
	return status != IOT_OK ? status : opened(w, iot_sink_open(w->sink, path));
}

int iot_writer_open_fd(struct iot_writer *w, int fd, const char *name)
{
	int status = prepare(w, NULL);
	return status != IOT_OK ? status : opened(w, iot_sink_open_fd(w->sink, fd, name));
}

int iot_writer_open_callback(struct iot_writer *w, iot_write_fn *write, void *context,
			     const char *name)
{
	int status = prepare(w, NULL);
	return status != IOT_OK ? status
				: opened(w, iot_sink_open_callback(w->sink, write, context, name));
}

int iot_writer_open_memory(struct iot_writer *w)
{
	int status = prepare(w, NULL);
	return status != IOT_OK ? status : opened(w, iot_sink_open_memory(w->sink));
}

const void *iot_writer_memory(const struct iot_writer *w, size_t *size)
{
	return iot_sink_memory(w->sink, size);
}

/* The buffer */

static void hash_buffer(struct iot_writer *w)
{
	if (w->framing)
		XXH3_64bits_update(w->hash, w->buffer + w->hashed, w->used - w->hashed);
	w->hashed = w->used;
}

static int empty_buffer(struct iot_writer *w)
{
	hash_buffer(w);
	if (w->used > 0 && iot_sink_write(w->sink, w->buffer, w->used) != IOT_OK)
		return sink_failed(w);
	w->text_bytes += w->used;
	w->used = w->hashed = 0;
	return IOT_OK;
}

static int make_room(struct iot_writer *w, size_t n)
{
	return n <= BUFFER_SIZE - w->used ? IOT_OK : empty_buffer(w);
}

/* A comment line as it is; the text has met the limits. */
static int put_line(struct iot_writer *w, struct iot_text text)
{
	const char *mark = w->base == 16 ? "ff " : "255 ";
	size_t n = strlen(mark) - (text.size == 0);
	if (make_room(w, COMMENT_ROOM) != IOT_OK)
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

/* A comment whose times are in nanoseconds. */
static int put_text(struct iot_writer *w, struct iot_text text)
{
	if (w->tick_ns != 1 && text.size > 0 && text.data[0] == '%')
		iot_directive_to_ticks(&text, w->tick_ns, w->scratch);
	if (text.size + (w->base == 16 ? 3 : 4) > IOT_COMMENT_MAX)
		return too_long(w);
	return put_line(w, text);
}

/* Framing */

static int put_header(struct iot_writer *w)
{
	char text[IOT_FRAMING_MAX];
	const struct iot_header h = {.tick_ns = w->tick_ns, .sync = w->sync};
	return put_line(w, (struct iot_text){text, iot_header_build(text, &h)});
}

static int put_sync(struct iot_writer *w)
{
	char text[IOT_FRAMING_MAX];
	if (empty_buffer(w) != IOT_OK)
		return w->error.status;
	if (iot_sink_frame(w->sink) != IOT_OK)
		return sink_failed(w);
	const struct iot_sync s = {.time = (uint64_t)iot_codec_start(w->codec),
				   .record = w->records,
				   .hash = XXH3_64bits_digest(w->hash)};
	int status = put_line(w, (struct iot_text){text, iot_sync_build(text, &s)});
	XXH3_64bits_reset(w->hash);
	w->hashed = w->used;
	iot_codec_forget(w->codec);
	w->since_sync = 0;
	w->interval++;
	return status;
}

static int sync_if_due(struct iot_writer *w)
{
	return w->sync > 0 && w->since_sync == w->sync ? put_sync(w) : IOT_OK;
}

static int put_end(struct iot_writer *w)
{
	char text[IOT_FRAMING_MAX];
	hash_buffer(w);
	const struct iot_end e = {
	    .records = w->records, .comments = w->comments, .hash = XXH3_64bits_digest(w->hash)};
	return put_line(w, (struct iot_text){text, iot_end_build(text, &e)});
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

static void obey(struct iot_writer *w, const struct iot_event *ev, struct iot_name *name)
{
	unsigned lacks;
	if (name != NULL)
		name->told = w->interval;
	if (ev->kind == IOT_FILE && name != NULL)
		iot_codec_update(w->codec, name->process, name->file, name->kind == IOT_NAME_DISK,
				 name->object, name->flags);
	else if (ev->kind == IOT_TRACE && iot_directive_lacks(ev, &lacks))
		w->lacks_offset = (lacks & IOT_OFFSET_UNKNOWN) != 0;
	else if (ev->kind == IOT_OP && iot_directive_closes(ev))
		iot_codec_update(w->codec, ev->rec.process, ev->rec.file, false, 0, 0);
}

/* What an event means is in its text alone: that is what readers will see. */
static int write_comment(struct iot_writer *w, const struct iot_event *given)
{
	struct iot_event ev = {.text = given->text};
	struct iot_name *name = NULL;
	const char *why = unfit(given);
	if (why != NULL)
		return refuse(w, why);
	if (iot_directive_parse(&ev, &why) != IOT_OK)
		return refuse(w, why);
	int status = iot_names_tell(&w->names, &ev, &name);
	if (status < 0)
		return memory_failed(w, status);
	if (status == 1)
		return IOT_OK;
	if (sync_if_due(w) != IOT_OK || put_text(w, ev.text) != IOT_OK)
		return w->error.status;
	obey(w, &ev, name);
	w->comments++;
	return IOT_OK;
}

/* Records */

/* Once in an interval, a %process or %file in force is said again. Nobody counts it. */
static int repeat(struct iot_writer *w, struct iot_name *name)
{
	if (name == NULL || name->told == w->interval)
		return IOT_OK;
	name->told = w->interval;
	return put_text(w, (struct iot_text){name->text, name->size});
}

/* Copies the tokens of a %file but offset=; returns the size. */
static size_t without_offset(char *out, struct iot_text text)
{
	struct iot_text token, key, value;
	size_t n = 0;
	while (iot_directive_token(&text, &token)) {
		if (iot_directive_split(token, &key, &value) && iot_text_is(key, "offset"))
			continue;
		if (n > 0)
			out[n++] = ' ';
		memcpy(out + n, token.data, token.size);
		n += token.size;
	}
	return n;
}

/* The %file of a record, with offset=unknown or =known, comes in force. */
static int tell_offset(struct iot_writer *w, const struct iot_record *rec, unsigned flags)
{
	/* the first half of the scratch is put_text's */
	char *text = w->scratch + IOT_RETIMED_MAX(COMMENT_ROOM) / 2;
	struct iot_name *name = iot_names_of(&w->names, rec);
	struct iot_builder b;
	struct iot_event ev;
	iot_directive_begin(&b, text, COMMENT_ROOM + 32, "file");
	if (name != NULL) {
		b.size = without_offset(text, (struct iot_text){name->text, name->size});
	} else {
		iot_directive_number(&b, "process", rec->process);
		iot_directive_number(&b, "id", rec->file);
		if (!(rec->type & IOT_LOGICAL))
			iot_directive_text(&b, "kind", "disk", 4);
	}
	const char *value = flags & IOT_OFFSET_UNKNOWN ? "unknown" : "known";
	iot_directive_text(&b, "offset", value, strlen(value));
	if (iot_directive_end(&b, &ev) != IOT_OK)
		return refuse(w, "a %file cannot be built");
	int status = iot_names_tell(&w->names, &ev, &name);
	if (status < 0)
		return memory_failed(w, status);
	if (put_text(w, ev.text) != IOT_OK)
		return w->error.status;
	name->told = w->interval;
	w->comments++;
	return IOT_OK;
}

/*
 * Directives that are due before a record: the new %file of an offset, which is a comment like any
 * other, and then the repeats, as they stand when a reader's events are written again.
 */
static int introduce(struct iot_writer *w, const struct iot_record *rec)
{
	const unsigned news = iot_codec_news(w->codec);
	const unsigned flags = rec->flags & IOT_OFFSET_UNKNOWN;
	const struct iot_name *name = iot_names_of(&w->names, rec);
	int status = IOT_OK;
	if (!w->lacks_offset && flags != (name != NULL ? name->flags : 0))
		status = tell_offset(w, rec, flags);
	if (status == IOT_OK && (news & IOT_NEWS_PROCESS))
		status = repeat(w, iot_names_find(&w->names, IOT_NAME_PROCESS, rec->process, 0));
	if (status == IOT_OK)
		status = repeat(w, iot_names_of(&w->names, rec));
	iot_codec_tell(w->codec, rec->object, flags);
	return status;
}

/* The line at the end of the buffer has news: what is due goes before it. */
static int put_before(struct iot_writer *w, const struct iot_record *rec, size_t size)
{
	char line[IOT_ENCODED_MAX];
	memcpy(line, w->buffer + w->used, size);
	int status = introduce(w, rec);
	if (status == IOT_OK)
		status = make_room(w, IOT_ENCODED_MAX);
	if (status == IOT_OK)
		memcpy(w->buffer + w->used, line, size);
	return status;
}

static int grow_codec(struct iot_writer *w)
{
	if (!iot_names_reserve(&w->names, w->codec_size))
		return limit_reached(w);
	void *bigger = realloc(w->codec, w->codec_size * 2);
	if (bigger == NULL)
		return out_of_memory(w);
	w->codec_size *= 2;
	w->codec = iot_codec_grow(bigger, w->codec_size);
	return IOT_OK;
}

static int refuse_record(struct iot_writer *w)
{
	return iot_error_set(&w->error, IOT_EUSAGE, "record %llu cannot be written: %s",
			     (unsigned long long)w->records, iot_codec_error(w->codec, NULL));
}

static int write_record(struct iot_writer *w, const struct iot_record *rec)
{
	if (make_room(w, IOT_ENCODED_MAX) != IOT_OK)
		return w->error.status;
	ssize_t size;
	while ((size = iot_encode(w->codec, rec, w->buffer + w->used)) == IOT_ELIMIT)
		if (grow_codec(w) != IOT_OK)
			return w->error.status;
	if (size < 0)
		return refuse_record(w);
	if (iot_codec_news(w->codec) != 0 && put_before(w, rec, (size_t)size) != IOT_OK)
		return w->error.status;
	w->used += (size_t)size;
	w->since_sync++;
	w->records++;
	return IOT_OK;
}

/* n records, `stride` bytes from one to the next. */
static int write_records(struct iot_writer *w, const struct iot_record *rec, size_t n,
			 size_t stride)
{
	for (size_t i = 0; i < n; i++) {
		if (sync_if_due(w) != IOT_OK || write_record(w, rec) != IOT_OK)
			return w->error.status;
		rec = (const struct iot_record *)((const char *)rec + stride);
	}
	return IOT_OK;
}

static int ready(struct iot_writer *w)
{
	if (w->error.status != IOT_OK)
		return w->error.status;
	if (!w->open || w->closed)
		return refuse(w, w->closed ? "the writer is closed" : "the writer is not open");
	return IOT_OK;
}

int iot_writer_records(struct iot_writer *w, const struct iot_record *rec, size_t n)
{
	int status = ready(w);
	return status != IOT_OK ? status : write_records(w, rec, n, sizeof(*rec));
}

int iot_writer_events(struct iot_writer *w, const struct iot_event *ev, size_t n)
{
	int status = ready(w);
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
	return status;
}

int iot_writer_flush(struct iot_writer *w)
{
	int status = ready(w);
	if (status == IOT_OK)
		status = empty_buffer(w);
	if (status == IOT_OK && iot_sink_flush(w->sink) != IOT_OK)
		status = sink_failed(w);
	return status;
}

int iot_writer_close(struct iot_writer *w)
{
	int status = ready(w);
	if (status == IOT_OK && w->framing)
		status = put_end(w);
	if (status == IOT_OK)
		status = empty_buffer(w);
	if (status == IOT_OK && iot_sink_close(w->sink) != IOT_OK)
		status = sink_failed(w);
	w->closed = true;
	return status;
}

uint64_t iot_writer_fact(const struct iot_writer *w, enum iot_fact fact)
{
	switch (fact) {
	case IOT_FACT_TICK_NS:
		return w->tick_ns;
	case IOT_FACT_BASE:
		return w->base;
	case IOT_FACT_COMPRESSION:
		return (uint64_t)w->compression;
	case IOT_FACT_FRAMED:
		return w->framing;
	case IOT_FACT_SYNC:
		return w->sync;
	case IOT_FACT_COMPLETE:
		return w->closed && w->error.status == IOT_OK;
	case IOT_FACT_RECORDS:
		return w->records;
	case IOT_FACT_COMMENTS:
		return w->comments;
	case IOT_FACT_BYTES_TEXT:
		return w->text_bytes + w->used;
	case IOT_FACT_BYTES_STORED:
		return iot_sink_stored(w->sink);
	default:
		return 0;
	}
}

const char *iot_writer_error(const struct iot_writer *w)
{
	return w->error.text;
}
