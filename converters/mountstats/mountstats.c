/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of /proc/self/mountstats, once for each interval, after the lines "time SECONDS" and
 * "host NAME":
 *
 *     device server:/export mounted on /home with fstype nfs4 statvers=1.1
 *             age:    86400
 *             bytes:  4096 8192 0 0 4096 8192 1 2
 *             per-op statistics
 *                     READ: 1 1 0 180 4200 0 2 3 0
 *
 * bytes: what programs read and wrote, and what they did with O_DIRECT, the first four numbers. An
 * operation: requests, transmissions, timeouts, bytes sent and received, and milliseconds in the
 * queue, until the reply, and in all.
 */
#include <stdlib.h>
#include <xxhash.h>

#include "converters/samples/samples.h"

enum { BITS = 150, NS_PER_MS = 1000000 };
enum { OPS = 0, RTT = 6, FIELDS = 7 };

struct mountstats {
	bool open; /* the lines that follow describe an NFS mount */
	char target[SAMPLES_TEXT_MAX];
	struct sample_point point;
	struct idmap targets;
	uint64_t *seen; /* the last text that has each target */
	size_t seen_capacity;
	uint64_t texts, repeated;
};

/* Returns the target of "device TARGET mounted on PATH with fstype TYPE ...". */
static bool parse_device(struct iot_text line, struct iot_text *target, bool *is_nfs)
{
	struct iot_text word;
	if (!word_next(&line, &word) || !text_equals(word, "device") || !word_next(&line, target))
		return false;
	while (word_next(&line, &word))
		if (text_equals(word, "fstype") && word_next(&line, &word)) {
			*is_nfs = text_equals(word, "nfs") || text_equals(word, "nfs4");
			return true;
		}
	return false;
}

/* Returns in *repeated whether an earlier mount in this text has the same target and counters. */
static bool is_repeated(struct sampling *s, bool *repeated)
{
	struct mountstats *m = s->own;
	const uint64_t h =
	    XXH3_64bits_withSeed(m->point.target.data, m->point.target.size,
				 XXH3_64bits_withSeed(s->host, s->host_size, s->seed));
	const size_t i = idmap_number(&m->targets, h);
	if (!array_reserve_index(&m->seen, &m->seen_capacity, i, sizeof *m->seen))
		return samples_no_memory(s);
	*repeated = m->seen[i] == m->texts + 1;
	m->seen[i] = m->texts + 1;
	m->repeated += *repeated;
	return true;
}

static bool end_mount(struct sampling *s)
{
	struct mountstats *m = s->own;
	struct sample_point *p = &m->point;
	bool repeated = false;
	if (!m->open)
		return true;
	m->open = false;
	if (!samples_is_stamped(s))
		return false;
	p->host = (struct iot_text){s->host, s->host_size};
	p->time_ns = s->stamp_ns;
	/* the age is rounded down, so this is not after the mount */
	p->since_ns =
	    p->since_ns == SAMPLES_TIME_UNKNOWN ? SAMPLES_TIME_UNKNOWN : p->time_ns - p->since_ns;
	if (p->known == 0)
		return true;
	return is_repeated(s, &repeated) && (repeated || samples_count(s, p));
}

static bool begin_mount(struct sampling *s, struct iot_text target, bool is_nfs)
{
	struct mountstats *m = s->own;
	if (!end_mount(s))
		return false;
	if (target.size > sizeof m->target)
		return samples_unparsed(s);
	memcpy(m->target, target.data, target.size);
	m->open = is_nfs;
	m->point = (struct sample_point){.target = {m->target, target.size},
					 .since_ns = SAMPLES_TIME_UNKNOWN};
	return true;
}

/* Lines of a mount */

/* Reads up to n numbers. Returns how many there are before a word that is not a number. */
static int numbers(struct iot_text rest, uint64_t *to, int n)
{
	struct iot_text word;
	int i = 0;
	while (i < n && word_next(&rest, &word) && number_decimal(word.data, word.size, &to[i]))
		i++;
	return i;
}

static bool take_age(struct sampling *s, struct iot_text rest)
{
	struct mountstats *m = s->own;
	uint64_t age;
	if (numbers(rest, &age, 1) == 0 || age >= SAMPLES_TIME_MAX / SAMPLES_NS_PER_S)
		return samples_unparsed(s);
	m->point.since_ns = (int64_t)((age + 1) * SAMPLES_NS_PER_S);
	return true;
}

static bool take_bytes(struct sampling *s, struct iot_text rest)
{
	struct mountstats *m = s->own;
	uint64_t n[4];
	if (numbers(rest, n, 4) < 4 || !sample_add(&m->point, SAMPLE_READ_BYTES, n[0]) ||
	    !sample_add(&m->point, SAMPLE_READ_BYTES, n[2]) ||
	    !sample_add(&m->point, SAMPLE_WRITTEN_BYTES, n[1]) ||
	    !sample_add(&m->point, SAMPLE_WRITTEN_BYTES, n[3]))
		return samples_unparsed(s);
	return true;
}

