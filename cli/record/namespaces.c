/* SPDX-License-Identifier: BSD-2-Clause */
#include "namespaces.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/number.h"

uint64_t namespaces_of(uint32_t pid)
{
	char name[64] = "/proc/self/ns/pid";
	struct stat st;
	if (pid != 0)
		(void)snprintf(name, sizeof(name), "/proc/%" PRIu32 "/ns/pid", pid);
	return stat(name, &st) == 0 ? st.st_ino : 0;
}

uint64_t namespaces_proc(void)
{
	struct stat st;
	return stat("/proc/self/stat", &st) == 0 ? st.st_dev : 0;
}

/* Returns the pid in the innermost namespace: the last number of the line NSpid; 0 if unknown. */
static uint32_t innermost_pid(uint32_t pid)
{
	static const char key[] = "NSpid:";
	char name[64], line[256];
	uint64_t innermost = 0;
	(void)snprintf(name, sizeof(name), "/proc/%" PRIu32 "/status", pid);
	FILE *in = fopen(name, "re");
	while (in != NULL && fgets(line, sizeof(line), in) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		const char *last = strrchr(line, '\t');
		if (strncmp(line, key, sizeof(key) - 1) == 0 && last != NULL &&
		    !number_decimal(last + 1, strlen(last + 1), &innermost))
			innermost = 0;
	}
	if (in != NULL)
		(void)fclose(in);
	return innermost <= INT32_MAX ? (uint32_t)innermost : 0;
}

uint32_t namespaces_find(uint64_t inode, uint32_t pid)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	uint32_t found = 0;
	while (found == 0 && proc != NULL && (entry = readdir(proc)) != NULL) {
		uint64_t number;
		if (number_decimal(entry->d_name, strlen(entry->d_name), &number) && number > 0 &&
		    number <= INT32_MAX && namespaces_of((uint32_t)number) == inode &&
		    innermost_pid((uint32_t)number) == pid)
			found = (uint32_t)number;
	}
	if (proc != NULL)
		(void)closedir(proc);
	return found;
}
