/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Emits counter modules as %counter: all counters of all records, integers unchanged, doubles with
 * all significant digits. Of a record of fixed size, counters that are 0 are counted and not named.
 * Records of HEATMAP and LUSTRE have variable size. Counters that a module version lacks (-1 in the
 * tools' output) are left out. A record that is repeated with equal bytes, which only damage
 * produces, is emitted once with the number of repetitions.
 */
#include "darshan.h"

#include <stdio.h>
#include <string.h>

enum {
	DIRECTIVE_SPLIT = 56000, /* further counters go to another directive */
	RECORD_HEAD = 16,
	UUID_SIZE = 16,
	TEXT_SIZE = 128,
	REST_MAX = 65536, /* words after a record of fixed size */
	HEATMAP_HEAD = 48,
	HEATMAP_BINS_MAX = 65536,
	LUSTRE_OLD_HEAD = 56,
	LUSTRE_HEAD = 32,
	LUSTRE_COMPONENT = 72,
	LUSTRE_POOL = 16,
	LUSTRE_MAX = 16384, /* maximum of components and of stripes */
	PERMANENT_RANKS = INT32_MAX,
};

/* Directives. Counters apply to the whole job, so they follow its last record. */

bool darshan_group_begin(struct darshan *d, struct darshan_group *g)
{
	struct iot_builder *b = &g->b;
	const uint32_t object = darshan_object(d, g->id);
	const uint32_t process = object != 0 && g->rank >= 0 ? darshan_process(d, g->rank) : 0;
	if (object == 0 || (g->rank >= 0 && process == 0) || !emit_begin(&d->emit, b, "counter"))
		return false;
	d->contents.counters = true;
	emit_string(b, "source", g->source);
	if (process != 0)
		iot_directive_number(b, "process", process);
	darshan_signed(b, "rank", g->rank);
	iot_directive_number(b, "object", object);
	darshan_text_value(b, "path", darshan_name(d, g->id));
	iot_directive_number(b, "record", g->id);
	if (g->part > 0)
		iot_directive_number(b, "part", g->part + 1);
	return true;
}

bool darshan_group_split(struct darshan *d, struct darshan_group *g)
{
	if (g->b.size < DIRECTIVE_SPLIT)
		return true;
	emit_end(&d->emit, &g->b, d->clock.end_ns);
	g->part++;
	return darshan_group_begin(d, g);
}

void darshan_group_end(struct darshan *d, struct darshan_group *g)
{
	if (g->zeros > 0)
		iot_directive_number(&g->b, "zeros", g->zeros);
	if (g->times > 1)
		iot_directive_number(&g->b, "times", g->times);
	emit_end(&d->emit, &g->b, d->clock.end_ns);
	darshan_count(d, "counters.records", g->times);
}

/* Records */

/* Returns the first `size` bytes of the next record; NULL at the end or on damage. */
static const unsigned char *record_head(struct darshan *d, size_t size)
{
	const unsigned char *p = darshan_record_head(d, size, "a record");
	const int64_t rank = p != NULL ? darshan_i64(p + 8, d->log.swap) : 0;
	if (rank < -1 || rank > PERMANENT_RANKS) {
		darshan_damage(d, IOT_EFORMAT, "rank %lld in a record", (long long)rank);
		return NULL;
	}
	if (p != NULL)
		darshan_count_rank(d, rank);
	return p;
}

/* Counts consecutive copies of the current record and skips all but the last. */
static uint64_t skip_repeated(struct darshan *d, size_t size)
{
	struct darshan_region *r = &d->current.region;
	uint64_t times = 1;
	size_t have;
	const unsigned char *p = darshan_region_peek(r, 2 * size, &have);
	while (have >= 2 * size && memcmp(p, p + size, size) == 0) {
		darshan_region_consume(r, size);
		p = darshan_region_peek(r, 2 * size, &have);
		times++;
	}
	return times;
}

/*
 * Starts the directive of a record of `size` bytes and returns them. Returns NULL, with *status 0
 * after damage, negative if out of memory.
 */
static const unsigned char *begin_record(struct darshan *d, struct darshan_group *g, size_t size,
					 int *status)
{
	*status = 0;
	if (darshan_bytes(d, size, "a record") == NULL)
		return NULL;
	const uint64_t times = skip_repeated(d, size);
	const unsigned char *p = darshan_bytes(d, size, "a record");
	if (p == NULL)
		return NULL;
	*g = (struct darshan_group){.source = darshan_module_name(d->current.entry->module),
				    .id = darshan_u64(p, d->log.swap),
				    .rank = darshan_i64(p + 8, d->log.swap),
				    .times = times};
	*status = -1;
	return darshan_group_begin(d, g) ? p : NULL;
}

/* Returns the status of a step. */
static int end_record(struct darshan *d, struct darshan_group *g, size_t size, bool complete)
{
	if (!complete)
		return -1;
	darshan_group_end(d, g);
	darshan_region_consume(&d->current.region, size);
	return 1;
}

/* Appends an array of words; format contains one %u. Returns false if out of memory. */
static bool append_words(struct darshan *d, struct darshan_group *g, const char *format,
			 const unsigned char *p, uint64_t words)
{
	char name[64];
	for (unsigned i = 0; i < words; i++) {
		if (!darshan_group_split(d, g))
			return false;
		snprintf(name, sizeof name, format, i);
		darshan_signed(&g->b, name, darshan_i64(p + 8 * (size_t)i, d->log.swap));
	}
	return true;
}

/* Records of fixed size */

static bool is_in(const struct darshan_counter *counter, unsigned version)
{
	return version >= counter->since && version <= counter->until;
}

static size_t size_of(const struct darshan_counter *counter)
{
	if (counter->kind == DARSHAN_UUID)
		return UUID_SIZE;
	return counter->kind == DARSHAN_TEXT ? TEXT_SIZE : 8;
}

static size_t fields_size(const struct darshan_fields *f, unsigned version)
{
	size_t size = RECORD_HEAD;
	for (size_t i = 0; i < f->count; i++)
		size += is_in(&f->counter[i], version) ? size_of(&f->counter[i]) : 0;
	return size;
}

static void append_uuid(struct iot_builder *b, const char *name, const unsigned char *p)
{
	char text[2 * UUID_SIZE + 5] = "";
	for (size_t i = 0, n = 0; i < UUID_SIZE; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%02x",
				      i >= 4 && i <= 10 && i % 2 == 0 ? "-" : "", p[i]);
	emit_string(b, name, text);
}

static void append_counter(struct iot_builder *b, const struct darshan_counter *counter,
			   const unsigned char *p, bool swap)
{
	switch ((enum darshan_kind)counter->kind) {
	case DARSHAN_SIGNED:
	case DARSHAN_PLACE:
		darshan_signed(b, counter->name, darshan_i64(p, swap));
		break;
	case DARSHAN_UNSIGNED:
	case DARSHAN_ID:
		iot_directive_number(b, counter->name, darshan_u64(p, swap));
		break;
	case DARSHAN_DOUBLE:
		darshan_double(b, counter->name, darshan_f64(p, swap));
		break;
	case DARSHAN_WORD:
		darshan_signed(b, counter->name, (int32_t)darshan_u32(p, swap));
		break;
	case DARSHAN_UUID:
		append_uuid(b, counter->name, p);
		break;
	case DARSHAN_TEXT:
		iot_directive_text(b, counter->name, (const char *)p,
				   strnlen((const char *)p, TEXT_SIZE));
		break;
	}
}

/* Returns whether a number is 0 and identifies nothing. */
static bool is_zero(const struct darshan_counter *counter, const unsigned char *p)
{
	static const unsigned char zero[8] = {0};
	return (counter->kind == DARSHAN_SIGNED || counter->kind == DARSHAN_UNSIGNED ||
		counter->kind == DARSHAN_DOUBLE) &&
	       memcmp(p, zero, sizeof zero) == 0;
}

/* Returns false if out of memory. */
static bool append_fields(struct darshan *d, struct darshan_group *g,
			  const struct darshan_fields *f, const unsigned char *p)
{
	const struct darshan_map_entry *entry = d->current.entry;
	for (size_t i = 0; i < f->count; i++) {
		const struct darshan_counter *counter = &f->counter[i];
		if (!is_in(counter, entry->version))
			continue;
		if (!darshan_group_split(d, g))
			return false;
		if (is_zero(counter, p))
			g->zeros++;
		else
			append_counter(&g->b, counter, p, d->log.swap);
		if (d->check && counter->kind == DARSHAN_SIGNED)
			darshan_check_counter(d, entry->module, g, counter->name,
					      darshan_i64(p, d->log.swap));
		p += size_of(counter);
	}
	return true;
}

/* Emits a record of known fields, then `words` words named by the format `rest`. */
static int emit_record_of(struct darshan *d, const struct darshan_fields *f, const char *rest,
			  size_t words)
{
	const size_t fixed = fields_size(f, d->current.entry->version), size = fixed + 8 * words;
	struct darshan_group g;
	int status;
	const unsigned char *p = begin_record(d, &g, size, &status);
	if (p == NULL)
		return status;
	d->current.begun = true;
	return end_record(d, &g, size,
			  append_fields(d, &g, f, p + RECORD_HEAD) &&
			      append_words(d, &g, rest, p + fixed, words));
}

/*
 * AutoPerf has one version number for several layouts. In the layout known here, the id of the
 * record after the head has a name, and the following record, if any, has the same id.
 */
static bool is_layout(struct darshan *d, const struct darshan_counters *c, size_t head, size_t size)
{
	struct darshan_region *r = &d->current.region;
	size_t have;
	const unsigned char *p = darshan_region_peek(r, head + size + 8, &have);
	if (have < head + 8 || darshan_u64(p + RECORD_HEAD, d->log.swap) != c->magic)
		return false;
	const uint64_t id = darshan_u64(p + head, d->log.swap);
	if (darshan_name(d, id).size == 0)
		return false;
	if (have < head + size + 8) /* the only record, or truncated */
		return have == head + size || r->end.status != IOT_OK;
	const uint64_t next = darshan_u64(p + head + size, d->log.swap);
	return next == id || (next == 0 && d->log.compression == DARSHAN_UNCOMPRESSED);
}

int darshan_counters_step(struct darshan *d)
{
	const unsigned version = d->current.entry->version;
	const struct darshan_counters *c = darshan_counters(d->current.entry->module, version);
	const bool first = c->head.count > 0 && !d->current.begun;
	const size_t size = fields_size(first ? &c->head : &c->record, version);
	const unsigned char *p = record_head(d, size);
	if (p == NULL)
		return 0;
	if (first)
		return is_layout(d, c, size, fields_size(&c->record, version))
			   ? emit_record_of(d, &c->head, NULL, 0)
			   : darshan_skip_module(d);
	if (c->rest == NULL)
		return emit_record_of(d, &c->record, NULL, 0);
	const int64_t words = darshan_i64(p + RECORD_HEAD + 8 * c->rest_counter, d->log.swap);
	if (words >= 0 && words <= REST_MAX)
		return emit_record_of(d, &c->record, c->rest, words > 0 ? (size_t)words : 1);
	return darshan_damage(d, IOT_EFORMAT, "too many words after a record");
}

/* HEATMAP */

/* Record: id, rank, width of a bin, number of bins, 2 unused words; bins of writes, of reads. */
int darshan_heatmap_step(struct darshan *d)
{
	const unsigned char *p = record_head(d, HEATMAP_HEAD);
	struct darshan_group g;
	int status;
	if (p == NULL)
		return 0;
	const int64_t bins = darshan_i64(p + 24, d->log.swap);
	if (bins < 0 || bins > HEATMAP_BINS_MAX)
		return darshan_damage(d, IOT_EFORMAT, "%lld bins in a record", (long long)bins);
	const size_t size = HEATMAP_HEAD + 16 * (size_t)bins;
	p = begin_record(d, &g, size, &status);
	if (p == NULL)
		return status;
	darshan_double(&g.b, "HEATMAP_F_BIN_WIDTH_SECONDS", darshan_f64(p + 16, d->log.swap));
	p += HEATMAP_HEAD;
	return end_record(
	    d, &g, size,
	    append_words(d, &g, "HEATMAP_WRITE_BIN_%u", p, (uint64_t)bins) &&
		append_words(d, &g, "HEATMAP_READ_BIN_%u", p + 8 * bins, (uint64_t)bins));
}

/* LUSTRE */

static void append_component(struct darshan *d, struct iot_builder *b, const unsigned char *p,
			     unsigned number)
{
	static const char *const names[] = {"STRIPE_SIZE", "STRIPE_COUNT", "STRIPE_PATTERN",
					    "FLAGS",       "EXT_START",    "EXT_END",
					    "MIRROR_ID"};
	char name[64];
	const size_t count = sizeof names / sizeof *names;
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof name, "LUSTRE_COMP%u_%s", number, names[i]);
		darshan_signed(b, name, darshan_i64(p + 8 * i, d->log.swap));
	}
	const char *pool = (const char *)p + 8 * count;
	snprintf(name, sizeof name, "LUSTRE_COMP%u_POOL_NAME", number);
	iot_directive_text(b, name, pool, strnlen(pool, LUSTRE_POOL));
}

