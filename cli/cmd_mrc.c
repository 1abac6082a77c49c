/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace mrc: the misses of caches of all sizes. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/thread.h"

#include "cli/simulate/mrc_results.h"
#include "cli/ui/message.h"
#include "cli/ui/same_file.h"
#include "cli/views/mrc.h"

enum {
	POINTS_DEFAULT = 64,
	POINTS_MAX = 100000,
	DIVIDED_MIN = 8,
	SIMULATED_MAX = 1024,
	THREADS_MAX = 64
};

/* Fewer sampled keys lower the accuracy; without --sample, the rate is higher for small traces. */
enum { SAMPLES_DEFAULT = 32768 };

/* Blocks of the smallest cache that is simulated with a sample. */
enum { MINIATURE_BLOCKS = 1000 };

#define RATE_DEFAULT        0.01
#define MEMORY_DEFAULT      ((uint64_t)1 << 30)
#define MAX_REQUEST_DEFAULT ((uint64_t)16 << 30)

struct mrc_run {
	struct mrc_results results;
	struct policy_list policies;
	int unit, unknown, by, method;
	uint64_t block, max_request, points, threads, samples;
	double rate; /* 0: not given */
	struct print_choice form;
	bool all;
	const char *out, *svg;
	const struct command_spec *command;
};

static enum exit_status open_input(struct mrc_run *m)
{
	struct simulate_results *s = &m->results.simulate;
	return reference_input_open(&s->input, m->results.simulate.path, &m->results.simulate.read,
				    &s->references, m->command);
}

static enum exit_status out_of_memory(const struct mrc_run *m, int status)
{
	if (status == IOT_ENOMEM)
		return message_no_memory();
	message_print("the distinct blocks of this trace need more than %" PRIu64
		      " MiB of memory (--memory); --method=shards needs less",
		      m->results.simulate.memory >> 20);
	return EXIT_FAILED;
}

/* One pass for curves of LRU */
static enum exit_status read_curve(struct mrc_run *m)
{
	struct simulate_results *s = &m->results.simulate;
	struct reference_batch *b = calloc(1, sizeof *b);
	int more = 1, added = IOT_OK;
	m->results.mrc = mrc_new(&m->results.options);
	enum exit_status status =
	    b != NULL && m->results.mrc != NULL ? open_input(m) : message_no_memory();
	while (status == EXIT_OK && b != NULL && more > 0 && added == IOT_OK) {
		b->count = b->runs = b->actions = 0;
		more = reference_input_fill(&s->input, b);
		added = mrc_add(m->results.mrc, b);
	}
	free(b);
	if (status != EXIT_OK)
		return status;
	progress_clear(&s->input.in.progress);
	if (added == IOT_OK && more >= 0)
		added = mrc_finish(m->results.mrc);
	if (added != IOT_OK)
		return out_of_memory(m, added);
	m->results.distinct = mrc_distinct(m->results.mrc);
	return more < 0 ? EXIT_FAILED : EXIT_OK;
}

/* Sizes */

/* A simulation of a sample needs a cache of some blocks. */
static uint64_t smallest_size(const struct mrc_run *m)
{
	return m->results.sample > 0 ? (uint64_t)ceil(MINIATURE_BLOCKS / m->results.sample) : 1;
}

static bool add_size(struct mrc_run *m, size_t *capacity, uint64_t size)
{
	struct mrc_results *r = &m->results;
	if (r->size_count > 0 && size <= r->size[r->size_count - 1])
		return true;
	if (!array_reserve(&r->size, capacity, r->size_count + 1, sizeof *r->size))
		return false;
	r->size[r->size_count++] = size;
	return true;
}

/*
 * Sizes at equal ratios from the smallest one to the distinct blocks, at which all curves are
 * exact.
 */
static bool choose_even(struct mrc_run *m, size_t *capacity, uint64_t points)
{
	const double min = (double)smallest_size(m), ratio = (double)m->results.distinct / min;
	bool done = true;
	for (uint64_t i = 0; i < points && done; i++) {
		const double exponent = points > 1 ? (double)i / (double)(points - 1) : 1;
		const uint64_t size = (uint64_t)llround(min * pow(ratio, exponent));
		done = add_size(m, capacity,
				i + 1 == points         ? m->results.distinct
				: m->results.sample > 0 ? size
							: mrc_size_up_to(size));
	}
	return done;
}

