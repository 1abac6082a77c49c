/* SPDX-License-Identifier: BSD-2-Clause */
/* Emits events. Untimed events get a sort key before the events that need them. */
#include "procstat.h"

static void end(struct procstat *s, struct iot_builder *b, int64_t key_ns)
{
	if (key_ns > s->latest_ns)
		s->latest_ns = key_ns;
	emit_end(&s->emit, b, key_ns);
}

void procstat_emit_trace(struct procstat *s)
{
	struct iot_builder b;
	if (!emit_begin(&s->emit, &b, "trace"))
		return;
	emit_string(&b, "source", "procstat");
	if (s->epoch_ns > 0)
		iot_directive_number(&b, "epoch", (uint64_t)s->epoch_ns);
	end(s, &b, 0);
}

void procstat_emit_process(struct procstat *s, const struct packet_process *who,
			   const struct packet *p)
{
	struct iot_builder b;
	size_t size = packet_text(p, PACKET_START_WORDS);
	if (!emit_begin(&s->emit, &b, "process"))
		return;
	iot_directive_number(&b, "id", who->id);
	if (size > 0)
		iot_directive_text(&b, "name", p->payload + PACKET_WORD_SIZE * PACKET_START_WORDS,
				   size);
	if (who->parent != 0)
		iot_directive_number(&b, "parent", who->parent);
	if (who->id != who->number)
		iot_directive_number(&b, "pid", who->number);
	end(s, &b, procstat_ns(s, p->wall));
}

/* Files */

static void file(struct procstat *s, const struct packet_process *who, uint32_t number,
		 uint32_t object, const char *path, size_t size, int64_t key_ns)
{
	struct iot_builder b;
	if (!emit_begin(&s->emit, &b, "file"))
		return;
	iot_directive_number(&b, "process", who->id);
	iot_directive_number(&b, "id", number);
	iot_directive_number(&b, "object", object);
	if (size > 0)
		iot_directive_text(&b, "path", path, size);
	end(s, &b, key_ns);
}

void procstat_emit_inherited(struct procstat *s, const struct packet_process *who, uint32_t number,
			     const struct tracked_file *f, int64_t key_ns)
{
	file(s, who, number, f->object, f->path, f->path_size, key_ns);
}

/*
 * Starts an %op, up to its process key. `took` is the difference of two clipped times, so that time
 * + took does not overflow.
 */
static bool begin_op(struct procstat *s, struct iot_builder *b, const char *name,
		     const struct packet_process *who, uint64_t start, uint64_t elapsed)
{
	int64_t start_ns = procstat_ns(s, start);
	if (!emit_wants_op(&s->emit, name) || !emit_begin(&s->emit, b, "op"))
		return false;
	emit_string(b, "name", name);
	iot_directive_number(b, "time", (uint64_t)start_ns);
	iot_directive_number(b, "took", (uint64_t)(procstat_ns(s, start + elapsed) - start_ns));
	iot_directive_number(b, "process", who->id);
	return true;
}

void procstat_emit_open(struct procstat *s, const struct packet_process *who,
			const struct packet *p, const struct tracked_file *f)
{
	struct iot_builder b;
	uint64_t start = packet_word(p, 0), how = packet_word(p, 1);
	const char *path = (const char *)p->payload + PACKET_WORD_SIZE * PACKET_OPEN_WORDS;
	size_t size = packet_text(p, PACKET_OPEN_WORDS);
	file(s, who, p->file, f->object, path, size, procstat_ns(s, start));
	if ((how & PACKET_OPEN_CUT) != 0)
		report_add(&s->src->report, "path.cut", 1);
	if (!begin_op(s, &b, (how & PACKET_OPEN_CREATED) != 0 ? "create" : "open", who, start,
		      how & PACKET_ELAPSED_MAX))
		return;
	iot_directive_number(&b, "file", p->file);
	if (size > 0)
		iot_directive_text(&b, "path", path, size);
	iot_directive_number(&b, "flags", packet_word(p, 2));
	emit_string(&b, "result", "0");
	end(s, &b, procstat_ns(s, start));
}

void procstat_emit_close(struct procstat *s, const struct packet_process *who,
			 const struct packet *p)
{
	struct iot_builder b;
	uint64_t start = packet_word(p, 0);
	if (!begin_op(s, &b, "close", who, start, packet_word(p, 1)))
		return;
	iot_directive_number(&b, "file", p->file);
	emit_string(&b, "result", "0");
	end(s, &b, procstat_ns(s, start));
}

void procstat_emit_exit(struct procstat *s, const struct packet_process *who,
			const struct packet *p)
{
	struct iot_builder b;
	if (!begin_op(s, &b, "exit", who, p->wall, 0))
		return;
	iot_directive_number(&b, "status", packet_word(p, 0));
	end(s, &b, procstat_ns(s, p->wall));
}

/* Records */

static struct iot_record record(const struct procstat *s, const struct packet_entry *e)
{
	uint64_t unit = (e->type & IOT_LOGICAL) != 0 ? 1 : PACKET_PHYSICAL_UNIT;
	int64_t start_ns = procstat_ns(s, e->start);
	return (struct iot_record){
	    .start_ns = start_ns,
	    .duration_ns = (uint64_t)(procstat_ns(s, e->start + e->elapsed) - start_ns),
	    .cpu_ns = procstat_ns(s, e->cpu),
	    .offset = e->offset / unit,
	    .length = e->length / unit,
	    .type = e->type,
	};
}

void procstat_emit_records(struct procstat *s, const struct packet_process *who,
			   const struct packet *p, uint32_t object)
{
	struct packet_entries all = {.packet = p};
	struct packet_entry e = {0};
	while (packet_entry_next(&all, &e)) {
		struct iot_event *ev = emit_event(&s->emit);
		if (ev == NULL)
			return;
		emit_record(ev, record(s, &e));
		ev->rec.process = who->id;
		ev->rec.file = p->file;
		ev->rec.object = object;
		if (ev->rec.start_ns > s->latest_ns)
			s->latest_ns = ev->rec.start_ns;
	}
	s->src->report.records += p->entries;
	s->src->report.calls += p->entries;
}

/* %lost */

/* process: an id, or -1; key: the unit of n. */
static void lost(struct procstat *s, uint64_t wall, int64_t process, const char *key, uint64_t n,
		 const char *why)
{
	struct iot_builder b;
	const int64_t time_ns = procstat_ns(s, wall);
	if (!emit_begin(&s->emit, &b, "lost"))
		return;
	iot_directive_number(&b, "time", (uint64_t)time_ns);
	if (process >= 0)
		iot_directive_number(&b, "process", (uint64_t)process);
	iot_directive_number(&b, key, n);
	emit_string(&b, "why", why);
	end(s, &b, time_ns);
}

void procstat_emit_lost(struct procstat *s, const struct packet_range *range)
{
	lost(s, range->wall, range->id, "packets", range->count, "packets are missing");
}

void procstat_emit_damage(struct procstat *s)
{
	lost(s, s->sequence.wall, -1, "bytes", s->scan.bad, s->scan.why);
}

void procstat_emit_others(struct procstat *s)
{
	lost(s, s->sequence.wall, -1, "packets", s->tick.others, "another tick than most packets");
}
