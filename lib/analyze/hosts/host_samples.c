/* SPDX-License-Identifier: BSD-2-Clause */
#include "host_samples.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/analyze/over_time/cells_spread.h"
#include "lib/analyze/statistic.h"
#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/base/text.h"
#include "lib/format/directive.h"

#include "host_samples_state.h"

/* A %sample, with its interval since 1970. */
struct counted_interval {
	struct sample declared;
	struct coverage_interval time;
};

static bool parse(const struct iot_event *ev, uint64_t epoch_ns, struct counted_interval *i)
{
	if (!sample_of(ev, &i->declared) || i->declared.host.size > COUNTED_HOST_SIZE)
		return false;
	i->time.from_ns = epoch_ns + i->declared.start_ns;
	i->time.to_ns = i->time.from_ns + i->declared.took_ns;
	return i->time.to_ns <= INT64_MAX;
}

/* Hosts */

/* Returns the number of a host; SIZE_MAX if out of memory. */
static size_t host_number(struct host_samples *h, struct iot_text name)
{
	const size_t i = idmap_number(&h->numbers, XXH3_64bits(name.data, name.size));
	if (!array_reserve_index(&h->host, &h->host_capacity, i, sizeof *h->host))
		return SIZE_MAX;
	if (h->host[i].name == NULL)
		h->host[i].name = strndup(name.data, name.size);
	return h->host[i].name != NULL ? i : SIZE_MAX;
}

struct named_host {
	const char *name;
	uint32_t number;
};

static int by_name(const void *left, const void *right)
{
	const struct named_host *a = left, *b = right;
	return strcmp(a->name, b->name);
}

uint32_t *host_samples_order(const struct host_samples *h)
{
	const size_t n = h->numbers.count;
	struct named_host *sorted = calloc(n + 1, sizeof *sorted);
	uint32_t *position = sorted != NULL ? calloc(n + 1, sizeof *position) : NULL;
	for (size_t i = 0; i < n && position != NULL; i++)
		sorted[i] = (struct named_host){h->host[i].name, (uint32_t)i};
	if (position != NULL)
		qsort(sorted, n, sizeof *sorted, by_name);
	for (size_t i = 0; i < n && position != NULL; i++)
		position[sorted[i].number] = (uint32_t)i;
	free(sorted);
	return position;
}

/* Over time */

/* The amounts of a kind, in bins of all hosts, which are the narrower ones, and of the host. */
static bool spread(struct cells of[2], size_t host, const struct counted_interval *i,
		   enum sample_value kind)
{
	struct cells_spread s;
	cells_spread_begin(&s, i->time.from_ns, i->time.to_ns, &i->declared.value[kind]);
	return cells_spread(&of[1], 0, &s) && cells_spread(&of[0], (uint32_t)host, &s);
}

static bool spread_all(struct host_samples *h, size_t host, const struct counted_interval *i)
{
	return spread(h->of_hosts, host, i, SAMPLE_READ_BYTES) &&
	       spread(h->calls_of_hosts, host, i, SAMPLE_READS);
}

static bool is_active(const struct counted_interval *i)
{
	uint64_t any = 0;
	for (unsigned v = 0; v < SAMPLE_VALUES; v++)
		any |= i->declared.value[v];
	return any != 0;
}

static bool add_to_series(struct series *s, const struct counted_interval *i)
{
	return !is_active(i) || series_add_request(s, i->time.from_ns, i->time.to_ns);
}

/* Sums */

static void add_values(struct sample_sums *s, uint32_t known, const uint64_t value[SAMPLE_VALUES])
{
	s->known |= known;
	for (unsigned v = 0; v < SAMPLE_VALUES; v++)
		s->sum[v] = saturate_add(s->sum[v], value[v]);
}

static void add_sums(struct host_samples *h, size_t host, const struct counted_interval *i)
{
	h->count++;
	h->gaps += i->declared.gap;
	h->resets += i->declared.reset;
	h->doubtful += i->declared.doubtful;
	add_values(&h->sums, i->declared.known, i->declared.value);
	add_values(&h->host[host].sums, i->declared.known, i->declared.value);
	histogram_add(&h->took, i->time.to_ns - i->time.from_ns);
}

/* Requests of the mean size of the interval. */
static bool add_sizes(struct host_samples *h, const struct counted_interval *i)
{
	bool done = true;
	for (unsigned d = 0; d < 2 && done; d++) {
		const uint64_t n = i->declared.value[SAMPLE_READS + d];
		done = n == 0 ||
		       sizes_count(&h->sizes, d, i->declared.value[SAMPLE_READ_BYTES + d] / n, n);
	}
	return done;
}

/* The time of each counter shows whether samples overlap, which then count the same twice. */
static bool add_counters(struct host_samples *h, const struct counted_interval *i)
{
	if (i->declared.known == 0 || h->counters.count >= COUNTED_HOSTS_MAX)
		return true;
	const size_t number = idmap_number(&h->counters, sample_key(&i->declared));
	h->counters_ns = saturate_add(h->counters_ns, i->declared.took_ns);
	return number != SIZE_MAX && coverage_add(&h->of_counters, number, i->time);
}