static const struct {
	const char *name;
	enum sample_value ops, rtt; /* rtt: SAMPLE_VALUES if it is not used */
} operations[] = {
    {"READ:", SAMPLE_READS, SAMPLE_READ_NS},
    {"WRITE:", SAMPLE_WRITES, SAMPLE_WRITE_NS},
    {"OPEN:", SAMPLE_OPENS, SAMPLE_VALUES},
    {"CLOSE:", SAMPLE_CLOSES, SAMPLE_VALUES},
    {"READDIR:", SAMPLE_READDIRS, SAMPLE_VALUES},
    {"READDIRPLUS:", SAMPLE_READDIRS, SAMPLE_VALUES},
    {"CREATE:", SAMPLE_CREATES, SAMPLE_VALUES},
    {"SETATTR:", SAMPLE_INODE_UPDATES, SAMPLE_VALUES},
    {"MKNOD:", SAMPLE_INODE_UPDATES, SAMPLE_VALUES},
    {"MKDIR:", SAMPLE_INODE_UPDATES, SAMPLE_VALUES},
    {"RMDIR:", SAMPLE_INODE_UPDATES, SAMPLE_VALUES},
    {"REMOVE:", SAMPLE_INODE_UPDATES, SAMPLE_VALUES},
    {"RENAME:", SAMPLE_INODE_UPDATES, SAMPLE_VALUES},
    {"LINK:", SAMPLE_INODE_UPDATES, SAMPLE_VALUES},
};

static bool take_operation(struct sampling *s, struct iot_text name, struct iot_text rest)
{
	struct mountstats *m = s->own;
	uint64_t n[FIELDS];
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
		if (!text_equals(name, operations[i].name))
			continue;
		if (numbers(rest, n, FIELDS) < FIELDS ||
		    !sample_add(&m->point, operations[i].ops, n[OPS]))
			return samples_unparsed(s);
		if (operations[i].rtt == SAMPLE_VALUES)
			return true;
		return (n[RTT] <= UINT64_MAX / NS_PER_MS &&
			sample_add(&m->point, operations[i].rtt, n[RTT] * NS_PER_MS)) ||
		       samples_unparsed(s);
	}
	return true;
}

static bool line(struct sampling *s, struct iot_text text)
{
	struct mountstats *m = s->own;
	struct iot_text rest = text, word, target;
	bool is_nfs = false;
	if (!word_next(&rest, &word))
		return true;
	if (text_equals(word, "time") || text_equals(word, "host")) {
		if (!end_mount(s))
			return false;
		m->texts++;
		return samples_stamp(s, text) || samples_unparsed(s);
	}
	if (text_equals(word, "device"))
		return parse_device(text, &target, &is_nfs) ? begin_mount(s, target, is_nfs)
							    : samples_unparsed(s);
	if (!m->open) /* lines of other file systems have many forms */
		return m->point.target.size > 0 || samples_unparsed(s);
	if (text_equals(word, "age:"))
		return take_age(s, rest);
	if (text_equals(word, "bytes:"))
		return take_bytes(s, rest);
	return take_operation(s, word, rest);
}

/* Members */

static bool end(struct sampling *s)
{
	struct mountstats *m = s->own;
	if (s->is_cut)
		m->open = false;
	const bool ok = end_mount(s);
	if (m->repeated > 0)
		report_add(&s->src->report, "skipped.mounts", m->repeated);
	m->repeated = 0;
	m->texts++;
	return ok;
}

static void close_state(struct sampling *s)
{
	struct mountstats *m = s->own;
	idmap_free(&m->targets);
	free(m->seen);
}

/* Interface */

static int line_bits(struct iot_text text)
{
	struct iot_text target;
	bool is_nfs = false;
	return parse_device(text, &target, &is_nfs) ? BITS : 0;
}

static int sniff(struct input *in)
{
	return samples_sniff(in, line_bits);
}

static const struct samples_format format = {.state_size = sizeof(struct mountstats),
					     .tick_ns = 1,
					     .end = end,
					     .line = line,
					     .close = close_state};

static int open_source(struct source_state *src)
{
	return samples_open(src, &format);
}

static const struct iot_format_option options[] = {
    {"host", "NAME", "the host of a text that does not name it"},
    SAMPLES_OPTIONS,
    {NULL, NULL, NULL},
};

const struct converter converter_mountstats = {
    .name = "mountstats",
    .summary = "counters of NFS mounts: /proc/self/mountstats, repeated with the time",
    .options = options,
    .sniff = sniff,
    .open = open_source,
    .next = samples_next,
    .close = samples_close,
};
