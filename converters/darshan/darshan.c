/* SPDX-License-Identifier: BSD-2-Clause */
/* The Darshan converter: reads the regions of one log after another. */
#include "darshan.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	SNIFF_MAGIC_BITS = 72,
	SNIFF_TEXT_BITS = 300, /* a complete line that no other program writes */
	SNIFF_EMPTY_BITS = 8,
	SNIFF_MEMBERS = 16,
	TEXT_PER_CALL = 1 << 15,
	TEXT_TICK_NS = 100000, /* resolution of four decimals */
};

static const struct iot_format_option OPTIONS[] = {
    {"layer", "posix|mpiio|both",
     "layer whose calls become records (default: posix); both: the same I/O "
     "appears twice"},
    {"check", NULL, "compare totals of the records with the source's own"},
    {"threads", NULL, "make every thread a process of its own, if the log distinguishes threads"},
    {0},
};

/* Detection */

/* A log that was never completed has a header of zeros; only its name identifies it. */
static bool is_unfinished(const char *name, const char *head, size_t size)
{
	if (strstr(name, ".darshan") == NULL || size < 16)
		return false;
	return darshan_all_zero(head, size < 360 ? size : 360);
}

static int bid(struct input *in, size_t member)
{
	size_t size;
	const char *head = input_head(in, member, &size);
	bool swap;
	if (darshan_log_is(head, size, &swap))
		return SNIFF_MAGIC_BITS;
	if (darshan_text_is(head, size))
		return SNIFF_TEXT_BITS;
	return is_unfinished(input_name(in, member), head, size) ? SNIFF_EMPTY_BITS : 0;
}

static int sniff(struct input *in)
{
	const size_t count = input_count(in);
	int bits = 0;
	for (size_t i = 0; i < count && i < SNIFF_MEMBERS && bits == 0; i++)
		bits = bid(in, i);
	return bits;
}

/* Regions */

/* Returns NULL if the module or its version is unknown. */
static darshan_step_fn *step_of(const struct darshan_map_entry *p)
{
	static const struct {
		darshan_step_fn *step;
		unsigned versions; /* versions 1 to this are known */
	} steps[] = {[DARSHAN_DXT_POSIX] = {darshan_dxt_step, 2},
		     [DARSHAN_DXT_MPIIO] = {darshan_dxt_step, 3},
		     [DARSHAN_HEATMAP] = {darshan_heatmap_step, 1},
		     [DARSHAN_LUSTRE] = {darshan_lustre_step, 2}};
	if (p->module == DARSHAN_NULL)
		return darshan_ids_step;
	if (p->module < sizeof steps / sizeof *steps && steps[p->module].step != NULL)
		return p->version >= 1 && p->version <= steps[p->module].versions
			   ? steps[p->module].step
			   : NULL;
	return darshan_counters(p->module, p->version) != NULL ? darshan_counters_step : NULL;
}

static void open_region(struct darshan *d)
{
	struct darshan_current *c = &d->current;
	const struct darshan_map_entry *entry = c->entry = &d->log.map[d->log.next++];
	const unsigned layer = darshan_layer(entry->module);
	c->damaged = c->begun = false;
	c->region.end.status = IOT_OK;
	d->contents.layers |= layer;
	if (layer != 0 && (d->layers & layer) == 0)
		return;
	darshan_step_fn *step = step_of(entry);
	if (step == NULL) {
		darshan_skip_module(d);
		return;
	}
	if (entry->offset < d->log.offset) {
		darshan_damage(d, IOT_EFORMAT, "overlaps the preceding region");
		return;
	}
	if (!darshan_log_skip(&d->log, entry->offset)) {
		darshan_damage(d, IOT_ETRUNCATED, "the file ends before it");
		return;
	}
	d->contents.selected |= layer;
	d->dxt.active = false;
	darshan_region_open(&c->region, d->log.bufreader, entry->size, &d->log.offset,
			    d->log.compression);
	c->step = step;
}

static void close_region(struct darshan *d)
{
	struct darshan_current *c = &d->current;
	if (c->region.end.status != IOT_OK && !c->damaged)
		darshan_damage(d, c->region.end.status, "stops early");
	darshan_region_close(&c->region);
	c->region.end.status = IOT_OK;
	c->step = NULL;
}

/* Logs */

static void close_bufreader(struct darshan *d)
{
	bufreader_free(d->log.bufreader);
	d->log.bufreader = NULL;
}