/* Returns a size between two others, or 0 if no size between them has misses of its own. */
static uint64_t size_between(uint64_t low, uint64_t high)
{
	const uint64_t middle = mrc_size_up_to((uint64_t)sqrt((double)low * (double)high)),
		       size = middle > low ? middle : mrc_size_above(low);
	return size < high ? size : 0;
}

/*
 * Inserts a size into the interval in which the misses fall most. Returns false if they fall in
 * none that can be divided.
 */
static bool divide_steepest(struct mrc_results *r)
{
	size_t steepest = 0;
	double max_fall = 0;
	for (size_t i = 1; i < r->size_count; i++) {
		const double fall = mrc_misses(r->mrc, MRC_TOTAL, r->size[i - 1]).misses -
				    mrc_misses(r->mrc, MRC_TOTAL, r->size[i]).misses;
		if (fall <= max_fall || size_between(r->size[i - 1], r->size[i]) == 0)
			continue;
		steepest = i;
		max_fall = fall;
	}
	if (steepest == 0)
		return false;
	uint64_t *at = r->size + steepest;
	const uint64_t size = size_between(at[-1], at[0]);
	memmove(at + 1, at, (r->size_count++ - steepest) * sizeof *at);
	*at = size;
	return true;
}

/* Half of the points are even; the others are where a known curve falls most. */
static bool choose_points(struct mrc_run *m)
{
	struct mrc_results *r = &m->results;
	size_t capacity = 0;
	if (r->mrc == NULL || m->points < DIVIDED_MIN)
		return choose_even(m, &capacity, m->points);
	if (!choose_even(m, &capacity, m->points / 2) ||
	    !array_reserve(&r->size, &capacity, m->points, sizeof *r->size))
		return false;
	while (r->size_count < m->points && divide_steepest(r))
		;
	return true;
}

/* All sizes at which the misses change. */
static bool choose_all(struct mrc_run *m)
{
	size_t capacity = 0;
	bool done = true;
	double before = -1;
	for (uint64_t size = 1; size <= m->results.distinct && done;) {
		const double misses = mrc_misses(m->results.mrc, MRC_TOTAL, size).misses;
		if (misses != before)
			done = add_size(m, &capacity, size);
		before = misses;
		size = mrc_is_exact(m->results.mrc) ? size + 1 : mrc_size_above(size);
	}
	return done;
}

static enum exit_status choose_sizes(struct mrc_run *m)
{
	if (m->results.distinct == 0)
		return EXIT_OK;
	return (m->all ? choose_all(m) : choose_points(m)) ? EXIT_OK : message_no_memory();
}

/*
 * Other policies: simulations at the points, after a pass that counts the distinct blocks, or with
 * --method=shards after one that determines the sample.
 */

/* Ends a pass after which IN is read again. */
static void end_pass(struct mrc_run *m)
{
	struct reference_input *i = &m->results.simulate.input;
	i->future = NULL;
	i->in.quiet = true; /* the second reading repeats the warnings about a log */
	reference_input_close(i);
}

static enum exit_status choose_sample(struct mrc_run *m)
{
	struct mrc_results *r = &m->results;
	const enum exit_status status = read_curve(m);
	if (status != EXIT_OK)
		return status;
	r->sampled = mrc_kept(r->mrc);
	if (mrc_rate(r->mrc) < 1) { /* all blocks are simulated at rate 1 */
		r->sample = r->simulate.input.sample = mrc_rate(r->mrc);
		r->simulate.input.seed = r->options.seed;
	}
	mrc_free(r->mrc);
	r->mrc = NULL;
	end_pass(m);
	if (r->sample == 0 || smallest_size(m) <= r->distinct)
		return EXIT_OK;
	message_print("a sample of %g of the blocks represents caches of at least %" PRIu64
		      " blocks, but the trace has about %" PRIu64
		      "; a larger --sample is needed, or no sample",
		      r->sample, smallest_size(m), r->distinct);
	return EXIT_FAILED;
}

