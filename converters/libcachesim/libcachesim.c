/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts the request traces of libCacheSim, a simulator of caches: oracleGeneral, lcs, and vscsi
 * of VMware. layout.c describes them.
 *
 * A request names its data by an id. In vscsi it is a block of a disk; elsewhere it is what the
 * maker of the trace chose, and becomes the offset in one file, unless --block declares that it is
 * made of an object and a block.
 */
#include "libcachesim.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/number.h"
#include "lib/base/size.h"
#include "lib/base/plural.h"

enum {
	SNIFFED_MAX = 8,
	BLOCK_BITS = 40,
	BLOCK_MAX = 1 << 24,
	CACHE_OPS = 15,
	DELETE = 9,
	PADDING = 8
};

#define NS_MAX          INT64_MAX
#define BYTES_BLOCK_MAX (UINT64_MAX / IOT_BLOCK_SIZE)

static const struct iot_format_option options[] = {
    {"block", "SIZE", "an id is object << 40 | block, of blocks of this size in bytes"},
    {"request", "LAYOUT",
     "oracleGeneral, oracleGeneralOpNS, vscsi1 or vscsi2, if the first requests do not show it"},
    {NULL, NULL, NULL},
};

struct lcs {
	struct source_state *src;
	struct lcs_layout layout;
	struct bufreader *in;
	size_t member;
	uint64_t at; /* requests read of this member */
	uint64_t block;
	struct idmap files;
	struct emit emit;
	int64_t latest_ns;
	uint64_t ids, reads; /* whose offset, whose operation is not known */
	bool began, ended;
	struct error cut; /* the first truncated member */
};

/* Files of other formats alongside speak against weak evidence. */
static int sniff(struct input *in)
{
	struct lcs_layout l;
	struct error error = {0};
	int min = INT_MAX;
	for (size_t i = 0; i < input_count(in) && i < SNIFFED_MAX && min > 0; i++) {
		size_t size;
		const char *head = input_head(in, i, &size);
		const int bits = lcs_layout_detect(&l, head, size, &error);
		min = bits < min ? bits : min;
	}
	return min;
}

/* Members */

static const char *member_name(const struct lcs *s, char name[256])
{
	const char *path = input_name(s->src->input, s->member);
	return escape_text(name, 256, path, strlen(path));
}

static int set_layout(struct lcs *s)
{
	struct error error = {0}, *e = &s->src->error;
	const char *named = source_setting(s->src, "request");
	char name[256];
	size_t size;
	const char *head = input_head(s->src->input, s->member, &size);
	if (named != NULL && !lcs_layout_named(&s->layout, named))
		return source_setting_wrong(s->src, "request",
					    "oracleGeneral, oracleGeneralOpNS, vscsi1 or vscsi2");
	if (named == NULL && lcs_layout_detect(&s->layout, head, size, &error) == 0)
		return error_set(e, IOT_EFORMAT,
				 "%s: not known requests of libCacheSim; name them with %srequest",
				 member_name(s, name), s->src->option_prefix);
	if (error.status != IOT_OK)
		return error_set(e, error.status, "%s: %s", member_name(s, name), error.text);
	return IOT_OK;
}

/* Opens s->member, after its header. */
static int open_member(struct lcs *s)
{
	size_t have;
	if (set_layout(s) != IOT_OK)
		return s->src->error.status;
	s->in = input_open(s->src->input, s->member, &s->src->error);
	if (s->in == NULL)
		return s->src->error.status;
	s->at = 0;
	if (s->layout.header > 0) {
		(void)bufreader_peek(s->in, s->layout.header, &have);
		bufreader_consume(s->in, have < s->layout.header ? have : s->layout.header);
	}
	return IOT_OK;
}

/* Events */

