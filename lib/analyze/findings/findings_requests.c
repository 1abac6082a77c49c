/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings_without_times.h"

#include "lib/analyze/containers/saturate.h"
#include "lib/result/names.h"

/* Returns false if it is unknown. */
static bool small_share(const struct findings_source *from, const struct file_evidence *e,
			unsigned d, double *share, double *requests)
{
	char key[VALUE_KEY];
	values_key(key, from->options->small);
	*requests = (double)e->requests[d];
	*share = e->requests[d] > 0 ? (double)e->small_requests[d] / *requests : 0;
	if (from->table->from.counted != NULL)
		return e->requests[d] > 0;
	return finding_known_of(from, VALUE(sizes, small_share), d, key, share) &&
	       finding_known_of(from, VALUE(totals, requests), d, NULL, requests);
}

static void find_small(struct findings *f, const struct findings_source *from,
		       const struct run_cost *cost, const struct file_evidence *e, unsigned d)
{
	static const char *const codes[2] = {"small_requests_r", "small_requests_w"};
	char size[FINDING_SIZE];
	double share, requests;
	if (!small_share(from, e, d, &share, &requests) || share <= SMALL_MAX ||
	    share * requests <= REQUESTS_MIN)
		return;
	struct finding *to = finding_add(f, codes[d], share, SMALL_MAX);
	if (to == NULL)
		return;
	finding_set_count(to, (uint64_t)(share * requests + 0.5));
	finding_set_share(to, cost, share * cost->reads_or_writes[d]);
	finding_text(to, "%.0f %%25 of the %ss (%ju) have up to %s (threshold: 10 %%25 and 1000)",
		     100 * share, finding_verbs[d], (uintmax_t)to->count,
		     finding_size(size, (double)from->options->small));
	finding_set_file(to, "; most in ", &e->small[d]);
	to->remedy = d == 0 ? "read larger blocks, or through a buffer"
			    : "write larger blocks, or through a buffer";
}

static void find_small_shared(struct findings *f, const struct findings_source *from,
			      const struct run_cost *cost, const struct file_evidence *e,
			      unsigned d)
{
	static const char *const codes[2] = {"small_requests_shared_r", "small_requests_shared_w"};
	const double requests = (double)e->shared_requests[d], small = (double)e->shared_small[d];
	char size[FINDING_SIZE];
	if (requests <= 0 || small <= REQUESTS_MIN || small <= SMALL_MAX * requests)
		return;
	struct finding *to = finding_add(f, codes[d], small / requests, SMALL_MAX);
	if (to == NULL)
		return;
	finding_set_count(to, e->shared_small[d]);
	finding_set_share(to, cost, small / (double)e->requests[d] * cost->reads_or_writes[d]);
	finding_text(
	    to,
	    "%.0f %%25 of the %ss of shared files (%ju) have up to %s (threshold: 10 %%25 and "
	    "1000)",
	    100 * to->value, finding_verbs[d], (uintmax_t)to->count,
	    finding_size(size, (double)from->options->small));
	finding_set_file(to, "; most in ", &e->small_shared[d]);
	to->remedy = "collective I/O, or one process per node that combines them";
}

static double random_share(const struct findings_source *from, unsigned d)
{
	static const char *const patterns[] = {"short",          "contiguous", "simple strided",
					       "nested strided", "sequential", "random"};
	double all = 0, random = 0, n;
	for (unsigned i = 0; i < PATTERNS; i++)
		if (finding_known_of(from, VALUE(order, pattern_requests), d, patterns[i], &n)) {
			all += n;
			random = i == PATTERN_RANDOM ? n : random;
		}
	return all > 0 ? random / all : 0;
}

/* Requests that go back, and those that could: with a predecessor, or counted. */
static void backward_of(const struct findings_source *from, unsigned d, double *backward,
			double *followers)
{
	double sequential;
	*backward = *followers = 0;
	if (from->table->from.counted == NULL) {
		finding_known_of(from, VALUE(order, backward_share), d, NULL, backward);
		finding_known_of(from, VALUE(order, followers), d, NULL, followers);
	} else if (finding_known_of(from, VALUE(counters, sequential_requests), d, "POSIX",
				    &sequential) &&
		   finding_known_of(from, VALUE(counters, requests), d, "POSIX", followers) &&
		   sequential < *followers) {
		*backward = (*followers - sequential) / *followers;
	}
}

