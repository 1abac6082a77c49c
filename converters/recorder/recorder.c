/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Recorder converter. It opens as many ranks at once as memory allows and always continues with
 * the one whose next call starts first, so events are nearly in order. If not all ranks fit, there
 * is no watermark until the last group.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS_PER_NEXT = 65536, NS_PER_US = 1000, LONG_PAUSE_S = 400 };

static const struct converter_option OPTIONS[] = {
    {"layer", "posix|mpiio|both", "calls of which layer become records (default: posix)"},
    {"trace", "NAME", "if IN contains several traces, the one in directory NAME"},
    {"check", NULL, "compare totals with the source's own, and report what differs"},
    {"ops", "all|names|none", "operations without data to keep"},
    {0},
};

/* Settings */

static int set_layers(struct recorder *r)
{
	static const struct {
		const char *name;
		unsigned layers;
	} known[] = {{"posix", RECORDER_LAYER_POSIX},
		     {"mpiio", RECORDER_LAYER_MPIIO},
		     {"both", RECORDER_LAYER_POSIX | RECORDER_LAYER_MPIIO}};
	const char *layer = source_setting(r->src, "layer");
	r->layers = RECORDER_LAYER_POSIX;
	if (layer == NULL)
		return IOT_OK;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (strcmp(known[i].name, layer) != 0)
			continue;
		r->layers = known[i].layers;
		return IOT_OK;
	}
	return error_set(&r->src->error, IOT_EUSAGE, "--layer: posix, mpiio or both is expected");
}

