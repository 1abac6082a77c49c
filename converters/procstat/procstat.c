/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts procstat packets, which traced processes write to one pipe. The I/Os of one file arrive
 * together and quiet files late, so the watermark is the time that the processes guarantee in their
 * watermark packets. Damaged bytes are skipped, missing packets are reported, duplicates are
 * dropped. Several files form one stream.
 */
#include "procstat.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/plural.h"

enum { BID = 64, BID_DAMAGED = 16, PAUSE_MS = 20, HELD_MAX = 2 * SEQUENCE_WINDOW };

enum found { FAILED = -1, AT_END = 0, PACKET = 1, NONE_YET = 2 };

/*
 * Returns true if the magic is followed by a plausible second word of a packet header, which text
 * never contains.
 */
static bool has_header(const char *head, size_t size, const unsigned char magic[PACKET_WORD_SIZE])
{
	const char *at = head, *const end = head + size;
	while ((at = memmem(at, (size_t)(end - at), magic, PACKET_WORD_SIZE)) != NULL) {
		at += PACKET_WORD_SIZE;
		if (end - at < PACKET_WORD_SIZE)
			return false;
		const uint64_t kind = packet_word_get((const unsigned char *)at) >> 32;
		if (kind > 0 && kind <= PACKET_WATERMARK)
			return true;
	}
	return false;
}

static int sniff(struct input *in)
{
	unsigned char magic[PACKET_WORD_SIZE];
	size_t size;
	const char *head = input_head(in, 0, &size);
	packet_word_put(magic, PACKET_MAGIC);
	if (size < sizeof(magic))
		return 0;
	if (memcmp(head, magic, sizeof(magic)) == 0)
		return BID;
	return has_header(head, size, magic) ? BID_DAMAGED : 0;
}

/* Reading packets */

/* Opens the next member. Returns AT_END if there is none. */
static enum found open_member(struct procstat *s)
{
	bufreader_free(s->bufreader);
	s->bufreader = NULL;
	s->at = 0;
	if (s->member == input_count(s->src->input))
		return AT_END;
	s->bufreader = input_open(s->src->input, s->member++, &s->src->error);
	return s->bufreader != NULL ? PACKET : FAILED;
}

static void step_over(struct procstat *s, size_t used)
{
	bufreader_consume(s->bufreader, used);
	s->at += used;
}

/*
 * Returns true if no input is available now and next() should return: with the events made so far
 * or, once per pause, with the watermark alone.
 */
static bool is_to_pause(struct procstat *s, size_t want)
{
	if (!bufreader_waits(s->bufreader, want, 0))
		return false;
	if (s->emit.count > 0)
		return true;
	if (s->waited || !bufreader_waits(s->bufreader, want, PAUSE_MS))
		return false;
	s->waited = true;
	return true;
}

/* Handles the end of a member; a read error becomes the error of the source. */
static enum found member_ended(struct procstat *s)
{
	const struct error *e = bufreader_error(s->bufreader);
	if (e->status == IOT_OK)
		return open_member(s);
	error_set(&s->src->error, e->status, "%s", e->text);
	return FAILED;
}

static enum found next_packet(struct procstat *s)
{
	size_t have, used, want = 1;
	if (s->bufreader == NULL)
		return AT_END;
	step_over(s, s->used);
	s->used = 0;
	for (;;) {
		if (is_to_pause(s, want))
			return NONE_YET;
		const char *data = bufreader_peek(s->bufreader, want, &have);
		bool end = have < want;
		if (packet_find(&s->scan, (const unsigned char *)data, have, end, &s->used,
				&s->packet)) {
			s->waited = false;
			return PACKET;
		}
		used = s->used;
		s->used = 0;
		step_over(s, used);
		want = have - used + 1;
		if (!end)
			continue;
		enum found next = member_ended(s);
		if (next != PACKET)
			return next;
		want = 1;
	}
}

/*
 * Order: a heap of the live processes by before_ns, the time before which none of their I/Os
 * starts. Each stores its index; index 1 is the root.
 */

static void order_store(struct procstat_order *o, size_t at, struct packet_process *who)
{
	o->heap[at] = who;
	who->heap_index = at;
}

