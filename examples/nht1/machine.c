/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine that a result belongs to. */
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "report.h"

#define XFS_MAGIC 0x58465342

static const struct {
	long magic;
	const char *name;
} file_systems[] = {
    {BTRFS_SUPER_MAGIC, "btrfs"},       {EXT4_SUPER_MAGIC, "ext4"}, {NFS_SUPER_MAGIC, "nfs"},
    {OVERLAYFS_SUPER_MAGIC, "overlay"}, {TMPFS_MAGIC, "tmpfs"},     {XFS_MAGIC, "xfs"},
};

/* Finds the first "model name" of /proc/cpuinfo; other architectures may not have one. */
static int find_processor(char *name, int size)
{
	FILE *in = fopen("/proc/cpuinfo", "re");
	int found = 0;
	while (in != NULL && !found && fgets(name, size, in) != NULL)
		found = strncmp(name, "model name", 10) == 0;
	if (in != NULL)
		fclose(in);
	name[strcspn(name, "\n")] = '\0';
	return found;
}

static void report_file_system(struct report *r, const char *path)
{
	struct statfs of;
	if (statfs(path, &of) != 0)
		return;
	for (size_t i = 0; i < sizeof(file_systems) / sizeof(*file_systems); i++)
		if (file_systems[i].magic == (long)of.f_type) {
			report_text(r, "file_system", file_systems[i].name);
			return;
		}
	report_count(r, "file_system_magic", (uint64_t)of.f_type);
}

void report_machine(struct report *r, const char *path)
{
	char line[256] = "";
	struct utsname kernel;
	if (find_processor(line, sizeof(line)) && strchr(line, ':') != NULL)
		report_text(r, "processor", strchr(line, ':') + 2);
	report_count(r, "processors", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	report_count(r, "memory_bytes",
		     (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
	if (uname(&kernel) == 0)
		report_text(r, "kernel", kernel.release);
	report_file_system(r, path);
}
