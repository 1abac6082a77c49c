/* SPDX-License-Identifier: BSD-2-Clause */
#include "timing.h"

#include <fnmatch.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/simulate/input.h"
#include "cli/ui/message.h"
#include "cli/views/timing.h"
#include "lib/base/thread.h"

enum { THREADS_MAX = 64, PATH_CAPACITY = 4096 };

/* Inputs */

/* Returns whether a path, as %file encodes it, matches the pattern of --direct. */
static bool matches(void *context, const char *path, size_t n)
{
	char name[PATH_CAPACITY];
	if (n >= sizeof name)
		return false;
	const size_t size = iot_percent_decode((struct iot_text){path, n}, name, NULL);
	name[size] = '\0';
	return fnmatch(context, name, 0) == 0;
}

static struct world_options world_options_of(const struct timing_command *c, bool physical,
					     uint64_t memory)
{
	return (struct world_options){
	    .think = (enum world_think)c->flags.think,
	    .unknown = c->unknown,
	    .physical = physical,
	    .arrivals = c->flags.arrive >= 0,
	    .by = c->by,
	    .block = c->block,
	    .request_max = c->request_max,
	    .memory_max = memory,
	    .is_direct = c->flags.direct != NULL ? matches : NULL,
	    .context = (void *)(uintptr_t)c->flags.direct,
	};
}

static void warn_count(const struct timing_input *input, uint64_t n, const char *sentence)
{
	if (n > 0)
		message_print_about(input->path, "warning: %ju %s", (uintmax_t)n, sentence);
}

static void warn(const struct timing_input *input)
{
	const struct world_counts *n = &input->world.counts;
	warn_count(input, n->from_wall,
		   "computations are from wall time, which includes sleeping and waiting for other "
		   "processes");
	warn_count(input, n->no_think, "computations are of unknown length and count as 0");
	warn_count(input, n->out_of_order,
		   "records start before the preceding one; see 'iotrace reorder'");
	warn_count(input, n->cpu_backwards, "CPU clocks run backwards; they count as 0");
	warn_count(input, n->other_layer, "records of the other layer are left out; see --layer");
	warn_count(input, n->read_ahead, "records of read-ahead by the traced system are left out");
	if (n->unknown_bytes > (n->read_bytes + n->written_bytes + n->unknown_bytes) / 20)
		warn_count(input, n->unknown, "records have an unknown offset; see --unknown");
	warn_count(input, n->sizeless, "truncates without a size have no effect");
	if (input->world.program_count == 0)
		message_print_about(input->path, "warning: no record is simulated");
}

static enum exit_status fail(const struct timing_input *input)
{
	if (input->world.error.status == IOT_ENOMEM)
		return message_no_memory();
	const struct world *w = &input->world;
	message_print_about(input->path, "%s%s", w->error.text,
			    world_bytes(w) > w->options.memory_max ? " (--memory)" : "");
	return EXIT_FAILED;
}

static void close_input(struct timing_input *input)
{
	if (input->opened)
		trace_in_close(&input->in);
	input->opened = false;
}

/* Requests of disks are made by no process, so only arrivals can be simulated. */
static enum exit_status check_layer(const struct timing_command *c,
				    const struct timing_input *input)
{
	if (input->layer != LAYER_PHYSICAL || c->flags.arrive >= 0)
		return EXIT_OK;
	return options_wrong(c->command, "physical records need --arrive=trace: requests of disks "
					 "are made by no process");
}

/* Adds the events of an input to its world. */
static enum exit_status read_input(const struct timing_command *c, struct timing_input *input,
				   uint64_t memory)
{
	struct trace_in *in = &input->in;
	struct iot_event ev[TRACE_IN_BATCH];
	size_t n;
	enum exit_status status = trace_in_open(in, input->path, &c->read, c->command);
	const struct world_options options = world_options_of(c, trace_in_is_physical(in), memory);
	world_init(&input->world, &options);
	input->opened = true;
	input->layer = trace_in_layer(in);
	if (status == EXIT_OK)
		status = check_layer(c, input);
	while (status == EXIT_OK && (n = trace_in_events(in, ev, TRACE_IN_BATCH)) > 0)
		if (world_events(&input->world, ev, n) != IOT_OK)
			status = fail(input);
	progress_clear(&in->progress);
	if (status == EXIT_OK && world_finish(&input->world) != IOT_OK)
		status = fail(input);
	if (status == EXIT_OK)
		input->status = trace_in_exit(in, input->world.counts.records > 0);
	if (input->status == EXIT_FAILED)
		status = EXIT_FAILED;
	if (c->by == BREAKDOWN_NONE)
		close_input(input);
	if (status == EXIT_OK && !c->read.quiet)
		warn(input);
	return status;
}

