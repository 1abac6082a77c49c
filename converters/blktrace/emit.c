/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests become physical records and operations; disks and processes are declared first. */
#include "blktrace.h"

#include <stdio.h>

enum { MINOR_BITS = 20, KIND_META = 1, KIND_SYNC = 2, KIND_AHEAD = 4, KIND_FUA = 8 };
enum { KIND_DIRECTION = 0x30, KIND_READ = 0, KIND_WRITE = 0x10, KIND_DISCARD = 0x20 };
enum { KIND_NONE = 0x30, KIND_FLUSH = 0x40 };

enum blktrace_disk_state { DISK_NEW, DISK_DECLARED, DISK_COMPLETION_UNKNOWN };

bool blktrace_no_memory(struct blktrace *b)
{
	if (b->status == IOT_OK)
		b->status = error_no_memory(&b->src->error);
	return false;
}

static int64_t key(const struct blktrace *b, int64_t needed_ns)
{
	return emit_untimed(&b->emit, needed_ns);
}

static void append_device(struct iot_builder *d, const char *name, const char *format,
			  uint32_t device)
{
	char text[48];
	const int n = snprintf(text, sizeof text, format, device >> MINOR_BITS,
			       device & ((1U << MINOR_BITS) - 1));
	iot_directive_text(d, name, text, (size_t)n);
}

void blktrace_emit_trace(struct blktrace *b)
{
	struct iot_builder d;
	if (!emit_begin(&b->emit, &d, "trace"))
		return;
	emit_string(&d, "source", b->is_text ? "blkparse" : "blktrace");
	if (b->has_epoch)
		iot_directive_number(&d, "epoch", 0);
	emit_string(&d, "lacks", "cpu,asynchronous");
	emit_string(&d, "start-at", b->by_queue ? "queue" : "issue");
	emit_end(&b->emit, &d, b->src->first_ns);
}

bool blktrace_emit_process(struct blktrace *b, uint32_t pid, struct iot_text name)
{
	struct blktrace_names *n = &b->names;
	struct iot_builder d;
	char text[BLKTRACE_NAME] = "";
	const size_t size = strnlen(name.data, name.size < sizeof text ? name.size : sizeof text);
	const size_t i = idmap_number(&n->pids, pid);
	if (i >= BLKTRACE_PROCESSES_MAX && i != SIZE_MAX) {
		b->status = error_set(&b->src->error, IOT_ELIMIT, "more than %d processes",
				      BLKTRACE_PROCESSES_MAX);
		return false;
	}
	if (!array_reserve_index(&n->name, &n->capacity, i, sizeof *n->name))
		return blktrace_no_memory(b);
	memcpy(text, name.data, size);
	if (size == 0 || memcmp(n->name[i], text, sizeof text) == 0)
		return true;
	memcpy(n->name[i], text, sizeof text);
	if (!emit_begin(&b->emit, &d, "process"))
		return blktrace_no_memory(b);
	iot_directive_number(&d, "id", pid);
	iot_directive_text(&d, "name", text, size);
	emit_end(&b->emit, &d, key(b, b->now_ns));
	return true;
}

/* Declares that the process uses the disk, and whether the completion of its requests is known. */
static bool declare_disk(struct blktrace *b, const struct blktrace_request *q, uint32_t disk,
			 enum blktrace_disk_state state, int64_t key_ns)
{
	struct iot_builder d;
	if (!emit_begin(&b->emit, &d, "file"))
		return blktrace_no_memory(b);
	iot_directive_number(&d, "process", q->pid);
	iot_directive_number(&d, "id", disk);
	iot_directive_number(&d, "object", disk);
	append_device(&d, "path", "/dev/block/%u:%u", q->device);
	emit_string(&d, "kind", "disk");
	if (state == DISK_COMPLETION_UNKNOWN)
		emit_string(&d, "completion", "unknown");
	append_device(&d, "source-id", "%u,%u", q->device);
	emit_end(&b->emit, &d, key_ns);
	return true;
}

static bool use_disk(struct blktrace *b, const struct blktrace_request *q, uint32_t disk,
		     enum blktrace_disk_state state)
{
	struct blktrace_names *n = &b->names;
	const size_t i = idmap_number(&n->disks, idmap_pair(q->pid, disk));
	if (i >= BLKTRACE_PROCESSES_MAX && i != SIZE_MAX) {
		b->status =
		    error_set(&b->src->error, IOT_ELIMIT, "more than %d pairs of process and disk",
			      BLKTRACE_PROCESSES_MAX);
		return false;
	}
	if (!array_reserve_index(&n->state, &n->state_capacity, i, 1))
		return blktrace_no_memory(b);
	if (n->state[i] == (uint8_t)state)
		return true;
	const bool first = n->state[i] == DISK_NEW;
	n->state[i] = (uint8_t)state;
	return declare_disk(b, q, disk, state, first ? key(b, q->since_ns) : q->since_ns);
}

