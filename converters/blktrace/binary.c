/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Binary traces: one file for each CPU, records back to back, in the byte order of the traced
 * machine, without a header. The low byte of the magic is the version:
 *
 *	offset  0 magic, 4 sequence, 8 time (ns), 16 sector, 24 bytes
 *	7, 48 bytes: 28 action, 32 pid, 36 device, 40 cpu, 44 error (16 bits), 46 payload (16 bits)
 *	8, 64 bytes: 28 pid, 32 action (64 bits), 40 device, 44 cpu, 48 error, 50 payload
 *
 * The payload follows the record. The low 16 bits of the action are the action itself, with bit 8
 * set if a cgroup (8 bytes) precedes the payload; the others are categories. The files are merged
 * by time. A record after damage is found by its magic, which another one follows.
 */
#include "blktrace.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
	MAGIC = 0x65617400,
	V7 = 7,
	V8 = 8,
	HEADER_V7 = 48,
	HEADER_V8 = 64,
	MAGIC_SIZE = 4,
	CGROUP = 0x100,
	CGROUP_SIZE = 8,
	MAGIC_BITS = 24,
	NUMBERED = 256, /* records of each head that are examined for their numbers */
};

static uint16_t u16(const struct blktrace_member *m, size_t at)
{
	uint16_t v;
	memcpy(&v, m->at + at, sizeof v);
	return m->swapped ? __builtin_bswap16(v) : v;
}

static uint32_t u32(const struct blktrace_member *m, size_t at)
{
	uint32_t v;
	memcpy(&v, m->at + at, sizeof v);
	return m->swapped ? __builtin_bswap32(v) : v;
}

static uint64_t u64(const struct blktrace_member *m, size_t at)
{
	uint64_t v;
	memcpy(&v, m->at + at, sizeof v);
	return m->swapped ? __builtin_bswap64(v) : v;
}

/* Determines version and byte order from the magic at m->at. */
static bool set_layout(struct blktrace_member *m)
{
	memcpy(&m->magic, m->at, sizeof m->magic);
	const uint32_t swapped = __builtin_bswap32(m->magic);
	m->swapped = (m->magic & ~0xffU) != MAGIC && (swapped & ~0xffU) == MAGIC;
	m->version = (m->swapped ? swapped : m->magic) & 0xffU;
	m->header = m->version == V8 ? HEADER_V8 : HEADER_V7;
	return m->swapped || (m->magic & ~0xffU) == MAGIC;
}

static size_t payload(const struct blktrace_member *m)
{
	return u16(m, m->version == V8 ? 50 : 46);
}

static bool has_magic(const struct blktrace_member *m, const char *at)
{
	return memcmp(at, &m->magic, MAGIC_SIZE) == 0;
}

int blktrace_binary_evidence(const char *head, size_t size)
{
	struct blktrace_member m = {.at = head, .end = head + size};
	if (size < MAGIC_SIZE || !set_layout(&m))
		return 0;
	if (size < m.header)
		return MAGIC_BITS;
	const size_t next = m.header + payload(&m);
	return size >= next + MAGIC_SIZE && has_magic(&m, head + next) ? 2 * MAGIC_BITS
								       : MAGIC_BITS;
}

/* Decodes records */

static void decode_notify(struct blktrace_action_record *r, uint32_t action)
{
	static const uint32_t kinds[] = {BLKTRACE_PROCESS, BLKTRACE_TIMESTAMP, BLKTRACE_MESSAGE};
	r->action = action < sizeof kinds / sizeof *kinds ? kinds[action] : BLKTRACE_OTHER;
	r->sequence = 0;
}

static uint32_t be32(const char *at)
{
	uint32_t v;
	memcpy(&v, at, sizeof v);
	return be32toh(v);
}

static void decode_action(struct blktrace_action_record *r, uint32_t action)
{
	const char *p = r->text.data;
	r->action = action > 0 && action < BLKTRACE_OTHER ? action : BLKTRACE_OTHER;
	if (action == BLKTRACE_REMAP)
		r->other_device = r->text.size >= 4 ? be32(p) : r->device;
	if (action == BLKTRACE_SPLIT && r->text.size >= 8)
		r->other = (uint64_t)be32(p) << 32 | be32(p + 4);
}

