/* SPDX-License-Identifier: BSD-2-Clause */
/* Records, and the directives that are due before them. */
#include "writer_internal.h"

#include <string.h>

#include "lib/format/directive.h"
#include "lib/format/file_flags.h"

/*
 * Repeats a current %process or %file once per interval. Repetitions are not counted as comments.
 */
static int repeat(struct iot_writer *w, struct definition *name)
{
	if (name == NULL || name->reported == w->interval)
		return IOT_OK;
	name->reported = w->interval;
	return writer_put_text(w, definitions_text(&w->names, name));
}

/* Makes a new %file of a record current, with =unknown or =known for each flag that changed. */
static int declare_flags(struct iot_writer *w, const struct iot_record *rec, unsigned changed)
{
	/* writer_put_text uses the first half of the scratch memory */
	char *text = w->scratch + RETIMED_MAX(COMMENT_MAX) / 2;
	struct definition *name;
	struct iot_event ev;
	if (file_flags_build(&w->names, rec, changed, text, &ev) != IOT_OK)
		return writer_refuse(w, "a %file cannot be built");
	int status = definitions_add(&w->names, &ev, &name);
	if (status < 0)
		return writer_memory_failed(w, status);
	if (writer_put_text(w, ev.text) != IOT_OK)
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
	return status == IOT_OK ? IOT_OK : writer_memory_failed(w, status);
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
	return status == IOT_OK ? writer_flush_if_late(w) : status;
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
			status = writer_comment(w, &ev[i]);
		i += run > 0 ? run : 1;
	}
	return status == IOT_OK ? writer_flush_if_late(w) : status;
}
