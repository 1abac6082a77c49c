/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module that counts records. ARGS: "own": it refuses the state of another one, and logs its
 * count at the end; "traces": it logs the directives of traces; "crash", "loop": version 2 does so
 * at the first record.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/module.h>

#ifndef ABI
#define ABI IOT_MODULE_ABI
#endif

struct count {
	uint64_t records;
	const char *args;
	const struct iot_module_host *host;
};

static void *begin(const char *args, const struct iot_module_host *host)
{
	struct count *c = calloc(1, sizeof *c);
	if (c != NULL)
		*c = (struct count){.args = args, .host = host};
	host->log(host->context, "version " VERSION " begins");
	return c;
}

static int add(void *state, const struct iot_record *records, size_t n)
{
	struct count *c = state;
	(void)records;
	c->records += n;
	if (VERSION[0] == '2' && strcmp(c->args, "crash") == 0)
		abort();
	while (VERSION[0] == '2' && strcmp(c->args, "loop") == 0)
		;
	return 0;
}

static int define(void *state, const struct iot_event *event)
{
	const struct count *c = state;
	if (strcmp(c->args, "traces") == 0 && event->kind == IOT_TRACE)
		c->host->log(c->host->context, "a trace");
	return 0;
}

static int print_count(void *state, iot_print_fn *print, void *to)
{
	const struct count *c = state;
	char text[64];
	const int n = snprintf(text, sizeof text, "%" PRIu64 "\n", c->records);
	print(to, text, (size_t)n);
	return 0;
}

static int load(void *state, const void *saved, size_t size, const char *from_version)
{
	struct count *c = state;
	char text[64] = "";
	(void)from_version;
	if (size >= sizeof text || strcmp(c->args, "own") == 0)
		return 1;
	memcpy(text, saved, size);
	return sscanf(text, "%" SCNu64, &c->records) != 1;
}

static void end(void *state)
{
	struct count *c = state;
	char text[64];
	(void)snprintf(text, sizeof text, "%" PRIu64 " of its own", c->records);
	if (strcmp(c->args, "own") == 0)
		c->host->log(c->host->context, text);
	free(c);
}

const struct iot_module iot_module = {.abi = ABI,
				      .size = sizeof iot_module,
				      .name = "test",
				      .version = VERSION,
				      .init = begin,
				      .records = add,
				      .event = define,
				      .report = print_count,
				      .save = print_count,
				      .load = load,
				      .fini = end};
