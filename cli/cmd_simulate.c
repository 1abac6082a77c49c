/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace simulate: the hits that caches of given sizes and policies have on a trace. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/thread.h"

#include "cli/simulate/results.h"
#include "cli/simulate/timing.h"
#include "cli/ui/message.h"
#include "cli/ui/same_file.h"
#include "cli/views/simulate.h"

enum { TOP_ON_TERMINAL = 20, THREADS_MAX = 64 };

#define CACHE_DEFAULT       ((uint64_t)32 << 20)
#define CACHE_SHARE         ((uint64_t)10000000) /* 10 %, in millionths of a percent */
#define MEMORY_DEFAULT      ((uint64_t)1 << 30)
#define MAX_REQUEST_DEFAULT ((uint64_t)16 << 30)

struct simulate_run {
	struct simulate_results results;
	struct size_list sizes;
	struct policy_list policies;
	int unit, unknown, write, by;
	uint64_t block, max_request, threads;
	struct future future;
	struct references *extents; /* of an earlier pass */
	uint64_t distinct;
	struct print_choice form;
	bool dump;
	struct timing_flags timing;
	const char *out, *svg;
	const struct command_spec *command;
};

/* Plans: what needs an earlier pass over the trace */

static bool has_policy(const struct simulate_run *s, enum cache_policy policy)
{
	for (size_t i = 0; i < s->policies.count; i++)
		if (s->policies.policy[i] == policy)
			return true;
	return false;
}

static bool needs_first_pass(const struct simulate_run *s)
{
	return has_policy(s, CACHE_OPT) || sizes_need_distinct(&s->sizes) ||
	       (s->results.prefetch.kind != PREFETCH_NONE &&
		!reference_input_is_once(s->results.path));
}

static enum exit_status open_input(struct simulate_run *s)
{
	return reference_input_open(&s->results.input, s->results.path, &s->results.read,
				    &s->results.references, s->command);
}

/* Small traces are not worth a message. */
static void report_future(const struct simulate_run *s)
{
	const uint64_t mib = (s->future.count * FUTURE_REFERENCE_BYTES) >> 20;
	if (mib > 0 && !s->results.read.quiet)
		message_print("policy opt: %zu references in %" PRIu64 " MiB of memory",
			      s->future.count, mib);
}

/* Counts the distinct blocks, collects the references for OPT and the extents of objects. */
static enum exit_status first_pass(struct simulate_run *s)
{
	struct reference_input *i = &s->results.input;
	const struct engine_options options = {
	    .threads = 1,
	    .distinct_memory = sizes_need_distinct(&s->sizes) ? s->results.memory : 0,
	    .block = s->results.references.block};
	if (reference_input_is_once(s->results.path))
		return message_error(
		    i->in.path[0] != '\0' ? i->in.path : s->results.path,
		    "policy opt and sizes in percent need two passes, which a pipe "
		    "does not allow: write it to a file first");
	enum exit_status status = open_input(s);
	struct engine *e = engine_new(&options, NULL, 0);
	i->future = has_policy(s, CACHE_OPT) ? &s->future : NULL;
	i->future_memory = s->results.memory;
	if (status == EXIT_OK && e == NULL)
		status = message_no_memory();
	if (status == EXIT_OK && engine_run(e, reference_input_fill, i) != IOT_OK)
		status = EXIT_FAILED;
	if (status == EXIT_OK)
		status = reference_input_finish_future(i);
	if (status == EXIT_OK && sizes_need_distinct(&s->sizes) && !engine_firsts(e).known)
		status = reference_input_too_many_blocks(s->results.memory);
	if (status == EXIT_OK)
		s->distinct = both(engine_firsts(e).count.references);
	engine_free(e);
	i->future = NULL;
	s->extents = i->references;
	i->references = NULL;
	progress_clear(&i->in.progress);
	if (status == EXIT_OK)
		report_future(s);
	i->in.quiet = true; /* the second reading repeats the warnings about a log */
	reference_input_close(i);
	return status;
}

/* Simulations */

