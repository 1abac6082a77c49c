/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fio's I/O log, version 3, for fio --read_iolog:
 *
 *	MICROSECONDS FILE add|open|close
 *	MICROSECONDS FILE read|write|trim|sync|datasync OFFSET LENGTH
 *
 * fio splits lines at blanks, and its lengths have 32 bits. It makes no pause as long as the time
 * of the previous line is 0. It creates and overwrites the files that a log names, so these are
 * below --prefix unless --real-names is given.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/error.h"
#include "lib/base/number.h"
#include "lib/base/text.h"

#include "export.h"
#include "file_numbers.h"

enum {
	FIO_NAME_MAX = 255,
	FIO_LINE_MAX = FIO_NAME_MAX + 4 * 32,
	FIO_LENGTH_MAX = 0x7ffff000, /* a system call of Linux transfers no more */
	FIO_PIECES_MAX = 1024,
};

/* A file that a log may name. */
struct replay_file {
	char *name;
	char *traced; /* the traced path, escaped; NULL if unknown */
	uint64_t extent;
};

/* The state of a file in one log. */
struct fio_use {
	uint32_t opens; /* fileIds that are open */
	bool added;
};

/* One log: of the trace, or of one process. */
struct fio_log {
	struct output *out;
	uint64_t us; /* of the last line */
	struct idmap files;
	struct fio_use *use; /* by number in files */
	size_t use_capacity;
	struct idmap handles; /* process and fileId */
	uint32_t *open;       /* by number in handles: number in files + 1; 0: not open */
	size_t open_capacity;
};

struct fio_export {
	struct fio_log whole;
	struct idmap processes;
	struct fio_log **log; /* by number in processes, with --per-process */
	size_t log_capacity;
	struct file_numbers numbers;
	struct replay_file *file;
	size_t file_capacity;
};

/* Names */

/* Returns whether fio reads the name as it is. */
static bool is_fit(const struct name *path)
{
	if (path->text == NULL || path->size == 0 || path->size > FIO_NAME_MAX)
		return false;
	for (size_t i = 0; i < path->size; i++)
		if ((unsigned char)path->text[i] <= ' ' || path->text[i] == 0x7f)
			return false;
	return true;
}

static char *made_name(const struct export *x, size_t number)
{
	char name[FIO_NAME_MAX + 32];
	snprintf(name, sizeof name, "%s/%zu", x->options->prefix, number + 1);
	return strdup(name);
}

static char *traced_name(const struct name *path)
{
	char text[1024];
	return path->text != NULL ? strdup(escape_text(text, sizeof text, path->text, path->size))
				  : NULL;
}

static void name_file(struct export *x, struct replay_file *f, size_t number,
		      const struct iot_record *rec)
{
	const struct name *path = names_path(&x->names, rec);
	const bool real = x->options->real_names && is_fit(path);
	x->notes[NOTE_NAME] += x->options->real_names && !real;
	f->name = real ? strndup(path->text, path->size) : made_name(x, number);
	f->traced = traced_name(path);
	x->failed |= f->name == NULL || (f->traced == NULL && path->text != NULL);
}

/* Returns SIZE_MAX if out of memory. */
static size_t number_of(struct export *x, const struct iot_record *rec)
{
	struct fio_export *s = x->state;
	const size_t n = file_number(&s->numbers, &x->names, rec);
	if (!array_reserve_index(&s->file, &s->file_capacity, n, sizeof *s->file)) {
		x->failed = true;
		return SIZE_MAX;
	}
	if (s->file[n].name == NULL)
		name_file(x, &s->file[n], n, rec);
	return x->failed ? SIZE_MAX : n;
}

/* Lines */

static uint64_t time_of(struct export *x, struct fio_log *log, const struct iot_record *rec,
			bool known)
{
	const uint64_t us = known ? (uint64_t)rec->start_ns / 1000 : 0;
	x->notes[NOTE_ROUNDED] += log == &((struct fio_export *)x->state)->whole && known &&
				  (uint64_t)rec->start_ns % 1000 != 0;
	if (us > log->us)
		log->us = us;
	if (log->us == 0)
		log->us = 1;
	return log->us;
}

static void write_action(struct fio_log *log, const char *name, const char *action)
{
	char *to = output_reserve(log->out, FIO_LINE_MAX);
	to = number_fast(to, log->us);
	*to++ = ' ';
	to = stpcpy(to, name);
	*to++ = ' ';
	to = stpcpy(to, action);
	*to++ = '\n';
	output_took(log->out, to);
}

static void write_transfer(struct fio_log *log, const char *name, const char *action,
			   uint64_t offset, uint64_t length)
{
	char *to = output_reserve(log->out, FIO_LINE_MAX);
	to = number_fast(to, log->us);
	*to++ = ' ';
	to = stpcpy(to, name);
	to = stpcpy(to, action);
	to = number_fast(to, offset);
	*to++ = ' ';
	to = number_fast(to, length);
	*to++ = '\n';
	output_took(log->out, to);
}