static void find_random(struct findings *f, const struct findings_source *from,
			const struct run_cost *cost, const struct file_evidence *e, unsigned d)
{
	static const char *const codes[2] = {"random_r", "random_w"};
	const double random = random_share(from, d);
	double backward, followers;
	backward_of(from, d, &backward, &followers);
	const bool much = backward > BACKWARD_MAX && backward * followers > REQUESTS_MIN;
	if (!much && random <= RANDOM_MAX)
		return;
	struct finding *to =
	    finding_add(f, codes[d], much ? backward : random, much ? BACKWARD_MAX : RANDOM_MAX);
	if (to == NULL)
		return;
	finding_set_share(to, cost, to->value * cost->reads_or_writes[d]);
	if (much)
		finding_text(to,
			     "%.0f %%25 of the %ss go back to a lower offset than the previous one "
			     "(threshold: 20 %%25 and 1000)",
			     100 * backward, finding_verbs[d]);
	else
		finding_text(to,
			     "%.0f %%25 of the %ss are in streams of random order (threshold: 50 "
			     "%%25)",
			     100 * random, finding_verbs[d]);
	finding_set_file(to, "; most requests of random streams are in ", &e->random);
	to->remedy = d == 0 ? "sort the accesses by offset, or read ahead and keep the data"
			    : "sort the accesses by offset, or collect them in memory";
}

/* Bytes of the files in a sample are not compared with the bytes of all files. */
static bool is_sample(const struct findings_source *from)
{
	return finding_value(from, VALUE(limits, files), NULL) != NULL;
}

static void find_reread(struct findings *f, const struct findings_source *from,
			const struct run_cost *cost, const struct file_evidence *e)
{
	double again, after_write, all;
	char size[FINDING_SIZE];
	if (is_sample(from) || !finding_known(from, VALUE(reuse, re_read), NULL, &again) ||
	    !finding_known(from, VALUE(reuse, read_after_write), NULL, &after_write) ||
	    !finding_known(from, VALUE(totals, read_bytes), NULL, &all) ||
	    again + after_write <= REREAD_MAX * all)
		return;
	struct finding *to = finding_add(f, "read_again", (again + after_write) / all, REREAD_MAX);
	if (to == NULL)
		return;
	finding_set_share(to, cost, to->value * cost->reads_or_writes[0]);
	finding_set_bytes(
	    to, saturate_add(finding_value(from, VALUE(reuse, re_read), NULL)->number,
			     finding_value(from, VALUE(reuse, read_after_write), NULL)->number));
	finding_text(to,
		     "%.0f %%25 of the bytes read (%s) were read or written before (threshold: 10 "
		     "%%25)",
		     100 * to->value, finding_size(size, again + after_write));
	finding_set_file(to, "; most of ", &e->reread);
	to->remedy = "keep the data in memory between uses";
}

static void find_cache(struct findings *f, const struct findings_source *from,
		       const struct run_cost *cost)
{
	double footprint, all, swapping;
	char size[2][FINDING_SIZE];
	if (is_sample(from) || !finding_known(from, VALUE(reuse, footprint), NULL, &footprint) ||
	    !finding_known(from, VALUE(totals, bytes), NULL, &all) ||
	    !finding_known(from, VALUE(classes, reason_share), "swapping", &swapping) ||
	    footprint >= FOOTPRINT_MAX * all || swapping <= SWAPPING_MIN)
		return;
	struct finding *to = finding_add(f, "fits_in_memory", footprint / all, FOOTPRINT_MAX);
	if (to == NULL)
		return;
	finding_set_share(to, cost, swapping * cost->both);
	finding_set_bytes(to, finding_value(from, VALUE(reuse, footprint), NULL)->number);
	finding_text(
	    to,
	    "All requests (%s) use %s of files, %.2g %%25 of that (threshold: 25 %%25), and "
	    "%.0f %%25 is swapping (threshold: 50 %%25)",
	    finding_size(size[0], all), finding_size(size[1], footprint), 100 * to->value,
	    100 * swapping);
	to->remedy = "a cache of the size of the footprint holds all of it";
}

