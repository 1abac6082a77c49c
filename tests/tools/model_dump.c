/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Simulates logs, and prints when each request ends: node, compute node, log and time in ps.
 *
 *	model_dump SYSTEM [VARIANT] <LOGS
 *
 * A line of LOGS is: node, start and duration in ps, bytes and requests of reads, of writes, job.
 * With a VARIANT its requests are printed. The last lines are counters and times of each log.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/system.h"

enum { LOGS_MAX = 1 << 16 };

static struct model_log logs[LOGS_MAX];
static struct model_node nodes[MODEL_NODES_MAX];

static void parse(struct model_system *s, const char *path)
{
	static char text[MODEL_FILE_MAX];
	struct error e = {0};
	FILE *file = fopen(path, "r");
	const size_t size = file != NULL ? fread(text, 1, sizeof text, file) : 0;
	if (file == NULL || model_system_parse(s, text, size, &e) != IOT_OK) {
		fprintf(stderr, "%s: %s\n", path, e.text);
		exit(2);
	}
	fclose(file);
}

static size_t read_logs(struct model_input *in)
{
	size_t n = 0, node;
	struct model_log *l = logs;
	while (n < LOGS_MAX &&
	       scanf("%zu %" SCNd64 " %" SCNd64 " %" SCNu64 " %" SCNu32 " %" SCNu64 " %" SCNu32
		     " %" SCNu32,
		     &node, &l->start_ps, &l->took_ps, &l->bytes[0], &l->requests[0], &l->bytes[1],
		     &l->requests[1], &l->job) == 8) {
		if (nodes[node].log == NULL)
			nodes[node].log = l;
		nodes[node].count++;
		in->nodes = node + 1;
		in->jobs = l->job > in->jobs ? l->job : in->jobs;
		n++;
		l++;
	}
	return n;
}

static void print_end(void *context, size_t node, uint32_t compute, uint32_t log, int64_t time_ps)
{
	(void)context;
	printf("%zu %" PRIu32 " %" PRIu32 " %" PRId64 "\n", node, compute, log, time_ps);
}

static void print_logs(const struct model_input *in, const struct model_result *r)
{
	for (size_t i = 0; i < in->nodes; i++)
		for (size_t k = 0; k < in->node[i].count; k++) {
			const struct model_outcome *o = &r->outcome[i][k];
			printf("log %zu %zu %" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu32
			       " %" PRIu64 " %" PRIu32 "\n",
			       i, k, o->start_ps, o->end_ps, o->bytes[0], o->requests[0],
			       o->bytes[1], o->requests[1]);
		}
	printf("sums %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", r->requests,
	       r->generated[0], r->generated[1], r->at_disk[0], r->at_disk[1]);
}

int main(int argc, char **argv)
{
	struct model_system s;
	struct model_input in = {.node = nodes};
	struct model_result base, changed = {0};
	if (argc < 2)
		return 2;
	model_system_init(&s);
	parse(&s, argv[1]);
	read_logs(&in);
	if (argc == 2) {
		in.ended = print_end;
	}
	int status = model_simulate(&s, &in, NULL, &base);
	if (argc > 2 && status == IOT_OK) {
		parse(&s, argv[2]);
		in.ended = print_end;
		status = model_simulate(&s, &in, &base, &changed);
	}
	print_logs(&in, argc > 2 ? &changed : &base);
	model_result_free(&base);
	model_result_free(&changed);
	return status == IOT_OK ? 0 : 2;
}
