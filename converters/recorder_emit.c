/* SPDX-License-Identifier: BSD-2-Clause */
/* Events. Directives without a time of their own get the earliest at which one can still come. */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

#include "lib/number.h"
#include "lib/room.h"

enum { CHUNK_SIZE = 64 << 10, DIRECTIVE_ROOM = 2 * 3 * IOT_PATH_ROOM + 512 };

static const char *const count_name[RECORDER_COUNTS] = {
    [RECORDER_AMBIGUOUS_HANDLE] = "ambiguous.handle",
    [RECORDER_AMBIGUOUS_LENGTH] = "ambiguous.length",
    [RECORDER_AMBIGUOUS_END] = "ambiguous.end",
    [RECORDER_IMPLIED] = "unopened_records",
    [RECORDER_UNKNOWN_RECORDS] = "unknown.offset_records",
    [RECORDER_UNKNOWN_BYTES] = "unknown.offset_bytes",
    [RECORDER_UNKNOWN_LENGTH] = "hidden.mpi_type",
    [RECORDER_UNNAMED] = "unnamed_descriptor",
    [RECORDER_HIDDEN_MMAP] = "hidden.mmap",
    [RECORDER_HIDDEN_PRINTF] = "hidden.fprintf",
    [RECORDER_BACKWARDS] = "clock.backwards",
    [RECORDER_REFUSED] = "failed.negative_offset",
};

/* Text that lives until the next call of next */

void iot_recorder_text_reset(struct recorder *r)
{
	for (struct recorder_chunk *c = r->chunks; c != NULL; c = c->next)
		c->used = 0;
	r->chunk = r->chunks;
}

static char *text_room(struct recorder *r, size_t need)
{
	struct recorder_chunk *c = r->chunk, **last = &r->chunks;
	while (c != NULL && c->room - c->used < need)
		c = c->next;
	if (c == NULL) {
		size_t room = need > CHUNK_SIZE ? need : CHUNK_SIZE;
		c = malloc(sizeof *c + room);
		if (c == NULL) {
			r->status = IOT_ENOMEM;
			return NULL;
		}
		*c = (struct recorder_chunk){.room = room};
		while (*last != NULL)
			last = &(*last)->next;
		*last = c;
	}
	r->chunk = c;
	return c->text + c->used;
}

/* Events that do not fit any more wait for the next call. */
struct iot_event *iot_recorder_event_over(struct recorder *r)
{
	if (!iot_room(&r->over, &r->over_room, r->over_count + 1, sizeof *r->over)) {
		r->status = IOT_ENOMEM;
		return NULL;
	}
	return &r->over[r->over_count++];
}

static bool begin(struct recorder *r, struct iot_builder *b, const char *name, size_t room)
{
	char *memory = text_room(r, room);
	if (memory == NULL)
		return false;
	iot_directive_begin(b, memory, room, name);
	return true;
}

static void end(struct recorder *r, struct iot_builder *b, int64_t start_ns)
{
	struct iot_event made = {0};
	if (iot_directive_end(b, &made) != IOT_OK) { /* only ever too long */
		iot_report_add(&r->src->report, "directive.too_long", 1);
		return;
	}
	struct iot_event *ev = iot_recorder_event(r);
	if (ev == NULL)
		return;
	*ev = made;
	ev->rec.start_ns = start_ns;
	r->chunk->used += made.text.size;
}

static int64_t undated(const struct recorder *r, int64_t from_ns)
{
	return r->promised_ns < from_ns ? r->promised_ns : from_ns;
}

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

static void put_text(struct iot_builder *b, const char *key, struct iot_text text)
{
	iot_directive_text(b, key, text.data, text.size);
}

static void put_string(struct iot_builder *b, const char *key, const char *text)
{
	iot_directive_text(b, key, text, strlen(text));
}

void iot_recorder_emit_trace(struct recorder *r)
{
	const struct recorder_meta *m = &r->meta;
	struct iot_builder b;
	struct iot_text word[5];
	bool epoch =
	    m->kind == RECORDER_PEEPHOLE || (m->kind == RECORDER_COMPRESSED && m->start_s > 0);
	if (!begin(r, &b, "trace", DIRECTIVE_ROOM))
		return;
	put_string(&b, "source", "recorder");
	if (*m->version != '\0')
		put_string(&b, "log-format", m->version);
	if (folder_words(r, word)) {
		put_text(&b, "command", word[3]);
		put_text(&b, "host", word[1]);
		put_text(&b, "user", word[2]);
	}
	if (epoch)
		iot_directive_number(&b, "epoch", 0);
	put_string(&b, "lacks", "cpu");
	iot_directive_number(&b, "ranks", m->ranks);
	put_string(&b, "layer",
		   r->layers == RECORDER_LAYER_POSIX   ? "posix"
		   : r->layers == RECORDER_LAYER_MPIIO ? "mpiio"
						       : "both");
	put_string(&b, "lengths", "requested");
	put_string(&b, "clocks", m->kind == RECORDER_PEEPHOLE ? "per-rank" : "rank-0");
	end(r, &b, r->src->first_ns);
}

