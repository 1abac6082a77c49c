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

static const struct converter_option OPTIONS[] = {
    {"layer", "posix|mpiio|both",
     "layer whose calls become records (default: posix); both: the same I/O "
     "appears twice"},
    {"check", NULL, "compare totals of the records with the source's own"},
    {"threads", NULL, "make every thread a process of its own, if the log distinguishes threads"},
    {0},
};

/* Detection */

static bool has_magic(const char *head, size_t size)
{
	static const unsigned char magic[8] = {0x37, 0x35, 0x64};
	bool little = true, big = true;
	if (size < 16)
		return false;
	for (size_t i = 0; i < 8; i++) {
		little = little && (unsigned char)head[8 + i] == magic[i];
		big = big && (unsigned char)head[15 - i] == magic[i];
	}
	return little || big;
}

/* A log that was never completed has a header of zeros; only its name identifies it. */
static bool is_unfinished(const char *name, const char *head, size_t size)
{
	if (strstr(name, ".darshan") == NULL || size < 16)
		return false;
	for (size_t i = 0; i < size && i < 360; i++)
		if (head[i] != '\0')
			return false;
	return true;
}

static int bid(struct input *in, size_t member)
{
	size_t size;
	const char *head = input_head(in, member, &size);
	if (has_magic(head, size))
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

void darshan_skip_module(struct darshan *d)
{
	const char *name = darshan_module_name(d->place->module);
	struct iot_builder b;
	darshan_count(d, "skipped.modules", 1);
	darshan_count(d, "skipped.bytes", d->place->size);
	darshan_note(d, d->member,
		     "module %s (id %u), version %u, is not understood: %llu bytes skipped", name,
		     d->place->id, d->place->version, (unsigned long long)d->place->size);
	if (!emit_begin(&d->emit, &b, "counter"))
		return;
	emit_string(&b, "source", name);
	iot_directive_number(&b, "module", d->place->id);
	iot_directive_number(&b, "version", d->place->version);
	iot_directive_number(&b, "bytes-skipped", d->place->size);
	emit_end(&d->emit, &b, d->end_ns);
}

static unsigned layer_of(const struct darshan_place *p)
{
	if (p->module == DARSHAN_DXT_POSIX)
		return DARSHAN_LAYER_POSIX;
	return p->module == DARSHAN_DXT_MPIIO ? DARSHAN_LAYER_MPIIO : 0;
}

typedef int step_fn(struct darshan *d);

/* Returns NULL if the module or its version is unknown. */
static step_fn *step_of(const struct darshan_place *p)
{
	switch (p->module) {
	case DARSHAN_NULL:
		return darshan_ids_step;
	case DARSHAN_DXT_POSIX:
		return p->version >= 1 && p->version <= 2 ? darshan_dxt_step : NULL;
	case DARSHAN_DXT_MPIIO:
		return p->version >= 1 && p->version <= 3 ? darshan_dxt_step : NULL;
	case DARSHAN_HEATMAP:
		return p->version == 1 ? darshan_heatmap_step : NULL;
	case DARSHAN_LUSTRE:
		return p->version >= 1 && p->version <= 2 ? darshan_lustre_step : NULL;
	default:
		return darshan_counters(p->module, p->version) != NULL ? darshan_counters_step
								       : NULL;
	}
}

static void open_region(struct darshan *d)
{
	struct darshan_place *p = d->place = &d->log.place[d->log.next++];
	const unsigned layer = layer_of(p);
	d->damaged = d->begun = false;
	d->region.status = IOT_OK;
	d->dxt_layers |= layer;
	if (layer != 0 && (d->layers & layer) == 0)
		return;
	step_fn *step = step_of(p);
	if (step == NULL) {
		darshan_skip_module(d);
		return;
	}
	if (p->offset < d->log.at) {
		darshan_damage(d, IOT_EFORMAT, "lies on what comes before");
		return;
	}
	if (!darshan_log_skip(&d->log, p->offset)) {
		darshan_damage(d, IOT_ETRUNCATED, "the file ends before it");
		return;
	}
	d->seen_layers |= layer;
	d->dxt.active = false;
	darshan_region_open(&d->region, d->log.bufreader, p->size, &d->log.at, d->log.how);
	if (input_again(d->src->input)) /* not for pipes: reading ahead could block */
		darshan_thread_begin(&d->region);
	d->step = step;
}

static void close_region(struct darshan *d)
{
	if (d->region.status != IOT_OK && !d->damaged)
		darshan_damage(d, d->region.status, "stops early");
	darshan_region_close(&d->region);
	d->region.status = IOT_OK;
	d->step = NULL;
}

/* Logs */

static const char *member_name(const struct darshan *d, char *out, size_t capacity)
{
	const char *name = input_name(d->src->input, d->member);
	return escape_text(out, capacity, name, strlen(name));
}

static void begin_log(struct darshan *d)
{
	darshan_set_base(d, d->log.start_ns, d->log.end_ns);
	d->understood++;
	d->place = NULL;
	d->damaged = false;
}

static int open_member(struct darshan *d, struct error *error)
{
	char name[512];
	size_t size;
	const char *head = input_head(d->src->input, d->member, &size);
	const bool text = darshan_text_is(head, size);
	struct bufreader *w = input_open(d->src->input, d->member, error);
	if (w == NULL)
		return error->status;
	int status = text ? darshan_text_open(d, w, error)
			  : darshan_log_open(&d->log, w, member_name(d, name, sizeof name),
					     &d->region, error);
	d->log.bufreader = w;
	if (status != IOT_OK)
		return status;
	begin_log(d);
	if (text)
		d->step = darshan_text_step;
	return IOT_OK;
}

/* Reports the properties of the job, after %trace. */
static void report_job(struct darshan *d)
{
	if (d->log.job_status != IOT_OK)
		darshan_damage(d, d->log.job_status, "job: %s", d->log.job_why);
	if (d->log.start_ns == 0)
		darshan_note(d, d->member, "when the job started is not known");
	if (d->log.major == 3 && d->log.minor == 20)
		darshan_note(d, d->member,
			     "of Darshan 3.2.0, which damages some counters (ACCESS, COUNT)");
}

/*
 * Reports modules that ran out of memory while the log was written: their last records are missing.
 */
static void report_partial(struct darshan *d)
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
		darshan_note(d, d->member, "%s", why);
		darshan_emit_lost(d, why);
	}
}

