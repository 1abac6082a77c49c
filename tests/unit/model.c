/* SPDX-License-Identifier: BSD-2-Clause */
/* The system model, with times computed by hand. */
#include <criterion/criterion.h>

#include "lib/model/evaluate.h"
#include "lib/model/system.h"
#include "lib/model/transfers.h"

enum { MIB = 1 << 20, HOSTS_MAX = 2, LOGS_MAX = 2 };

static const char jugene[] = "io-nodes = 600   compute-nodes = 2 # of each\n"
			     "request-max = 4MiB  ciod-buffer = 4MiB\tpage-pool = 1024MiB\n"
			     "tree = 850MiB/s  network = 10Gbit/s  server = 66GiB/s  internal = 0\n"
			     "burst-buffer = none\n";

static struct model_system parsed(const char *more)
{
	struct model_system s;
	struct error e = {0};
	model_system_init(&s);
	cr_assert_eq(model_system_parse(&s, jugene, strlen(jugene), &e), IOT_OK, "%s", e.text);
	cr_assert_eq(model_system_parse(&s, more, strlen(more), &e), IOT_OK, "%s", e.text);
	return s;
}

/* Durations of 4 MiB, in picoseconds. */
static const int64_t on_tree = 4705882353, on_network = 3355443200, on_server = 59185606;

struct logs {
	struct model_log log[HOSTS_MAX][LOGS_MAX];
	struct model_node node[HOSTS_MAX];
	struct model_input in;
	struct model_result result;
};

static void simulate(struct logs *l, const struct model_system *s, size_t hosts, size_t logs)
{
	for (size_t i = 0; i < hosts; i++)
		l->node[i] = (struct model_node){l->log[i], logs};
	l->in = (struct model_input){.node = l->node, .nodes = hosts, .wants_disk_end = true};
	cr_assert_eq(model_simulate(s, &l->in, NULL, &l->result), IOT_OK);
}

Test(model, durations_round_to_the_nearest_picosecond)
{
	cr_assert_eq(model_duration_ps(4 * MIB, UINT64_C(850) * MIB), on_tree);
	cr_assert_eq(model_duration_ps(4 * MIB, 1250000000), on_network);
	cr_assert_eq(model_duration_ps(4 * MIB, UINT64_C(66) << 30), on_server);
	cr_assert_eq(model_duration_ps(1, MODEL_NO_DELAY), 0);
}

Test(model, read_of_an_empty_system_takes_the_sum_of_its_links)
{
	const struct model_system s = parsed("");
	struct logs l = {
	    .log = {{{.took_ps = MODEL_PS_PER_S, .bytes = {4 * MIB}, .requests = {1}}}}};
	simulate(&l, &s, 1, 1);
	cr_assert_eq(l.result.outcome[0][0].end_ps, on_server + on_network + 2 * on_tree);
	cr_assert_eq(l.result.disk_end_ps[0][0][MODEL_READ], on_server + on_network);
	cr_assert_eq(l.result.io_ps[0], l.result.outcome[0][0].end_ps);
	model_result_free(&l.result);
}

Test(model, write_ends_in_the_page_pool)
{
	const struct model_system s = parsed("");
	struct logs l = {
	    .log = {{{.took_ps = MODEL_PS_PER_S, .bytes = {0, 4 * MIB}, .requests = {0, 1}}}}};
	simulate(&l, &s, 1, 1);
	cr_assert_eq(l.result.outcome[0][0].end_ps, 2 * on_tree);
	cr_assert_eq(l.result.disk_end_ps[0][0][MODEL_WRITE], 2 * on_tree + on_network + on_server);
	cr_assert_eq(l.result.at_disk[MODEL_WRITE], 4 * MIB);
	model_result_free(&l.result);
}

Test(model, write_without_page_pool_ends_when_the_disk_has_it)
{
	const struct model_system s = parsed("page-pool = 0\n");
	struct logs l = {
	    .log = {{{.took_ps = MODEL_PS_PER_S, .bytes = {0, 4 * MIB}, .requests = {0, 1}}}}};
	simulate(&l, &s, 1, 1);
	cr_assert_eq(l.result.outcome[0][0].end_ps, 2 * on_tree + on_network + on_server);
	model_result_free(&l.result);
}

/* The second write does not fit: it passes the pool, and waits for the first one's transfer. */
Test(model, write_to_a_full_page_pool_waits_for_the_disk)
{
	const struct model_system s = parsed("page-pool = 4MiB  tree-links = private\n");
	struct logs l = {
	    .log = {{{.took_ps = MODEL_PS_PER_S, .bytes = {0, 8 * MIB}, .requests = {0, 2}}}}};
	simulate(&l, &s, 1, 1);
	cr_assert_eq(l.result.outcome[0][0].end_ps, on_tree + 2 * on_network + on_server);
	model_result_free(&l.result);
}

