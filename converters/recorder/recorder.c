/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Recorder converter. It opens as many ranks at once as memory allows and always continues with
 * the one whose next call starts first, so events are nearly in order. If not all ranks fit,
 * the last group sets the first watermark.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS_PER_NEXT = 65536, NS_PER_US = 1000, LONG_PAUSE_S = 400 };

static const struct iot_format_option OPTIONS[] = {
    {"layer", "posix|mpiio|both", "calls of which layer become records (default: posix)"},
    {"trace", "NAME", "if IN contains several traces, the one in directory NAME"},
    {"check", NULL, "compare totals with the source's own, and report what differs"},
    {"ops", "all|names|none", "operations without data to keep"},
    {0},
};

/* Settings */

/* Uses the MPI-IO calls if POSIX calls were not traced. */
static void choose_layers(struct recorder *r)
{
	const struct recorder_meta *m = &r->meta;
	if (!m->layers_known || m->posix || source_setting(r->src, "layer") != NULL)
		return;
	r->layers = EMIT_LAYER_MPIIO;
	report_note(&r->src->report,
		    "POSIX calls were not traced: records are the calls of MPI-IO");
}

/* Notes that, with ticks finer than usual, ordinary pauses may not fit in 32 bits. */
static void warn_of_pauses(struct recorder *r)
{
	const struct recorder_meta *m = &r->meta;
	double wrap_s = m->tick_s * (double)UINT32_MAX;
	if (m->kind == RECORDER_COMPRESSED && wrap_s < LONG_PAUSE_S)
		report_note(&r->src->report,
			    "ticks of %g ns: pauses of a rank of more than %.1f s are "
			    "shortened by multiples of that",
			    m->tick_s * 1e9, wrap_s);
}

/* Calls */

static void run(struct recorder_rank *rk)
{
	struct recorder *r = rk->r;
	const struct recorder_signature *s = rk->call->signature;
	r->src->report.calls++;
	if (s->function->run == NULL || (r->layers & s->function->layer) == 0)
		return;
	r->counts.last_ns = rk->call->start_ns;
	if (s->broken)
		recorder_unparsed(rk);
	else
		s->function->run(rk);
}

/* Processes one call. Returns false if no more follow. */
static bool step(struct recorder *r)
{
	if (r->merge.order.open == 0)
		recorder_merge_group(r);
	if (r->merge.order.open == 0 || r->status != IOT_OK)
		return false;
	struct recorder_rank *rk = recorder_first(&r->merge.order);
	const bool early = rk->coming + 1 != rk->end; /* the call is valid as long as its batch */
	rk->call = rk->coming;
	if (early)
		recorder_merge_advance(r);
	run(rk);
	if (!early)
		recorder_merge_advance(r);
	return true;
}

/* Interface */

static int64_t first_start(const struct recorder *r)
{
	const struct recorder_order *o = &r->merge.order;
	if (r->meta.kind == RECORDER_COMPRESSED && r->meta.start_s > 0)
		return r->base_ns;
	if (r->meta.kind == RECORDER_PEEPHOLE && o->open > 0)
		return recorder_first(o)->coming->start_ns;
	return 0; /* the trace's own zero */
}

static int open_trace(struct recorder *r)
{
	const struct recorder_meta *m = &r->meta;
	struct source_state *src = r->src;
	int status = recorder_layout(r);
	if (status == IOT_OK)
		status = recorder_meta(r);
	if (status == IOT_OK && m->kind == RECORDER_COMPRESSED)
		status = recorder_units_open(r);
	if (status != IOT_OK)
		return status;
	choose_layers(r);
	warn_of_pauses(r);
	/* The clock was gettimeofday: digits below a microsecond are artifacts of the double. */
	r->base_ns = (int64_t)(m->start_s * 1e6 + 0.5) * NS_PER_US;
	status = recorder_merge_open(r);
	if (status != IOT_OK)
		return status;
	if (r->merge.order.open == 0 && r->damage.status != IOT_OK)
		return error_set(&src->error, r->damage.status, "%s", r->damage.text);
	if (r->merge.ranks < m->ranks)
		error_set(&r->damage, IOT_ETRUNCATED, "%s: %u of %u ranks are present",
			  recorder_name(r, r->files.part), r->merge.ranks, m->ranks);
	src->first_ns = r->emit.promised_ns = first_start(r);
	src->tick_ns = m->tick_ns > 0 ? m->tick_ns : 1;
	src->unordered = r->merge.opened < r->merge.ranks; /* not all ranks are open at once */
	return IOT_OK;
}