/* Moves `who`, whose slot `at` is empty, up or down to its position. */
static void order_settle(struct procstat_order *o, size_t at, struct packet_process *who)
{
	for (; at > 1 && o->heap[at / 2]->before_ns > who->before_ns; at /= 2)
		order_store(o, at, o->heap[at / 2]);
	for (;;) {
		size_t child = 2 * at;
		if (child < o->count && o->heap[child + 1]->before_ns < o->heap[child]->before_ns)
			child++;
		if (child > o->count || o->heap[child]->before_ns >= who->before_ns)
			break;
		order_store(o, at, o->heap[child]);
		at = child;
	}
	order_store(o, at, who);
}

static bool order_set(struct procstat_order *o, struct packet_process *who)
{
	if (who->heap_index != 0) {
		order_settle(o, who->heap_index, who);
		return true;
	}
	if (!array_reserve(&o->heap, &o->capacity, o->count + 2, sizeof(who)))
		return false;
	order_settle(o, ++o->count, who);
	return true;
}

static void order_remove(struct procstat_order *o, struct packet_process *who)
{
	size_t at = who->heap_index;
	if (at == 0)
		return;
	assert(at <= o->count && o->heap[at] == who);
	struct packet_process *last = o->heap[o->count--];
	who->heap_index = 0;
	if (last != who)
		order_settle(o, at, last);
}

static int64_t order_min(const struct procstat_order *o)
{
	return o->count > 0 ? o->heap[1]->before_ns : INT64_MAX;
}

/*
 * Held packets arrived before earlier ones of their process, which may still arrive. There are few:
 * a missing packet counts as lost after SEQUENCE_WINDOW packets of the stream.
 */

static bool is_ready(const struct procstat *s, const struct procstat_stored *stored)
{
	return stored->generation < stored->who->generation ||
	       stored->packet.sequence < sequence_missing(&s->sequence, stored->who);
}

static bool has_held(const struct procstat *s, const struct packet_process *who)
{
	for (size_t i = 0; i < s->held_count; i++)
		if (s->held[i].who == who)
			return true;
	return false;
}

static bool must_wait(const struct procstat *s, const struct packet_process *who)
{
	if (s->held_count == HELD_MAX)
		return false;
	if (s->packet.sequence > sequence_missing(&s->sequence, who))
		return true;
	for (size_t i = 0; i < s->held_count; i++)
		if (s->held[i].who == who && (s->held[i].generation < who->generation ||
					      s->held[i].packet.sequence < s->packet.sequence))
			return true;
	return false;
}

static bool hold(struct procstat *s, struct packet_process *who)
{
	if (s->held == NULL)
		s->held = malloc((HELD_MAX + 1) * sizeof(*s->held));
	if (s->held == NULL)
		return false;
	struct procstat_stored *stored = &s->held[s->held_count++];
	stored->who = who;
	stored->generation = who->generation;
	procstat_store(stored, &s->packet);
	return true;
}

static bool is_before(const struct procstat_stored *a, const struct procstat_stored *b)
{
	return a->generation != b->generation ? a->generation < b->generation
					      : a->packet.sequence < b->packet.sequence;
}

static struct packet_process *next_ready(struct procstat *s)
{
	struct procstat_stored *first = NULL;
	for (size_t i = 0; i < s->held_count; i++)
		if (is_ready(s, &s->held[i]) && (first == NULL || is_before(&s->held[i], first)))
			first = &s->held[i];
	if (first == NULL)
		return NULL;
	struct procstat_stored *last = &s->held[--s->held_count], *spare = &s->held[HELD_MAX];
	*spare = *first;
	if (first != last)
		*first = *last;
	s->packet = procstat_restore(spare);
	s->packet_generation = spare->generation;
	return spare->who;
}

/* Processing packets */

static bool fail(struct procstat *s, int status, const char *why)
{
	error_set(&s->src->error, status, "%s", why);
	return false;
}

static bool out_of_memory(struct procstat *s)
{
	return fail(s, IOT_ENOMEM, "out of memory");
}