static uint8_t type_of(uint32_t categories)
{
	const uint8_t type = categories & BLKTRACE_WRITE ? IOT_WRITE : 0;
	if (categories & BLKTRACE_META)
		return type | IOT_METADATA;
	return categories & BLKTRACE_AHEAD ? type | IOT_READ_AHEAD : type;
}

static bool emit_transfer(struct blktrace *b, const struct blktrace_request *q, uint32_t disk,
			  int64_t end_ns)
{
	struct report *report = &b->src->report;
	const bool ended = end_ns >= q->since_ns;
	struct iot_event *ev = emit_event(&b->emit);
	if (ev == NULL)
		return blktrace_no_memory(b);
	emit_record(ev,
		    (struct iot_record){
			.start_ns = q->since_ns,
			.duration_ns = ended ? (uint64_t)(end_ns - q->since_ns) : 0,
			.offset = q->first,
			.length = q->end - q->first,
			.file = disk,
			.process = q->pid,
			.object = disk,
			.type = type_of(q->categories),
			.flags = ended ? IOT_CPU_UNKNOWN : IOT_CPU_UNKNOWN | IOT_DURATION_UNKNOWN,
		    });
	if (end_ns >= 0 && end_ns < q->since_ns)
		report_add(report, "clock.negative_duration", 1);
	report->records++;
	report->record_bytes += (q->end - q->first) * BLKTRACE_SECTOR;
	return true;
}

static const char *errno_name(uint32_t number)
{
	/* those that the block layer returns; the numbers are Linux's */
	static const struct {
		uint32_t number;
		const char *name;
	} names[] = {{5, "EIO"},         {11, "EAGAIN"},     {12, "ENOMEM"},
		     {16, "EBUSY"},      {28, "ENOSPC"},     {52, "EBADE"},
		     {61, "ENODATA"},    {67, "ENOLINK"},    {75, "EOVERFLOW"},
		     {84, "EILSEQ"},     {95, "EOPNOTSUPP"}, {109, "ETOOMANYREFS"},
		     {121, "EREMOTEIO"}, {110, "ETIMEDOUT"}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].number == number)
			return names[i].name;
	return number == 0 ? "0" : "error";
}

static const char *op_name(const struct blktrace_request *q)
{
	if (q->end == q->first)
		return "flush";
	if (q->categories & BLKTRACE_DISCARD)
		return "discard";
	return q->categories & BLKTRACE_WRITE ? "write" : "read";
}

static bool emit_op(struct blktrace *b, const struct blktrace_request *q, uint32_t disk,
		    int64_t end_ns)
{
	struct iot_builder d;
	const char *name = op_name(q);
	if (!emit_wants_op(&b->emit, name))
		return true;
	if (!emit_begin(&b->emit, &d, "op"))
		return blktrace_no_memory(b);
	emit_string(&d, "name", name);
	iot_directive_number(&d, "time", (uint64_t)q->since_ns);
	if (end_ns >= q->since_ns)
		iot_directive_number(&d, "took", (uint64_t)(end_ns - q->since_ns));
	iot_directive_number(&d, "process", q->pid);
	iot_directive_number(&d, "file", disk);
	emit_string(&d, "kind", "disk");
	if (q->end > q->first) {
		iot_directive_number(&d, "offset", q->first);
		iot_directive_number(&d, "length", q->end - q->first);
	}
	if (end_ns >= 0)
		emit_string(&d, "result", errno_name(q->error));
	emit_end(&b->emit, &d, q->since_ns);
	return true;
}

bool blktrace_emit_request(struct blktrace *b, const struct blktrace_request *q, int64_t end_ns)
{
	struct blktrace_device *device = b->devices[idmap_find(&b->device_numbers, q->device)];
	const uint32_t disk = device->disk != 0 ? device->disk : (device->disk = ++b->disks);
	const bool transfer =
	    q->error == 0 && q->end > q->first && (q->categories & BLKTRACE_DISCARD) == 0;
	const bool known = end_ns >= 0 || !transfer;
	if (!use_disk(b, q, disk, known ? DISK_DECLARED : DISK_COMPLETION_UNKNOWN))
		return false;
	b->failed += q->error != 0;
	return transfer ? emit_transfer(b, q, disk, end_ns) : emit_op(b, q, disk, end_ns);
}