/* Errors are negative since Linux 4.13. */
static uint32_t absolute(uint16_t error)
{
	return error > INT16_MAX ? (uint32_t)(UINT16_MAX + 1 - error) : error;
}

/* Returns the time, as the record states it. */
static uint64_t decode(const struct blktrace_member *m, struct blktrace_action_record *r)
{
	const bool v8 = m->version == V8;
	const uint64_t what = v8 ? u64(m, 32) : u32(m, 28);
	const size_t skip = (what & CGROUP) != 0 ? CGROUP_SIZE : 0, size = payload(m);
	const uint32_t action = (uint32_t)(what & 0xffff & ~(uint64_t)CGROUP);
	r->sequence = u32(m, 4);
	r->sector = u64(m, 16);
	r->bytes = u32(m, 24);
	r->pid = u32(m, v8 ? 28 : 32);
	r->device = u32(m, v8 ? 40 : 36);
	r->cpu = u32(m, v8 ? 44 : 40);
	r->error = absolute(u16(m, v8 ? 48 : 44));
	r->categories = what >> 16 & 0xffff;
	r->other = 0;
	r->text.data = m->at + m->header + (size > skip ? skip : size);
	r->text.size = size > skip ? size - skip : 0;
	if (what >> 32 != 0)
		r->action = BLKTRACE_OTHER; /* of zones */
	else if (r->categories & BLKTRACE_NOTIFY)
		decode_notify(r, action);
	else
		decode_action(r, action);
	return u64(m, 8);
}

/* Reads members */

static bool ensure(struct blktrace_member *m, size_t want)
{
	size_t have;
	if ((size_t)(m->end - m->at) >= want)
		return true;
	m->offset += (uint64_t)(m->at - m->shown);
	bufreader_consume(m->bufreader, (size_t)(m->at - m->shown));
	m->shown = m->at = bufreader_peek(m->bufreader, want, &have);
	m->end = m->at + have;
	return have >= want;
}

static uint64_t position(const struct blktrace_member *m)
{
	return m->offset + (uint64_t)(m->at - m->shown);
}

/* Returns whether another record, or the end, follows the one at m->at + at. */
static bool is_record(struct blktrace_member *m, size_t at)
{
	struct blktrace_member shifted;
	if (!ensure(m, at + m->header) || !has_magic(m, m->at + at))
		return false;
	shifted = *m;
	shifted.at += at;
	const size_t next = at + m->header + payload(&shifted);
	if (ensure(m, next + MAGIC_SIZE))
		return has_magic(m, m->at + next);
	return (size_t)(m->end - m->at) == next;
}

/* Returns whether a record begins inside the one at m->at, so that its size must be wrong. */
static bool hides_record(struct blktrace_member *m)
{
	if (!ensure(m, m->header))
		return false;
	const size_t limit = m->header + payload(m);
	for (size_t i = MAGIC_SIZE; i < limit && ensure(m, i + MAGIC_SIZE); i++) {
		const char *found =
		    memmem(m->at + i, (size_t)(m->end - m->at) - i, &m->magic, MAGIC_SIZE);
		if (found == NULL)
			i = (size_t)(m->end - m->at) - MAGIC_SIZE;
		else if (is_record(m, i = (size_t)(found - m->at)) && i < limit)
			return true;
	}
	return false;
}

/* Advances to the next record after damage, or to the end. */
static void resync(struct blktrace_member *m)
{
	for (m->at++; ensure(m, MAGIC_SIZE); m->at++) {
		const char *found = memmem(m->at, (size_t)(m->end - m->at), &m->magic, MAGIC_SIZE);
		if (found == NULL) {
			m->at = m->end - MAGIC_SIZE;
			continue;
		}
		m->at = found;
		if (is_record(m, 0))
			return;
	}
	m->at = m->end;
}

static const char *shown_name(const struct blktrace_member *m)
{
	return bufreader_name(m->bufreader);
}

/* The input ends inside a record, or cannot be read. */
static void end_inside(struct blktrace *b, struct blktrace_member *m)
{
	const struct error *e = bufreader_error(m->bufreader);
	const uint64_t rest = (uint64_t)(m->end - m->at);
	if (e->status != IOT_OK)
		blktrace_damage(b, e->status, rest, "%s", e->text);
	else if (rest > 0)
		blktrace_damage(b, IOT_ETRUNCATED, rest,
				"%s: ends inside the record at byte %" PRIu64, shown_name(m),
				position(m));
	m->at = m->end;
}

