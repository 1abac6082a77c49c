/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Splits a line into fields (iotrace(5), RECORDS), looks up omitted fields (STATE), and changes the
 * state only after a completely valid line. Processes are a list, and the table of each is an
 * array, most recently used file first: nothing here is fast.
 */
#include "second.h"
#include "second_text.h"

enum compression {
	OFFSET_IN_BLOCKS = 0x01,
	LENGTH_IN_BLOCKS = 0x02,
	NO_LENGTH = 0x04,
	NO_PROCESS = 0x08,
	UNDEFINED = 0x10,
	NO_OPERATION = 0x20,
	NO_OFFSET = 0x40,
	NO_FILE = 0x80,
};

enum { LINE_BYTES = 4096, TABLE_FILES = 32, BLOCK_BYTES = 512, COMMENT = 0xff, LOGICAL = 0x80 };

struct entry {
	bool logical;
	uint32_t file, operation;
	uint64_t offset, length;
};

struct process {
	struct process *next;
	uint32_t id;
	int64_t clock; /* ticks */
	bool has_file;
	uint32_t last_file;
	unsigned files;
	struct entry table[TABLE_FILES];
};

struct second {
	unsigned base;
	uint64_t tick_ns;
	uint64_t start; /* ticks; of the last record, as the next */
	bool has_process;
	uint32_t last_process;
	struct process *processes;
};

struct signed_number {
	bool minus;
	uint64_t magnitude;
};

/* The fields of a line. */
struct fields {
	uint64_t type, compression, offset, length, duration, operation, file, process;
	struct signed_number start, clock;
};

/* The meaning of a line, with nothing omitted; times in ticks. */
struct meaning {
	uint32_t process;
	struct entry now;
	uint64_t start, duration;
	int64_t clock;
};

static bool take(struct text *rest, unsigned base, uint64_t max, uint64_t *value)
{
	return number(next_field(rest), base, max, value);
}

static bool take_scaled(struct text *rest, unsigned base, bool in_blocks, uint64_t *value)
{
	const uint64_t unit = in_blocks ? BLOCK_BYTES : 1;
	if (!take(rest, base, UINT64_MAX / unit, value))
		return false;
	*value *= unit;
	return true;
}

static bool take_signed(struct text *rest, unsigned base, struct signed_number *n)
{
	struct text field = next_field(rest);
	n->minus = field.at < field.end && *field.at == '-';
	field.at += n->minus;
	return number(field, base, INT64_MAX, &n->magnitude);
}

static bool parse(struct text rest, unsigned base, struct fields *f)
{
	if ((size_t)(rest.end - rest.at) > LINE_BYTES)
		return false;
	if (!take(&rest, base, UINT8_MAX, &f->type) || f->type == COMMENT)
		return false;
	if (!take(&rest, base, UINT8_MAX, &f->compression) || f->compression & UNDEFINED)
		return false;
	const uint64_t c = f->compression;
	if (!(c & NO_OFFSET) && !take_scaled(&rest, base, c & OFFSET_IN_BLOCKS, &f->offset))
		return false;
	if (!(c & NO_LENGTH) && !take_scaled(&rest, base, c & LENGTH_IN_BLOCKS, &f->length))
		return false;
	if (!take_signed(&rest, base, &f->start) || !take(&rest, base, UINT64_MAX, &f->duration))
		return false;
	if (!(c & NO_OPERATION) && !take(&rest, base, UINT32_MAX, &f->operation))
		return false;
	if (!(c & NO_FILE) && !take(&rest, base, UINT32_MAX, &f->file))
		return false;
	if (!(c & NO_PROCESS) && !take(&rest, base, UINT32_MAX, &f->process))
		return false;
	if (!take_signed(&rest, base, &f->clock))
		return false;
	struct text more = next_field(&rest);
	return more.at == more.end;
}

static struct process *find_process(struct second *s, uint32_t id)
{
	struct process *p = s->processes;
	while (p != NULL && p->id != id)
		p = p->next;
	return p;
}

/* The index of an entry in the table; p->files if absent. */
static unsigned find_entry(const struct process *p, bool logical, uint32_t file)
{
	unsigned i = 0;
	while (i < p->files && (p->table[i].logical != logical || p->table[i].file != file))
		i++;
	return i;
}

