/* SPDX-License-Identifier: BSD-2-Clause */
/* Emits events, and the account of lines. */
#include "calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* %process and %file */

static void emit_process(struct calls *c, const struct call *call)
{
	struct caller *p = call->caller;
	struct iot_builder b;
	p->announced = true;
	if (!emit_begin(&c->emit, &b, "process"))
		return;
	iot_directive_number(&b, "id", p->id);
	if (p->name[0] != '\0')
		emit_string(&b, "name", p->name);
	if (p->host.size > 0)
		emit_text(&b, "host", p->host);
	if (p->parent != 0)
		iot_directive_number(&b, "parent", p->parent);
	if ((uint32_t)p->key != p->id)
		iot_directive_number(&b, "pid", (uint32_t)p->key);
	emit_end(&c->emit, &b, call->start_ns);
}

/* The source's own name of a description without a path. */
static void source_id(struct iot_builder *b, const struct call *call)
{
	char id[48];
	if (call->type->stream || call->note.size > 0) {
		emit_text(b, "source-id", call->note);
		return;
	}
	const int n =
	    snprintf(id, sizeof id, "%" PRIu32 ":%" PRId64, (uint32_t)call->caller->key,
		     call->type->kind == CALL_OPEN || call->type->kind == CALL_CREATE ? call->result
										      : call->fd);
	iot_directive_text(b, "source-id", id, (size_t)n);
}

static void emit_file(struct calls *c, const struct call *call, struct open_description *d)
{
	struct iot_builder b;
	if (!emit_begin(&c->emit, &b, "file"))
		return;
	iot_directive_number(&b, "process", call->caller->id);
	iot_directive_number(&b, "id", d->id);
	iot_directive_number(&b, "object", fdtable_object(&c->fds, d));
	if (d->file != NULL && file_has_path(&c->fds, d->file))
		iot_directive_text(&b, "path", d->file->path, d->file->path_size);
	else
		source_id(&b, call);
	if (d->kind == FD_DIRECTORY)
		emit_string(&b, "kind", "directory");
	emit_end(&c->emit, &b, call->start_ns);
}

uint32_t calls_emit_file(struct calls *c, const struct call *call, struct open_description *d)
{
	const uint32_t process = call->caller->id;
	if (!call->caller->announced)
		emit_process(c, call);
	if (d->reported_last != process && !description_mark_known(&c->fds, d, process))
		emit_file(c, call, d);
	return d->id;
}

/* Records */

void calls_emit_record(struct calls *c, const struct call *call, struct fd_slot *slot,
		       const struct call_io *io)
{
	struct open_description *d = slot->open;
	const uint32_t file = calls_emit_file(c, call, d);
	struct iot_event *ev = emit_event(&c->emit);
	if (ev == NULL)
		return;
	const bool timed = call_has(call, CALL_HAS_DURATION);
	emit_record(
	    ev, (struct iot_record){.start_ns = call->start_ns,
				    .duration_ns = timed ? call->duration_ns : 0,
				    .offset = io->at.offset,
				    .length = io->length,
				    .file = file,
				    .process = call->caller->id,
				    .object = fdtable_object(&c->fds, d),
				    .type = (uint8_t)(IOT_LOGICAL | (io->write ? IOT_WRITE : 0U)),
				    .flags = (uint8_t)(IOT_CPU_UNKNOWN |
						       (io->at.known ? 0U : IOT_OFFSET_UNKNOWN) |
						       (timed ? 0U : IOT_DURATION_UNKNOWN))});
	c->src->report.records++;
	c->src->report.record_bytes += io->length;
	if (call->start_ns > c->last_ns)
		c->last_ns = call->start_ns;
	if (io->at.known)
		return;
	report_add(&c->src->report, "unknown.offset_records", 1);
	report_add(&c->src->report, "unknown.offset_bytes", io->length);
}

/* %op */

