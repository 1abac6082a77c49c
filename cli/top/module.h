/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module of <iotrace/module.h>: loading, and replacement by a later version of its file. The file
 * is copied, so that it can be overwritten while it is in use. Thread safety: none.
 */
#ifndef CLI_TOP_MODULE_H
#define CLI_TOP_MODULE_H

#include <stdbool.h>

#include <iotrace/module.h>

struct module {
	const struct iot_module *is; /* NULL: not loaded */
	void *state, *library;
	int copy; /* descriptor of the copy; open as long as it is loaded, see dlopen(3) */
};

/* What a module writes: its state, or a report. All zeros: empty. */
struct module_text {
	char *data;
	size_t size, capacity;
	bool failed; /* out of memory */
};

enum { MODULE_WHY = 512 };

/* Loads a module and calls init. Returns false, with the reason, if that fails. */
bool module_load(struct module *m, const char *path, const char *args,
		 const struct iot_module_host *host, char why[MODULE_WHY]);
/*
 * Replaces a module by what its file contains now. Returns false, with the reason, if that fails;
 * the module then stays. *starts_empty: the new one has not taken over the state of the old one.
 */
bool module_replace(struct module *m, const char *path, const char *args,
		    const struct iot_module_host *host, bool *starts_empty, char why[MODULE_WHY]);
void module_unload(struct module *m);
/* Appends to a struct module_text, as a function that a module calls. */
void module_append(void *text, const void *data, size_t size);

#endif