static enum exit_status add_pair(struct simulate_run *s, enum cache_policy policy,
				 const struct cache_size *size)
{
	struct simulate_results *r = &s->results;
	struct simulate_pair *p = &r->pairs[r->pair_count];
	uint64_t blocks;
	const char *why = size_to_blocks(size, r->references.block, s->distinct, &blocks);
	if (why != NULL)
		return options_wrong(s->command, "--cache: %.*s %s", (int)strcspn(size->text, ","),
				     size->text, why);
	p->policy = policy;
	p->options = (struct simulation_options){
	    .policy = policy,
	    .capacity = blocks,
	    .future = policy == CACHE_OPT ? &s->future.references : NULL,
	    .write = r->references.write,
	    .rmw = r->rmw,
	    .prefetch = r->prefetch.kind,
	    .prefetch_blocks = r->prefetch.kind == PREFETCH_WINDOW
				   ? r->prefetch.value / r->references.block
				   : r->prefetch.value,
	    .block = r->references.block,
	    .rows = r->references.by != BREAKDOWN_NONE,
	    .extents = s->extents,
	    .device = r->estimates ? &r->device : NULL};
	r->pair_count++;
	return EXIT_OK;
}

static uint64_t memory_needed(const struct simulate_run *s)
{
	uint64_t bytes = s->future.count * FUTURE_REFERENCE_BYTES;
	for (size_t i = 0; i < s->results.pair_count; i++)
		bytes += simulation_bytes(&s->results.pairs[i].options, s->future.count);
	return bytes;
}

static enum exit_status make_pairs(struct simulate_run *s)
{
	struct simulate_results *r = &s->results;
	enum exit_status status = EXIT_OK;
	r->pairs = calloc(s->policies.count * s->sizes.count, sizeof *r->pairs);
	if (r->pairs == NULL)
		return message_no_memory();
	for (size_t i = 0; i < s->policies.count && status == EXIT_OK; i++)
		for (size_t j = 0; j < s->sizes.count && status == EXIT_OK; j++)
			status = add_pair(s, s->policies.policy[i], &s->sizes.size[j]);
	if (status == EXIT_OK && memory_needed(s) > s->results.memory) {
		message_print("the caches need %" PRIu64 " MiB of memory, expected at most %" PRIu64
			      " MiB (--memory)",
			      (memory_needed(s) >> 20) + 1, s->results.memory >> 20);
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < r->pair_count && status == EXIT_OK; i++) {
		r->pairs[i].simulation = simulation_new(&r->pairs[i].options);
		if (r->pairs[i].simulation == NULL)
			status = message_no_memory();
	}
	return status;
}

static enum exit_status simulate(struct simulate_run *s)
{
	struct simulate_results *r = &s->results;
	const uint64_t rest = s->results.memory - memory_needed(s);
	const bool rows = r->references.by != BREAKDOWN_NONE;
	if (rows && (r->reuse = block_reuse_new(rest / 2)) == NULL)
		return message_no_memory();
	const struct engine_options options = {.threads = (unsigned)s->threads,
					       .distinct_memory = rows ? rest / 2 : rest,
					       .block = r->references.block,
					       .reuse = r->reuse};
	struct simulation **simulations = calloc(r->pair_count + 1, sizeof(struct simulation *));
	if (simulations == NULL)
		return message_no_memory();
	for (size_t i = 0; i < r->pair_count; i++)
		simulations[i] = r->pairs[i].simulation;
	r->engine = engine_new(&options, simulations, r->pair_count);
	enum exit_status status = r->engine != NULL ? open_input(s) : message_no_memory();
	if (status == EXIT_OK) {
		const int result = engine_run(r->engine, reference_input_fill, &r->input);
		progress_clear(&r->input.in.progress);
		if (result == IOT_ENOMEM && r->input.status == IOT_OK)
			message_no_memory();
		status = result == IOT_OK ? EXIT_OK : EXIT_FAILED;
	}
	free(simulations);
	return status;
}

/* Results */

static enum exit_status print_results(struct simulate_run *s)
{
	struct simulate_results *r = &s->results;
	if (!s->results.read.quiet)
		reference_input_warn(&r->input, &r->references);
	const enum exit_status status = output_open(&r->out, s->out, 0);
	if (status != EXIT_OK)
		return status;
	if (s->form.chosen != NULL)
		simulate_print(r, s->form.chosen);
	else
		simulate_print_text(r);
	return output_close(&r->out);
}