static enum exit_status read_inputs(const struct timing_command *c, struct timing_report *r)
{
	uint64_t memory = c->memory;
	for (size_t i = 0; i < r->input_count; i++) {
		const enum exit_status status = read_input(c, &r->inputs[i], memory);
		if (status != EXIT_OK)
			return status;
		memory -= world_bytes(&r->inputs[i].world);
		if (i + 1 < r->input_count)
			r->inputs[i + 1].row_base =
			    r->inputs[i].row_base + r->inputs[i].world.breakdown.rows.count;
	}
	return EXIT_OK;
}

/* Runs, on threads */

struct timing_pool {
	struct timing_report *report;
	struct world **worlds;
	atomic_size_t next;
	pthread_t main; /* shows the progress */
	struct progress progress;
	atomic_ullong calls; /* simulated, of all */
	uint64_t all_calls;
};

static void show_progress(void *context)
{
	struct timing_pool *pool = context;
	const uint64_t calls =
	    atomic_fetch_add(&pool->calls, TIMING_PROGRESS_CALLS) + TIMING_PROGRESS_CALLS;
	if (pthread_equal(pthread_self(), pool->main))
		progress_show_simulated(&pool->progress, calls, pool->all_calls);
}

static void begin_progress(struct timing_pool *pool)
{
	struct timing_report *r = pool->report;
	const struct trace_in_options *read = &r->command->read;
	pool->main = pthread_self();
	progress_begin(&pool->progress, read->progress, read->quiet, r->command->output);
	for (size_t i = 0; i < r->input_count; i++)
		for (size_t j = 0; j < r->inputs[i].world.program_count; j++)
			pool->all_calls += r->inputs[i].world.programs[j].count *
					   r->command->flags.copies * r->point_count;
	for (size_t i = 0; i < r->point_count; i++) {
		r->points[i].options.progress = show_progress;
		r->points[i].options.progress_context = pool;
	}
}

static void *run_points(void *context)
{
	struct timing_pool *pool = context;
	const struct timing_report *r = pool->report;
	for (size_t i; (i = atomic_fetch_add(&pool->next, 1)) < r->point_count;)
		(void)timing_run(&r->points[i].options, pool->worlds, r->input_count,
				 &r->points[i].result, &r->points[i].error);
	return NULL;
}

static void run_threads(struct timing_pool *pool, size_t threads)
{
	pthread_t ids[THREADS_MAX];
	size_t started = 0;
	while (started + 1 < threads && started < THREADS_MAX &&
	       thread_start(&ids[started], run_points, pool))
		started++;
	run_points(pool);
	while (started > 0)
		pthread_join(ids[--started], NULL);
}

static enum exit_status check_memory(const struct timing_command *c, const struct timing_report *r,
				     struct world *const *worlds, size_t threads)
{
	uint64_t needed = 0, programs = 0;
	for (size_t i = 0; i < r->input_count; i++)
		programs += world_bytes(worlds[i]);
	for (size_t i = 0; i < r->point_count; i++) {
		const uint64_t bytes = timing_bytes(&r->points[i].options, worlds, r->input_count);
		needed = bytes > needed ? bytes : needed;
	}
	if (programs + needed * threads <= c->memory)
		return EXIT_OK;
	message_print("the simulation needs %ju MiB of memory, expected at most %ju MiB (--memory)",
		      (uintmax_t)(((programs + needed * threads) >> 20) + 1),
		      (uintmax_t)(c->memory >> 20));
	return EXIT_FAILED;
}

static enum exit_status run_all(const struct timing_command *c, struct timing_report *r)
{
	struct timing_pool pool = {.report = r};
	size_t threads = c->threads > 0 ? c->threads : cpu_count();
	threads = threads < r->point_count ? threads : r->point_count;
	pool.worlds = calloc(r->input_count, sizeof *pool.worlds);
	if (pool.worlds == NULL)
		return message_no_memory();
	for (size_t i = 0; i < r->input_count; i++)
		pool.worlds[i] = &r->inputs[i].world;
	enum exit_status status = check_memory(c, r, pool.worlds, threads);
	begin_progress(&pool);
	if (status == EXIT_OK)
		run_threads(&pool, threads);
	progress_clear(&pool.progress);
	for (size_t i = 0; i < r->point_count && status == EXIT_OK; i++) {
		const struct error *e = &r->points[i].error;
		if (e->status == IOT_ENOMEM)
			status = message_no_memory();
		else if (e->status != IOT_OK)
			status = message_error("simulate", e->text);
	}
	free(pool.worlds);
	return status;
}