static void emit_trace(struct lcs *s)
{
	struct iot_builder b;
	char lacks[64];
	if (!emit_begin(&s->emit, &b, "trace"))
		return;
	emit_string(&b, "source", "libcachesim");
	emit_string(&b, "log-format", s->layout.name);
	snprintf(lacks, sizeof lacks, "%scompletion,cpu,asynchronous,results%s",
		 s->layout.time.size > 0 ? "" : "start,",
		 s->layout.tenant.size > 0 ? "" : ",processes");
	emit_string(&b, "lacks", lacks);
	emit_end(&s->emit, &b, 0);
}

static void emit_lost(struct lcs *s, const char *key, uint64_t n, const char *why)
{
	struct iot_builder b;
	char name[256];
	error_set(&s->cut, IOT_ETRUNCATED, "%s: %s", member_name(s, name), why);
	s->src->lost_reported = true;
	if (!emit_begin(&s->emit, &b, "lost"))
		return;
	iot_directive_number(&b, "time", (uint64_t)s->latest_ns);
	iot_directive_number(&b, key, n);
	emit_string(&b, "why", why);
	emit_end(&s->emit, &b, s->latest_ns);
}

/* Emits %file before the first record of a file. Returns false if that is not possible. */
static bool define_file(struct lcs *s, const struct iot_record *rec)
{
	const bool disk = (rec->type & IOT_LOGICAL) == 0;
	const size_t known = s->files.count;
	const size_t i = idmap_number(&s->files, idmap_pair(rec->process, rec->file << 1 | disk));
	struct iot_builder b;
	if (i != SIZE_MAX && i < known)
		return true;
	if (i == SIZE_MAX || i >= LCS_FILES_MAX) {
		error_set(&s->src->error, i == SIZE_MAX ? IOT_ENOMEM : IOT_ELIMIT,
			  i == SIZE_MAX ? "out of memory" : "more than %d files", LCS_FILES_MAX);
		return false;
	}
	if (!emit_begin(&s->emit, &b, "file"))
		return false;
	iot_directive_number(&b, "process", rec->process);
	iot_directive_number(&b, "id", rec->file);
	if (rec->file > 0)
		iot_directive_number(&b, "object", rec->file);
	if (disk)
		emit_string(&b, "kind", "disk");
	emit_end(&s->emit, &b, rec->start_ns);
	return true;
}

/* Sets file, offset, length and whether the I/O is one of a disk. */
static void set_data(struct lcs *s, struct iot_record *rec, uint64_t id, uint64_t size)
{
	rec->file = 1;
	rec->offset = id;
	rec->length = size;
	if (s->layout.scsi_blocks && size % IOT_BLOCK_SIZE == 0) {
		rec->length = size / IOT_BLOCK_SIZE;
		return;
	}
	rec->type |= IOT_LOGICAL;
	if (s->layout.scsi_blocks) {
		rec->offset = id * IOT_BLOCK_SIZE;
		report_add(&s->src->report, "unaligned.records", 1);
	} else if (s->block > 0) {
		rec->file = (uint32_t)(id >> BLOCK_BITS);
		rec->offset = (id & ((UINT64_C(1) << BLOCK_BITS) - 1)) * s->block;
	} else {
		s->ids++;
	}
}

/* Names of libCacheSim's operations; only the number of `delete` matters. */
static bool is_cache_write(uint64_t op)
{
	/* set, add, cas, replace, append, prepend, incr, decr, write, update */
	return op < CACHE_OPS && (0x6df8U >> op & 1) != 0;
}

static void emit_delete(struct lcs *s, const struct iot_record *rec)
{
	struct iot_builder b;
	s->src->report.calls++;
	if (!emit_wants_op(&s->emit, "delete") || !emit_begin(&s->emit, &b, "op"))
		return;
	emit_string(&b, "name", "delete");
	iot_directive_number(&b, "time", (uint64_t)rec->start_ns);
	iot_directive_number(&b, "process", rec->process);
	iot_directive_number(&b, "file", rec->file);
	iot_directive_number(&b, "offset", rec->offset);
	emit_end(&s->emit, &b, rec->start_ns);
}