/* Files of a log */

static void close_handle(struct export *x, struct fio_log *log, size_t handle)
{
	const struct fio_export *s = x->state;
	if (handle >= log->open_capacity || log->open[handle] == 0)
		return;
	const size_t i = log->open[handle] - 1;
	log->open[handle] = 0;
	if (--log->use[i].opens == 0)
		write_action(log, s->file[log->files.keys[i]].name, "close");
}

/* Makes the file open in the log, under the handle of the record. Returns false on failure. */
static bool open_file(struct export *x, struct fio_log *log, const struct iot_record *rec,
		      size_t number)
{
	const struct fio_export *s = x->state;
	const size_t i = idmap_number(&log->files, number);
	const size_t handle = idmap_number(&log->handles, idmap_pair(rec->process, rec->file));
	if (!array_reserve_index(&log->use, &log->use_capacity, i, sizeof *log->use) ||
	    !array_reserve_index(&log->open, &log->open_capacity, handle, sizeof *log->open)) {
		x->failed = true;
		return false;
	}
	struct fio_use *use = &log->use[i];
	if (log->open[handle] == i + 1)
		return true;
	close_handle(x, log, handle);
	if (!use->added)
		write_action(log, s->file[number].name, "add");
	use->added = true;
	if (use->opens++ == 0)
		write_action(log, s->file[number].name, "open");
	log->open[handle] = (uint32_t)i + 1;
	return true;
}

static void log_record(struct export *x, struct fio_log *log, const struct iot_record *rec,
		       const struct transfer *t, size_t number)
{
	const struct fio_export *s = x->state;
	const char *action = rec->type & IOT_WRITE ? " write " : " read ";
	uint64_t done = 0, piece;
	(void)time_of(x, log, rec, (rec->flags & IOT_START_UNKNOWN) == 0);
	if (!open_file(x, log, rec, number))
		return;
	for (; done < t->length; done += piece) {
		piece = t->length - done < FIO_LENGTH_MAX ? t->length - done : FIO_LENGTH_MAX;
		write_transfer(log, s->file[number].name, action, t->offset + done, piece);
	}
}

/* The log of a record's process; NULL without --per-process, or on failure. */
static struct fio_log *process_log(struct export *x, uint32_t process)
{
	struct fio_export *s = x->state;
	char path[4096];
	if (!x->options->per_process)
		return NULL;
	const size_t i = idmap_number(&s->processes, process);
	if (!array_reserve_index(&s->log, &s->log_capacity, i, sizeof *s->log)) {
		x->failed = true;
		return NULL;
	}
	if (s->log[i] != NULL)
		return s->log[i];
	const char *name = x->options->path;
	const size_t n = strlen(name), suffix = strlen(".iolog");
	const bool has = n > suffix && strcmp(name + n - suffix, ".iolog") == 0;
	snprintf(path, sizeof path, "%.*s.%u.iolog", (int)(has ? n - suffix : n), name, process);
	struct output *out = export_open(x, path);
	s->log[i] = out != NULL ? calloc(1, sizeof **s->log) : NULL;
	x->failed |= s->log[i] == NULL;
	if (s->log[i] == NULL)
		return NULL;
	s->log[i]->out = out;
	output_text(out, "fio version 3 iolog\n");
	return s->log[i];
}

static void record(struct export *x, const struct iot_record *rec)
{
	struct fio_export *s = x->state;
	struct transfer t;
	if (!export_transfer(x, rec, &t))
		return;
	const size_t number = number_of(x, rec);
	struct fio_log *log = process_log(x, rec->process);
	if (t.length / FIO_LENGTH_MAX >= FIO_PIECES_MAX)
		export_fail(x, "an I/O of %ju bytes, more than %d times %d", (uintmax_t)t.length,
			    FIO_PIECES_MAX, FIO_LENGTH_MAX);
	if (number == SIZE_MAX || x->failed)
		return;
	x->notes[NOTE_SPLIT] += t.length > FIO_LENGTH_MAX;
	if (t.offset + t.length > s->file[number].extent)
		s->file[number].extent = t.offset + t.length;
	log_record(x, &s->whole, rec, &t, number);
	if (log != NULL)
		log_record(x, log, rec, &t, number);
}

/* Operations */

static void log_close(struct export *x, struct fio_log *log, const struct iot_event *ev)
{
	if (log == NULL)
		return;
	const size_t handle = idmap_find(&log->handles, idmap_pair(ev->rec.process, ev->rec.file));
	if (handle == SIZE_MAX)
		return;
	if (ev->has & IOT_HAS_TIME)
		(void)time_of(x, log, &ev->rec, true);
	close_handle(x, log, handle);
}