static void find_misaligned(struct findings *f, const struct findings_source *from,
			    const struct run_cost *cost, unsigned d)
{
	static const char *const codes[2] = {"misaligned_r", "misaligned_w"};
	double aligned;
	if (!finding_known_of(from, VALUE(sizes, aligned_share), d, NULL, &aligned) ||
	    1 - aligned <= MISALIGNED_MAX)
		return;
	struct finding *to = finding_add(f, codes[d], 1 - aligned, MISALIGNED_MAX);
	if (to == NULL)
		return;
	finding_set_share(to, cost, to->value * cost->reads_or_writes[d]);
	finding_text(
	    to,
	    "%.0f %%25 of the offsets of %ss are not multiples of %ju bytes (threshold: 10 "
	    "%%25)",
	    100 * to->value, finding_verbs[d], (uintmax_t)from->options->alignment);
	to->remedy = "align records and blocks to the blocks of the file system";
}

/* From counters: calls of MPI-IO. */
static void find_independent(struct findings *f, const struct findings_source *from,
			     const struct run_cost *cost, unsigned d)
{
	static const char *const codes[2] = {"no_collective_r", "no_collective_w"};
	double calls, collective;
	if (!finding_known_of(from, VALUE(counters, requests), d, "MPI-IO", &calls) ||
	    !finding_known_of(from, VALUE(counters, collective_requests), d, "MPI-IO",
			      &collective) ||
	    calls <= REQUESTS_MIN || collective >= COLLECTIVE_MIN * calls)
		return;
	struct finding *to = finding_add(f, codes[d], collective / calls, COLLECTIVE_MIN);
	if (to == NULL)
		return;
	finding_set_count(to, (uint64_t)calls);
	finding_set_share(to, cost, (1 - to->value) * cost->reads_or_writes[d]);
	finding_text(
	    to,
	    "%.0f %%25 of the %ju %ss of MPI-IO are collective (threshold: 50 %%25 of more "
	    "than 1000)",
	    100 * to->value, (uintmax_t)to->count, finding_verbs[d]);
	to->remedy = d == 0 ? "MPI_File_read_all instead of MPI_File_read"
			    : "MPI_File_write_all instead of MPI_File_write";
}

/* From counters: bytes of a module. */
static double counted_bytes(const struct findings_source *from, const char *module)
{
	double all = 0, bytes;
	for (unsigned d = 0; d < 2; d++)
		all +=
		    finding_known_of(from, VALUE(counters, bytes), d, module, &bytes) ? bytes : 0;
	return all;
}

static void find_streams(struct findings *f, const struct findings_source *from,
			 const struct run_cost *cost)
{
	const struct counters_totals *stdio = from->counters->of[COUNTERS_STDIO];
	uint64_t rank;
	const double streams = counted_bytes(from, "STDIO"),
		     all = streams + counted_bytes(from, "POSIX");
	char size[FINDING_SIZE];
	if (streams <= STREAM_MAX * all)
		return;
	struct finding *to = finding_add(f, "stream_io", streams / all, STREAM_MAX);
	if (to == NULL)
		return;
	finding_set_seconds(
	    to, cost,
	    counters_seconds(counters_longest(stdio, 1 << COUNTERS_READ | 1 << COUNTERS_WRITE,
					      from->table->from.processes, &rank)));
	finding_text(to,
		     "%.0f %%25 of the bytes (%s) pass through streams of stdio.h (threshold: 10 "
		     "%%25)",
		     100 * to->value, finding_size(size, streams));
	to->remedy = "read and write large data without streams";
}

/* Those that concern a direction. */
static void find_of(struct findings *f, const struct findings_source *from,
		    const struct run_cost *cost, const struct file_evidence *e, unsigned d)
{
	find_small_shared(f, from, cost, e, d);
	find_small(f, from, cost, e, d);
	find_independent(f, from, cost, d);
	find_random(f, from, cost, e, d);
	find_misaligned(f, from, cost, d);
}

void findings_of_requests(struct findings *f, const struct findings_source *from,
			  const struct run_cost *cost, const struct file_evidence *e)
{
	find_streams(f, from, cost);
	find_cache(f, from, cost);
	find_reread(f, from, cost, e);
	for (unsigned d = 0; d < 2; d++)
		find_of(f, from, cost, e, d);
}
