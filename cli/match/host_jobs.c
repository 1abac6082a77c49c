/* SPDX-License-Identifier: BSD-2-Clause */
#include "host_jobs.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "cli/jobs/host_list.h"
#include "cli/ui/message.h"
#include "lib/base/array.h"

struct job_hosts {
	struct host_jobs *to;
	uint32_t job;
	bool no_memory;
};

static bool add_pair(void *context, const char *host, size_t size)
{
	struct job_hosts *j = context;
	struct host_jobs *h = j->to;
	const size_t number = idmap_number(&h->hosts, XXH3_64bits(host, size));
	if (h->count == HOST_JOBS_PAIRS_MAX)
		return false;
	j->no_memory = number == SIZE_MAX ||
		       !array_reserve(&h->pair, &h->capacity, h->count + 1, sizeof *h->pair);
	if (!j->no_memory)
		h->pair[h->count++] = (struct host_job){(uint32_t)number, j->job};
	return !j->no_memory;
}

static int by_host(const void *left, const void *right, void *context)
{
	const struct host_job *a = left, *b = right;
	const struct listed_job *job = context;
	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	if (job[a->job].start_ns != job[b->job].start_ns)
		return job[a->job].start_ns < job[b->job].start_ns ? -1 : 1;
	return a->job < b->job ? -1 : a->job > b->job;
}

/* A job that lists a host twice ran there once. */
static void drop_repeated(struct host_jobs *h)
{
	size_t used = 0;
	for (size_t i = 0; i < h->count; i++)
		if (used == 0 || h->pair[used - 1].host != h->pair[i].host ||
		    h->pair[used - 1].job != h->pair[i].job)
			h->pair[used++] = h->pair[i];
	h->count = used;
}

static bool index_pairs(struct host_jobs *h)
{
	qsort_r(h->pair, h->count, sizeof *h->pair, by_host, h->list->job);
	drop_repeated(h);
	h->latest_end_ns = malloc((h->count + 1) * sizeof *h->latest_end_ns);
	h->first = calloc(h->hosts.count + 1, sizeof *h->first);
	if (h->latest_end_ns == NULL || h->first == NULL)
		return false;
	for (size_t i = 0; i < h->count; i++) {
		const int64_t end_ns = h->list->job[h->pair[i].job].end_ns;
		const bool same = i > 0 && h->pair[i - 1].host == h->pair[i].host;
		if (!same)
			h->first[h->pair[i].host] = (uint32_t)i;
		h->latest_end_ns[i] =
		    same && h->latest_end_ns[i - 1] > end_ns ? h->latest_end_ns[i - 1] : end_ns;
	}
	h->first[h->hosts.count] = (uint32_t)h->count;
	return true;
}

enum exit_status host_jobs_make(struct host_jobs *h, const struct job_list *list, const char *path)
{
	h->list = list;
	for (size_t i = 0; i < list->count; i++) {
		struct job_hosts j = {.to = h, .job = (uint32_t)i};
		const char *hosts = list->job[i].text[LISTED_HOSTS];
		h->without_hosts += hosts == NULL;
		if (hosts == NULL)
			continue;
		const enum host_list_result r = host_list_expand(hosts, add_pair, &j);
		if (j.no_memory)
			return message_no_memory();
		if (r == HOST_LIST_TOO_LONG || r == HOST_LIST_ENDED) {
			message_print_about(path, r == HOST_LIST_ENDED
						      ? "more than 67108864 hosts of jobs"
						      : "a job with more than 1048576 hosts");
			return EXIT_FAILED;
		}
		h->wrong += r == HOST_LIST_WRONG;
	}
	if (h->count == 0) {
		message_print_about(path, "no job has hosts: expected a column NodeList or hosts");
		return EXIT_FAILED;
	}
	return index_pairs(h) ? EXIT_OK : message_no_memory();
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
		if (job[h->pair[middle].job].start_ns < to_ns)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i > begin && h->latest_end_ns[i - 1] > from_ns; i--)
		if (job[h->pair[i - 1].job].end_ns > from_ns && !fn(context, h->pair[i - 1].job))
			return false;
	return true;
}

void host_jobs_free(struct host_jobs *h)
{
	idmap_free(&h->hosts);
	free(h->pair);
	free(h->latest_end_ns);
	free(h->first);
}