/* Offset, length and operationId: from the line, or from the last record of this file. */
static bool find_place(const struct fields *f, const struct entry *before, struct entry *now)
{
	const uint64_t c = f->compression;
	if (before == NULL && c & (NO_OFFSET | NO_LENGTH))
		return false;
	now->offset = f->offset;
	if (c & NO_OFFSET) {
		if (before->length > UINT64_MAX - before->offset)
			return false;
		now->offset = before->offset + before->length;
	}
	now->length = c & NO_LENGTH ? before->length : f->length;
	now->operation = (uint32_t)f->operation;
	if (c & NO_OPERATION)
		now->operation = before != NULL ? before->operation : 0;
	return true;
}

/* Start and completion are in 0 .. 2^63-1 nanoseconds. */
static bool find_times(const struct second *s, const struct fields *f, struct meaning *m)
{
	const uint64_t max = INT64_MAX / s->tick_ns;
	if (f->start.minus && f->start.magnitude > s->start)
		return false;
	m->start = f->start.minus ? s->start - f->start.magnitude : s->start + f->start.magnitude;
	m->duration = f->duration;
	return m->start <= max && m->duration <= max - m->start;
}

static bool find_clock(const struct second *s, const struct fields *f, const struct process *p,
		       struct meaning *m)
{
	const int64_t max = (int64_t)(INT64_MAX / s->tick_ns);
	const int64_t by = (int64_t)f->clock.magnitude;
	return !__builtin_add_overflow(p != NULL ? p->clock : 0, f->clock.minus ? -by : by,
				       &m->clock) &&
	       m->clock >= -max && m->clock <= max;
}

static bool find_meaning(struct second *s, const struct fields *f, struct meaning *m)
{
	if (f->compression & NO_PROCESS && !s->has_process)
		return false;
	m->process = f->compression & NO_PROCESS ? s->last_process : (uint32_t)f->process;
	struct process *p = find_process(s, m->process);
	if (f->compression & NO_FILE && (p == NULL || !p->has_file))
		return false;
	m->now.file = f->compression & NO_FILE ? p->last_file : (uint32_t)f->file;
	m->now.logical = (f->type & LOGICAL) != 0;
	struct entry *before = NULL;
	if (p != NULL) {
		unsigned i = find_entry(p, m->now.logical, m->now.file);
		before = i < p->files ? &p->table[i] : NULL;
	}
	return find_place(f, before, &m->now) && find_times(s, f, m) && find_clock(s, f, p, m);
}

/* Moves an entry to the front; the last one of a full table is evicted. */
static void touch(struct process *p, const struct entry *now)
{
	unsigned i = find_entry(p, now->logical, now->file);
	if (i == p->files && p->files < TABLE_FILES)
		p->files++;
	if (i == TABLE_FILES)
		i--;
	memmove(&p->table[1], &p->table[0], i * sizeof(p->table[0]));
	p->table[0] = *now;
}

static void remember(struct second *s, const struct meaning *m)
{
	struct process *p = find_process(s, m->process);
	if (p == NULL) {
		p = second_memory(sizeof(*p));
		p->id = m->process;
		p->next = s->processes;
		s->processes = p;
	}
	touch(p, &m->now);
	p->has_file = true;
	p->last_file = m->now.file;
	p->clock = m->clock;
	s->has_process = true;
	s->last_process = m->process;
	s->start = m->start;
}

static struct iot_record record(const struct second *s, const struct meaning *m, uint64_t type)
{
	return (struct iot_record){
	    .start_ns = (int64_t)(m->start * s->tick_ns),
	    .duration_ns = m->duration * s->tick_ns,
	    .cpu_ns = m->clock * (int64_t)s->tick_ns,
	    .offset = m->now.offset,
	    .length = m->now.length,
	    .operation = m->now.operation,
	    .file = m->now.file,
	    .process = m->process,
	    .type = (uint8_t)type,
	};
}

bool second_line(struct second *s, const char *line, size_t size, struct iot_record *rec)
{
	struct fields f = {0};
	struct meaning m = {0};
	if (!parse(text_of_line(line, size), s->base, &f) || !find_meaning(s, &f, &m))
		return false;
	remember(s, &m);
	*rec = record(s, &m, f.type);
	return true;
}

void second_forget(struct second *s)
{
	s->has_process = false;
	for (struct process *p = s->processes; p != NULL; p = p->next) {
		p->has_file = false;
		p->files = 0;
	}
}

struct second *second_new(uint64_t tick_ns, unsigned base, uint64_t start)
{
	struct second *s = second_memory(sizeof(*s));
	s->tick_ns = tick_ns;
	s->base = base;
	s->start = start;
	return s;
}

void second_free(struct second *s)
{
	for (struct process *p = s->processes, *next; p != NULL; p = next) {
		next = p->next;
		free(p);
	}
	free(s);
}