static enum exit_status count_distinct(struct mrc_run *m, struct future *future)
{
	struct reference_input *i = &m->results.simulate.input;
	const bool sampled = m->results.sample > 0;
	const struct engine_options options = {.threads = 1,
					       .distinct_memory =
						   sampled ? 0 : m->results.simulate.memory,
					       .block = m->results.simulate.references.block};
	struct engine *e = engine_new(&options, NULL, 0);
	enum exit_status status = e != NULL ? open_input(m) : message_no_memory();
	i->future = future;
	i->future_memory = m->results.simulate.memory;
	if (status == EXIT_OK && engine_run(e, reference_input_fill, i) != IOT_OK)
		status = EXIT_FAILED;
	if (status == EXIT_OK)
		status = reference_input_finish_future(i);
	if (status == EXIT_OK && !sampled && !engine_firsts(e).known)
		status = out_of_memory(m, IOT_ELIMIT);
	if (status == EXIT_OK && !sampled)
		m->results.distinct = both(engine_firsts(e).count.references);
	engine_free(e);
	end_pass(m);
	return status;
}

/* The blocks of a simulated cache: of a sample, its share of them. */
static uint64_t capacity_of(const struct mrc_results *r, uint64_t size)
{
	const uint64_t blocks = r->sample > 0 ? (uint64_t)llround((double)size * r->sample) : size;
	return blocks < CACHE_CAPACITY_MAX ? blocks : CACHE_CAPACITY_MAX;
}

static enum exit_status make_pairs(struct mrc_run *m, const struct future *future)
{
	struct mrc_results *r = &m->results;
	uint64_t bytes = 0;
	r->simulate.pairs = calloc(r->size_count + 1, sizeof *r->simulate.pairs);
	if (r->simulate.pairs == NULL)
		return message_no_memory();
	for (size_t i = 0; i < r->size_count; i++) {
		r->simulate.pairs[i].policy = r->policy;
		r->simulate.pairs[i].options =
		    (struct simulation_options){.policy = r->policy,
						.capacity = capacity_of(r, r->size[i]),
						.future = &future->references,
						.block = r->simulate.references.block,
						.rows = r->options.rows};
		bytes += simulation_bytes(&r->simulate.pairs[i].options, future->count);
	}
	if (bytes > m->results.simulate.memory) {
		message_print("simulations of %zu sizes need %" PRIu64
			      " MiB of memory, expected at most %" PRIu64
			      " MiB (--memory); --points selects fewer sizes",
			      r->size_count, (bytes >> 20) + 1, m->results.simulate.memory >> 20);
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < r->size_count; i++, r->simulate.pair_count++)
		if ((r->simulate.pairs[i].simulation =
			 simulation_new(&r->simulate.pairs[i].options)) == NULL)
			return message_no_memory();
	return EXIT_OK;
}

static enum exit_status run_pairs(struct mrc_run *m)
{
	struct simulate_results *s = &m->results.simulate;
	const struct engine_options options = {.threads = (unsigned)m->threads};
	struct simulation **simulations = calloc(s->pair_count + 1, sizeof(struct simulation *));
	if (simulations == NULL)
		return message_no_memory();
	for (size_t i = 0; i < s->pair_count; i++)
		simulations[i] = s->pairs[i].simulation;
	s->engine = engine_new(&options, simulations, s->pair_count);
	enum exit_status status = s->engine != NULL ? open_input(m) : message_no_memory();
	if (status == EXIT_OK && engine_run(s->engine, reference_input_fill, &s->input) != IOT_OK)
		status = EXIT_FAILED;
	free(simulations);
	progress_clear(&s->input.in.progress);
	return status;
}

static enum exit_status simulate_points(struct mrc_run *m)
{
	struct future future = {.count = 0};
	const bool opt = m->results.policy == CACHE_OPT;
	enum exit_status status = EXIT_OK;
	if (m->method == MRC_SHARDS)
		status = choose_sample(m);
	if (status == EXIT_OK && (opt || m->results.sample == 0))
		status = count_distinct(m, opt ? &future : NULL);
	if (status == EXIT_OK)
		status = choose_sizes(m);
	if (status == EXIT_OK)
		status = make_pairs(m, &future);
	if (status == EXIT_OK)
		status = run_pairs(m);
	future_free(&future);
	return status;
}

/* Results */

static enum exit_status print_results(struct mrc_run *m)
{
	struct simulate_results *s = &m->results.simulate;
	if (!m->results.simulate.read.quiet)
		reference_input_warn(&s->input, &s->references);
	if (output_open(&s->out, m->out, 0) != EXIT_OK)
		return EXIT_FAILED;
	if (m->form.chosen != NULL)
		mrc_print(&m->results, m->form.chosen);
	else
		mrc_print_text(&m->results);
	return output_close(&s->out);
}