void iot_recorder_emit_process(struct recorder_rank *k)
{
	struct recorder *r = k->r;
	struct iot_builder b;
	struct iot_text word[5];
	k->announced = true;
	if (!begin(r, &b, "process", DIRECTIVE_ROOM))
		return;
	iot_directive_number(&b, "id", iot_recorder_process(k));
	iot_directive_number(&b, "rank", k->rank);
	if (folder_words(r, word)) {
		put_text(&b, "name", word[3]);
		if (k->rank == 0) { /* who made the folder */
			put_text(&b, "host", word[1]);
			put_text(&b, "pid", word[4]);
		}
	}
	end(r, &b, undated(r, k->call.start_ns));
}

/* %file */

static uint32_t object_of(struct recorder *r, struct iot_description *d)
{
	uint32_t *object = d->file != NULL ? &d->file->object : &d->object;
	if (*object == 0)
		*object = ++r->tracker.objects;
	return *object;
}

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
	if (!begin(r, &b, "file", DIRECTIVE_ROOM))
		return;
	iot_directive_number(&b, "process", iot_recorder_process(k));
	iot_directive_number(&b, "id", d->id);
	iot_directive_number(&b, "object", object_of(r, d));
	if (d->file != NULL && d->file->path != NULL)
		iot_directive_text(&b, "path", d->file->path, d->file->path_size);
	else
		put_text(&b, "source-id", r->paths.text[k->call.signature->place - 1]);
	if (r->layers == (RECORDER_LAYER_POSIX | RECORDER_LAYER_MPIIO))
		put_string(&b, "layer",
			   iot_recorder_is_mpi(k->call.signature->function) ? "mpiio" : "posix");
	end(r, &b, h->implied ? undated(r, k->call.start_ns) : k->call.start_ns);
}

/* Records */

void iot_recorder_emit_record(struct recorder_rank *k, const struct recorder_io *io)
{
	struct recorder *r = k->r;
	struct iot_description *d = io->handle->open;
	if (!io->handle->told || io->handle->ended)
		tell_file(k, io->handle);
	struct iot_event *ev = iot_recorder_event(r);
	if (ev == NULL)
		return;
	unsigned type = IOT_LOGICAL | (io->write ? IOT_WRITE : 0U) | (io->async ? IOT_ASYNC : 0U);
	ev->rec = (struct iot_record){
	    .start_ns = k->call.start_ns,
	    .duration_ns = k->call.duration_ns,
	    .offset = io->place.offset,
	    .length = io->length,
	    .file = d->id,
	    .process = iot_recorder_process(k),
	    .object = object_of(r, d),
	    .type = (uint8_t)type,
	    .flags = (uint8_t)(IOT_CPU_UNKNOWN | (io->place.known ? 0U : IOT_OFFSET_UNKNOWN))};
	ev->text = (struct iot_text){0};
	ev->kind = IOT_RECORD;
	ev->has = 0;
	r->src->report.records++;
	if (io->place.known)
		return;
	r->count[RECORDER_UNKNOWN_RECORDS]++;
	r->count[RECORDER_UNKNOWN_BYTES] += io->length;
}

/* %op */

static bool wants_op(const struct recorder *r, const char *name)
{
	static const char *const names[] = {"create", "close", "unlink",  "rmdir", "rename",
					    "link",   "mkdir", "symlink", "mknod"};
	if (r->ops != RECORDER_OPS_NAMES)
		return r->ops == RECORDER_OPS_ALL;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

void iot_recorder_emit_op(struct recorder_rank *k, const struct recorder_op *op)
{
	struct recorder *r = k->r;
	struct iot_builder b;
	if (!wants_op(r, op->name))
		return;
	if (op->handle != NULL && !op->handle->told)
		tell_file(k, op->handle);
	if (!k->announced)
		iot_recorder_emit_process(k);
	if (!begin(r, &b, "op", DIRECTIVE_ROOM))
		return;
	put_string(&b, "name", op->name);
	iot_directive_number(&b, "time", k->call.start_ns > 0 ? (uint64_t)k->call.start_ns : 0);
	iot_directive_number(&b, "took", k->call.duration_ns);
	iot_directive_number(&b, "process", iot_recorder_process(k));
	if (op->handle != NULL)
		iot_directive_number(&b, "file", op->handle->open->id);
	if (op->path.size > 0)
		put_text(&b, "path", op->path);
	if (op->to.size > 0)
		put_text(&b, "to", op->to);
	if (op->result_known)
		put_string(&b, "result", op->failed ? "error" : "0");
	end(r, &b, k->call.start_ns);
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
	memcpy(text + n, s->args, more);
	iot_report_unparsed(&k->r->src->report, where, 0, text, n + more);
}

void iot_recorder_emit_counters(struct recorder *r)
{
	struct iot_builder b;
	struct iot_report *report = &r->src->report;
	for (size_t i = 0; i < RECORDER_COUNTS; i++)
		if (r->count[i] > 0)
			iot_report_add(report, count_name[i], r->count[i]);
	if ((report->counts == 0 && report->unparsed == 0) ||
	    !begin(r, &b, "counter", DIRECTIVE_ROOM))
		return;
	put_string(&b, "source", "recorder");
	for (size_t i = 0; i < report->counts; i++)
		iot_directive_number(&b, report->count[i].name, report->count[i].value);
	if (report->unparsed > 0)
		iot_directive_number(&b, "unparsed", report->unparsed);
	end(r, &b, r->last_ns);
}