Test(model, two_io_nodes_share_the_link_of_the_server)
{
	const struct model_system s = parsed("server = 100MiB/s\n");
	const int64_t slow = 40000000000;
	struct logs l = {
	    .log = {{{.took_ps = MODEL_PS_PER_S, .bytes = {4 * MIB}, .requests = {1}}},
		    {{.took_ps = MODEL_PS_PER_S, .bytes = {4 * MIB}, .requests = {1}}}}};
	simulate(&l, &s, 2, 1);
	cr_assert_eq(l.result.outcome[0][0].end_ps, slow + on_network + 2 * on_tree);
	cr_assert_eq(l.result.outcome[1][0].end_ps, 2 * slow + on_network + 2 * on_tree);
	model_result_free(&l.result);
}

/*
 * The buffer has space for one and a half requests: the second one enters when the first has left
 * it through the external link.
 */
Test(model, burst_buffer_that_fills_stops_the_next_write)
{
	const struct model_system s =
	    parsed("page-pool = 0  tree-links = private\n"
		   "burst-buffer = size 6MiB, internal 850MiB/s, external 1Gbit/s\n");
	const int64_t external = 33554432000;
	struct logs l = {
	    .log = {{{.took_ps = MODEL_PS_PER_S, .bytes = {0, 8 * MIB}, .requests = {0, 2}}}}};
	simulate(&l, &s, 1, 1);
	cr_assert_eq(l.result.outcome[0][0].end_ps, on_tree + on_tree + external + on_tree);
	model_result_free(&l.result);
}

Test(model, long_requests_are_split_and_bytes_without_requests_are_read)
{
	const struct model_system s = parsed("");
	const struct model_log log = {.bytes = {9 * MIB + 1, 5}, .requests = {2, 0}};
	cr_assert_eq(model_request_count(&s, &log, MODEL_READ), 4);
	cr_assert_eq(model_request_count(&s, &log, MODEL_WRITE), 1);
}

static struct logs shifted;

/*
 * The I/O nodes of a job begin it at the latest of their times; other computation keeps its length.
 */
Test(model, computation_between_logs_is_the_same_in_a_variant)
{
	const struct model_system s = parsed(""), slow = parsed("network = 1Gbit/s\n");
	struct model_result base;
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < 2; k++)
			shifted.log[i][k] = (struct model_log){
			    .start_ps = (int64_t)k * MODEL_PS_PER_S,
			    .took_ps = MODEL_PS_PER_S,
			    .bytes = {(i + 1) * 40 * MIB},
			    .requests = {10},
			    .job = (uint32_t)k + 1,
			};
	simulate(&shifted, &s, 2, 2);
	base = shifted.result;
	shifted.in.jobs = 2;
	cr_assert_eq(model_simulate(&slow, &shifted.in, &base, &shifted.result), IOT_OK);
	const struct model_outcome *a = shifted.result.outcome[0], *b = shifted.result.outcome[1];
	const int64_t gap = base.outcome[1][1].start_ps - base.outcome[1][0].end_ps;
	cr_assert_eq(b[1].start_ps - b[0].end_ps, gap);
	cr_assert_eq(a[1].start_ps, b[1].start_ps);
	model_result_free(&base);
	model_result_free(&shifted.result);
}

/* The queue is longer than a block, and empty in between. */
Test(model, transfers_leave_in_the_order_of_their_arrival)
{
	enum { ROUNDS = 300 };
	struct model_transfers q = {0};
	uint32_t added = 0, taken = 0;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < round; i++)
			cr_assert(model_transfers_add(
			    &q, &(struct model_transfer){.size = MODEL_BYTES_MAX, .log = added++}));
		for (uint32_t i = round % 3 > 0; i < round; i++, taken++) {
			cr_assert_eq(model_transfers_first(&q)->log, taken);
			const struct model_transfer t = model_transfers_take(&q);
			cr_assert_eq(t.log, taken);
			cr_assert_eq(t.size, MODEL_BYTES_MAX);
		}
		cr_assert_eq(q.count, added - taken);
	}
	model_transfers_free(&q);
}

Test(model, settings_that_are_wrong_are_refused)
{
	static const char *const wrong[] = {
	    "colour = red\n",
	    "network = 10\n",
	    "network = 10Gbit\n",
	    "network = 1bit/s\n",
	    "io-nodes = 0\n",
	    "io-nodes-0 = 3\n",
	    "burst-buffer = size 4MiB\n",
	    "burst-buffer = size 1MiB, internal 0, external 1Gbit/s\n",
	    "request-max = 8MiB\n",
	    "page-pool\n",
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct model_system s;
		struct error e = {0};
		model_system_init(&s);
		cr_assert_eq(model_system_parse(&s, wrong[i], strlen(wrong[i]), &e), IOT_EFORMAT,
			     "%s", wrong[i]);
	}
}