/* The command */

static enum exit_status print(const struct timing_command *c, const struct timing_report *r)
{
	struct output out;
	const enum exit_status status = output_open(&out, c->output, 0);
	if (status != EXIT_OK)
		return status;
	if (c->form != NULL)
		timing_print(&out, r, c->form);
	else
		timing_print_text(&out, r);
	return output_close(&out);
}

/* Sets the sizes of all points; distinct: the number of blocks of which some are shares. */
static enum exit_status set_sizes(const struct timing_command *c, struct timing_report *r,
				  uint64_t distinct)
{
	for (size_t i = 0; i < r->point_count; i++) {
		const struct cache_size *size = &c->sizes->size[i % c->cache_count];
		const char *why = size_to_blocks(size, (uint32_t)c->block, distinct,
						 &r->points[i].options.cache_blocks);
		if (why != NULL)
			return options_wrong(c->command, "--cache: %.*s %s",
					     (int)strcspn(size->text, ","), size->text, why);
	}
	return EXIT_OK;
}

/* Sizes that are shares of the distinct blocks of all inputs. */
static enum exit_status set_shares(const struct timing_command *c, struct timing_report *r)
{
	uint64_t distinct = 0, memory = c->memory;
	if (!sizes_need_distinct(c->sizes))
		return EXIT_OK;
	for (size_t i = 0; i < r->input_count; i++)
		memory -= world_bytes(&r->inputs[i].world);
	for (size_t i = 0; i < r->input_count; i++) {
		const uint64_t blocks = world_distinct(&r->inputs[i].world, memory);
		if (blocks == UINT64_MAX)
			return reference_input_too_many_blocks(c->memory);
		distinct += blocks * (c->flags.share ? 1 : c->flags.copies);
	}
	return set_sizes(c, r, distinct);
}

/* A point for each policy and size. */
static const char *make_points(const struct timing_command *c, struct timing_report *r)
{
	for (size_t i = 0; i < r->point_count; i++) {
		struct timing_options *o = &r->points[i].options;
		o->policy = c->policies[i / c->cache_count];
		o->block = c->block;
		const char *wrong = timing_resolve(&c->flags, o);
		if (wrong == NULL && o->policy == CACHE_OPT)
			wrong = "--policy=opt needs to know the order of all references, which "
				"--time determines";
		if (wrong != NULL)
			return wrong;
	}
	return NULL;
}

static enum exit_status simulate(const struct timing_command *c, struct timing_report *r)
{
	const char *wrong = make_points(c, r);
	if (wrong != NULL)
		return options_wrong(c->command, "%s", wrong);
	enum exit_status status = sizes_need_distinct(c->sizes) ? EXIT_OK : set_sizes(c, r, 0);
	if (status == EXIT_OK)
		status = read_inputs(c, r);
	if (status == EXIT_OK)
		status = set_shares(c, r);
	if (status == EXIT_OK)
		status = run_all(c, r);
	if (status == EXIT_OK && c->svg != NULL)
		status = timing_write_svg(r, c->svg);
	if (status == EXIT_OK)
		status = print(c, r);
	for (size_t i = 0; i < r->input_count; i++)
		status = exit_status_worse(status, r->inputs[i].status);
	return status;
}

enum exit_status timing_simulate(const struct timing_command *c, char **paths, size_t n)
{
	struct timing_report r = {
	    .command = c, .input_count = n, .point_count = c->policy_count * c->cache_count};
	enum exit_status status = EXIT_FAILED;
	r.inputs = calloc(n, sizeof *r.inputs);
	r.points = calloc(r.point_count, sizeof *r.points);
	for (size_t i = 0; i < n && r.inputs != NULL; i++)
		r.inputs[i].path = paths[i];
	if (r.inputs == NULL || r.points == NULL)
		status = message_no_memory();
	else
		status = simulate(c, &r);
	for (size_t i = 0; i < r.point_count && r.points != NULL; i++)
		timing_result_free(&r.points[i].result);
	for (size_t i = 0; i < n && r.inputs != NULL; i++) {
		close_input(&r.inputs[i]);
		world_free(&r.inputs[i].world);
	}
	free(r.inputs);
	free(r.points);
	return status;
}