static void emit_damage(struct procstat *s, uint64_t after)
{
	if (s->scan.bad == 0)
		return;
	if (s->damage.regions++ == 0) {
		s->damage.first_why = s->scan.why;
		uint64_t here = s->at + after;
		s->damage.first_at = here > s->scan.bad ? here - s->scan.bad : 0;
	}
	s->damage.bytes += s->scan.bad;
	procstat_emit_damage(s);
	s->scan.bad = 0;
}

static bool raise_bound(struct procstat *s, struct packet_process *who, int64_t before_ns)
{
	if (before_ns > who->before_ns)
		who->before_ns = before_ns;
	return order_set(&s->order, who) || out_of_memory(s);
}

static bool start(struct procstat *s, struct packet_process *who)
{
	const struct packet *p = &s->packet;
	uint32_t parent = (uint32_t)packet_word(p, 0);
	const struct packet_process *known = sequence_find(&s->sequence, parent);
	who->parent = known != NULL && known != who ? known->id : parent;
	int64_t began_ns = procstat_ns(s, p->wall);
	procstat_emit_process(s, who, p);
	if (!procstat_ancestor_add(&s->files, who, known, began_ns))
		return out_of_memory(s);
	return raise_bound(s, who, began_ns);
}

/*
 * Finds the file of a data packet among the files of its process and, if absent, of its
 * ancestors.
 */
static bool find_file(struct procstat *s, const struct packet_process *who, uint32_t *object)
{
	enum { GENERATIONS_MAX = 16 };
	const struct packet *p = &s->packet;
	const struct procstat_file *f = procstat_files_find(&s->files, who->id, p->file);
	*object = f != NULL ? f->after->object : 0;
	const struct procstat_ancestors *a = procstat_ancestor(&s->files, who->ancestors, who->id);
	for (int i = 0; i < GENERATIONS_MAX && f == NULL && a != NULL && a->parent != 0; i++) {
		f = procstat_files_find(&s->files, a->parent, p->file);
		if (f != NULL && f->opened_ns > a->began_ns)
			return true; /* the ancestor reused the number after the fork */
		a = procstat_ancestor(&s->files, a->parent_ancestors, a->parent);
	}
	if (f == NULL || *object != 0 || p->entries == 0)
		return true;
	struct tracked_file *after = f->after;
	*object = after->object;
	procstat_emit_inherited(s, who, p->file, after, procstat_ns(s, packet_word(p, 1)));
	return procstat_files_add(&s->files, who->id, p->file, after, f->opened_ns) ||
	       out_of_memory(s);
}

static bool data(struct procstat *s, const struct packet_process *who)
{
	uint32_t object;
	bool ok = find_file(s, who, &object);
	procstat_emit_records(s, who, &s->packet, object);
	return ok;
}

static bool opened(struct procstat *s, const struct packet_process *who)
{
	int64_t start_ns = procstat_ns(s, packet_word(&s->packet, 0));
	struct tracked_file *f = procstat_files_open(&s->files, who->id, &s->packet, start_ns);
	if (f == NULL)
		return out_of_memory(s);
	procstat_emit_open(s, who, &s->packet, f);
	s->src->report.calls++;
	return true;
}

static bool process(struct procstat *s, struct packet_process *who)
{
	const struct packet *p = &s->packet;
	switch (p->kind) {
	case PACKET_DATA:
		return data(s, who);
	case PACKET_OPEN:
		return opened(s, who);
	case PACKET_CLOSE:
		procstat_emit_close(s, who, p);
		s->src->report.calls++;
		return true;
	case PACKET_START:
		return start(s, who);
	case PACKET_EXIT:
		procstat_emit_exit(s, who, p);
		if (s->packet_generation == who->generation) {
			order_remove(&s->order, who);
			if (!has_held(s, who)) /* a process that has ended may be forgotten */
				sequence_end_process(&s->sequence, who);
		}
		return true;
	case PACKET_WATERMARK:
		return raise_bound(s, who, procstat_ns(s, packet_word(p, 0)));
	default:
		s->unknown++;
		return true;
	}
}

static bool process_now(struct procstat *s, struct packet_process *who)
{
	/*
	 * If a process sent no start packet, no bound is known before its first watermark packet.
	 */
	if (who->heap_index == 0 && !who->ended && !raise_bound(s, who, 0))
		return false;
	return process(s, who) && (s->emit.status == IOT_OK || out_of_memory(s));
}