static int open_source(struct source_state *src)
{
	struct recorder *r = calloc(1, sizeof *r);
	if (r == NULL)
		return error_no_memory(&src->error);
	src->state = r;
	r->src = src;
	r->check = source_setting(src, "check") != NULL;
	r->emit.report = &src->report;
	r->emit.directive_capacity = PATHS_DIRECTIVE;
	fdtable_init(&r->tracker);
	int status = emit_set_ops(&r->emit, src);
	if (status == IOT_OK)
		status = emit_layers(src, &r->layers);
	return status == IOT_OK ? open_trace(r) : status;
}

static void close_source(struct source_state *src)
{
	struct recorder *r = src->state;
	if (r == NULL)
		return;
	recorder_merge_close(r);
	recorder_units_close(&r->shared);
	recorder_files_free(&r->files);
	recorder_paths_free(&r->tracker, &r->paths);
	fdtable_clear(&r->tracker);
	emit_free(&r->emit);
	free(r->counts.ambiguity);
	free(r->meta.names);
	free(r->meta.function);
	free(r);
	src->state = NULL;
}

static inline bool failed(struct recorder *r)
{
	if ((r->status | r->emit.status | r->tracker.status) == IOT_OK)
		return false;
	if (r->status == IOT_OK)
		r->status = r->emit.status != IOT_OK ? r->emit.status : r->tracker.status;
	if (r->status != IOT_ENOMEM && r->status != IOT_ELIMIT)
		return false;
	error_set(&r->src->error, r->status,
		  r->status == IOT_ENOMEM ? "out of memory"
					  : "paths and files at once need more than 1 GiB");
	return true;
}

static void finish(struct recorder *r)
{
	r->ended = true;
	if (r->check && r->damage.status == IOT_OK)
		recorder_check_cst(r, r->shared.cst, "all ranks");
	if (r->src->report.records == 0 && r->layers == EMIT_LAYER_MPIIO)
		report_note(&r->src->report,
			    "no reads and writes of MPI-IO were traced; POSIX has them with "
			    "%slayer=posix",
			    r->src->option_prefix);
	recorder_emit_counters(r);
	if (r->check && r->counts.compared == 0)
		report_note(&r->src->report, "the trace has no counts of calls to check");
	else if (r->check)
		report_add(&r->src->report, "check.compared", r->counts.compared);
	if (failed(r) || r->damage.status == IOT_OK || r->status != IOT_OK)
		return;
	r->status = r->damage.status;
	if (r->more_damage == 0)
		error_set(&r->src->error, r->status, "%s", r->damage.text);
	else
		error_set(&r->src->error, r->status, "%s (and %ju more ranks like this)",
			  r->damage.text, (uintmax_t)r->more_damage);
}

static int64_t watermark(const struct recorder *r)
{
	const struct recorder_merge *m = &r->merge;
	if (r->ended)
		return INT64_MAX;
	return m->opened < m->ranks || m->order.open == 0
		   ? INT64_MIN
		   : recorder_first(&m->order)->coming->start_ns;
}

/* Updates the watermark. It never decreases, but may become unknown. */
static void promise(struct recorder *r)
{
	int64_t mark = watermark(r);
	if (r->emit.over_count > 0 || (mark != INT64_MIN && mark < r->emit.promised_ns))
		return;
	r->src->watermark_ns = mark == INT64_MAX ? r->emit.promised_ns : mark;
	if (mark != INT64_MIN && mark != INT64_MAX)
		r->emit.promised_ns = mark;
}

static int next(struct source_state *src, struct iot_event *out, int max)
{
	struct recorder *r = src->state;
	struct emit *e = &r->emit;
	if (e->over_count > 0)
		return emit_leftovers(e, out, max);
	emit_start(e, out, max);
	if (!r->began)
		recorder_emit_trace(r);
	r->began = true;
	for (int calls = 0; !r->ended && e->count < e->max; calls++) {
		bool more = step(r);
		if (failed(r))
			r->ended = true;
		else if (!more)
			finish(r);
		if (calls >= CALLS_PER_NEXT && e->count > 0)
			break;
	}
	promise(r);
	if (e->count > 0)
		return (int)e->count;
	return r->ended ? r->status : 0;
}

const struct converter converter_recorder = {
    .name = "recorder",
    .summary = "Recorder 2.1 to 3: trace directories of MPI programs, and recorder2text's text",
    .options = OPTIONS,
    .sniff = recorder_sniff,
    .open = open_source,
    .next = next,
    .close = close_source,
};