void blktrace_emit_message(struct blktrace *b, const struct blktrace_action_record *r)
{
	char text[BLKTRACE_TEXT_MAX + 64];
	int n = snprintf(text, sizeof text, "blktrace %u,%u: ", r->device >> MINOR_BITS,
			 r->device & ((1U << MINOR_BITS) - 1));
	size_t size = strnlen(r->text.data, r->text.size);
	size = size < BLKTRACE_TEXT_MAX ? size : BLKTRACE_TEXT_MAX;
	for (size_t i = 0; i < size; i++)
		text[(size_t)n + i] = r->text.data[i] == '\n' ? ' ' : r->text.data[i];
	emit_comment(&b->emit, text, (size_t)n + size, r->time_ns);
}

void blktrace_emit_lost(struct blktrace *b, uint64_t records, uint64_t bytes, const char *why)
{
	struct iot_builder d;
	if (!emit_begin(&b->emit, &d, "lost"))
		return;
	iot_directive_number(&d, "time", (uint64_t)b->now_ns);
	if (records > 0)
		iot_directive_number(&d, "records", records);
	if (bytes > 0)
		iot_directive_number(&d, "bytes", bytes);
	emit_string(&d, "why", why);
	emit_end(&b->emit, &d, b->now_ns);
}

/* Totals */

unsigned blktrace_kind(const struct blktrace_action_record *r)
{
	const uint32_t c = r->categories;
	unsigned kind = c & BLKTRACE_DISCARD                       ? KIND_DISCARD
			: c & BLKTRACE_WRITE                       ? KIND_WRITE
			: r->bytes > 0 && (c & BLKTRACE_NONE) == 0 ? KIND_READ
								   : KIND_NONE;
	kind |= c & BLKTRACE_META ? KIND_META : 0;
	kind |= c & BLKTRACE_SYNC ? KIND_SYNC : 0;
	kind |= c & BLKTRACE_AHEAD ? KIND_AHEAD : 0;
	kind |= c & BLKTRACE_FUA ? KIND_FUA : 0;
	return c & BLKTRACE_FLUSH ? kind | KIND_FLUSH : kind;
}

size_t blktrace_rwbs(unsigned kind, char text[BLKTRACE_RWBS])
{
	static const char directions[] = "RWDN";
	size_t n = 0;
	if (kind & KIND_FLUSH)
		text[n++] = 'F';
	text[n++] = directions[(kind & KIND_DIRECTION) >> 4];
	if (kind & KIND_FUA)
		text[n++] = 'F';
	if (kind & KIND_AHEAD)
		text[n++] = 'A';
	if (kind & KIND_SYNC)
		text[n++] = 'S';
	if (kind & KIND_META)
		text[n++] = 'M';
	text[n] = '\0';
	return n;
}

static const char *const phases[BLKTRACE_PHASES] = {
    [BLKTRACE_QUEUED] = "queued", [BLKTRACE_ISSUED] = "issued", [BLKTRACE_COMPLETED] = "completed"};

static void append_total(struct iot_builder *d, unsigned phase, unsigned kind,
			 struct blktrace_total total)
{
	char rwbs[BLKTRACE_RWBS], name[48];
	if (total.count == 0)
		return;
	(void)blktrace_rwbs(kind, rwbs);
	snprintf(name, sizeof name, "%s.%s", phases[phase], rwbs);
	iot_directive_number(d, name, total.count);
	snprintf(name, sizeof name, "%s.%s.bytes", phases[phase], rwbs);
	iot_directive_number(d, name, total.bytes);
}

void blktrace_emit_totals(struct blktrace *b)
{
	for (size_t i = 0; i < b->device_numbers.count; i++) {
		const struct blktrace_device *device = b->devices[i];
		struct iot_builder d;
		if (device->skipped || !emit_begin(&b->emit, &d, "counter"))
			continue;
		emit_string(&d, "source", b->is_text ? "blkparse" : "blktrace");
		append_device(&d, "device", "%u,%u", device->number);
		for (unsigned p = 0; p < BLKTRACE_PHASES; p++)
			for (unsigned k = 0; k < BLKTRACE_KINDS; k++)
				append_total(&d, p, k, device->total[p][k]);
		emit_end(&b->emit, &d, b->now_ns);
	}
}

/* "queued.FWS", "queued.FWS.bytes" */
bool blktrace_is_counter(struct iot_text name)
{
	for (unsigned p = 0; p < BLKTRACE_PHASES; p++) {
		const size_t n = strlen(phases[p]);
		if (name.size <= n + 1 || memcmp(name.data, phases[p], n) != 0 ||
		    name.data[n] != '.')
			continue;
		const char *rwbs = name.data + n + 1, *end = name.data + name.size;
		if (end - rwbs > 6 && memcmp(end - 6, ".bytes", 6) == 0)
			end -= 6;
		while (rwbs < end && memchr("RWDNFASM", *rwbs, 8) != NULL)
			rwbs++;
		return rwbs == end;
	}
	return false;
}