/* Prepares the record at m->at. Returns false at the end of the member. */
static bool prepare(struct blktrace *b, struct blktrace_member *m)
{
	while (ensure(m, MAGIC_SIZE)) {
		if (is_record(m, 0))
			return true;
		if (has_magic(m, m->at) && !hides_record(m)) {
			if (ensure(m, m->header) && ensure(m, m->header + payload(m)))
				return true;
			break;
		}
		const uint64_t from = position(m);
		resync(m);
		blktrace_damage(b, IOT_EFORMAT, position(m) - from,
				"%s: no record at byte %" PRIu64, shown_name(m), from);
	}
	end_inside(b, m);
	return false;
}

static struct loser_entry entry_of(const struct blktrace_member *m, size_t leaf)
{
	return (struct loser_entry){u64(m, 8), (uint64_t)u32(m, 4) << 32 | leaf};
}

/* Heads */

/* Calls `use` for each complete record of a head. */
static bool for_head(struct blktrace *b, size_t member, size_t max,
		     bool (*use)(struct blktrace *b, const struct blktrace_action_record *r,
				 uint64_t time, void *context),
		     void *context)
{
	size_t size;
	const char *head = input_head(b->src->input, member, &size);
	struct blktrace_member m = {.at = head, .end = head + size};
	if (size < MAGIC_SIZE || !set_layout(&m))
		return true;
	for (; max > 0 && m.end - m.at >= (ptrdiff_t)m.header && has_magic(&m, m.at); max--) {
		struct blktrace_action_record r = {0};
		const size_t used = m.header + payload(&m);
		if ((size_t)(m.end - m.at) < used)
			break;
		const uint64_t time = decode(&m, &r);
		if (!use(b, &r, time, context))
			return false;
		m.at += used;
	}
	return true;
}

/* Finds the wall clock and the devices that pass on their requests. */
static bool examine(struct blktrace *b, const struct blktrace_action_record *r, uint64_t time,
		    void *context)
{
	const struct blktrace_member *m = context;
	if (r->action == BLKTRACE_TIMESTAMP && !b->has_epoch && r->text.size >= 8 &&
	    time <= INT64_MAX) {
		struct blktrace_member at = *m;
		at.at = r->text.data;
		const int64_t wall = (int64_t)u32(&at, 0) * 1000000000 + u32(&at, 4);
		b->has_epoch = wall >= (int64_t)time;
		b->epoch_ns = b->has_epoch ? wall - (int64_t)time : 0;
	}
	return blktrace_declare_remap(b, r);
}

struct numbered {
	uint32_t device, sequence, cpu;
};

struct numbers {
	struct numbered *list;
	size_t count, capacity;
};

static bool add_number(struct blktrace *b, const struct blktrace_action_record *r, uint64_t time,
		       void *context)
{
	struct numbers *n = context;
	(void)time;
	if (r->sequence == 0)
		return true;
	if (!array_reserve(&n->list, &n->capacity, n->count + 1, sizeof *n->list))
		return blktrace_no_memory(b);
	n->list[n->count++] = (struct numbered){r->device, r->sequence, r->cpu};
	return true;
}