/* Reports ranks that have counters but no records. */
static void report_processes(struct darshan *d)
{
	for (size_t i = 0; i < d->processes; i++) {
		const struct darshan_process *p = &d->process[i];
		uint64_t id = d->process_base + (uint64_t)p->rank + 1;
		if (p->reported_ns == INT64_MAX)
			darshan_emit_process(d, (uint32_t)id, d->base_ns);
	}
}

static uint64_t process_count(const struct darshan *d)
{
	int64_t max = d->log.job.known ? d->log.job.processes : 0;
	for (size_t i = 0; i < d->processes; i++)
		if (d->process[i].rank >= max)
			max = d->process[i].rank + 1;
	return max > 0 ? (uint64_t)max : 0;
}

static bool same_job(const struct darshan_job *a, const struct darshan_job *b)
{
	return a->known && b->known && a->id == b->id && a->start_s == b->start_s &&
	       a->processes == b->processes && a->uid == b->uid;
}

static void close_log(struct darshan *d)
{
	d->place = NULL;
	report_partial(d);
	report_processes(d);
	bufreader_free(d->log.bufreader);
	d->log.bufreader = NULL;
	d->job_member = d->member++;
}

/*
 * Ends a job: notes and checks that need all of its members, because two texts may belong to one
 * job.
 */
static void close_job(struct darshan *d)
{
	if (d->dxt_layers == 0)
		darshan_note(d, d->job_member,
			     d->counted ? "has no DXT data: counters only, and no records"
					: "has no data: neither counters nor records");
	else if ((d->dxt_layers & d->layers) == 0)
		darshan_note(d, d->job_member, "has no DXT data of this layer; see --layer");
	if (d->check)
		darshan_check(d, d->job_member);
	d->seen_layers = d->dxt_layers = 0;
	d->job_files = d->files;
	d->counted = false;
}

/* Advances to the next member that is a log, or to the end. */
static void pass_others(struct darshan *d)
{
	for (; d->member < input_count(d->src->input); d->member++) {
		if (bid(d->src->input, d->member) > 0)
			return;
		if (d->ignored++ == 0)
			d->first_ignored = d->member;
	}
}

static void end_logs(struct darshan *d)
{
	close_job(d);
	source_ignored(d->src, d->ignored, d->first_ignored);
	d->ended = true;
}

/* The first damage becomes the final error of the conversion, others become notes. */
static void pass_unopened(struct darshan *d, const struct error *error)
{
	bufreader_free(d->log.bufreader);
	d->log.bufreader = NULL;
	darshan_count(d, "damaged.places", 1);
	if (d->fault.status == IOT_OK)
		d->fault = *error;
	else
		report_note(&d->src->report, "%.240s", error->text);
	d->member++;
}