/* One decimal key in a line for each reference, for other simulators. */
static enum exit_status dump_references(struct simulate_run *s)
{
	struct simulate_results *r = &s->results;
	struct reference_batch *b = calloc(1, sizeof *b);
	int more = 1;
	enum exit_status status = b != NULL ? open_input(s) : message_no_memory();
	if (status == EXIT_OK)
		status = output_open(&r->out, s->out, 0);
	if (status != EXIT_OK) {
		free(b);
		return status;
	}
	while (b != NULL && more > 0) {
		b->count = b->runs = b->actions = 0;
		more = reference_input_fill(&r->input, b);
		for (uint32_t i = 0; i < b->count; i++)
			output_printf(&r->out, "%" PRIu64 "\n", b->key[i]);
	}
	progress_clear(&r->input.in.progress);
	free(b);
	status = exit_status_worse(output_close(&r->out), r->input.read);
	return more < 0 ? EXIT_FAILED : status;
}

static enum exit_status run(struct simulate_run *s)
{
	struct simulate_results *r = &s->results;
	enum exit_status status = EXIT_OK;
	if (s->dump)
		return dump_references(s);
	if (needs_first_pass(s))
		status = first_pass(s);
	if (status == EXIT_OK)
		status = make_pairs(s);
	if (status == EXIT_OK)
		status = simulate(s);
	if (status == EXIT_OK)
		status = simulate_sort_rows(r);
	if (status == EXIT_OK && s->svg != NULL)
		status = simulate_write_svg(r, s->svg);
	if (status == EXIT_OK)
		status = print_results(s);
	return exit_status_worse(status, r->input.read);
}

/* With --time, the timing model computes the results. */
static enum exit_status run_timing(struct simulate_run *s, char **paths, size_t count)
{
	static char standard_input[] = "-";
	char *none[] = {standard_input};
	if (s->dump)
		return options_wrong(s->command, "--time and --dump-references exclude each other");
	if (s->results.prefetch.kind != PREFETCH_NONE)
		return options_wrong(s->command, "--time and --prefetch exclude each other; the "
						 "timing model has --read-ahead");
	if (s->by != BREAKDOWN_NONE && s->timing.rate_ns > 0 && s->form.chosen != NULL &&
	    !s->form.chosen->is_nested)
		return options_wrong(s->command, "--%s has the rows of --rate or of --by",
				     s->form.chosen->name);
	if (s->unit == UNIT_OBJECT)
		return options_wrong(s->command, "--time and --unit=object exclude each other");
	if (s->results.rmw)
		return options_wrong(s->command, "--time and --rmw exclude each other");
	if (s->write != REFERENCES_BACK)
		return options_wrong(s->command, "--time simulates write-back caches only: "
						 "expected --write=back");
	const struct timing_command c = {.flags = s->timing,
					 .read = s->results.read,
					 .command = s->command,
					 .policies = s->policies.policy,
					 .sizes = &s->sizes,
					 .policy_count = s->policies.count,
					 .cache_count = s->sizes.count,
					 .block = s->block,
					 .request_max = s->max_request,
					 .memory = s->results.memory,
					 .threads = s->threads,
					 .unknown = (enum world_unknown)s->unknown,
					 .by = (enum breakdown_by)s->by,
					 .top = s->results.top,
					 .form = s->form.chosen,
					 .output = s->out,
					 .svg = s->svg};
	return count > 0 ? timing_simulate(&c, paths, count) : timing_simulate(&c, none, 1);
}

static void free_run(struct simulate_run *s)
{
	struct simulate_results *r = &s->results;
	for (size_t i = 0; i < r->pair_count; i++)
		simulation_free(r->pairs[i].simulation);
	free(r->pairs);
	free(r->order);
	engine_free(r->engine);
	block_reuse_free(r->reuse);
	reference_input_close(&r->input);
	references_free(s->extents);
	future_free(&s->future);
}

