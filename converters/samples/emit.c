/* SPDX-License-Identifier: BSD-2-Clause */
#include "samples.h"

static void put_key(const struct sampling *s, struct iot_builder *b, const struct sample_point *p)
{
	emit_string(b, "source", s->src->converter->name);
	if (p->host.data != NULL) {
		emit_text(b, "host", p->host);
		emit_text(b, "target", p->target);
	}
	if (p->job.data != NULL)
		emit_text(b, "job", p->job);
	else if (p->entry.size > 0)
		emit_text(b, "jobid", p->entry);
}

static void put_flags(struct iot_builder *b, unsigned flags)
{
	static const char *const names[] = {"gap", "reset", "doubtful"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if ((flags >> i & 1) != 0)
			iot_directive_number(b, names[i], 1);
}

bool samples_emit(struct sampling *s, const struct sample_point *p, uint64_t took_ns,
		  unsigned flags)
{
	const int64_t from_ns = p->time_ns - (int64_t)took_ns;
	struct iot_builder b;
	if (!emit_begin(&s->emit, &b, "sample"))
		return samples_no_memory(s);
	iot_directive_number(&b, "time", (uint64_t)from_ns);
	iot_directive_number(&b, "took", took_ns);
	put_key(s, &b, p);
	for (unsigned v = 0; v < SAMPLE_VALUES; v++)
		if ((p->known >> v & 1) != 0)
			iot_directive_number(&b, sample_names[v].data, p->value[v]);
	put_flags(&b, flags);
	emit_sample(&s->emit, &b, from_ns, took_ns);
	if (s->made < SAMPLES_HEAD)
		s->head[s->made] = took_ns;
	s->made++;
	return s->emit.status == IOT_OK || samples_no_memory(s);
}

bool samples_emit_lost(struct sampling *s, const struct sample_point *p, int64_t from_ns,
		       uint64_t took_ns, const char *why)
{
	struct iot_builder b;
	if (!emit_begin(&s->emit, &b, "lost"))
		return samples_no_memory(s);
	iot_directive_number(&b, "time", (uint64_t)from_ns);
	if (took_ns > 0)
		iot_directive_number(&b, "took", took_ns);
	put_key(s, &b, p);
	emit_string(&b, "why", why);
	emit_end(&s->emit, &b, from_ns);
	return s->emit.status == IOT_OK || samples_no_memory(s);
}

bool samples_emit_trace(struct sampling *s, uint64_t interval_ns)
{
	struct iot_builder b;
	if (!emit_begin(&s->emit, &b, "trace"))
		return samples_no_memory(s);
	emit_string(&b, "source", s->src->converter->name);
	iot_directive_number(&b, "epoch", 0);
	emit_string(&b, "lacks", "completion,cpu,offset");
	if (interval_ns > 0)
		iot_directive_number(&b, "interval", interval_ns);
	emit_end(&s->emit, &b, 0);
	return s->emit.status == IOT_OK || samples_no_memory(s);
}