static bool add_sample(void *of, const struct iot_event *ev, uint64_t epoch_ns)
{
	struct host_samples *h = of;
	struct counted_interval i;
	if (!parse(ev, epoch_ns, &i) || h->numbers.count >= COUNTED_HOSTS_MAX) {
		h->wrong++;
		return true;
	}
	const size_t host = host_number(h, i.declared.host);
	if (host == SIZE_MAX || !add_sizes(h, &i) || !add_counters(h, &i))
		return false;
	add_sums(h, host, &i);
	return i.declared.gap || (coverage_add(&h->coverage, host, i.time) &&
				  spread_all(h, host, &i) && add_to_series(&h->series, &i));
}

/* Joins */

/* Returns the numbers that the hosts of a part have in the whole; NULL if out of memory. */
static uint32_t *map_hosts(struct host_samples *h, const struct host_samples *part)
{
	uint32_t *map = calloc(part->numbers.count + 1, sizeof *map);
	for (size_t i = 0; map != NULL && i < part->numbers.count; i++) {
		const char *name = part->host[i].name;
		const size_t host = host_number(h, (struct iot_text){name, strlen(name)});
		if (host == SIZE_MAX) {
			free(map);
			return NULL;
		}
		map[i] = (uint32_t)host;
	}
	return map;
}

static void join_sums(struct host_samples *h, const struct host_samples *part, const uint32_t *host)
{
	h->count += part->count;
	h->gaps += part->gaps;
	h->resets += part->resets;
	h->doubtful += part->doubtful;
	h->wrong += part->wrong;
	h->interval_ns = h->interval_ns != 0 ? h->interval_ns : part->interval_ns;
	add_values(&h->sums, part->sums.known, part->sums.sum);
	for (size_t i = 0; i < part->numbers.count; i++)
		add_values(&h->host[host[i]].sums, part->host[i].sums.known,
			   part->host[i].sums.sum);
	histogram_join(&h->took, &part->took);
}

static bool join_cells(struct host_samples *h, struct host_samples *part, const uint32_t *host)
{
	const uint32_t zero = 0;
	bool done = true;
	for (unsigned all = 0; all < 2 && done; all++)
		done = cells_join(&h->of_hosts[all], &part->of_hosts[all], all ? &zero : host) &&
		       cells_join(&h->calls_of_hosts[all], &part->calls_of_hosts[all],
				  all ? &zero : host);
	return done;
}

static bool join_counters(struct host_samples *h, const struct host_samples *part)
{
	uint32_t *map = calloc(part->counters.count + 1, sizeof *map);
	bool done = map != NULL;
	for (size_t i = 0; done && i < part->counters.count; i++) {
		const size_t number = idmap_number(&h->counters, part->counters.keys[i]);
		done = number != SIZE_MAX;
		map[i] = (uint32_t)number;
	}
	done = done && coverage_join(&h->of_counters, &part->of_counters, map);
	h->counters_ns = saturate_add(h->counters_ns, part->counters_ns);
	free(map);
	return done;
}

static bool join(void *of, void *more, const struct statistic_map *map)
{
	struct host_samples *h = of, *part = more;
	uint32_t *host = map_hosts(h, part);
	(void)map;
	const bool done = host != NULL && join_cells(h, part, host) &&
			  series_join(&h->series, &part->series) &&
			  coverage_join(&h->coverage, &part->coverage, host) &&
			  join_counters(h, part) && sizes_join(&h->sizes, &part->sizes, NULL);
	if (done)
		join_sums(h, part, host);
	free(host);
	return done;
}

static bool settle(void *of)
{
	struct host_samples *h = of;
	bool done = sizes_settle(&h->sizes);
	for (unsigned all = 0; all < 2 && done; all++)
		done = cells_settle(&h->of_hosts[all]) && cells_settle(&h->calls_of_hosts[all]);
	series_settle(&h->series);
	return done;
}

static void free_all(void *of)
{
	struct host_samples *h = of;
	for (unsigned all = 0; all < 2; all++) {
		cells_free(&h->of_hosts[all]);
		cells_free(&h->calls_of_hosts[all]);
	}
	for (size_t i = 0; i < h->host_capacity; i++)
		free(h->host[i].name);
	free(h->host);
	idmap_free(&h->numbers);
	coverage_free(&h->coverage);
	coverage_free(&h->of_counters);
	idmap_free(&h->counters);
	series_free(&h->series);
	sizes_free(&h->sizes);
}

const struct statistic host_samples_statistic = {
    .add_sample = add_sample,
    .join = join,
    .add_trace = join,
    .settle = settle,
    .state = host_samples_state,
    .free = free_all,
};