static const char notes[] =
    "A cache holds blocks of --block bytes. A record refers to all blocks that its bytes are in,\n"
    "in order. hit %: of all references; reads, writes: of reads and of writes; records:\n"
    "with hits only; bytes: in blocks that hit. dev. read, dev. write: what the device transfers.\n"
    "first: references to blocks that were not referenced before, which no cache avoids.\n"
    "Sizes: 64MiB; 1000b is in blocks; 10% is a share of the distinct blocks. opt (Belady) knows\n"
    "the future; it needs 12 bytes of memory for each reference. opt, sizes in percent and\n"
    "prefetching read IN twice. --by adds the reuse of blocks by row, --device estimates of its\n"
    "time.\n"
    "iotrace-simulate(1) defines the policies, and the columns of --tsv.\n";

static const char examples[] =
    "  iotrace simulate -c 16MiB,64MiB,256MiB app.iot.zst        three sizes\n"
    "  iotrace simulate -c 64MiB -p lru,arc,s3fifo,opt app.iot.zst   four policies\n"
    "  iotrace simulate -c 10% --by=object app.iot.zst           hits of each file\n"
    "  iotrace simulate -c 64MiB --device=hdd,depth=1 app.iot.zst    time of the device\n"
    "  iotrace simulate --prefetch=window:128K app.iot.zst       with read-ahead\n"
    "  iotrace simulate --time -c 32M app.iot.zst                idle time of CPUs\n"
    "  iotrace simulate -T --system=linux --device=nvme app.iot.zst      on a page cache\n"
    "  iotrace simulate -T --by=object --top=10 app.iot.zst      waits for each file\n"
    "  iotrace simulate --json -c 64M app.strace | jq '.simulations[].miss_ratio'\n";

static struct size_list default_sizes(int unit)
{
	static const struct cache_size bytes = {SIZE_BYTES, CACHE_DEFAULT, "32MiB"},
				       share = {SIZE_SHARE, CACHE_SHARE, "10%"};
	return (struct size_list){.count = 1, .size = {unit == UNIT_OBJECT ? share : bytes}};
}