static void count_unparsed(struct lcs *s, const char *why)
{
	char name[256], text[64];
	const int n = snprintf(text, sizeof text, "request %ju: %s", (uintmax_t)s->at, why);
	report_unparsed(&s->src->report, member_name(s, name), 0, text, (size_t)n);
}

/* Sets the type. Returns why the request is not a record, or NULL. */
static const char *set_op(struct lcs *s, struct iot_record *rec, uint64_t op)
{
	switch (s->layout.ops) {
	case LCS_SCSI_OPS:
		if (!lcs_is_transfer(op))
			return "neither read nor write";
		rec->type = lcs_is_write(op) ? IOT_WRITE : 0;
		return NULL;
	case LCS_CACHE_OPS:
		rec->type = is_cache_write(op) ? IOT_WRITE : 0;
		s->reads += op == 0 || op >= CACHE_OPS;
		return NULL;
	default:
		s->reads++;
		rec->type = 0;
		return NULL;
	}
}

/* Converts one request. Returns false if src->error is set. */
static bool convert_request(struct lcs *s, const unsigned char *item)
{
	const struct lcs_layout *l = &s->layout;
	struct iot_record rec = {.flags = IOT_DURATION_UNKNOWN | IOT_CPU_UNKNOWN};
	const uint64_t time = lcs_load(item, l->time), size = lcs_load(item, l->size),
		       op = lcs_load(item, l->op), tenant = lcs_load(item, l->tenant),
		       id = lcs_load(item, l->id);
	const char *why = set_op(s, &rec, op);
	s->at++;
	if (why == NULL && time > (uint64_t)NS_MAX / l->tick_ns)
		why = "a time beyond 2^63-1 nanoseconds";
	if (why == NULL && size > INT64_MAX)
		why = "a negative size";
	if (why == NULL && tenant > UINT32_MAX)
		why = "a tenant of more than 32 bits";
	if (why == NULL && l->scsi_blocks && size % IOT_BLOCK_SIZE != 0 && id > BYTES_BLOCK_MAX)
		why = "an offset beyond 2^64-1 bytes";
	if (why != NULL) {
		count_unparsed(s, why);
		return true;
	}
	rec.start_ns = (int64_t)(time * l->tick_ns);
	rec.process = (uint32_t)tenant;
	if (l->time.size == 0)
		rec.flags |= IOT_START_UNKNOWN;
	set_data(s, &rec, id, size);
	if (!define_file(s, &rec))
		return false;
	s->latest_ns = rec.start_ns > s->latest_ns ? rec.start_ns : s->latest_ns;
	if (l->ops == LCS_CACHE_OPS && op == DELETE) {
		emit_delete(s, &rec);
		return true;
	}
	struct iot_event *ev = emit_event(&s->emit);
	if (ev == NULL)
		return false;
	emit_record(ev, rec);
	s->src->report.records++;
	s->src->report.calls++;
	return true;
}

/* Input */

static void end_of_member(struct lcs *s, size_t left)
{
	const struct error *e = bufreader_error(s->in);
	const uint64_t declared = s->layout.requests;
	if (e->status != IOT_OK)
		error_set(&s->src->error, e->status, "%s", e->text);
	else if (left > 0)
		emit_lost(s, "bytes", left, "the last request is truncated");
	else if (declared > s->at)
		emit_lost(s, "records", declared - s->at,
			  "fewer requests than the header declares");
	bufreader_free(s->in);
	s->in = NULL;
	s->member++;
	if (s->src->error.status == IOT_OK && s->member < input_count(s->src->input))
		(void)open_member(s);
}

/* Converts the requests of n bytes while there is capacity for events. Returns the bytes used. */
static size_t convert_items(struct lcs *s, const char *data, size_t n)
{
	const size_t item = s->layout.item;
	size_t used = 0;
	while (used + item <= n && s->emit.count < s->emit.max &&
	       convert_request(s, (const unsigned char *)data + used))
		used += item;
	return used;
}