static struct iot_text op_result(const struct call *call)
{
	if (!call_has(call, CALL_HAS_RESULT))
		return (struct iot_text){NULL, 0};
	if (!call_failed(call))
		return (struct iot_text){"0", 1};
	return call->error.size > 0 ? call->error : (struct iot_text){"error", 5};
}

static bool sets_size(const struct call *call)
{
	return (call->type->kind == CALL_TRUNCATE || call->type->kind == CALL_TRUNCATE_FD) &&
	       call_has(call, CALL_HAS_OFFSET) && call->offset >= 0;
}

enum call_outcome calls_emit_op(struct calls *c, const struct call *call, const char *name,
				uint32_t file, struct iot_text path, struct iot_text to)
{
	if (!emit_wants_op(&c->emit, name))
		return CALL_TRACKED;
	if (!call->caller->announced)
		emit_process(c, call);
	const struct emit_operation op = {.name = name,
					  .start_ns = call->start_ns,
					  .timed = call_has(call, CALL_HAS_DURATION),
					  .duration_ns = call->duration_ns,
					  .process = call->caller->id,
					  .file = file,
					  .path = path,
					  .to = to,
					  .result = op_result(call),
					  .has_size = sets_size(call),
					  .size = (uint64_t)call->offset};
	emit_operation(&c->emit, &op);
	if (call->start_ns > c->last_ns)
		c->last_ns = call->start_ns;
	return CALL_MADE_OP;
}

enum call_outcome calls_emit_op_on(struct calls *c, const struct call *call,
				   struct open_description *d)
{
	struct iot_text path = {NULL, 0};
	if (!emit_wants_op(&c->emit, call->type->op))
		return CALL_TRACKED;
	const uint32_t file = calls_emit_file(c, call, d);
	if (d->file != NULL && file_has_path(&c->fds, d->file))
		path = (struct iot_text){d->file->path, d->file->path_size};
	return calls_emit_op(c, call, call->type->op, file, path, (struct iot_text){NULL, 0});
}

/* Account */

void calls_report(struct calls *c)
{
	static const char *const LINES[CALL_OUTCOMES] = {
	    [CALL_MADE_RECORDS] = "parsed.records",    [CALL_MADE_OP] = "parsed.operations",
	    [CALL_TRACKED] = "parsed.tracked",         [CALL_FAILED] = "parsed.failed",
	    [CALL_SKIPPED] = "parsed.not_files",       [CALL_UNUSED] = "parsed.unused",
	    [CALL_METADATA] = "parsed.metadata",       [CALL_WAITS] = "parsed.entries",
	    [CALL_CONTRADICTED] = "contradicted.lost",
	};
	static const struct {
		const char *calls, *bytes[2];
	} SKIPPED[CALL_SKIPPED_KINDS] = {
#define KIND(name)                                                                                 \
	{                                                                                          \
		"skipped." name ".calls",                                                          \
		{                                                                                  \
			"skipped." name ".read_bytes", "skipped." name ".written_bytes"            \
		}                                                                                  \
	}
	    KIND("pipe"),  KIND("socket"),   KIND("terminal"), KIND("device"),
	    KIND("memfd"), KIND("standard"), KIND("other"),
#undef KIND
	};
	struct report *r = &c->src->report;
	for (size_t i = 0; i < CALL_OUTCOMES; i++)
		if (c->lines[i] > 0)
			report_add(r, LINES[i], c->lines[i]);
	for (size_t i = 0; i < CALL_SKIPPED_KINDS; i++) {
		const struct call_skipped *k = &c->skipped[i];
		if (k->calls > 0)
			report_add(r, SKIPPED[i].calls, k->calls);
		for (size_t w = 0; w < 2; w++)
			if (k->bytes[w] > 0)
				report_add(r, SKIPPED[i].bytes[w], k->bytes[w]);
	}
	if (c->missed_closes > 0)
		report_add(r, "missed.close", c->missed_closes);
	if (c->fds.unnamed > 0)
		report_add(r, "unnamed.files", c->fds.unnamed);
}