static int open_member(struct darshan *d, struct error *error)
{
	struct input *input = d->src->input;
	const size_t member = d->members.current;
	const char *name = input_name(input, member);
	char shown[512];
	size_t size;
	const char *head = input_head(input, member, &size);
	const bool text = darshan_text_is(head, size);
	struct bufreader *in = input_open(input, member, error);
	if (in == NULL)
		return error->status;
	escape_text(shown, sizeof shown, name, strlen(name));
	const int status = text ? darshan_text_open(d, in, error)
				: darshan_log_open(&d->log, in, shown, &d->current.region, error);
	d->log.bufreader = in;
	if (status != IOT_OK)
		return status;
	darshan_clock_set(&d->clock, d->log.start_ns, d->log.end_ns);
	d->current.entry = NULL;
	d->current.damaged = false;
	d->current.step = text ? darshan_text_step : NULL;
	return IOT_OK;
}

/* Reports the properties of the job, after %trace. */
static void note_job(struct darshan *d)
{
	const struct darshan_job *job = &d->log.job;
	if (job->status != IOT_OK)
		darshan_damage(d, job->status, "job: %s", job->why);
	if (d->log.start_ns == 0)
		darshan_note(d, d->members.current, "the start time of the job is unknown");
	if (d->log.major == 3 && d->log.minor == 20)
		darshan_note(d, d->members.current,
			     "of Darshan 3.2.0, which damages some counters (ACCESS, COUNT)");
}

/*
 * Reports modules that ran out of memory while the log was written: their last records are missing.
 */
static void note_partial(struct darshan *d)
{
	char why[128];
	for (unsigned id = 0; id < DARSHAN_MODULES; id++) {
		if ((d->log.partial >> id & 1) == 0)
			continue;
		unsigned module = darshan_module_of(&d->log, id);
		snprintf(why, sizeof why,
			 "module %s ran out of memory: its last records are missing",
			 darshan_module_name(module));
		darshan_count(d, "partial.modules", 1);
		darshan_note(d, d->members.current, "%s", why);
		darshan_emit_lost(d, why);
	}
}

static bool same_job(const struct darshan_job *a, const struct darshan_job *b)
{
	return a->known && b->known && a->id == b->id && a->start_s == b->start_s &&
	       a->processes == b->processes && a->uid == b->uid;
}

static void close_log(struct darshan *d)
{
	d->current.entry = NULL;
	note_partial(d);
	darshan_emit_silent_processes(d);
	close_bufreader(d);
	d->members.last_log = d->members.current++;
}

/*
 * Ends a job: notes and checks that need all of its members, because two texts may belong to one
 * job.
 */
static void close_job(struct darshan *d)
{
	const size_t member = d->members.last_log;
	if (d->contents.layers == 0)
		darshan_note(d, member,
			     d->contents.counters ? "has no DXT data: counters only, and no records"
						  : "has no data: neither counters nor records");
	else if ((d->contents.layers & d->layers) == 0)
		darshan_note(d, member,
			     "has no DXT data of the selected layer; %slayer=both selects all",
			     d->src->option_prefix);
	if (d->check)
		darshan_check(d, member);
	d->contents = (struct darshan_contents){.counters = false};
	d->crosscheck.first_file = d->ids.files.count;
}

/* Advances to the next member that is a log, or to the end. */
static void skip_others(struct darshan *d)
{
	struct darshan_members *m = &d->members;
	for (; m->current < input_count(d->src->input); m->current++) {
		if (bid(d->src->input, m->current) > 0)
			return;
		if (m->ignored++ == 0)
			m->first_ignored = m->current;
	}
}

static void end_logs(struct darshan *d)
{
	close_job(d);
	source_ignored(d->src, d->members.ignored, d->members.first_ignored);
	d->ended = true;
}

/* Returns false if the damage is the first of the conversion. */
static bool skip_unopened(struct darshan *d, const struct error *error)
{
	close_bufreader(d);
	d->members.current++;
	return darshan_add_damage(d, error);
}

static void next_log(struct darshan *d)
{
	const struct darshan_job last = d->log.job;
	const bool text = d->text != NULL;
	struct error error = {.status = IOT_OK};
	skip_others(d);
	if (d->members.current == input_count(d->src->input)) {
		end_logs(d);
		return;
	}
	const uint64_t processes = darshan_process_count(d);
	if (open_member(d, &error) == IOT_OK) {
		/* Two texts of one job describe the same processes. */
		if (!text || d->text == NULL || !same_job(&last, &d->log.job)) {
			close_job(d);
			darshan_ids_next_job(d, processes);
			darshan_emit_trace(d);
		}
		note_job(d);
	} else if (error.status == IOT_ENOMEM) {
		darshan_no_memory(d);
	} else if (skip_unopened(d, &error)) {
		darshan_emit_lost(d, error.text);
	}
}