static enum exit_status run(struct mrc_run *m)
{
	enum exit_status status;
	if (m->results.policy == CACHE_LRU) {
		status = read_curve(m);
		if (status == EXIT_OK)
			status = choose_sizes(m);
	} else
		status = simulate_points(m);
	if (status == EXIT_OK)
		status = simulate_sort_rows(&m->results.simulate);
	if (status == EXIT_OK && m->svg != NULL)
		status = mrc_write_svg(&m->results, m->svg);
	if (status == EXIT_OK)
		status = print_results(m);
	return exit_status_worse(status, m->results.simulate.input.read);
}

static void free_run(struct mrc_run *m)
{
	struct simulate_results *s = &m->results.simulate;
	for (size_t i = 0; i < s->pair_count; i++)
		simulation_free(s->pairs[i].simulation);
	free(s->pairs);
	free(s->order);
	engine_free(s->engine);
	mrc_free(m->results.mrc);
	free(m->results.size);
	reference_input_close(&s->input);
}

/* Parses a share such as 0.01 into the double target. */
static const char *option_rate(const struct option *opt, const char *value)
{
	char *end;
	const double rate = strtod(value, &end);
	*(double *)opt->target = rate;
	return *end == '\0' && end != value && rate > 0 && rate <= 1
		   ? NULL
		   : "a number up to 1, such as 0.01";
}

static const char notes[] =
    "The miss ratio of a size is the share of the references to blocks that an LRU cache of that\n"
    "size misses. exact: by stack distances (Mattson). shards: from a sample of the blocks, which\n"
    "needs little memory and time; low and high are the ends of a 95 % confidence interval.\n"
    "aet: a model that needs the times between references only. Other policies are simulated at\n"
    "each size, after a pass that counts the distinct blocks; with shards the references to a\n"
    "sample in caches that are smaller by its share, of 1000 blocks at least.\n"
    "Sizes: --points of them, from 1 block to all distinct blocks: half at equal ratios, half "
    "where\n"
    "the curve falls most.\n"
    "tsv: size_blocks, size_bytes, misses, miss_ratio, low, high, row, read_misses, write_misses.\n"
    "iotrace-mrc(1) has details.\n";

static const char examples[] =
    "  iotrace mrc app.iot.zst                          how much memory does its working set "
    "need?\n"
    "  iotrace mrc --method=shards --svg=mrc.svg huge.iot.zst   the same, fast, as a plot\n"
    "  iotrace mrc --by=object --top=5 --tsv app.iot.zst        curves of five files\n"
    "  iotrace mrc --policy=arc --points=16 app.iot.zst         another policy\n"
    "  iotrace mrc --policy=arc --method=shards huge.iot.zst    ... simulated with a sample\n";

static enum exit_status check(struct mrc_run *m)
{
	if (!print_choice_valid(&m->form, m->command))
		return EXIT_FAILED;
	if (m->policies.count > 1)
		return options_wrong(m->command, "--policy: expected one policy");
	m->results.policy = m->policies.policy[0];
	if (m->results.policy == CACHE_LRU)
		return EXIT_OK;
	if (m->method == MRC_AET || m->all)
		return options_wrong(m->command, "--method=aet and --all are for policy lru only");
	if (m->method == MRC_SHARDS && m->by != 0)
		return options_wrong(m->command,
				     "--by with --method=shards is for policy lru only");
	if (m->points > SIMULATED_MAX)
		return options_wrong(m->command, "--points: at most %d for a policy other than lru",
				     SIMULATED_MAX);
	return reference_input_is_once(m->results.simulate.path)
		   ? message_error(m->results.simulate.path,
				   "a policy other than lru needs two passes, which a pipe "
				   "does not allow: write it to a file first")
		   : EXIT_OK;
}

