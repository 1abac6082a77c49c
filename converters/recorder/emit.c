/* SPDX-License-Identifier: BSD-2-Clause */
/* Emits events. Untimed directives get the earliest sort key that is still allowed. */
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

static const char *const count_name[RECORDER_COUNTS] = {
    [RECORDER_AMBIGUOUS_HANDLE] = "ambiguous.handle",
    [RECORDER_AMBIGUOUS_LENGTH] = "ambiguous.length",
    [RECORDER_AMBIGUOUS_END] = "ambiguous.end",
    [RECORDER_INFERRED] = "unopened_records",
    [RECORDER_UNKNOWN_RECORDS] = "unknown.offset_records",
    [RECORDER_UNKNOWN_BYTES] = "unknown.offset_bytes",
    [RECORDER_UNKNOWN_LENGTH] = "hidden.mpi_type",
    [RECORDER_UNNAMED] = "skipped.unnamed.calls",
    [RECORDER_UNNAMED_READ] = "skipped.unnamed.read_bytes",
    [RECORDER_UNNAMED_WRITTEN] = "skipped.unnamed.written_bytes",
    [RECORDER_HIDDEN_MMAP] = "hidden.mmap",
    [RECORDER_HIDDEN_PRINTF] = "hidden.fprintf",
    [RECORDER_BACKWARDS] = "clock.backwards",
    [RECORDER_REFUSED] = "failed.negative_offset",
};

/* %trace and %process */

/*
 * "HHMMSS.ms-host-user-exe-pid", the default name of the directory in 3.0. Returns false if a part
 * contains a dash.
 */
static bool directory_words(const struct recorder *r, struct iot_text word[5])
{
	const char *slash = strrchr(r->files.directory, '/'),
		   *p = slash == NULL ? r->files.directory : slash + 1;
	for (int i = 0; i < 5; i++) {
		size_t size = strcspn(p, "-");
		word[i] = (struct iot_text){p, size};
		if (size == 0 || (p[size] == '-') != (i < 4))
			return false;
		p += size + 1;
	}
	return word[0].size == 10 && word[0].data[6] == '.' &&
	       strspn(word[0].data, "0123456789.") == 10 &&
	       strspn(word[4].data, "0123456789") == word[4].size;
}

void recorder_emit_trace(struct recorder *r)
{
	const struct recorder_meta *m = &r->meta;
	struct iot_builder b;
	struct iot_text word[5];
	bool epoch =
	    m->kind == RECORDER_PEEPHOLE || (m->kind == RECORDER_COMPRESSED && m->start_s > 0);
	if (!emit_begin(&r->emit, &b, "trace"))
		return;
	emit_string(&b, "source", "recorder");
	if (*m->version != '\0')
		emit_string(&b, "log-format", m->version);
	if (directory_words(r, word)) {
		emit_text(&b, "command", word[3]);
		emit_text(&b, "host", word[1]);
		emit_text(&b, "user", word[2]);
	}
	if (epoch)
		iot_directive_number(&b, "epoch", 0);
	emit_string(&b, "lacks",
		    m->kind == RECORDER_COMPRESSED ? "cpu,created,results" : "cpu,created");
	iot_directive_number(&b, "ranks", m->ranks);
	emit_string(&b, "layer",
		    r->layers == EMIT_LAYER_POSIX   ? "posix"
		    : r->layers == EMIT_LAYER_MPIIO ? "mpiio"
						    : "posix,mpiio");
	emit_string(&b, "lengths", "requested");
	emit_string(&b, "clocks", m->kind == RECORDER_PEEPHOLE ? "per-rank" : "rank-0");
	emit_end(&r->emit, &b, r->src->first_ns);
}