/* Returns whether the log had the file open. */
static bool log_sync(struct export *x, struct fio_log *log, const struct iot_event *ev,
		     const char *action)
{
	const struct fio_export *s = x->state;
	const size_t handle =
	    log != NULL ? idmap_find(&log->handles, idmap_pair(ev->rec.process, ev->rec.file))
			: SIZE_MAX;
	if (handle == SIZE_MAX || log->open[handle] == 0)
		return false;
	(void)time_of(x, log, &ev->rec, (ev->has & IOT_HAS_TIME) != 0);
	write_transfer(log, s->file[log->files.keys[log->open[handle] - 1]].name, action, 0, 0);
	return true;
}

static void sync_file(struct export *x, struct fio_log *log, const struct iot_event *ev,
		      const char *action)
{
	struct fio_export *s = x->state;
	x->notes[NOTE_METADATA] += !log_sync(x, &s->whole, ev, action);
	(void)log_sync(x, log, ev, action);
}

static void operation(struct export *x, const struct iot_event *ev)
{
	struct fio_export *s = x->state;
	const struct iot_text name = iot_directive_get(ev, "name");
	const bool has_file = (ev->has & IOT_HAS_FILE) != 0 && !x->options->physical;
	struct fio_log *log = has_file ? process_log(x, ev->rec.process) : NULL;
	if (has_file && text_equals(name, "fsync")) {
		sync_file(x, log, ev, " sync ");
	} else if (has_file && text_equals(name, "fdatasync")) {
		sync_file(x, log, ev, " datasync ");
	} else if (current_closes(ev) && !x->options->physical) {
		log_close(x, &s->whole, ev);
		log_close(x, log, ev);
	} else if (!text_equals(name, "open") && !text_equals(name, "close")) {
		x->notes[NOTE_METADATA]++;
	}
}

/* The whole export */

static void begin(struct export *x)
{
	struct fio_export *s = export_state(x, sizeof *s);
	if (s == NULL)
		return;
	s->whole.out = x->out;
	s->numbers.by_path = x->options->real_names;
	output_text(x->out, "fio version 3 iolog\n");
}

static void events(struct export *x, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n && !x->failed; i++) {
		if (ev[i].kind == IOT_RECORD)
			record(x, &ev[i].rec);
		else if (ev[i].kind == IOT_OP)
			operation(x, &ev[i]);
		x->notes[NOTE_COUNTERS] += ev[i].kind == IOT_COUNTER;
		x->notes[NOTE_LOST] += ev[i].kind == IOT_LOST;
		export_event(x, &ev[i]);
	}
}

static void close_all(struct export *x, struct fio_log *log)
{
	const struct fio_export *s = x->state;
	for (size_t i = 0; i < log->files.count && i < log->use_capacity; i++)
		if (log->use[i].opens > 0)
			write_action(log, s->file[log->files.keys[i]].name, "close");
}

static void write_quoted(struct output *o, const char *text)
{
	output_text(o, "'");
	for (; *text != '\0'; text++)
		if (*text == '\'')
			output_text(o, "'\\''");
		else
			output_write(o, text, 1);
	output_text(o, "'");
}

/* Existing files are extended, never cut. */
static void write_setup(struct export *x)
{
	const struct fio_export *s = x->state;
	struct output *o = export_open(x, x->options->setup);
	if (o == NULL)
		return;
	output_text(o, "#!/bin/sh\n"
		       "# Creates the files that fio --read_iolog reads, sparse, up to their "
		       "largest extent.\n"
		       "set -e\n"
		       "extend() { mkdir -p -- \"$(dirname -- \"$2\")\" && truncate -s \">$1\" -- "
		       "\"$2\"; }\n");
	for (size_t i = 0; i < s->numbers.map.count; i++) {
		output_printf(o, "extend %ju ", (uintmax_t)s->file[i].extent);
		write_quoted(o, s->file[i].name);
		if (s->file[i].traced != NULL)
			output_printf(o, " # %s", s->file[i].traced);
		output_text(o, "\n");
	}
}

static void end(struct export *x)
{
	struct fio_export *s = x->state;
	close_all(x, &s->whole);
	for (size_t i = 0; i < s->processes.count && i < s->log_capacity; i++)
		if (s->log[i] != NULL)
			close_all(x, s->log[i]);
	if (x->options->setup != NULL)
		write_setup(x);
}

static void free_log(struct fio_log *log)
{
	idmap_free(&log->files);
	idmap_free(&log->handles);
	free(log->use);
	free(log->open);
}

static void release(struct export *x)
{
	struct fio_export *s = x->state;
	if (s == NULL)
		return;
	free_log(&s->whole);
	for (size_t i = 0; i < s->log_capacity; i++)
		if (s->log[i] != NULL) {
			free_log(s->log[i]);
			free(s->log[i]);
		}
	for (size_t i = 0; i < s->file_capacity; i++) {
		free(s->file[i].name);
		free(s->file[i].traced);
	}
	free(s->log);
	free(s->file);
	idmap_free(&s->processes);
	file_numbers_free(&s->numbers);
}

const struct export_format export_fio = {
    .begin = begin, .events = events, .end = end, .free = release};
