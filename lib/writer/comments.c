/* SPDX-License-Identifier: BSD-2-Clause */
/* Comments of a caller: events, operations, and declarations of names. */
#include "writer_internal.h"

#include <string.h>

#include "lib/format/directive.h"

enum {
	OPERATIONS_AHEAD = 4,      /* whose memory is loaded while one is written */
	OPERATION_PATH_MAX = 8192, /* bytes of each path; the text of longer ones is made */
};

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

int writer_comment(struct iot_writer *w, const struct iot_event *given)
{
	struct iot_event ev = {.text = given->text};
	struct definition *name = NULL;
	const char *why = unfit(given);
	if (why != NULL)
		return writer_refuse(w, why);
	const bool recognized =
	    w->directives != NULL && directive_codec_recognize(w->directives, &ev);
	if (!recognized && iot_directive_parse(&ev, &why) != IOT_OK)
		return writer_refuse(w, why);
	int status = definitions_add(&w->names, &ev, &name);
	if (status < 0)
		return writer_memory_failed(w, status);
	if (status == 1)
		return IOT_OK;
	if (sync_if_due(w) != IOT_OK || writer_put_comment(w, ev.text, recognized) != IOT_OK)
		return w->error.status;
	obey(w, &ev, name);
	/* names are repeated after a %sync, and not operations */
	w->operations_since_sync +=
	    ev.kind != IOT_TRACE && ev.kind != IOT_PROCESS && ev.kind != IOT_FILE;
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
	/* writer_put_comment uses the first half of the scratch memory */
	char *text = w->scratch + RETIMED_MAX(COMMENT_MAX) / 2;
	struct iot_builder b;
	directive_operation(&b, text, COMMENT_MAX, op);
	if (b.status != IOT_OK)
		return writer_too_long(w);
	return writer_comment(w, &(struct iot_event){.kind = IOT_OP, .text = {b.data, b.size}});
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
		return writer_out_of_memory(w);
	memcpy(line, is_hex ? "ff " : "255 ", (size_t)(text - line));
	text[n] = '\n';
	w->used = (size_t)(text + n + 1 - w->buffer);
	if (closes)
		close_file(w, op);
	w->operations_since_sync++;
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
	return status == IOT_OK ? writer_flush_if_late(w) : status;
}

/* Declarations, built in the half of the scratch memory that writer_put_text does not use. */

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
	if (status != IOT_OK)
		return writer_refuse(w, "a declaration cannot be built");
	return writer_comment(w, &ev) == IOT_OK ? writer_flush_if_late(w) : w->error.status;
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