static bool accept_packet(struct procstat *s)
{
	struct packet_process *who;
	bool failed;
	if (!s->tick.again)
		emit_damage(s, s->used - packet_size(&s->packet));
	if (!procstat_tick_fits(s, &failed))
		return !failed || out_of_memory(s);
	enum sequence_verdict verdict = sequence_accept(&s->sequence, &s->packet, &who);
	switch (verdict) {
	case SEQUENCE_DUPLICATE:
		return true;
	case SEQUENCE_NO_MEMORY:
		return out_of_memory(s);
	case SEQUENCE_FULL:
		return fail(s, IOT_ELIMIT, "too many processes alive at a time");
	default:
		break;
	}
	/* Packets of one process are processed in the order in which they were sent. */
	if (must_wait(s, who))
		return hold(s, who) || out_of_memory(s);
	s->packet_generation = who->generation;
	return process_now(s, who);
}

/* The end */

static void count(struct procstat *s)
{
	const struct sequence *l = &s->sequence;
	const struct {
		const char *name;
		uint64_t value;
	} counts[] = {
	    {"packets.good", l->packets - l->duplicates}, {"packets.lost", l->lost},
	    {"packets.duplicate", l->duplicates},         {"packets.found_late", l->found},
	    {"packets.unknown_kind", s->unknown},         {"packets.other_tick", s->tick.others},
	    {"damaged.bytes", s->damage.bytes},           {"damaged.places", s->damage.regions}};
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (counts[i].value > 0)
			report_add(&s->src->report, counts[i].name, counts[i].value);
	if (l->duplicates > 0)
		report_note(&s->src->report, "%" PRIu64 " %s skipped", l->duplicates,
			    plural(l->duplicates, "packet came twice, and was",
				   "packets came twice, and were"));
	if (s->unknown > 0)
		report_note(
		    &s->src->report, "%" PRIu64 " %s, skipped", s->unknown,
		    plural(s->unknown, "packet of an unknown kind", "packets of unknown kinds"));
}

static int verdict(struct procstat *s)
{
	const struct sequence *l = &s->sequence;
	char name[256], lost[64] = "", damage[256] = "", others[96] = "";
	const char *path = input_name(s->src->input, 0);
	if (l->lost == 0 && s->damage.regions == 0 && s->tick.others == 0)
		return IOT_OK;
	if (l->lost > 0)
		snprintf(lost, sizeof(lost), "%" PRIu64 " %s missing", l->lost,
			 plural(l->lost, "packet is", "packets are"));
	if (s->damage.regions > 0)
		snprintf(damage, sizeof(damage),
			 "%s%" PRIu64 " %s damaged, first at byte %" PRIu64 ": %s",
			 l->lost > 0 ? "; " : "", s->damage.bytes,
			 plural(s->damage.bytes, "byte is", "bytes are"), s->damage.first_at,
			 s->damage.first_why);
	if (s->tick.others > 0)
		snprintf(others, sizeof(others), "%s%" PRIu64 " %s another tick than most",
			 l->lost > 0 || s->damage.regions > 0 ? "; " : "", s->tick.others,
			 plural(s->tick.others, "packet has", "packets have"));
	s->src->lost_reported = true;
	bool cut = l->lost == 0 && s->tick.others == 0 && s->damage.regions == 1 && s->cut;
	return error_set(&s->src->error, cut ? IOT_ETRUNCATED : IOT_EFORMAT, "%s: %s%s%s",
			 escape_text(name, sizeof(name), path, strlen(path)), lost, damage, others);
}

static void emit_lost(struct procstat *s)
{
	struct packet_range lost;
	while (sequence_pop_lost(&s->sequence, &lost))
		procstat_emit_lost(s, &lost);
}

static void finish(struct procstat *s)
{
	s->cut = s->scan.bad > 0;
	emit_damage(s, 0);
	if (s->tick.others > 0)
		procstat_emit_others(s);
	sequence_end(&s->sequence);
	s->ended = true;
}

/* Interface */

