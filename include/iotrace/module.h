/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modules: shared objects that analyze a trace while it is written. `iotrace top --module=FILE.so`
 * loads one, and replaces it without losing a record when the file changes.
 *
 *	const struct iot_module iot_module = {
 *		.abi = IOT_MODULE_ABI, .size = sizeof iot_module, .name = "count", .version = "1",
 *		.init = begin, .records = add, .report = print, .fini = end};
 *
 * A module runs in a process of its own, so it cannot harm the recording. Its functions are called
 * by one thread at a time. A function that does not return within IOT_MODULE_SECONDS ends the
 * process. Functions return 0, or another number that ends the analysis.
 */
#ifndef IOTRACE_MODULE_H
#define IOTRACE_MODULE_H

#include <iotrace/iotrace.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IOT_MODULE_ABI = 1, IOT_MODULE_SECONDS = 10 };

/* Writes text or a state. */
typedef void iot_print_fn(void *to, const void *data, size_t size);

/* What the program offers; valid until fini. New members are added at the end. */
struct iot_module_host {
	uint32_t size; /* sizeof of this */
	void *context; /* of the functions */
	/*
	 * The path of an object, not NUL-terminated, and its size; NULL if none is known. Valid
	 * until the function that asks for it returns.
	 */
	const char *(*object_name)(void *context, uint32_t object, size_t *size);
	/* Prints a line to standard error. */
	void (*log)(void *context, const char *line);
};

struct iot_module {
	uint32_t abi, size; /* IOT_MODULE_ABI, and sizeof of this */
	const char *name, *version;
	/* Returns the state, which is not NULL; NULL refuses. args: the text after ':'. */
	void *(*init)(const char *args, const struct iot_module_host *host);
	/* The next records, in order of the trace; valid during the call. */
	int (*records)(void *state, const struct iot_record *records, size_t n);
	/* The directive or comment that follows them; may be NULL. */
	int (*event)(void *state, const struct iot_event *event);
	/* Prints results; called once per interval and at the end. */
	int (*report)(void *state, iot_print_fn *print, void *to);
	/* Prints the state for the module that replaces this one; may be NULL. */
	int (*save)(void *state, iot_print_fn *print, void *to);
	/*
	 * Continues from a state that another module saved; may be NULL, which refuses. A refusal
	 * leaves the state as it was.
	 */
	int (*load)(void *state, const void *saved, size_t size, const char *from_version);
	void (*fini)(void *state);
};

/* The only symbol that is looked up. */
#if defined __GNUC__
__attribute__((visibility("default")))
#endif
extern const struct iot_module iot_module;

#ifdef __cplusplus
}
#endif

#endif
