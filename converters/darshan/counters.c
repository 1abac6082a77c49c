/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Emits counter modules as %counter: all counters of all records, integers unchanged, doubles with
 * all significant digits. Records of HEATMAP and LUSTRE have variable size. Counters that a module
 * version lacks (-1 in the tools' output) are left out. A record that is repeated with equal bytes,
 * which only damage produces, is emitted once with the number of repetitions.
 */
#include "darshan.h"

#include <stdio.h>

enum {
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

/* Returns the sort key of counters: they apply to the whole job, so they follow its last record. */
static int64_t place(const struct darshan *d)
{
	return d->end_ns;
}

bool darshan_counter_begin(struct darshan *d, struct iot_builder *b, const char *source,
			   uint64_t id, int64_t rank, unsigned part)
{
	struct iot_text path = darshan_name(d, id);
	uint32_t object = darshan_object(d, id);
	uint32_t process = rank >= 0 ? darshan_process(d, rank) : 0;
	if (object == 0 || (rank >= 0 && process == 0) || !emit_begin(&d->emit, b, "counter"))
		return false;
	d->counted = true;
	emit_string(b, "source", source);
	if (process != 0)
		iot_directive_number(b, "process", process);
	darshan_signed(b, "rank", rank);
	iot_directive_number(b, "object", object);
	if (path.size > 0)
		iot_directive_text(b, "path", path.data, path.size);
	iot_directive_number(b, "record", id);
	if (part > 0)
		iot_directive_number(b, "part", part + 1);
	return true;
}

/* Continues with a new directive if the current one is full. */
static bool go_on(struct darshan *d, struct iot_builder *b, uint64_t id, int64_t rank,
		  unsigned *part)
{
	if (b->size < DARSHAN_DIRECTIVE_SPLIT)
		return true;
	emit_end(&d->emit, b, place(d));
	return darshan_counter_begin(d, b, darshan_module_name(d->place->module), id, rank,
				     ++*part);
}

static bool all_zero(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != 0)
			return false;
	return true;
}

/*
 * Returns true if the value is a valid rank. Ranks beyond those of the job are counted, not
 * refused.
 */
static bool check_rank(struct darshan *d, int64_t rank)
{
	if (rank < -1 || rank > PERMANENT_RANKS) {
		darshan_damage(d, IOT_EFORMAT, "rank %lld in a record", (long long)rank);
		return false;
	}
	if (d->log.job.known && rank >= d->log.job.processes)
		darshan_count(d, "ranks.beyond_job", 1);
	return true;
}

/* Returns the next record, or its first `size` bytes; NULL at the end or on damage. */
static const unsigned char *record(struct darshan *d, size_t size)
{
	size_t have;
	const unsigned char *p = darshan_ahead(&d->region, size, &have);
	if (have >= size)
		return p;
	if (have > 0)
		darshan_damage(d, IOT_EFORMAT, "ends inside a record");
	return NULL;
}

/* As record(), for a record not yet inspected. Uncompressed logs end in zeros. */
static const unsigned char *record_head(struct darshan *d, size_t size)
{
	const unsigned char *p = record(d, size);
	if (p == NULL || (d->region.how == DARSHAN_UNPACKED && all_zero(p, size)) ||
	    !check_rank(d, darshan_i64(p + 8, d->log.swap)))
		return NULL;
	return p;
}

/* Counts consecutive copies of the current record and skips all but the last. */
static uint64_t skip_repeated(struct darshan *d, size_t size)
{
	uint64_t times = 1;
	size_t have;
	const unsigned char *p = darshan_ahead(&d->region, 2 * size, &have);
	while (have >= 2 * size && memcmp(p, p + size, size) == 0) {
		darshan_consume(&d->region, size);
		p = darshan_ahead(&d->region, 2 * size, &have);
		times++;
	}
	return times;
}

/* Ends the directive of a record and consumes the record. */
static void end_record(struct darshan *d, struct iot_builder *b, size_t size, uint64_t times)
{
	if (times > 1)
		iot_directive_number(b, "times", times);
	emit_end(&d->emit, b, place(d));
	darshan_consume(&d->region, size);
	darshan_count(d, "counters.records", times);
}

static void put_numbered(struct iot_builder *b, const char *format, unsigned i, int64_t value)
{
	char name[64];
	snprintf(name, sizeof name, format, i);
	darshan_signed(b, name, value);
}

static bool put_bins(struct darshan *d, struct iot_builder *b, const char *format,
		     const unsigned char *p, unsigned bins, uint64_t id, int64_t rank,
		     unsigned *part)
{
	for (unsigned i = 0; i < bins; i++) {
		if (!go_on(d, b, id, rank, part))
			return false;
		put_numbered(b, format, i, darshan_i64(p + 8 * (size_t)i, d->log.swap));
	}
	return true;
}

/* Records of fixed size */

static bool is_in(const struct darshan_counter *k, unsigned version)
{
	return version >= k->since && version <= k->until;
}

static size_t size_of(const struct darshan_counter *k)
{
	if (k->kind == DARSHAN_UUID)
		return UUID_SIZE;
	return k->kind == DARSHAN_TEXT ? TEXT_SIZE : 8;
}

static size_t fields_size(const struct darshan_fields *f, unsigned version)
{
	size_t size = RECORD_HEAD;
	for (size_t i = 0; i < f->count; i++)
		size += is_in(&f->counter[i], version) ? size_of(&f->counter[i]) : 0;
	return size;
}

static void put_uuid(struct iot_builder *b, const char *name, const unsigned char *p)
{
	char text[2 * UUID_SIZE + 5], *out = text;
	for (size_t i = 0; i < UUID_SIZE; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*out++ = '-';
		*out++ = "0123456789abcdef"[p[i] >> 4];
		*out++ = "0123456789abcdef"[p[i] & 15];
	}
	iot_directive_text(b, name, text, (size_t)(out - text));
}

static void put_counter(struct iot_builder *b, const struct darshan_counter *k,
			const unsigned char *p, bool swap)
{
	switch ((enum darshan_kind)k->kind) {
	case DARSHAN_SIGNED:
		darshan_signed(b, k->name, darshan_i64(p, swap));
		break;
	case DARSHAN_UNSIGNED:
		iot_directive_number(b, k->name, darshan_u64(p, swap));
		break;
	case DARSHAN_DOUBLE:
		darshan_double(b, k->name, darshan_f64(p, swap));
		break;
	case DARSHAN_WORD:
		darshan_signed(b, k->name, (int32_t)darshan_u32(p, swap));
		break;
	case DARSHAN_UUID:
		put_uuid(b, k->name, p);
		break;
	case DARSHAN_TEXT:
		iot_directive_text(b, k->name, (const char *)p,
				   strnlen((const char *)p, TEXT_SIZE));
		break;
	}
}

/* Returns false if out of memory. */
static bool put_fields(struct darshan *d, struct iot_builder *b, const struct darshan_fields *f,
		       const unsigned char *p, uint64_t id, int64_t rank, unsigned *part)
{
	const struct darshan_place *where = d->place;
	for (size_t i = 0; i < f->count; i++) {
		const struct darshan_counter *k = &f->counter[i];
		if (!is_in(k, where->version))
			continue;
		if (!go_on(d, b, id, rank, part))
			return false;
		put_counter(b, k, p, d->log.swap);
		if (d->check && k->kind == DARSHAN_SIGNED)
			darshan_check_counters(d, where->module, id, rank, k->name,
					       darshan_i64(p, d->log.swap));
		p += size_of(k);
	}
	return true;
}

static int report_record(struct darshan *d, const struct darshan_fields *f, const char *rest,
			 size_t size)
{
	const uint64_t times = skip_repeated(d, size);
	const unsigned char *p = record(d, size);
	const size_t fixed = fields_size(f, d->place->version);
	const char *module = darshan_module_name(d->place->module);
	struct iot_builder b;
	unsigned part = 0;
	if (p == NULL)
		return 0;
	const uint64_t id = darshan_u64(p, d->log.swap);
	const int64_t rank = darshan_i64(p + 8, d->log.swap);
	if (!darshan_counter_begin(d, &b, module, id, rank, 0) ||
	    !put_fields(d, &b, f, p + RECORD_HEAD, id, rank, &part) ||
	    !put_bins(d, &b, rest, p + fixed, (unsigned)((size - fixed) / 8), id, rank, &part))
		return -1;
	end_record(d, &b, size, times);
	d->begun = true;
	return 1;
}

/*
 * AutoPerf has one version number for several layouts. In the layout known here, the id of the
 * record after the head has a name, and the following record, if any, has the same id.
 */
static bool is_layout(struct darshan *d, const struct darshan_counters *c, size_t head, size_t size)
{
	size_t have;
	const unsigned char *p = darshan_ahead(&d->region, head + size + 8, &have);
	if (have < head + 8 || darshan_u64(p + RECORD_HEAD, d->log.swap) != c->magic)
		return false;
	const uint64_t id = darshan_u64(p + head, d->log.swap);
	if (darshan_name(d, id).size == 0)
		return false;
	if (have < head + size + 8) /* the only record, or truncated */
		return have == head + size || d->region.status != IOT_OK;
	const uint64_t next = darshan_u64(p + head + size, d->log.swap);
	return next == id || (next == 0 && d->region.how == DARSHAN_UNPACKED);
}

/* Returns the number of words after the fields: at least one; -1 if the number is invalid. */
static int64_t rest_of(const struct darshan *d, const struct darshan_counters *c,
		       const unsigned char *p)
{
	int64_t words =
	    c->rest == NULL ? 0 : darshan_i64(p + RECORD_HEAD + 8 * c->rest_counter, d->log.swap);
	if (c->rest != NULL && words == 0)
		words = 1;
	return words < 0 || words > REST_MAX ? -1 : words;
}

int darshan_counters_step(struct darshan *d)
{
	const unsigned version = d->place->version;
	const struct darshan_counters *c = darshan_counters(d->place->module, version);
	const size_t head = c->head.count > 0 && !d->begun ? fields_size(&c->head, version) : 0;
	const size_t size = fields_size(&c->record, version);
	const unsigned char *p = record_head(d, head > 0 ? head : size);
	if (p == NULL)
		return 0;
	if (head > 0) {
		if (is_layout(d, c, head, size))
			return report_record(d, &c->head, NULL, head);
		darshan_skip_module(d);
		return 0;
	}
	const int64_t rest = rest_of(d, c, p);
	if (rest < 0) {
		darshan_damage(d, IOT_EFORMAT, "too many words after a record");
		return 0;
	}
	return record(d, size + 8 * (size_t)rest) != NULL
		   ? report_record(d, &c->record, c->rest, size + 8 * (size_t)rest)
		   : 0;
}

/* HEATMAP */

/* Record: id, rank, width of a bin, number of bins, 2 unused words; bins of writes, of reads. */
int darshan_heatmap_step(struct darshan *d)
{
	struct iot_builder b;
	unsigned part = 0;
	const unsigned char *p = record_head(d, HEATMAP_HEAD);
	if (p == NULL)
		return 0;
	const int64_t bins = darshan_i64(p + 24, d->log.swap);
	if (bins < 0 || bins > HEATMAP_BINS_MAX) {
		darshan_damage(d, IOT_EFORMAT, "%lld bins in a record", (long long)bins);
		return 0;
	}
	const size_t size = HEATMAP_HEAD + 16 * (size_t)bins;
	if (record(d, size) == NULL)
		return 0;
	const uint64_t times = skip_repeated(d, size);
	p = record(d, size);
	const uint64_t id = darshan_u64(p, d->log.swap);
	const int64_t rank = darshan_i64(p + 8, d->log.swap);
	if (!darshan_counter_begin(d, &b, "HEATMAP", id, rank, 0))
		return -1;
	darshan_double(&b, "HEATMAP_F_BIN_WIDTH_SECONDS", darshan_f64(p + 16, d->log.swap));
	p += HEATMAP_HEAD;
	if (!put_bins(d, &b, "HEATMAP_WRITE_BIN_%u", p, (unsigned)bins, id, rank, &part) ||
	    !put_bins(d, &b, "HEATMAP_READ_BIN_%u", p + 8 * bins, (unsigned)bins, id, rank, &part))
		return -1;
	end_record(d, &b, size, times);
	return 1;
}

/* LUSTRE */

static bool put_osts(struct darshan *d, struct iot_builder *b, const unsigned char *p,
		     unsigned osts, uint64_t id, int64_t rank, unsigned *part)
{
	return put_bins(d, b, "LUSTRE_OST_ID_%u", p, osts, id, rank, part);
}

static bool put_component(struct darshan *d, struct iot_builder *b, const unsigned char *p,
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
	return true;
}

static bool put_lustre_old(struct darshan *d, struct iot_builder *b, const unsigned char *p,
			   size_t stripes)
{
	static const char *const names[] = {"LUSTRE_OSTS", "LUSTRE_MDTS", "LUSTRE_STRIPE_OFFSET",
					    "LUSTRE_STRIPE_SIZE", "LUSTRE_STRIPE_WIDTH"};
	const uint64_t id = darshan_u64(p, d->log.swap);
	const int64_t rank = darshan_i64(p + 8, d->log.swap);
	unsigned part = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		darshan_signed(b, names[i], darshan_i64(p + RECORD_HEAD + 8 * i, d->log.swap));
	return put_osts(d, b, p + LUSTRE_OLD_HEAD, (unsigned)stripes, id, rank, &part);
}

static bool put_lustre(struct darshan *d, struct iot_builder *b, const unsigned char *p,
		       size_t components, size_t stripes)
{
	const uint64_t id = darshan_u64(p, d->log.swap);
	const int64_t rank = darshan_i64(p + 8, d->log.swap);
	unsigned part = 0;
	iot_directive_number(b, "LUSTRE_NUM_COMPONENTS", components);
	iot_directive_number(b, "LUSTRE_NUM_STRIPES", stripes);
	p += LUSTRE_HEAD;
	for (size_t i = 0; i < components; i++, p += LUSTRE_COMPONENT)
		if (!go_on(d, b, id, rank, &part) || !put_component(d, b, p, (unsigned)i + 1))
			return false;
	return put_osts(d, b, p, (unsigned)stripes, id, rank, &part);
}

/* Reads the numbers of components and stripes of a record. Returns false if they are invalid. */
static bool lustre_counts(struct darshan *d, const unsigned char *p, int64_t *components,
			  int64_t *stripes)
{
	const bool old = d->place->version == 1;
	*components = old ? 0 : darshan_i64(p + 16, d->log.swap);
	*stripes = darshan_i64(p + (old ? 48 : 24), d->log.swap);
	if (old && *stripes < 0) /* the stripes of the file could not be determined */
		*stripes = *stripes == -1 ? 0 : *stripes;
	if (*components >= 0 && *components <= LUSTRE_MAX && *stripes >= 0 &&
	    *stripes <= LUSTRE_MAX)
		return true;
	darshan_damage(d, IOT_EFORMAT, "%lld components and %lld stripes in a record",
		       (long long)*components, (long long)*stripes);
	return false;
}

int darshan_lustre_step(struct darshan *d)
{
	const bool old = d->place->version == 1;
	const size_t head = old ? LUSTRE_OLD_HEAD : LUSTRE_HEAD;
	const unsigned char *p = record_head(d, head);
	int64_t components, stripes;
	if (p == NULL || !lustre_counts(d, p, &components, &stripes))
		return 0;
	const size_t size = head + LUSTRE_COMPONENT * (size_t)components + 8 * (size_t)stripes;
	if (record(d, size) == NULL)
		return 0;
	const uint64_t times = skip_repeated(d, size);
	p = record(d, size);
	struct iot_builder b;
	if (!darshan_counter_begin(d, &b, "LUSTRE", darshan_u64(p, d->log.swap),
				   darshan_i64(p + 8, d->log.swap), 0) ||
	    !(old ? put_lustre_old(d, &b, p, (size_t)stripes)
		  : put_lustre(d, &b, p, (size_t)components, (size_t)stripes)))
		return -1;
	end_record(d, &b, size, times);
	return 1;
}