static int look_at_first(struct procstat *s)
{
	char name[256];
	const char *path = input_name(s->src->input, 0);
	enum found found = open_member(s);
	s->waited = true;
	if (found == PACKET)
		found = next_packet(s);
	s->waited = false;
	s->has_packet = found == PACKET;
	if (found == FAILED)
		return s->src->error.status;
	if (found == AT_END && s->scan.bad > 0)
		return error_set(&s->src->error, IOT_EFORMAT, "%s: no valid packet: %s",
				 escape_text(name, sizeof(name), path, strlen(path)), s->scan.why);
	uint32_t tick_ps = s->tick.ps;
	if (tick_ps == 0 && s->has_packet)
		tick_ps = s->packet.tick_ps;
	bool whole = tick_ps > 0 && tick_ps % PACKET_TICK_PS_PER_NS == 0;
	s->src->tick_ns = whole ? tick_ps / PACKET_TICK_PS_PER_NS : 1;
	return IOT_OK;
}

static int open_source(struct source_state *src)
{
	struct procstat *s = calloc(1, sizeof(*s));
	src->state = s;
	if (s == NULL)
		return error_no_memory(&src->error);
	s->src = src;
	s->latest_ns = -1;
	src->first_ns = 0;
	sequence_init(&s->sequence);
	fdtable_init(&s->files.tracker);
	s->emit.report = &src->report;
	s->emit.directive_capacity = PROCSTAT_DIRECTIVE;
	if (emit_set_ops(&s->emit, src) != IOT_OK)
		return src->error.status;
	procstat_tick_find(s);
	return look_at_first(s);
}

static void close_source(struct source_state *src)
{
	struct procstat *s = src->state;
	if (s == NULL)
		return;
	bufreader_free(s->bufreader);
	sequence_free(&s->sequence);
	procstat_files_free(&s->files);
	free(s->order.heap);
	free(s->held);
	free(s->tick.other);
	emit_free(&s->emit);
	free(s);
	src->state = NULL;
}

/* No later event starts before this time. The watermark never decreases. */
static void update_watermark(struct procstat *s)
{
	int64_t mark = order_min(&s->order);
	uint64_t hole = sequence_earliest_gap(&s->sequence);
	if (mark == INT64_MAX) /* no process is alive, but a new one may start */
		mark = s->latest_ns + (s->latest_ns < INT64_MAX);
	if (hole != UINT64_MAX && procstat_ns(s, hole) < mark)
		mark = procstat_ns(s, hole);
	if (mark > s->src->watermark_ns)
		s->src->watermark_ns = mark;
}

/*
 * Produces events until the output is full; the last packet may exceed it. Returns false if there
 * are none now.
 */
static bool fill(struct procstat *s)
{
	if (!s->began)
		procstat_emit_trace(s);
	s->began = true;
	while (s->emit.count < s->emit.max) {
		emit_lost(s);
		struct packet_process *who = next_ready(s);
		if (who != NULL) {
			if (!process_now(s, who))
				finish(s);
			continue;
		}
		if (s->ended)
			break;
		if (procstat_tick_again(s)) {
			if (!accept_packet(s))
				finish(s);
			continue;
		}
		enum found found = s->has_packet ? PACKET : next_packet(s);
		s->has_packet = false;
		if (found == NONE_YET)
			return false;
		if (found != PACKET || !accept_packet(s))
			finish(s);
	}
	return true;
}

static int end_of(struct procstat *s)
{
	if (!s->counted)
		count(s);
	s->counted = true;
	return s->src->error.status != IOT_OK ? s->src->error.status : verdict(s);
}

static int next(struct source_state *src, struct iot_event *out, int max)
{
	struct procstat *s = src->state;
	struct emit *e = &s->emit;
	int n = emit_leftovers(e, out, max);
	bool more = true;
	if (n == 0) {
		emit_start(e, out, max);
		more = fill(s);
		n = (int)e->count;
	}
	if (e->over_count == 0)
		update_watermark(s);
	src->paused = n == 0 && !more;
	return n > 0 || src->paused ? n : end_of(s);
}

const struct converter converter_procstat = {
    .name = "procstat",
    .summary = "packets that traced programs send, as iotrace procstat gathers them",
    .live = true,
    .sniff = sniff,
    .open = open_source,
    .next = next,
    .close = close_source,
};
