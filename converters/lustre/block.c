/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line appears in a block after its counter was used, so a counter that the kind of the target
 * has is 0 if it is absent. Times of requests are different: older versions do not have them.
 */
#include "lustre.h"

#include "lib/base/civil_time.h"

enum { NS_PER_US = 1000, SAME_SNAPSHOT_NS = SAMPLES_NS_PER_S / 2 };

#define BIT(v) (UINT32_C(1) << (v))

static const uint32_t of_data =
    BIT(SAMPLE_READ_BYTES) | BIT(SAMPLE_WRITTEN_BYTES) | BIT(SAMPLE_READS) | BIT(SAMPLE_WRITES);
static const uint32_t of_names =
    BIT(SAMPLE_OPENS) | BIT(SAMPLE_CLOSES) | BIT(SAMPLE_INODE_UPDATES) | BIT(SAMPLE_CREATES);
static const uint32_t of_times = BIT(SAMPLE_READ_NS) | BIT(SAMPLE_WRITE_NS);

/* The values to which the number of samples of a counter is added; SAMPLE_VALUES: none. */
static const struct {
	const char *name;
	uint8_t value, other;
} calls[] = {
    {"open", SAMPLE_OPENS, SAMPLE_VALUES},
    {"close", SAMPLE_CLOSES, SAMPLE_VALUES},
    {"readdir", SAMPLE_READDIRS, SAMPLE_VALUES},
    {"create", SAMPLE_CREATES, SAMPLE_VALUES},
    {"mknod", SAMPLE_INODE_UPDATES, SAMPLE_CREATES},
    {"setattr", SAMPLE_INODE_UPDATES, SAMPLE_VALUES},
    {"mkdir", SAMPLE_INODE_UPDATES, SAMPLE_VALUES},
    {"rmdir", SAMPLE_INODE_UPDATES, SAMPLE_VALUES},
    {"unlink", SAMPLE_INODE_UPDATES, SAMPLE_VALUES},
    {"rename", SAMPLE_INODE_UPDATES, SAMPLE_VALUES},
    {"link", SAMPLE_INODE_UPDATES, SAMPLE_VALUES},
};

static bool add(struct lustre_block *b, unsigned value, uint64_t number)
{
	if (value == SAMPLE_VALUES)
		return true;
	b->known |= BIT(value);
	return !__builtin_add_overflow(b->value[value], number, &b->value[value]);
}

/* Bytes or time of requests. The counters read and write had bytes before Lustre 2.13. */
static bool take_data(struct lustre_block *b, bool is_write, struct iot_text unit, uint64_t samples,
		      uint64_t sum)
{
	if (text_equals(unit, "bytes"))
		return add(b, is_write ? SAMPLE_WRITES : SAMPLE_READS, samples) &&
		       add(b, is_write ? SAMPLE_WRITTEN_BYTES : SAMPLE_READ_BYTES, sum);
	if (!text_equals(unit, "usecs") && !text_equals(unit, "usec"))
		return true;
	return !__builtin_mul_overflow(sum, (uint64_t)NS_PER_US, &sum) &&
	       add(b, is_write ? SAMPLE_WRITE_NS : SAMPLE_READ_NS, sum);
}

bool lustre_counter(struct lustre_block *b, struct iot_text name, struct iot_text unit,
		    uint64_t samples, bool has_sum, uint64_t sum)
{
	const bool reads = text_equals(name, "read_bytes") || text_equals(name, "read");
	if (reads || text_equals(name, "write_bytes") || text_equals(name, "write"))
		return !has_sum || take_data(b, !reads, unit, samples, sum);
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (text_equals(name, calls[i].name))
			return add(b, calls[i].value, samples) && add(b, calls[i].other, samples);
	return true;
}

bool lustre_time(struct lustre_block *b, struct iot_text name, struct iot_text value, bool *valid)
{
	const bool now = text_equals(name, "snapshot_time"),
		   since = text_equals(name, "start_time");
	int64_t ns;
	if (!now && !since && !text_equals(name, "elapsed_time"))
		return false;
	*valid = civil_seconds_parse(value, &ns) && ns >= 0 && ns <= SAMPLES_TIME_MAX;
	if (!*valid)
		return true;
	if (now)
		b->time_ns = ns;
	else if (since)
		b->since_ns = ns;
	else
		b->elapsed_ns = (uint64_t)ns;
	return true;
}