/* Uses the MPI-IO calls if POSIX calls were not traced. */
static void choose_layers(struct recorder *r)
{
	const struct recorder_meta *m = &r->meta;
	if (!m->layers_known || m->posix || source_setting(r->src, "layer") != NULL)
		return;
	r->layers = RECORDER_LAYER_MPIIO;
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

/* Ranks */

static int rank_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Lists the ranks that have files of their own; all ranks, if there is one file for all. */
static int list_ranks(struct recorder *r)
{
	static const enum recorder_role roles[] = {RECORDER_RANK_CST,   RECORDER_RANK_CFG,
						   RECORDER_RANK_TIMES, RECORDER_RANK_CALLS,
						   RECORDER_RANK_META,  RECORDER_RANK_TEXT};
	const struct recorder_meta *m = &r->meta;
	const bool all = m->kind == RECORDER_COMPRESSED && (m->one_times || m->shared);
	size_t capacity = all ? m->ranks : r->parts, n = 0;
	r->rank = malloc((capacity + 1) * sizeof *r->rank);
	if (r->rank == NULL)
		return error_set(&r->src->error, IOT_ENOMEM, "out of memory");
	for (uint32_t i = 0; all && i < m->ranks; i++)
		r->rank[n++] = i;
	for (size_t i = 0; !all && i < sizeof roles / sizeof *roles; i++) {
		const struct recorder_part *part;
		size_t parts = recorder_parts(r, roles[i], &part);
		for (size_t k = 0; k < parts; k++)
			if (m->kind == RECORDER_TEXT || part[k].rank < m->ranks)
				r->rank[n++] = part[k].rank;
	}
	qsort(r->rank, n, sizeof *r->rank, rank_number);
	for (size_t i = 0; i < n; i++)
		if (r->ranks == 0 || r->rank[r->ranks - 1] != r->rank[i])
			r->rank[r->ranks++] = r->rank[i];
	return IOT_OK;
}

static void rank_free(struct recorder_rank *k)
{
	struct recorder *r = k->r;
	if (k->close != NULL)
		k->close(k);
	recorder_map_free(r, &k->paths);
	recorder_map_free(r, &k->mpi_files);
	recorder_map_free(r, &k->descriptors);
	recorder_handle_free(r, k->duplicate);
	r->group_bytes -= k->bytes;
	free(k);
}

/* Stores the first error; counts the others. */
static void damaged(struct recorder *r, const struct error *e)
{
	if (r->damage.status == IOT_OK)
		r->damage = *e;
	else
		r->more_damage++;
}

/* Returns true if the error (out of memory) ends the conversion; other errors end only the rank. */
static bool ends_all(struct recorder *r, const struct error *e)
{
	if (e->status != IOT_ENOMEM)
		return false;
	r->status = e->status;
	return true;
}

/* Reads the next call of a rank. Returns false if it has ended. */
static bool go_on(struct recorder_rank *k)
{
	int got = k->next(k);
	if (got > 0)
		return true;
	if (got < 0 && !ends_all(k->r, &k->error))
		damaged(k->r, &k->error);
	return false;
}

static void open_rank(struct recorder *r, uint32_t rank)
{
	static int (*const openers[])(struct recorder_rank *) = {
	    [RECORDER_COMPRESSED] = recorder_compressed_open,
	    [RECORDER_PEEPHOLE] = recorder_peephole_open,
	    [RECORDER_TEXT] = recorder_text_open};
	struct recorder_rank *k = calloc(1, sizeof *k);
	if (k == NULL) {
		r->status = IOT_ENOMEM;
		return;
	}
	k->r = r;
	k->rank = rank;
	bool fine = openers[r->meta.kind](k) == IOT_OK;
	r->group_bytes += k->bytes;
	if (!fine && !ends_all(r, &k->error))
		damaged(r, &k->error);
	if (fine && go_on(k))
		recorder_order_add(&r->order, k);
	else
		rank_free(k);
}

/* Opens the next group of ranks, unless all have ended. */
static void open_group(struct recorder *r)
{
	struct recorder_order *o = &r->order;
	recorder_ahead_end(r);
	while (o->count < RECORDER_GROUP_RANKS && r->rank_next < r->ranks && r->status == IOT_OK &&
	       (o->count == 0 || r->group_bytes + r->kept_bytes < RECORDER_GROUP_BYTES))
		open_rank(r, r->rank[r->rank_next++]);
	if (o->count == 0)
		return;
	recorder_order_begin(o);
	recorder_ahead_begin(r);
}

/* Calls */

static void run(struct recorder_rank *k)
{
	struct recorder *r = k->r;
	const struct recorder_signature *s = k->call.signature;
	const bool mpi = recorder_is_mpi(s->function);
	r->src->report.calls++;
	if (s->function->action == RECORDER_NOTHING ||
	    (r->layers & (mpi ? RECORDER_LAYER_MPIIO : RECORDER_LAYER_POSIX)) == 0)
		return;
	r->last_ns = k->call.start_ns;
	if (s->broken)
		recorder_unparsed(k);
	else if (mpi)
		recorder_mpiio(k);
	else
		recorder_posix(k);
}

/* Advances the rank to its next call. Returns false if there is none. */
static bool advance(struct recorder_rank *k)
{
	struct recorder_order *o = &k->r->order;
	if (!go_on(k)) {
		recorder_order_ended(o);
		return false;
	}
	recorder_order_moved(o);
	/* with many ranks, most of the next one's state is no longer in the cache */
	__builtin_prefetch(recorder_first(o)->coming.signature);
	__builtin_prefetch(recorder_first(o)->compressed);
	return true;
}

/* Processes one call. Returns false if no more follow. */
static bool step(struct recorder *r)
{
	if (r->order.open == 0)
		open_group(r);
	if (r->order.open == 0 || r->status != IOT_OK)
		return false;
	struct recorder_rank *k = recorder_first(&r->order);
	/* In the other formats, the next call overwrites the signature of this one. */
	const bool early = r->meta.kind == RECORDER_COMPRESSED;
	bool more = false;
	k->call = k->coming;
	if (early)
		more = advance(k);
	run(k);
	if (!early)
		more = advance(k);
	if (!more)
		rank_free(k);
	return true;
}

/* Interface */

static int64_t first_start(const struct recorder *r)
{
	if (r->meta.kind == RECORDER_COMPRESSED && r->meta.start_s > 0)
		return r->base_ns;
	if (r->meta.kind == RECORDER_PEEPHOLE && r->order.open > 0)
		return recorder_first(&r->order)->coming.start_ns;
	return 0; /* the trace's own zero */
}

static uint64_t tick_of(const struct recorder *r)
{
	return r->meta.tick_ns > 0 ? r->meta.tick_ns : 1;
}

static int open_trace(struct recorder *r)
{
	int status = recorder_layout(r);
	if (status == IOT_OK)
		status = recorder_meta(r);
	if (status == IOT_OK && r->meta.kind == RECORDER_COMPRESSED)
		status = recorder_units_open(r);
	if (status == IOT_OK)
		status = list_ranks(r);
	if (status != IOT_OK)
		return status;
	choose_layers(r);
	warn_of_pauses(r);
	/* The clock was gettimeofday: digits below a microsecond are artifacts of the double. */
	r->base_ns = (int64_t)(r->meta.start_s * 1e6 + 0.5) * NS_PER_US;
	open_group(r);
	if (r->status != IOT_OK)
		return error_set(&r->src->error, r->status, "out of memory");
	if (r->order.open == 0 && r->damage.status != IOT_OK)
		return error_set(&r->src->error, r->damage.status, "%s", r->damage.text);
	if (r->ranks < r->meta.ranks)
		error_set(&r->damage, IOT_ETRUNCATED, "%s: %u of %u ranks are present",
			  recorder_name(r, r->part), r->ranks, r->meta.ranks);
	r->src->first_ns = first_start(r);
	r->src->tick_ns = tick_of(r);
	r->src->unordered = r->rank_next < r->ranks; /* not all ranks are open at once */
	r->emit.promised_ns = r->src->first_ns;
	return IOT_OK;
}

static int open_source(struct source_state *src)
{
	struct recorder *r = calloc(1, sizeof *r);
	if (r == NULL)
		return error_set(&src->error, IOT_ENOMEM, "out of memory");
	src->state = r;
	r->src = src;
	r->tempfile.fd = -1;
	r->check = source_setting(src, "check") != NULL;
	r->emit.report = &src->report;
	r->emit.directive_capacity = PATHS_DIRECTIVE;
	fdtable_init(&r->tracker);
	int status = emit_set_ops(&r->emit, src);
	if (status == IOT_OK)
		status = set_layers(r);
	return status == IOT_OK ? open_trace(r) : status;
}

static void close_source(struct source_state *src)
{
	struct recorder *r = src->state;
	if (r == NULL)
		return;
	recorder_ahead_end(r);
	for (uint32_t i = 0; i < r->order.count; i++)
		if (r->order.rank[i] != NULL)
			rank_free(r->order.rank[i]);
	recorder_units_close(r);
	recorder_stores_free(r);
	recorder_paths_free(&r->tracker, &r->paths);
	fdtable_clear(&r->tracker);
	emit_free(&r->emit);
	free(r->ambiguity);
	free(r->meta.names);
	free(r->meta.function);
	free(r->part);
	free(r->directory);
	free(r->rank);
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
		recorder_check_shared(r);
	if (r->src->report.records == 0 && r->layers == RECORDER_LAYER_MPIIO)
		report_note(&r->src->report,
			    "no reads and writes of MPI-IO were traced; see --layer");
	recorder_emit_counters(r);
	if (r->check && r->compared == 0)
		report_note(&r->src->report, "the trace has no counts of calls to --check");
	else if (r->check)
		report_add(&r->src->report, "check.compared", r->compared);
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
	if (r->ended)
		return INT64_MAX;
	if (r->rank_next < r->ranks || r->order.open == 0)
		return INT64_MIN;
	return recorder_first(&r->order)->coming.start_ns;
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
