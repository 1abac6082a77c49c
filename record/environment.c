/* SPDX-License-Identifier: BSD-2-Clause */
#include "environment.h"

#include <string.h>
#include <unistd.h>

#include "raw.h"
#include "ring.h"
#include "text.h"

#define PRELOAD "LD_PRELOAD="
#define LIBRARY "libiotrace-record" /* of system calls, or of calls: the beginning of its name */

/* "NAME=value" of the two variables, as this program received them. */
static char recording_entry[1200];
static char preload_entry[ENVIRONMENT_TEXT / 2];
/* The entry of LD_PRELOAD that is the library. */
static char library[1024];

/* Returns the value of an entry of this name; NULL if it has another. */
static const char *value_of(const char *entry, const char *name)
{
	const size_t n = strlen(name);
	return strncmp(entry, name, n) == 0 && entry[n] == '=' ? entry + n + 1 : NULL;
}

static const char *find(char *const *envp, const char *name)
{
	const char *value = NULL;
	for (; envp != NULL && *envp != NULL && value == NULL; envp++)
		value = value_of(*envp, name);
	return value;
}

static void keep(char *buffer, size_t size, const char *name, const char *value)
{
	struct text t = text_in(buffer, size);
	text_add(&t, name);
	text_add(&t, "=");
	text_add(&t, value);
}

/* Finds the path of the library in a list of paths. */
static void library_set(const char *list)
{
	const char *found = strstr(list, LIBRARY), *start = found;
	if (found == NULL)
		return;
	while (start > list && start[-1] != ':' && start[-1] != ' ')
		start--;
	const size_t n = strcspn(start, ": ");
	if (n < sizeof library)
		memcpy(library, start, n);
}

const char *environment_init(char **envp)
{
	const char *directory = find(envp, RECORD_VARIABLE), *preload = find(envp, "LD_PRELOAD");
	if (directory == NULL || preload == NULL || strlen(directory) > RECORD_TEXT_MAX / 4 - 1)
		return NULL;
	keep(recording_entry, sizeof recording_entry, RECORD_VARIABLE, directory);
	keep(preload_entry, sizeof preload_entry, "LD_PRELOAD", preload);
	library_set(preload);
	return directory;
}

int64_t environment_rank(char **envp)
{
	static const char *const names[] = {
	    "PMIX_RANK",   "PMI_RANK",    "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
	    "PALS_RANKID", "ALPS_APP_PE", "FLUX_TASK_RANK"};
	const char *rank = NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names && rank == NULL; i++)
		rank = find(envp, names[i]);
	/* outside a step, a batch script has this variable, too */
	if (rank == NULL && find(envp, "SLURM_STEP_ID") != NULL)
		rank = find(envp, "SLURM_PROCID");
	return rank != NULL && *rank >= '0' && *rank <= '9' ? (int64_t)text_number(rank) : -1;
}

bool environment_is_complete(char *const *envp)
{
	const char *preload = find(envp, "LD_PRELOAD"), *directory = find(envp, RECORD_VARIABLE);
	return preload != NULL && directory != NULL && strstr(preload, LIBRARY) != NULL;
}

size_t environment_count(char *const *envp)
{
	size_t n = 0;
	while (envp != NULL && envp[n] != NULL)
		n++;
	return n;
}

/* LD_PRELOAD with the library first, then what the program set. */
static void preload_with(const char *value, char *text)
{
	struct text t = text_in(text, ENVIRONMENT_TEXT);
	text_add(&t, PRELOAD);
	text_add(&t, library);
	text_add(&t, ":");
	text_add(&t, value);
}

void environment_complete(char *const *envp, char **out, char *text)
{
	const char *preload = find(envp, "LD_PRELOAD");
	const bool keeps = preload != NULL && strstr(preload, LIBRARY) != NULL;
	if (preload == NULL)
		*out++ = preload_entry;
	else if (!keeps)
		preload_with(preload, *out++ = text);
	if (find(envp, RECORD_VARIABLE) == NULL)
		*out++ = recording_entry;
	for (; envp != NULL && *envp != NULL; envp++)
		if (keeps || value_of(*envp, "LD_PRELOAD") == NULL)
			*out++ = *envp;
	*out = NULL;
}

bool environment_has_library(void)
{
	return raw_call(SYS_access, (long)library, R_OK, 0, 0, 0, 0) == 0;
}

/* A list of paths without the library. Returns false if nothing is left. */
static bool preload_without(const char *list, char *text)
{
	struct text t = text_in(text, ENVIRONMENT_TEXT);
	text_add(&t, PRELOAD);
	const char *const first = t.at;
	for (size_t n; *list != '\0'; list += n) {
		list += strspn(list, ": ");
		n = strcspn(list, ": ");
		char path[sizeof library] = "";
		if (n == 0 || n >= sizeof path)
			continue;
		memcpy(path, list, n);
		if (strstr(path, LIBRARY) != NULL)
			continue;
		text_add(&t, t.at > first ? ":" : "");
		text_add(&t, path);
	}
	return t.at > first;
}

void environment_without(char *const *envp, char **out, char *text)
{
	for (; envp != NULL && *envp != NULL; envp++) {
		const char *const list = value_of(*envp, "LD_PRELOAD");
		if (list == NULL)
			*out++ = *envp;
		else if (preload_without(list, text))
			*out++ = text;
	}
	*out = NULL;
}