enum exit_status cmd_simulate(int argc, char **argv)
{
	struct simulate_run s = {
	    .block = 4096,
	    .max_request = MAX_REQUEST_DEFAULT,
	    .threads = NOT_GIVEN,
	    .out = "-",
	    .policies = {.count = 1},
	    .results = {.read = TRACE_IN_WHOLE_INIT, .memory = MEMORY_DEFAULT, .top = NOT_GIVEN}};
	struct simulate_results *r = &s.results;
	memcpy(&s.timing, &timing_flags_default, sizeof s.timing);
	const struct option options[] = {
	    {.kind = OPTION_CALL,
	     .letter = 'c',
	     .name = "cache",
	     .argument = "SIZE[,SIZE]...",
	     .target = &s.sizes,
	     .help = "sizes: 64MiB, 1000b (blocks), 10% (default: 32MiB)",
	     .call = option_cache_sizes},
	    {.kind = OPTION_CALL,
	     .letter = 'p',
	     .name = "policy",
	     .argument = "NAME[,NAME]...",
	     .target = &s.policies,
	     .help = "lru, fifo, clock, lfu, 2q, arc, lirs, s3fifo, sieve, wtinylfu, opt (default: "
		     "lru)",
	     .call = option_policies,
	     .word = option_policy_word},
	    RANGE(SIZE, 'B', "block", "BYTES", &s.block, "size of a block (default: 4096)", 512,
		  REFERENCES_BLOCK_MAX),
	    OPTION_UNIT(s.unit),
	    OPTION_LAYER(r->read.layer),
	    OPTION(CHOICE, 0, "unknown", "skip|fresh", &s.unknown,
		   "records with unknown offsets: leave them out, or let them refer to blocks that "
		   "occur once (default: skip)"),
	    OPTION(CHOICE, 0, "write", "back|through|around", &s.write,
		   "what writes do; see iotrace-simulate(1) (default: back)"),
	    OPTION(FLAG, 0, "rmw", NULL, &r->rmw,
		   "a write to a part of an absent block reads it first"),
	    CALL("prefetch", "HOW", &r->prefetch,
		 "none, next:BLOCKS, request, window:SIZE (default: none)", option_prefetch),
	    OPTION(CHOICE, 0, "by", "nothing|object|file|process|rank|kind|op", &s.by,
		   "count hits by these rows, too (default: nothing)"),
	    RANGE(NUMBER, 0, "top", "N", &r->top,
		  "print N rows (default: 20 as text on a terminal, otherwise all)", 0, 0),
	    OPTION_FORMS(s.form, "", "columns"),
	    OPTION(STRING, 0, "svg", "FILE", &s.svg,
		   "plot the miss ratio, or with --time the idle time, over the size; "
		   "with --rate the rate over time"),
	    OPTION(STRING, 'o', "output", "FILE", &s.out, "write to FILE (default: -, stdout)"),
	    OPTION(FLAG, 0, "dump-references", NULL, &s.dump,
		   "print the key of each reference instead: object * 2^40 + block"),
	    RANGE(NUMBER, 0, "threads", "N", &s.threads,
		  "simulate on N threads (default: one for each processor)", 1, THREADS_MAX),
	    RANGE(SIZE, 0, "memory", "SIZE", &r->memory,
		  "maximum memory for caches (default: 1GiB)", 1 << 20, 0),
	    RANGE(SIZE, 0, "max-request", "SIZE", &s.max_request,
		  "bytes of the largest record (default: 16GiB)", 512, 0),
	    OPTION_QUIET(r->read.quiet, r->read.progress),
	    OPTION_TIMING(s.timing),
	    GROUP("Reading"),
	    OPTION_READING(r->read),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "simulate",
	    .summary = "Simulate caches: hits by size and policy",
	    .synopsis = "[OPTION]... [IN]\n--time [OPTION]... [IN]...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	if (!print_choice_valid(&s.form, &command))
		return EXIT_FAILED;
	if (r->prefetch.kind != PREFETCH_NONE && has_policy(&s, CACHE_OPT))
		return options_wrong(&command, "--prefetch and policy opt exclude each other");
	if (r->top == NOT_GIVEN && s.form.chosen == NULL && isatty(STDOUT_FILENO))
		r->top = TOP_ON_TERMINAL;
	if (s.threads == NOT_GIVEN)
		s.threads = cpu_count() < THREADS_MAX ? cpu_count() : THREADS_MAX;
	r->references = (struct references_options){
	    .block = s.unit == UNIT_OBJECT ? OBJECT_BLOCK : (uint32_t)s.block,
	    .whole = s.unit == UNIT_OBJECT,
	    .unknown = (enum references_unknown)s.unknown,
	    .write = (enum references_write)s.write,
	    .by = (enum breakdown_by)s.by,
	    .request_max = s.max_request,
	    .prefetching = r->prefetch.kind != PREFETCH_NONE,
	    .times = s.by != BREAKDOWN_NONE};
	if (s.sizes.count == 0)
		s.sizes = default_sizes(s.unit);
	s.command = &command;
	r->read.shows_layer = print_choice_is_nested(&s.form);
	status = same_file_check_outputs(&command, argv, count, s.out, s.svg);
	if (status == EXIT_OK)
		status = trace_in_choose_layer(&r->read, argv, count, &command);
	if (status != EXIT_OK)
		return status;
	if (s.timing.time)
		return run_timing(&s, argv, count);
	if (!timing_only_device(&s.timing))
		return options_wrong(&command,
				     "options of the timing model, except --device, need --time");
	if (s.unit == UNIT_OBJECT &&
	    (s.timing.device != NULL || r->prefetch.kind != PREFETCH_NONE || r->rmw))
		return options_wrong(&command,
				     "--unit=object excludes --device, --prefetch and --rmw");
	r->estimates = s.timing.device != NULL;
	r->device = timing_device(&s.timing);
	if (count > 1)
		return options_wrong(&command,
				     "more than one IN: merge them first, see 'iotrace merge'");
	r->path = count > 0 ? argv[0] : "-";
	status = run(&s);
	free_run(&s);
	return status;
}