void lustre_begin_block(struct lustre_block *b)
{
	*b = (struct lustre_block){
	    .open = true, .time_ns = SAMPLES_TIME_UNKNOWN, .since_ns = SAMPLES_TIME_UNKNOWN};
}

void lustre_point(struct sampling *s, const struct lustre_block *b, enum lustre_kind kind,
		  struct sample_point *p)
{
	*p = (struct sample_point){
	    .host = {s->host, s->host_size}, .time_ns = b->time_ns, .since_ns = b->since_ns};
	memcpy(p->value, b->value, sizeof p->value);
	p->known = b->known | (kind != LUSTRE_METADATA ? of_data : 0) |
		   (kind != LUSTRE_STORAGE ? of_names : 0) |
		   (kind == LUSTRE_CLIENT ? BIT(SAMPLE_READDIRS) : 0) |
		   ((b->known & of_times) != 0 ? of_times : 0);
	if (kind == LUSTRE_STORAGE) /* objects, not files */
		p->known &= of_data | of_times;
	if (b->since_ns == SAMPLES_TIME_UNKNOWN && b->elapsed_ns > 0)
		p->since_ns = b->time_ns - (int64_t)b->elapsed_ns;
}

/* Blocks of stats */

bool lustre_end_sum(struct sampling *s)
{
	struct lustre *l = s->own;
	struct sample_point p;
	if (!l->sum.open)
		return true;
	l->sum.open = false;
	lustre_point(s, &l->sum, LUSTRE_CLIENT, &p);
	p.target = (struct iot_text){l->sum_target, l->sum_target_size};
	return samples_has_host(s) && samples_count(s, &p);
}

/* Returns whether the block is another mount of the file system of the sum, at the same time. */
static bool belongs(const struct lustre *l)
{
	const int64_t apart_ns = l->block.time_ns - l->sum.time_ns;
	return l->sum.open && apart_ns < SAME_SNAPSHOT_NS && apart_ns > -SAME_SNAPSHOT_NS &&
	       l->sum_target_size == l->target_size &&
	       memcmp(l->sum_target, l->target, l->target_size) == 0 &&
	       (l->sum_mount_size != l->mount_size ||
		memcmp(l->sum_mount, l->mount, l->mount_size) != 0);
}

static bool add_mount(struct sampling *s)
{
	struct lustre *l = s->own;
	bool fits = true;
	for (unsigned v = 0; v < SAMPLE_VALUES; v++)
		fits =
		    !__builtin_add_overflow(l->sum.value[v], l->block.value[v], &l->sum.value[v]) &&
		    fits;
	l->sum.known |= l->block.known;
	if (l->block.since_ns > l->sum.since_ns)
		l->sum.since_ns =
		    SAMPLES_TIME_UNKNOWN; /* one of two mounts is not a reset of both */
	return fits || samples_unparsed(s);
}

static bool begin_sum(struct sampling *s)
{
	struct lustre *l = s->own;
	if (!lustre_end_sum(s))
		return false;
	l->sum = l->block;
	l->sum.open = true;
	memcpy(l->sum_target, l->target, l->target_size);
	memcpy(l->sum_mount, l->mount, l->mount_size);
	l->sum_target_size = l->target_size;
	l->sum_mount_size = l->mount_size;
	return true;
}

bool lustre_end_block(struct sampling *s)
{
	struct lustre *l = s->own;
	struct sample_point p;
	if (!l->block.open)
		return true;
	l->block.open = false;
	if (l->block.time_ns == SAMPLES_TIME_UNKNOWN)
		return samples_unparsed(s);
	if (l->kind == LUSTRE_CLIENT)
		return belongs(l) ? add_mount(s) : begin_sum(s);
	lustre_point(s, &l->block, l->kind, &p);
	p.target = (struct iot_text){l->target, l->target_size};
	return samples_has_host(s) && samples_count(s, &p);
}
