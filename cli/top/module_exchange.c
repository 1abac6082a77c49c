/* SPDX-License-Identifier: BSD-2-Clause */
/* The module and its replacement: by a later version of its file, or by another file. */
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "cli/ui/message.h"

#include "module_run_internal.h"

bool module_parse(struct module_run *r, const char *module)
{
	const char *colon = strchr(module, ':');
	const size_t size = colon != NULL ? (size_t)(colon - module) : strlen(module);
	if (size >= sizeof r->path) {
		message_print("%s: %s", module, strerror(ENAMETOOLONG));
		return false;
	}
	memcpy(r->path, module, size);
	r->path[size] = '\0';
	r->args = colon != NULL ? colon + 1 : "";
	return true;
}

bool module_start(struct module_run *r)
{
	char why[MODULE_WHY];
	if (!module_watch_file(r)) {
		message_print("%s: its directory cannot be watched: %s", r->path, strerror(errno));
		return false;
	}
	module_begin_call(r);
	const bool loaded = module_load(&r->module, r->path, r->args, &r->host, why);
	module_end_call(r);
	if (!loaded)
		message_print("%s: %s", r->path, why);
	return loaded;
}

bool module_exchange(struct module_run *r, char sentence[MODULE_SENTENCE])
{
	char why[MODULE_WHY];
	bool starts_empty = false;
	module_begin_call(r);
	const struct module old = r->module;
	char from[64];
	(void)snprintf(from, sizeof from, "%s", old.is->version);
	const bool replaced =
	    module_replace(&r->module, r->path, r->args, &r->host, &starts_empty, why);
	const uint64_t records = atomic_load(r->records);
	module_end_call(r);
	if (!replaced) {
		(void)snprintf(sentence, MODULE_SENTENCE, "%s: %s; the module stays", r->path, why);
		return false;
	}
	(void)snprintf(sentence, MODULE_SENTENCE,
		       "%s: version %.64s replaces %s after %" PRIu64 " records%s", r->path,
		       r->module.is->version, from, records - r->begin,
		       starts_empty ? "; it starts empty" : "");
	r->begin = records;
	return true;
}

bool module_has_changed(struct module_run *r)
{
	_Alignas(struct inotify_event) char memory[4096];
	char copy[PATH_MAX];
	bool changed = false;
	ssize_t n;
	memcpy(copy, r->path, sizeof copy);
	const char *name = basename(copy);
	while ((n = read(r->notices, memory, sizeof memory)) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *e = (const void *)(memory + at);
			changed |= e->len > 0 && strcmp(e->name, name) == 0;
			at += (ssize_t)(sizeof *e + e->len);
		}
	return changed;
}

bool module_watch_file(struct module_run *r)
{
	char copy[PATH_MAX];
	memcpy(copy, r->path, sizeof copy);
	if (r->notices > 0)
		(void)close(r->notices);
	r->notices = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	return r->notices >= 0 &&
	       inotify_add_watch(r->notices, dirname(copy), IN_CLOSE_WRITE | IN_MOVED_TO) >= 0;
}
