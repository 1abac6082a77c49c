/* SPDX-License-Identifier: BSD-2-Clause */
/* See vocabulary.h. */
#include "vocabulary.h"

#include <string.h>

#include "lib/directive.h"

static const char *const sources[] = {
    "strace", "darshan",   "recorder",  "procstat", "iotrace", "POSIX",        "MPI-IO",
    "MPIIO",  "STDIO",     "LUSTRE",    "HEATMAP",  "H5F",     "H5D",          "BG/Q",
    "DXT",    "DXT_POSIX", "DXT_MPIIO", "PNETCDF",  "APMPI",   "PNETCDF_FILE", "PNETCDF_VAR",
    "MDHIM",  "APXC",      "DFS",       "DAOS",     NULL};
static const char *const operations[] = {
    "open",        "create", "close",   "stat",     "access",   "unlink",   "rmdir",
    "rename",      "link",   "symlink", "readlink", "mkdir",    "mknod",    "truncate",
    "allocate",    "fsync",  "sync",    "msync",    "readdir",  "statfs",   "chmod",
    "chown",       "utime",  "lock",    "flock",    "fcntl",    "ioctl",    "seek",
    "mmap",        "munmap", "dup",     "pipe",     "socket",   "connect",  "accept",
    "exec",        "exit",   "fork",    "chdir",    "getxattr", "setxattr", "listxattr",
    "removexattr", "advise", "flush",   "remove",   "opendir",  "closedir", NULL};
static const char *const lacking[] = {"start", "completion", "cpu", "offset", NULL};
/* Layers, lengths, clocks and their precision, as converters tell of them. */
static const char *const terms[] = {"posix",
				    "mpiio",
				    "posix,mpiio",
				    "requested",
				    "rank-0",
				    "per-rank",
				    "each-rank-from-its-own-start",
				    "1ns",
				    "238ns",
				    "100us",
				    "1s",
				    "log",
				    "text",
				    NULL};

static bool is_one_of(struct iot_text t, const char *const *words)
{
	for (; *words != NULL; words++)
		if (iot_text_is(t, *words))
			return true;
	return false;
}

bool iot_is_source(struct iot_text t)
{
	return is_one_of(t, sources);
}

bool iot_is_operation(struct iot_text t)
{
	return is_one_of(t, operations);
}

bool iot_is_lacking(struct iot_text t)
{
	return is_one_of(t, lacking);
}

bool iot_is_term(struct iot_text t)
{
	return is_one_of(t, terms);
}

bool iot_is_figure(struct iot_text t)
{
	static const char *const words[] = {"inf", "-inf", "nan", "-nan", NULL};
	size_t digits = 0;
	for (size_t i = 0; i < t.size; i++) {
		char c = t.data[i];
		digits += c >= '0' && c <= '9';
		if (!(c >= '0' && c <= '9') && strchr("+-.e,", c) == NULL)
			return is_one_of(t, words);
	}
	return digits > 0;
}

bool iot_is_errno(struct iot_text t)
{
	size_t i = 0;
	while (i < t.size && ((t.data[i] >= 'A' && t.data[i] <= 'Z') ||
			      (i > 0 && t.data[i] >= '0' && t.data[i] <= '9')))
		i++;
	return t.size > 1 && t.size < 20 && i == t.size && t.data[0] == 'E';
}

static bool has_one_of(struct iot_text name, const char *const *words)
{
	while (*words != NULL && memmem(name.data, name.size, *words, strlen(*words)) == NULL)
		words++;
	return *words != NULL;
}

/*
 * Counters of known tools. Some of Darshan's are a hash of a path, which can be found by guessing,
 * or tell of a job, a machine or a store by its number.
 */
bool iot_is_counter(struct iot_text name)
{
	static const char *const layers[] = {"POSIX_", "MPIIO_", "STDIO_",   "LUSTRE_",  "H5F_",
					     "H5D_",   "BGQ_",   "HEATMAP_", "PNETCDF_", "DXT_",
					     "DFS_",   "DAOS_",  "MDHIM_",   "MPI_"};
	static const char *const own[] = {
	    "ambiguous", "hidden", "guessed", "interrupted", "mixed", "outside", "unparsed",
	    "untraced",  "clock",  "bytes",   "records",     "late",  "skipped", "times"};
	static const char *const telling[] = {"RENAMED_FROM", "REC_ID", "UUID", "_OID_",
					      "JOBID",        "_NAME",  NULL};
	if (has_one_of(name, telling))
		return false;
	for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
		size_t n = strlen(layers[i]);
		if (name.size > n && memcmp(name.data, layers[i], n) == 0)
			return true;
	}
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		size_t n = strlen(own[i]);
		if (name.size >= n && memcmp(name.data, own[i], n) == 0 &&
		    (name.size == n || name.data[n] == '.'))
			return true;
	}
	return false;
}
