/* SPDX-License-Identifier: BSD-2-Clause */
#include "host_jobs.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "cli/jobs/host_list.h"
#include "cli/ui/message.h"
#include "lib/base/array.h"
#include "lib/sort/keysort.h"

/* A job on a host. */
struct pair {
	uint32_t host, job;
};

/* Collects the hosts of jobs, in order of start. */
struct collected {
	struct host_jobs *to;
	uint32_t job;      /* the current one */
	struct pair *pair; /* count: to->count */
	size_t capacity;
	struct collected_host {
		uint32_t last; /* its last job, + 1 */
		uint32_t jobs;
	} * host;
	size_t host_capacity;
	bool no_memory;
};

/* A job that lists a host twice ran there once. */
static bool add_pair(void *context, const char *name, size_t size)
{
	struct collected *c = context;
	struct host_jobs *h = c->to;
	const size_t number = idmap_number(&h->hosts, XXH3_64bits(name, size));
	if (h->count == HOST_JOBS_PAIRS_MAX)
		return false;
	c->no_memory = !array_reserve_index(&c->host, &c->host_capacity, number, sizeof *c->host) ||
		       !array_reserve(&c->pair, &c->capacity, h->count + 1, sizeof *c->pair);
	if (c->no_memory)
		return false;
	struct collected_host *host = &c->host[number];
	if (host->last == c->job + 1)
		return true;
	host->last = c->job + 1;
	host->jobs++;
	c->pair[h->count++] = (struct pair){(uint32_t)number, c->job};
	return true;
}

/* Finds where the jobs of each host begin. */
static void find_first(struct host_jobs *h, struct collected_host *host)
{
	for (size_t i = 0; i < h->hosts.count; i++) {
		h->first[i + 1] = h->first[i] + host[i].jobs;
		host[i].jobs = 0;
	}
}

/* Brings the pairs into order of their hosts, so that the jobs of each are in order of start. */
static bool index_pairs(struct host_jobs *h, struct collected *c)
{
	h->job = malloc((h->count + 1) * sizeof *h->job);
	h->latest_end_ns = malloc((h->count + 1) * sizeof *h->latest_end_ns);
	h->first = calloc(h->hosts.count + 1, sizeof *h->first);
	if (h->job == NULL || h->latest_end_ns == NULL || h->first == NULL || c->host == NULL)
		return false;
	find_first(h, c->host);
	for (size_t i = 0; i < h->count; i++) {
		const struct pair *p = &c->pair[i];
		const size_t before = c->host[p->host].jobs++, at = h->first[p->host] + before;
		const int64_t end_ns = h->list->job[p->job].end_ns,
			      latest_ns = before > 0 ? h->latest_end_ns[at - 1] : end_ns;
		h->job[at] = p->job;
		h->latest_end_ns[at] = latest_ns > end_ns ? latest_ns : end_ns;
	}
	return true;
}

/* The jobs by start, and by number if they start together. Returns NULL if out of memory. */
static struct sort_key *jobs_by_start(const struct job_list *list)
{
	struct sort_key *key = malloc((2 * list->count + 1) * sizeof *key);
	for (size_t i = 0; key != NULL && i < list->count; i++)
		key[i] = (struct sort_key){list->job[i].start_ns, i};
	if (key != NULL)
		keysort(key, list->count, 0, key + list->count);
	return key;
}

static enum exit_status collect(struct collected *c, const struct sort_key *job, const char *path)
{
	struct host_jobs *h = c->to;
	for (size_t i = 0; i < h->list->count; i++) {
		const char *hosts = h->list->job[job[i].tie].text[LISTED_HOSTS];
		c->job = (uint32_t)job[i].tie;
		h->without_hosts += hosts == NULL;
		if (hosts == NULL)
			continue;
		const enum host_list_result r = host_list_expand(hosts, add_pair, c);
		if (c->no_memory)
			return message_no_memory();
		if (r == HOST_LIST_TOO_LONG || r == HOST_LIST_ENDED) {
			message_print_about(path, r == HOST_LIST_ENDED
						      ? "more than 67108864 hosts of jobs"
						      : "a job with more than 1048576 hosts");
			return EXIT_FAILED;
		}
		h->wrong += r == HOST_LIST_WRONG;
	}
	if (h->count > 0)
		return EXIT_OK;
	message_print_about(path, "no job has hosts: expected a column NodeList or hosts");
	return EXIT_FAILED;
}

enum exit_status host_jobs_make(struct host_jobs *h, const struct job_list *list, const char *path)
{
	struct collected c = {.to = h};
	struct sort_key *job = jobs_by_start(list);
	h->list = list;
	enum exit_status status = job != NULL ? collect(&c, job, path) : message_no_memory();
	free(job);
	if (status == EXIT_OK && !index_pairs(h, &c))
		status = message_no_memory();
	free(c.pair);
	free(c.host);
	return status;
}

size_t host_jobs_find(const struct host_jobs *h, const char *host, size_t size)
{
	return idmap_find(&h->hosts, XXH3_64bits(host, size));
}

bool host_jobs_each(const struct host_jobs *h, size_t host, int64_t from_ns, int64_t to_ns,
		    bool (*fn)(void *context, uint32_t job), void *context)
{
	const struct listed_job *job = h->list->job;
	const size_t begin = h->first[host];
	size_t low = begin, high = h->first[host + 1];
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (job[h->job[middle]].start_ns < to_ns)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i > begin && h->latest_end_ns[i - 1] > from_ns; i--)
		if (job[h->job[i - 1]].end_ns > from_ns && !fn(context, h->job[i - 1]))
			return false;
	return true;
}

void host_jobs_free(struct host_jobs *h)
{
	idmap_free(&h->hosts);
	free(h->job);
	free(h->latest_end_ns);
	free(h->first);
}