static void append_layout_old(struct darshan *d, struct iot_builder *b, const unsigned char *p)
{
	static const char *const names[] = {"LUSTRE_OSTS", "LUSTRE_MDTS", "LUSTRE_STRIPE_OFFSET",
					    "LUSTRE_STRIPE_SIZE", "LUSTRE_STRIPE_WIDTH"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		darshan_signed(b, names[i], darshan_i64(p + RECORD_HEAD + 8 * i, d->log.swap));
}

static bool append_layout(struct darshan *d, struct darshan_group *g, const unsigned char *p,
			  unsigned components, unsigned stripes)
{
	iot_directive_number(&g->b, "LUSTRE_NUM_COMPONENTS", components);
	iot_directive_number(&g->b, "LUSTRE_NUM_STRIPES", stripes);
	p += LUSTRE_HEAD;
	for (unsigned i = 0; i < components; i++, p += LUSTRE_COMPONENT) {
		if (!darshan_group_split(d, g))
			return false;
		append_component(d, &g->b, p, i + 1);
	}
	return true;
}

int darshan_lustre_step(struct darshan *d)
{
	const bool old = d->current.entry->version == 1;
	const size_t head = old ? LUSTRE_OLD_HEAD : LUSTRE_HEAD;
	const unsigned char *p = record_head(d, head);
	struct darshan_group g;
	int status;
	if (p == NULL)
		return 0;
	const int64_t components = old ? 0 : darshan_i64(p + 16, d->log.swap);
	int64_t stripes = darshan_i64(p + (old ? 48 : 24), d->log.swap);
	if (old && stripes == -1) /* the stripes of the file could not be determined */
		stripes = 0;
	if (components < 0 || components > LUSTRE_MAX || stripes < 0 || stripes > LUSTRE_MAX)
		return darshan_damage(d, IOT_EFORMAT,
				      "%lld components and %lld stripes in a record",
				      (long long)components, (long long)stripes);
	const size_t fixed = head + LUSTRE_COMPONENT * (size_t)components;
	const size_t size = fixed + 8 * (size_t)stripes;
	p = begin_record(d, &g, size, &status);
	if (p == NULL)
		return status;
	if (old)
		append_layout_old(d, &g.b, p);
	return end_record(
	    d, &g, size,
	    (old || append_layout(d, &g, p, (unsigned)components, (unsigned)stripes)) &&
		append_words(d, &g, "LUSTRE_OST_ID_%u", p + fixed, (uint64_t)stripes));
}