enum exit_status cmd_mrc(int argc, char **argv)
{
	struct mrc_run m = {.block = 4096,
			    .max_request = MAX_REQUEST_DEFAULT,
			    .points = POINTS_DEFAULT,
			    .threads = NOT_GIVEN,
			    .samples = NOT_GIVEN,
			    .out = "-",
			    .policies = {.count = 1},
			    .results = {.simulate = {.read = TRACE_IN_WHOLE_INIT,
						     .memory = MEMORY_DEFAULT,
						     .top = NOT_GIVEN}}};
	struct simulate_results *s = &m.results.simulate;
	const struct option options[] = {
	    OPTION(CHOICE, 0, "method", "exact|shards|aet", &m.method,
		   "how the curve is computed (default: exact)"),
	    CALL("sample", "RATE", &m.rate,
		 "shards: the share of the blocks (default: 0.01, or more until 32768 are sampled)",
		 option_rate),
	    RANGE(NUMBER, 0, "samples", "N", &m.samples, "shards: lower the share to keep N blocks",
		  64, 1 << 24),
	    RANGE(NUMBER, 0, "seed", "N", &m.results.options.seed,
		  "shards: another sample (default: 0)", 0, 0),
	    {.kind = OPTION_CALL,
	     .letter = 'p',
	     .name = "policy",
	     .argument = "NAME",
	     .target = &m.policies,
	     .help = "a policy of iotrace simulate, simulated at each size (default: lru)",
	     .call = option_policies,
	     .word = option_policy_word},
	    RANGE(SIZE, 'B', "block", "BYTES", &m.block, "size of a block (default: 4096)", 512,
		  REFERENCES_BLOCK_MAX),
	    RANGE(NUMBER, 0, "points", "N", &m.points, "number of sizes (default: 64)", 1,
		  POINTS_MAX),
	    OPTION(FLAG, 0, "all", NULL, &m.all, "all sizes at which the misses change"),
	    OPTION(CHOICE, 0, "by", "nothing|object|file|process|rank|kind|op", &m.by,
		   "curves of these rows, too (default: nothing)"),
	    RANGE(NUMBER, 0, "top", "N", &s->top,
		  "print the curves of N rows (default: 20 as text on a terminal, otherwise all)",
		  0, 0),
	    OPTION_UNIT(m.unit),
	    OPTION_LAYER(s->read.layer),
	    OPTION(CHOICE, 0, "unknown", "skip|fresh", &m.unknown,
		   "records with unknown offsets: leave them out, or let them refer to blocks that "
		   "occur once (default: skip)"),
	    OPTION_FORMS(m.form, "", "columns"),
	    OPTION(STRING, 0, "svg", "FILE", &m.svg, "plot the curve"),
	    OPTION(STRING, 'o', "output", "FILE", &m.out, "write to FILE (default: -, stdout)"),
	    RANGE(NUMBER, 0, "threads", "N", &m.threads,
		  "simulate on N threads (default: one for each processor)", 1, THREADS_MAX),
	    RANGE(SIZE, 0, "memory", "SIZE", &s->memory, "maximum memory (default: 1GiB)", 1 << 20,
		  0),
	    RANGE(SIZE, 0, "max-request", "SIZE", &m.max_request,
		  "bytes of the largest record (default: 16GiB)", 512, 0),
	    OPTION_QUIET(s->read.quiet, s->read.progress),
	    GROUP("Reading"),
	    OPTION_READING(s->read),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "mrc",
	    .summary = "Compute miss-ratio curves: the misses of caches of all sizes",
	    .synopsis = "[OPTION]... [IN]",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_max = 1,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	s->path = count > 0 ? argv[0] : "-";
	m.command = &command;
	status = same_file_check_outputs(&command, argv, count, m.out, m.svg);
	if (status != EXIT_OK)
		return status;
	s->read.shows_layer = print_choice_is_nested(&m.form);
	if ((status = check(&m)) == EXIT_OK)
		status = trace_in_choose_layer(&s->read, argv, count, &command);
	if (status != EXIT_OK)
		return status;
	if (s->top == NOT_GIVEN && m.form.chosen == NULL && isatty(STDOUT_FILENO))
		s->top = 20;
	if (m.threads == NOT_GIVEN)
		m.threads = cpu_count() < THREADS_MAX ? cpu_count() : THREADS_MAX;
	if (m.samples == NOT_GIVEN)
		m.samples = m.rate > 0 ? 0 : SAMPLES_DEFAULT;
	else if (m.rate == 0)
		m.rate = 1e-9;
	m.results.options = (struct mrc_options){.method = (enum mrc_method)m.method,
						 .rate = m.rate > 0 ? m.rate : RATE_DEFAULT,
						 .samples = m.samples,
						 .seed = m.results.options.seed,
						 .rows = m.by != 0,
						 .memory = s->memory};
	const bool objects = m.unit == UNIT_OBJECT;
	s->references =
	    (struct references_options){.block = objects ? OBJECT_BLOCK : (uint32_t)m.block,
					.whole = objects,
					.unknown = (enum references_unknown)m.unknown,
					.by = (enum breakdown_by)m.by,
					.request_max = m.max_request};
	m.results.points = m.all ? 0 : m.points;
	status = run(&m);
	free_run(&m);
	return status;
}