static void run_step(struct darshan *d)
{
	const int status = d->current.step(d);
	if (status < 0) {
		darshan_no_memory(d);
	} else if (status == 0 && d->current.step == darshan_text_step) {
		d->current.step = NULL;
		darshan_text_end(d);
	} else if (status == 0) {
		close_region(d);
	}
}

static void advance(struct darshan *d)
{
	if (d->current.step != NULL)
		run_step(d);
	else if (d->log.bufreader == NULL)
		next_log(d);
	else if (d->log.next < d->log.entries)
		open_region(d);
	else
		close_log(d);
}

/* The converter */

/*
 * Returns true if any member is a binary log: times of binary logs are exact, times of texts are
 * not.
 */
static bool has_binary(struct input *in)
{
	for (size_t i = 0; i < input_count(in); i++) {
		const int bits = bid(in, i);
		if (bits > 0 && bits != SNIFF_TEXT_BITS)
			return true;
	}
	return false;
}

/*
 * Opens the first log that can be opened. %lost for the others follows after %trace, which must
 * come first.
 */
static int open_first(struct darshan *d)
{
	struct darshan_members *m = &d->members;
	struct error error = {.status = IOT_OK};
	const size_t count = input_count(d->src->input);
	char why[64];
	size_t unopened = 0;
	skip_others(d);
	if (m->current == count) /* only --from claims that they are logs */
		m->current = m->ignored = 0;
	for (; m->current < count && open_member(d, &error) != IOT_OK; unopened++) {
		if (error.status == IOT_ENOMEM) {
			d->src->error = error;
			return IOT_ENOMEM;
		}
		(void)skip_unopened(d, &error);
		error.status = IOT_OK;
		skip_others(d);
	}
	if (m->current == count) {
		d->src->error = d->damage;
		return d->damage.status;
	}
	darshan_emit_trace(d);
	snprintf(why, sizeof why, "%zu more logs cannot be opened", unopened - 1);
	if (unopened > 1)
		darshan_emit_lost(d, why);
	return IOT_OK;
}

static int open_source(struct source_state *src)
{
	struct darshan *d = calloc(1, sizeof *d);
	if (d == NULL)
		return error_no_memory(&src->error);
	src->state = d;
	d->src = src;
	d->emit.report = &src->report;
	d->emit.directive_capacity = DARSHAN_DIRECTIVE_CAPACITY;
	d->check = source_setting(src, "check") != NULL;
	d->threads = source_setting(src, "threads") != NULL;
	if (emit_layers(d->src, &d->layers) != IOT_OK || open_first(d) != IOT_OK)
		return src->error.status;
	src->tick_ns = d->text == NULL || has_binary(src->input) ? 1 : TEXT_TICK_NS;
	src->first_ns = d->clock.base_ns;
	src->unordered = true;
	note_job(d);
	return d->status;
}

static int next(struct source_state *src, struct iot_event *out, int max)
{
	struct darshan *d = src->state;
	struct emit *e = &d->emit;
	if (e->over_count > 0)
		return emit_leftovers(e, out, max);
	emit_start(e, out, max);
	while (e->count < e->max) {
		size_t got = darshan_batch_take(d, out + e->count, e->max - e->count);
		e->count += got;
		if (got > 0)
			continue;
		if (d->ended || d->status != IOT_OK ||
		    (e->count > 0 && e->text_used > TEXT_PER_CALL))
			break;
		advance(d);
		if (e->status != IOT_OK)
			darshan_no_memory(d);
	}
	if (e->count > 0 || d->status != IOT_OK)
		return e->count > 0 ? (int)e->count : d->status;
	if (d->damage.status != IOT_OK && src->error.status == IOT_OK)
		src->error = d->damage;
	return src->error.status;
}

static void close_source(struct source_state *src)
{
	struct darshan *d = src->state;
	if (d == NULL)
		return;
	darshan_region_close(&d->current.region);
	close_bufreader(d);
	darshan_text_close(d);
	darshan_ids_free(&d->ids);
	idmap_free(&d->crosscheck.ids);
	emit_free(&d->emit);
	free(d->crosscheck.declared);
	free(d->current.region.data);
	free(d->dxt.batch.own);
	free(d);
	src->state = NULL;
}

const struct converter converter_darshan = {
    .name = "darshan",
    .summary = "Darshan: logs with or without DXT, and the text of darshan-parser and "
	       "darshan-dxt-parser",
    .options = OPTIONS,
    .sniff = sniff,
    .open = open_source,
    .next = next,
    .close = close_source,
    .is_counter = darshan_is_counter,
};