static int compare_numbers(const void *left, const void *right)
{
	const struct numbered *a = left, *b = right;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

/* CPUs number their records separately if two of them use one number, or there is one CPU. */
static bool find_numbering(struct blktrace *b)
{
	struct numbers n = {0};
	bool fine = true, several = false, repeated = false;
	for (size_t i = 0; i < b->members && fine; i++)
		fine = for_head(b, b->member[i].index, NUMBERED, add_number, &n);
	if (n.count > 0)
		qsort(n.list, n.count, sizeof *n.list, compare_numbers);
	for (size_t i = 1; i < n.count; i++) {
		several |= n.list[i].cpu != n.list[0].cpu;
		repeated |= compare_numbers(&n.list[i], &n.list[i - 1]) == 0;
	}
	b->sequences.by_device = several && !repeated;
	free(n.list);
	return fine;
}

/* Interface */

static int open_member(struct blktrace *b, size_t index)
{
	size_t size;
	const char *head = input_head(b->src->input, index, &size);
	char shown[256];
	const char *name = input_name(b->src->input, index);
	if (blktrace_binary_evidence(head, size) == 0)
		return IOT_OK;
	if (b->members == BLKTRACE_CPUS_MAX)
		return error_set(&b->src->error, IOT_ELIMIT, "more than %d files",
				 BLKTRACE_CPUS_MAX);
	struct blktrace_member *m = &b->member[b->members];
	*m = (struct blktrace_member){.index = index, .at = head, .end = head + size};
	(void)set_layout(m);
	m->at = m->end = NULL;
	if (m->version != V7 && m->version != V8)
		return error_set(&b->src->error, IOT_EFORMAT,
				 "%s: version %u of blktrace; 7 and 8 are known",
				 escape_text(shown, sizeof shown, name, strlen(name)), m->version);
	m->bufreader = input_open(b->src->input, index, &b->src->error);
	if (m->bufreader == NULL)
		return b->src->error.status;
	b->members++;
	return IOT_OK;
}

/* The earliest time in the heads. */
static void find_first(struct blktrace *b)
{
	uint64_t first = INT64_MAX;
	for (size_t i = 0; i < b->members; i++) {
		size_t size;
		struct blktrace_member m = b->member[i];
		m.at = input_head(b->src->input, m.index, &size);
		if (size >= m.header && u64(&m, 8) < first)
			first = u64(&m, 8);
	}
	if (__builtin_add_overflow((int64_t)first, b->epoch_ns, &b->src->first_ns))
		b->src->first_ns = 0;
	b->now_ns = b->src->first_ns;
}

static bool start_merge(struct blktrace *b)
{
	b->tree.leaves = b->members;
	b->tree.node = calloc(2 * b->members, sizeof *b->tree.node);
	if (b->tree.node == NULL)
		return blktrace_no_memory(b);
	for (size_t i = 0; i < b->members; i++)
		b->tree.node[b->members + i] =
		    prepare(b, &b->member[i]) ? entry_of(&b->member[i], i) : LOSER_TREE_END;
	loser_tree_build(&b->tree, NULL, NULL);
	return true;
}

int blktrace_binary_open(struct blktrace *b)
{
	const size_t count = input_count(b->src->input);
	b->member =
	    calloc(count < BLKTRACE_CPUS_MAX ? count : BLKTRACE_CPUS_MAX, sizeof *b->member);
	if (b->member == NULL)
		return error_no_memory(&b->src->error);
	for (size_t i = 0; i < count; i++)
		if (open_member(b, i) != IOT_OK)
			return b->src->error.status;
	for (size_t i = 0; i < b->members; i++)
		if (!for_head(b, b->member[i].index, SIZE_MAX, examine, &b->member[i]))
			return b->src->error.status;
	if (!find_numbering(b))
		return b->src->error.status;
	find_first(b);
	return IOT_OK;
}

/* Processes the prepared record of a member. */
static bool process(struct blktrace *b, struct blktrace_member *m)
{
	struct blktrace_action_record r;
	const uint64_t time = decode(m, &r);
	m->at += m->header + payload(m);
	if (time <= INT64_MAX && !__builtin_add_overflow((int64_t)time, b->epoch_ns, &r.time_ns))
		return blktrace_process(b, &r);
	b->untimed++;
	b->src->report.calls++;
	return true;
}

int blktrace_binary_step(struct blktrace *b)
{
	if (b->tree.node == NULL && !start_merge(b))
		return b->status;
	if (loser_tree_ended(&b->tree))
		return 0;
	const uint32_t leaf = loser_tree_winner(&b->tree);
	struct blktrace_member *m = &b->member[leaf];
	if (!process(b, m))
		return b->status;
	loser_tree_replay(&b->tree, leaf, prepare(b, m) ? entry_of(m, leaf) : LOSER_TREE_END, NULL,
			  NULL);
	return 1;
}

void blktrace_binary_close(struct blktrace *b)
{
	for (size_t i = 0; i < b->members; i++)
		bufreader_free(b->member[i].bufreader);
	free(b->member);
	free(b->tree.node);
}
