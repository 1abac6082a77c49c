/* SPDX-License-Identifier: BSD-2-Clause */
/* Events. What has no time of its own gets its place in the order before those that need it. */
#include "procstat.h"

/* Room is made sure of before each packet. */
static struct iot_event *event(struct procstat *s)
{
	return &s->out[s->out_count++];
}

bool iot_procstat_has_room(const struct procstat *s)
{
	return s->out_max - s->out_count >= PROCSTAT_EVENTS &&
	       sizeof(s->text) - s->text_used >= 3 * (size_t)PROCSTAT_DIRECTIVE;
}

static void begin(struct procstat *s, struct iot_builder *b, const char *name)
{
	iot_directive_begin(b, s->text + s->text_used, PROCSTAT_DIRECTIVE, name);
}

static void text(struct iot_builder *b, const char *key, const char *value)
{
	iot_directive_text(b, key, value, strlen(value));
}

static void end(struct procstat *s, struct iot_builder *b, int64_t place_ns)
{
	struct iot_event made;
	if (iot_directive_end(b, &made) != IOT_OK) {
		iot_report_add(&s->src->report, "directive.too_long", 1);
		return;
	}
	made.rec.start_ns = place_ns;
	if (place_ns > s->latest_ns)
		s->latest_ns = place_ns;
	s->text_used += made.text.size;
	*event(s) = made;
}

void iot_procstat_emit_trace(struct procstat *s)
{
	struct iot_builder b;
	begin(s, &b, "trace");
	text(&b, "source", "procstat");
	if (s->epoch_ns > 0)
		iot_directive_number(&b, "epoch", (uint64_t)s->epoch_ns);
	end(s, &b, 0);
}

void iot_procstat_emit_process(struct procstat *s, const struct iot_packet_process *who,
			       const struct iot_packet *p)
{
	struct iot_builder b;
	size_t size = iot_packet_text(p, IOT_START_WORDS);
	begin(s, &b, "process");
	iot_directive_number(&b, "id", who->id);
	if (size > 0)
		iot_directive_text(&b, "name", p->payload + IOT_WORD * IOT_START_WORDS, size);
	if (who->parent != 0)
		iot_directive_number(&b, "parent", who->parent);
	if (who->id != who->number)
		iot_directive_number(&b, "pid", who->number);
	end(s, &b, iot_procstat_ns(s, p->wall));
}

/* Files */

static void file(struct procstat *s, const struct iot_packet_process *who, uint32_t number,
		 uint32_t object, const char *path, size_t size, int64_t place_ns)
{
	struct iot_builder b;
	begin(s, &b, "file");
	iot_directive_number(&b, "process", who->id);
	iot_directive_number(&b, "id", number);
	iot_directive_number(&b, "object", object);
	if (size > 0)
		iot_directive_text(&b, "path", path, size);
	end(s, &b, place_ns);
}

void iot_procstat_emit_inherited(struct procstat *s, const struct iot_packet_process *who,
				 uint32_t number, const struct iot_tracked_file *f,
				 int64_t place_ns)
{
	file(s, who, number, f->object, f->path, f->path_size, place_ns);
}

/* An %op up to its process; how long it took has to fit behind its time. */
static int64_t begin_op(struct procstat *s, struct iot_builder *b, const char *name,
			const struct iot_packet_process *who, uint64_t start, uint64_t elapsed)
{
	int64_t start_ns = iot_procstat_ns(s, start);
	begin(s, b, "op");
	text(b, "name", name);
	iot_directive_number(b, "time", (uint64_t)start_ns);
	iot_directive_number(b, "took", (uint64_t)(iot_procstat_ns(s, start + elapsed) - start_ns));
	iot_directive_number(b, "process", who->id);
	return start_ns;
}

void iot_procstat_emit_open(struct procstat *s, const struct iot_packet_process *who,
			    const struct iot_packet *p, const struct iot_tracked_file *f)
{
	struct iot_builder b;
	uint64_t start = iot_packet_word(p, 0), how = iot_packet_word(p, 1);
	const char *path = (const char *)p->payload + IOT_WORD * IOT_OPEN_WORDS;
	size_t size = iot_packet_text(p, IOT_OPEN_WORDS);
	file(s, who, p->file, f->object, path, size, iot_procstat_ns(s, start));
	int64_t start_ns = begin_op(s, &b, (how & IOT_OPEN_CREATED) != 0 ? "create" : "open", who,
				    start, how & IOT_ELAPSED_MAX);
	iot_directive_number(&b, "file", p->file);
	if (size > 0)
		iot_directive_text(&b, "path", path, size);
	iot_directive_number(&b, "flags", iot_packet_word(p, 2));
	text(&b, "result", "0");
	end(s, &b, start_ns);
	if ((how & IOT_OPEN_CUT) != 0)
		iot_report_add(&s->src->report, "path.cut", 1);
}

void iot_procstat_emit_close(struct procstat *s, const struct iot_packet_process *who,
			     const struct iot_packet *p)
{
	struct iot_builder b;
	int64_t start_ns =
	    begin_op(s, &b, "close", who, iot_packet_word(p, 0), iot_packet_word(p, 1));
	iot_directive_number(&b, "file", p->file);
	text(&b, "result", "0");
	end(s, &b, start_ns);
}

void iot_procstat_emit_exit(struct procstat *s, const struct iot_packet_process *who,
			    const struct iot_packet *p)
{
	struct iot_builder b;
	int64_t start_ns = begin_op(s, &b, "exit", who, p->wall, 0);
	iot_directive_number(&b, "status", iot_packet_word(p, 0));
	end(s, &b, start_ns);
}

/* Records */

static struct iot_record record(const struct procstat *s, const struct iot_entry *e)
{
	uint64_t unit = (e->type & IOT_LOGICAL) != 0 ? 1 : IOT_PHYSICAL_UNIT;
	int64_t start_ns = iot_procstat_ns(s, e->start);
	return (struct iot_record){
	    .start_ns = start_ns,
	    .duration_ns = (uint64_t)(iot_procstat_ns(s, e->start + e->elapsed) - start_ns),
	    .cpu_ns = iot_procstat_ns(s, e->cpu),
	    .offset = e->offset / unit,
	    .length = e->length / unit,
	    .type = e->type,
	};
}

void iot_procstat_emit_records(struct procstat *s, const struct iot_packet_process *who,
			       const struct iot_packet *p, uint32_t object)
{
	struct iot_entries all = {.packet = p};
	struct iot_entry e = {0};
	while (iot_entry_next(&all, &e)) {
		struct iot_event *ev = event(s);
		*ev = (struct iot_event){.rec = record(s, &e), .kind = IOT_RECORD};
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

void iot_procstat_emit_lost(struct procstat *s, const struct iot_packet_range *lost)
{
	struct iot_builder b;
	int64_t time_ns = iot_procstat_ns(s, lost->wall);
	begin(s, &b, "lost");
	iot_directive_number(&b, "time", (uint64_t)time_ns);
	iot_directive_number(&b, "process", lost->id);
	iot_directive_number(&b, "packets", lost->count);
	text(&b, "why", "packets are missing");
	end(s, &b, time_ns);
}

void iot_procstat_emit_damage(struct procstat *s)
{
	struct iot_builder b;
	int64_t time_ns = iot_procstat_ns(s, s->ledger.wall);
	begin(s, &b, "lost");
	iot_directive_number(&b, "time", (uint64_t)time_ns);
	iot_directive_number(&b, "bytes", s->scan.bad);
	text(&b, "why", s->scan.why);
	end(s, &b, time_ns);
}