void recorder_emit_process(struct recorder_rank *rk)
{
	struct recorder *r = rk->r;
	struct iot_builder b;
	struct iot_text word[5];
	rk->announced = true;
	if (!emit_begin(&r->emit, &b, "process"))
		return;
	iot_directive_number(&b, "id", recorder_process(rk));
	iot_directive_number(&b, "rank", rk->rank);
	if (directory_words(r, word)) {
		emit_text(&b, "name", word[3]);
		if (rk->rank == 0) { /* the process that created the directory */
			emit_text(&b, "host", word[1]);
			emit_text(&b, "pid", word[4]);
		}
	}
	emit_end(&r->emit, &b, emit_untimed(&r->emit, rk->call->start_ns));
}

/* %file */

static void emit_file(struct recorder_rank *rk, struct recorder_handle *h)
{
	struct recorder *r = rk->r;
	struct iot_builder b;
	struct open_description *d = h->open;
	if (h->ended) /* closed, but a duplicate of its descriptor is still in use */
		d->id = ++r->tracker.files;
	h->ended = false;
	h->reported = true;
	if (!rk->announced)
		recorder_emit_process(rk);
	if (!emit_begin(&r->emit, &b, "file"))
		return;
	iot_directive_number(&b, "process", recorder_process(rk));
	iot_directive_number(&b, "id", d->id);
	iot_directive_number(&b, "object", fdtable_object(&r->tracker, d));
	if (d->file != NULL && file_has_path(&r->tracker, d->file))
		iot_directive_text(&b, "path", d->file->path, d->file->path_size);
	else
		emit_text(&b, "source-id", r->paths.text[rk->call->signature->target - 1]);
	if (r->layers == (EMIT_LAYER_POSIX | EMIT_LAYER_MPIIO))
		emit_string(&b, "layer",
			    rk->call->signature->function->layer == EMIT_LAYER_MPIIO ? "mpiio"
										     : "posix");
	emit_end(&r->emit, &b,
		 h->inferred ? emit_untimed(&r->emit, rk->call->start_ns) : rk->call->start_ns);
}

/* Records */

void recorder_emit_record(struct recorder_rank *rk, const struct recorder_io *io)
{
	struct recorder *r = rk->r;
	struct open_description *d = io->handle->open;
	if (!io->handle->reported || io->handle->ended)
		emit_file(rk, io->handle);
	struct iot_event *ev = emit_event(&r->emit);
	if (ev == NULL)
		return;
	unsigned type = IOT_LOGICAL | (io->write ? IOT_WRITE : 0U) | (io->async ? IOT_ASYNC : 0U);
	emit_record(ev, (struct iot_record){
			    .start_ns = rk->call->start_ns,
			    .duration_ns = rk->call->duration_ns,
			    .offset = io->offset.offset,
			    .length = io->length,
			    .file = d->id,
			    .process = recorder_process(rk),
			    .object = fdtable_object(&r->tracker, d),
			    .type = (uint8_t)type,
			    .flags = (uint8_t)(IOT_CPU_UNKNOWN |
					       (io->offset.known ? 0U : IOT_OFFSET_UNKNOWN))});
	r->src->report.records++;
	r->src->report.record_bytes += io->length;
	if (io->offset.known)
		return;
	r->counts.count[RECORDER_UNKNOWN_RECORDS]++;
	r->counts.count[RECORDER_UNKNOWN_BYTES] += io->length;
}

/* %op */

void recorder_emit_op(struct recorder_rank *rk, const struct recorder_op *op)
{
	struct recorder *r = rk->r;
	if (!emit_wants_op(&r->emit, op->name))
		return;
	if (op->handle != NULL && !op->handle->reported)
		emit_file(rk, op->handle);
	if (!rk->announced)
		recorder_emit_process(rk);
	struct emit_operation made = {.name = op->name,
				      .start_ns = rk->call->start_ns,
				      .timed = true,
				      .duration_ns = rk->call->duration_ns,
				      .process = recorder_process(rk),
				      .file = op->handle != NULL ? op->handle->open->id : 0,
				      .path = op->path,
				      .to = op->to,
				      .has_size = strcmp(op->name, "truncate") == 0 &&
						  rk->call->offset_known && rk->call->offset >= 0,
				      .size = (uint64_t)rk->call->offset};
	if (op->result_known)
		made.result =
		    op->failed ? (struct iot_text){"error", 5} : (struct iot_text){"0", 1};
	emit_operation(&r->emit, &made);
}