static void next_log(struct darshan *d)
{
	const struct darshan_job last = d->log.job;
	const bool text = d->text != NULL;
	struct error error = {.status = IOT_OK};
	pass_others(d);
	if (d->member == input_count(d->src->input)) {
		end_logs(d);
		return;
	}
	const uint64_t processes = process_count(d);
	if (open_member(d, &error) == IOT_OK) {
		/* Two texts of one job describe the same processes. */
		if (!text || d->text == NULL || !same_job(&last, &d->log.job)) {
			close_job(d);
			d->process_base += processes;
			d->processes = 0;
			darshan_emit_trace(d, d->text != NULL ? "text" : "log");
		}
		report_job(d);
		return;
	}
	if (error.status == IOT_ENOMEM) {
		darshan_no_memory(d);
		return;
	}
	if (d->fault.status != IOT_OK)
		darshan_emit_lost(d, error.text);
	pass_unopened(d, &error);
}

static void advance(struct darshan *d)
{
	if (d->step != NULL) {
		int status = d->step(d);
		if (status < 0)
			darshan_no_memory(d);
		else if (status == 0 && d->text != NULL && d->step == darshan_text_step) {
			d->step = NULL;
			darshan_text_end(d);
		} else if (status == 0)
			close_region(d);
	} else if (d->log.bufreader == NULL) {
		next_log(d);
	} else if (d->log.next < d->log.places) {
		open_region(d);
	} else {
		close_log(d);
	}
}

/* The converter */

static int set_layers(struct darshan *d)
{
	const char *layer = source_setting(d->src, "layer");
	if (layer == NULL || strcmp(layer, "posix") == 0)
		d->layers = DARSHAN_LAYER_POSIX;
	else if (strcmp(layer, "mpiio") == 0)
		d->layers = DARSHAN_LAYER_MPIIO;
	else if (strcmp(layer, "both") == 0)
		d->layers = DARSHAN_LAYER_POSIX | DARSHAN_LAYER_MPIIO;
	else
		return error_set(&d->src->error, IOT_EUSAGE,
				 "--layer: posix, mpiio or both is expected of Darshan");
	return IOT_OK;
}

/*
 * Returns true if any member is a binary log: times of binary logs are exact, those of texts are
 * not.
 */
static bool has_binary(struct input *in)
{
	for (size_t i = 0; i < input_count(in); i++) {
		size_t size;
		const char *head = input_head(in, i, &size);
		if (!darshan_text_is(head, size) && bid(in, i) > 0)
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
	struct error error = {.status = IOT_OK};
	const size_t count = input_count(d->src->input);
	char why[64];
	size_t unopened = 0;
	pass_others(d);
	if (d->member == count) /* only --from claims that they are logs */
		d->member = d->ignored = 0;
	while (d->member < count && open_member(d, &error) != IOT_OK) {
		if (error.status == IOT_ENOMEM) {
			d->src->error = error;
			return IOT_ENOMEM;
		}
		pass_unopened(d, &error);
		error.status = IOT_OK;
		pass_others(d);
		unopened++;
	}
	if (d->member == count) {
		d->src->error = d->fault;
		return d->fault.status;
	}
	darshan_emit_trace(d, d->text != NULL ? "text" : "log");
	snprintf(why, sizeof why, "%zu more logs cannot be opened", unopened - 1);
	if (unopened > 1)
		darshan_emit_lost(d, why);
	return IOT_OK;
}

static int open_source(struct source_state *src)
{
	struct darshan *d = calloc(1, sizeof *d);
	if (d == NULL)
		return error_set(&src->error, IOT_ENOMEM, "out of memory");
	src->state = d;
	d->src = src;
	d->emit.report = &src->report;
	d->emit.directive_capacity = DARSHAN_DIRECTIVE_CAPACITY;
	d->check = source_setting(src, "check") != NULL;
	d->threads = source_setting(src, "threads") != NULL;
	if (set_layers(d) != IOT_OK)
		return src->error.status;
	if (open_first(d) != IOT_OK)
		return src->error.status;
	src->tick_ns = d->text == NULL || has_binary(src->input) ? 1 : TEXT_TICK_NS;
	src->first_ns = d->base_ns;
	src->unordered = true;
	report_job(d);
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
	if (d->fault.status != IOT_OK && src->error.status == IOT_OK)
		src->error = d->fault;
	return src->error.status;
}

static void close_source(struct source_state *src)
{
	struct darshan *d = src->state;
	if (d == NULL)
		return;
	darshan_region_close(&d->region);
	bufreader_free(d->log.bufreader);
	darshan_text_close(d);
	darshan_ids_free(d);
	emit_free(&d->emit);
	free(d->region.data);
	free(d->batch.own);
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
