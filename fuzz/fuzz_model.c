/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any text as a description of a system, and made logs in it: every byte that is generated is at
 * the disk at the end, every request ends, and a variant keeps the computation between logs.
 *
 * An input is a text up to a NUL, and then 8 bytes for each log of the I/O nodes in turn.
 */
#include "fuzz.h"

#include "lib/model/system.h"

enum { NODES = 3, LOGS_MAX = 16, COMPUTE_MAX = 64, REQUESTS_MAX = 200 };

struct logs {
	struct model_log log[NODES][LOGS_MAX];
	struct model_node node[NODES];
};

static void take_logs(struct fuzz_input *in, struct logs *l)
{
	for (size_t i = 0; i < NODES; i++)
		l->node[i] = (struct model_node){l->log[i], 0};
	for (size_t n = 0; in->size >= 8 && n < (size_t)NODES * LOGS_MAX; n++) {
		struct model_node *to = &l->node[n % NODES];
		struct model_log *one = &l->log[n % NODES][to->count];
		const int64_t after = to->count > 0 ? one[-1].start_ps + one[-1].took_ps : 0;
		*one = (struct model_log){
		    .start_ps = after + (int64_t)fuzz_take(in, 1) * 1000000,
		    .took_ps = 1 + (int64_t)fuzz_take(in, 2) * 1000000,
		    .bytes = {fuzz_take(in, 2), fuzz_take(in, 1) << 10},
		    .requests = {(uint32_t)fuzz_take(in, 1) % 20, (uint32_t)fuzz_take(in, 1) % 20},
		};
		one->job = one->requests[0] % 3;
		to->count++;
	}
}

static void check(const struct model_system *s, const struct model_input *in,
		  const struct model_result *r)
{
	uint64_t requests = 0, bytes[2] = {0, 0};
	for (size_t i = 0; i < in->nodes; i++)
		for (size_t k = 0; k < in->node[i].count; k++) {
			const struct model_outcome *o = &r->outcome[i][k];
			FUZZ_CHECK(o->left == 0 && o->start_ps <= o->end_ps);
			for (enum model_direction d = MODEL_READ; d <= MODEL_WRITE; d++) {
				requests += model_request_count(s, &in->node[i].log[k], d);
				bytes[d] += in->node[i].log[k].bytes[d];
			}
		}
	FUZZ_CHECK(r->requests == requests);
	FUZZ_CHECK(r->generated[0] == bytes[0] && r->at_disk[0] == bytes[0]);
	FUZZ_CHECK(r->generated[1] == bytes[1] && r->at_disk[1] == bytes[1]);
}

static bool is_small(const struct model_system *s, const struct model_input *in)
{
	uint64_t requests = 0;
	for (size_t i = 0; i < in->nodes; i++)
		for (size_t k = 0; k < in->node[i].count; k++)
			requests += model_request_count(s, &in->node[i].log[k], MODEL_READ) +
				    model_request_count(s, &in->node[i].log[k], MODEL_WRITE);
	return requests < (uint64_t)REQUESTS_MAX * LOGS_MAX && s->compute_nodes <= COMPUTE_MAX &&
	       s->few_compute_nodes <= COMPUTE_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size > 0 ? memchr(data, '\0', size) : NULL;
	const size_t text = nul != NULL ? (size_t)(nul - data) : size;
	struct fuzz_input rest = {data + text + (nul != NULL), size - text - (nul != NULL)};
	struct model_system s, slow;
	struct error e = {0};
	struct logs l;
	struct model_result base, variant;
	model_system_init(&s);
	if (model_system_parse(&s, (const char *)data, text, &e) != IOT_OK) {
		FUZZ_CHECK(e.status == IOT_EFORMAT && e.text[0] != '\0');
		return 0;
	}
	take_logs(&rest, &l);
	const struct model_input in = {.node = l.node, .nodes = NODES, .jobs = 2};
	slow = s;
	slow.network = slow.network / 2 + 1;
	if (model_check(&s, &in, &e) != IOT_OK || !is_small(&s, &in))
		return 0;
	FUZZ_CHECK(model_simulate(&s, &in, NULL, &base) == IOT_OK);
	check(&s, &in, &base);
	FUZZ_CHECK(model_simulate(&slow, &in, &base, &variant) == IOT_OK);
	check(&slow, &in, &variant);
	model_result_free(&base);
	model_result_free(&variant);
	return 0;
}