/* Counts */

void recorder_unparsed(struct recorder_rank *rk)
{
	const struct recorder_signature *s = rk->call->signature;
	char text[160], where[32];
	size_t n = strlen(s->function->name), more = sizeof text - n - 1;
	snprintf(where, sizeof where, "rank %u", rk->rank);
	memcpy(text, s->function->name, n);
	text[n++] = ' ';
	more = s->args_size < more ? s->args_size : more;
	if (more > 0)
		memcpy(text + n, s->args, more);
	report_unparsed(&rk->r->src->report, where, 0, text, n + more);
}

/*
 * Maximum number of files whose uncertain records are reported one by one; further files are in the
 * total only.
 */
enum { AMBIGUITIES_MAX = 4096 };

void recorder_ambiguity(struct recorder_rank *rk, struct recorder_handle *h)
{
	struct recorder_counts *c = &rk->r->counts;
	const uint32_t file = h->open->id;
	if (h->ambiguity == 0 || c->ambiguity[h->ambiguity - 1].file != file) {
		if (c->ambiguities == AMBIGUITIES_MAX)
			return;
		if (!array_reserve(&c->ambiguity, &c->ambiguity_capacity, c->ambiguities + 1,
				   sizeof *c->ambiguity)) {
			rk->r->status = IOT_ENOMEM;
			return;
		}
		c->ambiguity[c->ambiguities++] =
		    (struct recorder_ambiguity){.process = recorder_process(rk), .file = file};
		h->ambiguity = (uint32_t)c->ambiguities;
	}
	c->ambiguity[h->ambiguity - 1].records++;
}

void recorder_emit_counters(struct recorder *r)
{
	const struct recorder_counts *c = &r->counts;
	struct iot_builder b;
	for (size_t i = 0; i < c->ambiguities && emit_begin(&r->emit, &b, "counter"); i++) {
		emit_string(&b, "source", "recorder");
		iot_directive_number(&b, "process", c->ambiguity[i].process);
		iot_directive_number(&b, "file", c->ambiguity[i].file);
		iot_directive_number(&b, "ambiguous", c->ambiguity[i].records);
		emit_end(&r->emit, &b, c->last_ns);
	}
	for (size_t i = 0; i < RECORDER_COUNTS; i++)
		if (c->count[i] > 0)
			report_add(&r->src->report, count_name[i], c->count[i]);
	emit_counts(&r->emit, "recorder", c->last_ns);
}

/* Checks */

void recorder_check(struct recorder *r, const char *where, uint32_t function, uint64_t declared,
		    uint64_t seen)
{
	char what[64];
	struct iot_text name = {"a function without a name", 25};
	r->counts.compared += declared > 0 || seen > 0;
	if (declared == seen)
		return;
	if (function < r->meta.functions)
		name = r->meta.function[function].name;
	snprintf(what, sizeof what, "calls of %.*s", name.size < 40 ? (int)name.size : 40,
		 name.data);
	report_differs(&r->src->report, where, what, declared, seen);
}

void recorder_check_cst(struct recorder *r, const struct recorder_cst *c, const char *where)
{
	const size_t functions = r->meta.functions + RECORDER_USER_FUNCTION + 1;
	struct totals {
		uint64_t declared, seen;
	} * sum;
	if (c == NULL || c->declared == NULL || c->seen == NULL)
		return;
	sum = calloc(functions, sizeof *sum);
	if (sum == NULL) {
		r->status = IOT_ENOMEM;
		return;
	}
	for (uint32_t i = 0; i < c->count; i++) {
		sum[c->signature[i].id].declared += c->declared[i];
		sum[c->signature[i].id].seen += c->seen[i];
	}
	for (uint32_t i = 0; i < functions; i++)
		recorder_check(r, where, i, sum[i].declared, sum[i].seen);
	free(sum);
}