static void fill(struct lcs *s)
{
	const size_t item = s->layout.item;
	char last[LCS_ITEM_MAX + PADDING] = "";
	size_t have;
	const char *data = bufreader_peek(s->in, item + PADDING, &have);
	if (have < item) {
		end_of_member(s, have);
		return;
	}
	/* eight bytes must be readable at each field */
	size_t used = have >= item + PADDING ? convert_items(s, data, have - PADDING) : 0;
	if (used == 0 && have < item + PADDING) {
		memcpy(last, data, item);
		used = convert_items(s, last, item);
	}
	bufreader_consume(s->in, used);
}

static void finish(struct lcs *s)
{
	struct report *r = &s->src->report;
	s->ended = true;
	if (s->ids > 0) {
		report_add(r, "ambiguous.id", s->ids);
		report_note(r,
			    "the ids of %ju %s offsets in one file; %sblock splits them if they "
			    "are made of objects and blocks",
			    (uintmax_t)s->ids, plural(s->ids, "request are", "requests are"),
			    s->src->option_prefix);
		report_noted(r, "ambiguous.id");
	}
	if (s->reads > 0) {
		report_add(r, "unknown.op_records", s->reads);
		report_note(r, "the operation of %ju %s", (uintmax_t)s->reads,
			    plural(s->reads, "request is not known; it is a read",
				   "requests is not known; they are reads"));
	}
	emit_counts(&s->emit, "libcachesim", s->latest_ns);
}

/* Interface */

static int set_block(struct lcs *s)
{
	const char *block = source_setting(s->src, "block");
	if (block == NULL)
		return IOT_OK;
	if (size_parse(block, strlen(block), &s->block) == SIZE_VALID && s->block > 0 &&
	    s->block <= BLOCK_MAX)
		return IOT_OK;
	return source_setting_wrong(s->src, "block", "a size from 1 to 16M");
}

static int open_source(struct source_state *src)
{
	struct lcs *s = calloc(1, sizeof *s);
	src->state = s;
	if (s == NULL)
		return error_no_memory(&src->error);
	s->src = src;
	s->emit.report = &src->report;
	s->emit.directive_capacity = LCS_DIRECTIVE;
	src->first_ns = 0;
	src->scoped = true;
	if (emit_set_ops(&s->emit, src) != IOT_OK || set_block(s) != IOT_OK ||
	    open_member(s) != IOT_OK)
		return src->error.status;
	src->tick_ns = s->layout.tick_ns;
	return IOT_OK;
}

static int next(struct source_state *src, struct iot_event *out, int max)
{
	struct lcs *s = src->state;
	const int left = emit_leftovers(&s->emit, out, max);
	if (left > 0)
		return left;
	emit_start(&s->emit, out, max);
	if (!s->began)
		emit_trace(s);
	s->began = true;
	while (s->emit.count < s->emit.max && !s->ended) {
		if (s->in != NULL && src->error.status == IOT_OK && s->emit.status == IOT_OK)
			fill(s);
		else
			finish(s);
	}
	if (s->emit.status != IOT_OK)
		error_set(&src->error, s->emit.status, "out of memory");
	/* Requests are expected in order; convert sorts them all if they are not. */
	if (s->emit.over_count == 0)
		src->watermark_ns = s->latest_ns;
	if (s->emit.count > 0)
		return (int)s->emit.count;
	if (src->error.status == IOT_OK && s->cut.status != IOT_OK)
		src->error = s->cut;
	return src->error.status;
}

static void close_source(struct source_state *src)
{
	struct lcs *s = src->state;
	if (s == NULL)
		return;
	bufreader_free(s->in);
	idmap_free(&s->files);
	emit_free(&s->emit);
	free(s);
	src->state = NULL;
}

const struct converter converter_libcachesim = {
    .name = "libcachesim",
    .summary = "request traces of libCacheSim: oracleGeneral, lcs, vscsi",
    .options = options,
    .sniff = sniff,
    .open = open_source,
    .next = next,
    .close = close_source,
};
