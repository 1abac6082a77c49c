/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module for iotrace-top(1): counts reads and writes. Build: cc -shared -fPIC -o module.so
 * module.c
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <iotrace/module.h>

struct counts {
	uint64_t ios[2], bytes[2]; /* of reads, of writes */
};

static void *begin(const char *args, const struct iot_module_host *host)
{
	(void)args, (void)host;
	return calloc(1, sizeof(struct counts));
}

static int add(void *state, const struct iot_record *records, size_t n)
{
	struct counts *c = state;
	for (size_t i = 0; i < n; i++) {
		const int write = (records[i].type & IOT_WRITE) != 0;
		c->ios[write]++;
		c->bytes[write] += records[i].length * (records[i].type & IOT_LOGICAL ? 1 : 512);
	}
	return 0;
}

static int print_counts(void *state, iot_print_fn *print, void *to)
{
	const struct counts *c = state;
	char line[128];
	const int n = snprintf(line, sizeof line,
			       "%" PRIu64 " reads of %" PRIu64 " bytes, %" PRIu64
			       " writes of %" PRIu64 " bytes\n",
			       c->ios[0], c->bytes[0], c->ios[1], c->bytes[1]);
	print(to, line, (size_t)n);
	return 0;
}

const struct iot_module iot_module = {.abi = IOT_MODULE_ABI,
				      .size = sizeof iot_module,
				      .name = "counts",
				      .version = "1",
				      .init = begin,
				      .records = add,
				      .report = print_counts,
				      .fini = free};
