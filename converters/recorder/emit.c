/* SPDX-License-Identifier: BSD-2-Clause */
/* Events. Directives without a time of their own get the earliest at which one can still come. */
#include "recorder.h"

#include <string.h>

#include "lib/base/number.h"
#include "lib/base/array.h"

static const char *const count_name[RECORDER_COUNTS] = {
    [RECORDER_AMBIGUOUS_HANDLE] = "ambiguous.handle",
    [RECORDER_AMBIGUOUS_LENGTH] = "ambiguous.length",
    [RECORDER_AMBIGUOUS_END] = "ambiguous.end",
    [RECORDER_IMPLIED] = "unopened_records",
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

/* "HHMMSS.ms-host-user-exe-pid", the folder's own name in 3.0, if no part has a dash in it. */
static bool folder_words(const struct recorder *r, struct iot_text word[5])
{
	const char *slash = strrchr(r->folder, '/'), *p = slash == NULL ? r->folder : slash + 1;
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

void iot_recorder_emit_trace(struct recorder *r)
{
	const struct recorder_meta *m = &r->meta;
	struct iot_builder b;
	struct iot_text word[5];
	bool epoch =
	    m->kind == RECORDER_PEEPHOLE || (m->kind == RECORDER_COMPRESSED && m->start_s > 0);
	if (!iot_emit_begin(&r->emit, &b, "trace"))
		return;
	iot_emit_string(&b, "source", "recorder");
	if (*m->version != '\0')
		iot_emit_string(&b, "log-format", m->version);
	if (folder_words(r, word)) {
		iot_emit_text(&b, "command", word[3]);
		iot_emit_text(&b, "host", word[1]);
		iot_emit_text(&b, "user", word[2]);
	}
	if (epoch)
		iot_directive_number(&b, "epoch", 0);
	iot_emit_string(&b, "lacks", "cpu");
	iot_directive_number(&b, "ranks", m->ranks);
	iot_emit_string(&b, "layer",
			r->layers == RECORDER_LAYER_POSIX   ? "posix"
			: r->layers == RECORDER_LAYER_MPIIO ? "mpiio"
							    : "posix,mpiio");
	iot_emit_string(&b, "lengths", "requested");
	iot_emit_string(&b, "clocks", m->kind == RECORDER_PEEPHOLE ? "per-rank" : "rank-0");
	iot_emit_end(&r->emit, &b, r->src->first_ns);
}

void iot_recorder_emit_process(struct recorder_rank *k)
{
	struct recorder *r = k->r;
	struct iot_builder b;
	struct iot_text word[5];
	k->announced = true;
	if (!iot_emit_begin(&r->emit, &b, "process"))
		return;
	iot_directive_number(&b, "id", iot_recorder_process(k));
	iot_directive_number(&b, "rank", k->rank);
	if (folder_words(r, word)) {
		iot_emit_text(&b, "name", word[3]);
		if (k->rank == 0) { /* who made the folder */
			iot_emit_text(&b, "host", word[1]);
			iot_emit_text(&b, "pid", word[4]);
		}
	}
	iot_emit_end(&r->emit, &b, iot_emit_undated(&r->emit, k->call.start_ns));
}

/* %file */

static void tell_file(struct recorder_rank *k, struct recorder_handle *h)
{
	struct recorder *r = k->r;
	struct iot_builder b;
	struct iot_description *d = h->open;
	if (h->ended) /* closed once, but a copy of its descriptor lives on */
		d->id = ++r->tracker.files;
	h->ended = false;
	h->told = true;
	if (!k->announced)
		iot_recorder_emit_process(k);
	if (!iot_emit_begin(&r->emit, &b, "file"))
		return;
	iot_directive_number(&b, "process", iot_recorder_process(k));
	iot_directive_number(&b, "id", d->id);
	iot_directive_number(&b, "object", iot_tracker_object(&r->tracker, d));
	if (d->file != NULL && iot_file_has_path(&r->tracker, d->file))
		iot_directive_text(&b, "path", d->file->path, d->file->path_size);
	else
		iot_emit_text(&b, "source-id", r->paths.text[k->call.signature->place - 1]);
	if (r->layers == (RECORDER_LAYER_POSIX | RECORDER_LAYER_MPIIO))
		iot_emit_string(&b, "layer",
				iot_recorder_is_mpi(k->call.signature->function) ? "mpiio"
										 : "posix");
	iot_emit_end(&r->emit, &b,
		     h->implied ? iot_emit_undated(&r->emit, k->call.start_ns) : k->call.start_ns);
}

/* Records */

void iot_recorder_emit_record(struct recorder_rank *k, const struct recorder_io *io)
{
	struct recorder *r = k->r;
	struct iot_description *d = io->handle->open;
	if (!io->handle->told || io->handle->ended)
		tell_file(k, io->handle);
	struct iot_event *ev = iot_emit_event(&r->emit);
	if (ev == NULL)
		return;
	unsigned type = IOT_LOGICAL | (io->write ? IOT_WRITE : 0U) | (io->async ? IOT_ASYNC : 0U);
	iot_emit_record(ev, (struct iot_record){
				.start_ns = k->call.start_ns,
				.duration_ns = k->call.duration_ns,
				.offset = io->place.offset,
				.length = io->length,
				.file = d->id,
				.process = iot_recorder_process(k),
				.object = iot_tracker_object(&r->tracker, d),
				.type = (uint8_t)type,
				.flags = (uint8_t)(IOT_CPU_UNKNOWN |
						   (io->place.known ? 0U : IOT_OFFSET_UNKNOWN))});
	r->src->report.records++;
	r->src->report.record_bytes += io->length;
	if (io->place.known)
		return;
	r->count[RECORDER_UNKNOWN_RECORDS]++;
	r->count[RECORDER_UNKNOWN_BYTES] += io->length;
}

/* %op */

void iot_recorder_emit_op(struct recorder_rank *k, const struct recorder_op *op)
{
	struct recorder *r = k->r;
	struct iot_builder b;
	if (!iot_emit_wants_op(&r->emit, op->name))
		return;
	if (op->handle != NULL && !op->handle->told)
		tell_file(k, op->handle);
	if (!k->announced)
		iot_recorder_emit_process(k);
	if (!iot_emit_begin(&r->emit, &b, "op"))
		return;
	iot_emit_string(&b, "name", op->name);
	iot_directive_number(&b, "time", k->call.start_ns > 0 ? (uint64_t)k->call.start_ns : 0);
	iot_directive_number(&b, "took", k->call.duration_ns);
	iot_directive_number(&b, "process", iot_recorder_process(k));
	if (op->handle != NULL)
		iot_directive_number(&b, "file", op->handle->open->id);
	if (op->path.size > 0)
		iot_emit_text(&b, "path", op->path);
	if (op->to.size > 0)
		iot_emit_text(&b, "to", op->to);
	if (op->result_known)
		iot_emit_string(&b, "result", op->failed ? "error" : "0");
	iot_emit_end(&r->emit, &b, k->call.start_ns);
}

/* Counts */

void iot_recorder_unparsed(struct recorder_rank *k)
{
	const struct recorder_signature *s = k->call.signature;
	char text[160], where[32] = "rank ";
	size_t n = strlen(s->function->name), more = sizeof text - n - 1;
	where[5 + iot_number_dec(where + 5, k->rank)] = '\0';
	memcpy(text, s->function->name, n);
	text[n++] = ' ';
	more = s->args_size < more ? s->args_size : more;
	if (more > 0)
		memcpy(text + n, s->args, more);
	iot_report_unparsed(&k->r->src->report, where, 0, text, n + more);
}

/* Of more files than this only the sum is told. */
enum { DOUBTS_MAX = 4096 };

void iot_recorder_doubt(struct recorder_rank *k, struct recorder_handle *h)
{
	struct recorder *r = k->r;
	const uint32_t file = h->open->id;
	if (h->doubt == 0 || r->doubt[h->doubt - 1].file != file) {
		if (r->doubts == DOUBTS_MAX)
			return;
		if (!iot_room(&r->doubt, &r->doubt_room, r->doubts + 1, sizeof *r->doubt)) {
			r->status = IOT_ENOMEM;
			return;
		}
		r->doubt[r->doubts++] =
		    (struct recorder_doubt){.process = iot_recorder_process(k), .file = file};
		h->doubt = (uint32_t)r->doubts;
	}
	r->doubt[h->doubt - 1].records++;
}

static void tell_doubts(struct recorder *r)
{
	struct iot_builder b;
	for (size_t i = 0; i < r->doubts; i++) {
		const struct recorder_doubt *doubt = &r->doubt[i];
		if (!iot_emit_begin(&r->emit, &b, "counter"))
			return;
		iot_emit_string(&b, "source", "recorder");
		iot_directive_number(&b, "process", doubt->process);
		iot_directive_number(&b, "file", doubt->file);
		iot_directive_number(&b, "ambiguous", doubt->records);
		iot_emit_end(&r->emit, &b, r->last_ns);
	}
}

void iot_recorder_emit_counters(struct recorder *r)
{
	tell_doubts(r);
	struct iot_report *report = &r->src->report;
	for (size_t i = 0; i < RECORDER_COUNTS; i++)
		if (r->count[i] > 0)
			iot_report_add(report, count_name[i], r->count[i]);
	iot_emit_counts(&r->emit, "recorder", r->last_ns);
}
