/* SPDX-License-Identifier: BSD-2-Clause */
/* A module that does what a harness says. ARGS: the address of its script. */
#include <stdio.h>
#include <string.h>

#include <iotrace/module.h>

#include "fuzz_module.h"

static void *begin(const char *args, const struct iot_module_host *host)
{
	void *script = NULL;
	(void)host;
	if (sscanf(args, "%p", &script) != 1)
		return NULL;
	struct fuzz_script *s = script;
	if (s->init_refuses)
		return NULL;
	s->inits++;
	return s;
}

static int add(void *state, const struct iot_record *records, size_t n)
{
	(void)state, (void)records, (void)n;
	return 0;
}

static int save(void *state, iot_print_fn *print, void *to)
{
	struct fuzz_script *s = state;
	s->saves++;
	for (size_t at = 0; at < s->size;) {
		const size_t n = s->size - at < s->piece ? s->size - at : s->piece;
		print(to, s->state + at, n);
		at += n;
	}
	return s->save_fails;
}

static int load(void *state, const void *saved, size_t size, const char *from_version)
{
	struct fuzz_script *s = state;
	s->loads++;
	s->got_state = size == s->size && (size == 0 || memcmp(saved, s->state, size) == 0) &&
		       strcmp(from_version, "script") == 0;
	return s->load_refuses;
}

static void end(void *state)
{
	struct fuzz_script *s = state;
	s->finis++;
}

const struct iot_module iot_module = {.abi = IOT_MODULE_ABI,
				      .size = sizeof iot_module,
				      .name = "script",
				      .version = "script",
				      .init = begin,
				      .records = add,
				      .report = save,
				      .save = save,
				      .load = load,
				      .fini = end};
