/* SPDX-License-Identifier: BSD-2-Clause */
#include "rotation.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/number.h"
#include "lib/base/size.h"
#include "output.h"
#include "trace_time.h"

enum { DIGITS_MIN = 4, DIGITS_MAX = 9, NUMBER_MAX = 999999999 };

const char *rotation_parse(const struct option *opt, const char *value)
{
	struct rotation *r = opt->target;
	const struct option time = {.target = &r->period_ns};
	const size_t n = strlen(value);
	const bool has_unit = n > 0 && isalpha((unsigned char)value[n - 1]);
	if (has_unit && option_duration(&time, value) == NULL)
		return NULL;
	if (has_unit && size_parse(value, n, &r->bytes) == SIZE_VALID && r->bytes > 0)
		return NULL;
	return "a size or a length of time, with its unit, such as 100M, 1GB, 10min or 1h";
}

/* The path without its suffixes has `stem` bytes; its last component begins at `base`. */
struct name_parts {
	size_t base, stem, size;
};

/* The suffixes are the extension and the compression that follows it: ".iot.zst", ".bin". */
static struct name_parts split(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct name_parts p = {.base = slash != NULL ? (size_t)(slash + 1 - path) : 0,
			       .size = strlen(path)};
	p.stem = p.size;
	for (int i = 0; i < 2; i++) {
		const char *dot = memrchr(path + p.base, '.', p.stem - p.base);
		if (dot == NULL || dot == path + p.base || !isalpha((unsigned char)dot[1]))
			break;
		p.stem = (size_t)(dot - path);
		if (output_compression(path) == IOT_PLAIN)
			break;
	}
	return p;
}

/* Returns the number of a part by the name of its file; 0 if it is not a part of the output. */
static uint64_t number_of(const char *path, const struct name_parts *p, const char *file)
{
	const size_t stem = p->stem - p->base, suffix = p->size - p->stem, size = strlen(file);
	const size_t digits = size > stem + suffix ? size - stem - suffix - 1 : 0;
	uint64_t number;
	if (digits < DIGITS_MIN || digits > DIGITS_MAX || file[stem] != '.' ||
	    memcmp(file, path + p->base, stem) != 0 ||
	    memcmp(file + size - suffix, path + p->stem, suffix) != 0 ||
	    !number_decimal(file + stem + 1, digits, &number))
		return 0;
	return number;
}

static int print_name(const char *path, const struct name_parts *p, uint64_t number,
		      char name[PATH_MAX])
{
	const int size = snprintf(name, PATH_MAX, "%.*s.%04" PRIu64 "%s", (int)p->stem, path,
				  number, path + p->stem);
	return size > 0 && size < PATH_MAX ? 0 : ENAMETOOLONG;
}

static DIR *open_directory(const char *path, const struct name_parts *p)
{
	char directory[PATH_MAX];
	(void)snprintf(directory, sizeof(directory), "%.*s", (int)p->base, path);
	return opendir(p->base > 0 ? directory : ".");
}

/* Returns the largest number of an existing part, 0 if there is none; -1 on failure. */
static int64_t find_last(const char *path, const struct name_parts *p)
{
	DIR *d = open_directory(path, p);
	const struct dirent *e;
	uint64_t last = 0;
	if (d == NULL)
		return -1;
	while ((e = readdir(d)) != NULL) {
		const uint64_t number = number_of(path, p, e->d_name);
		last = number > last ? number : last;
	}
	(void)closedir(d);
	return (int64_t)last;
}

/* Removes the parts up to `last`; one that cannot be removed stays. */
static void remove_until(const char *path, const struct name_parts *p, uint64_t last)
{
	DIR *d = open_directory(path, p);
	const struct dirent *e;
	while (d != NULL && (e = readdir(d)) != NULL) {
		const uint64_t number = number_of(path, p, e->d_name);
		if (number > 0 && number <= last)
			(void)unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d != NULL)
		(void)closedir(d);
}

/* A part that is late does not delay the next ones. */
static void schedule(struct rotation *r, uint64_t now_ns)
{
	const uint64_t missed = r->period_ns > 0 && r->due_ns > 0 && now_ns >= r->due_ns
				    ? (now_ns - r->due_ns) / r->period_ns
				    : 0;
	r->due_ns = (r->due_ns > 0 ? r->due_ns + missed * r->period_ns : now_ns) + r->period_ns;
}

/* Stores the name of the last part, or of one after it. */
static int begin_part(struct rotation *r, uint64_t now_ns, bool is_new, char name[PATH_MAX])
{
	const struct name_parts p = split(r->path);
	const int64_t last = find_last(r->path, &p);
	if (last < 0)
		return errno;
	if (last >= NUMBER_MAX)
		return EOVERFLOW;
	const uint64_t number = (uint64_t)last + (is_new || last == 0);
	if (r->keep > 0 && number > r->keep)
		remove_until(r->path, &p, number - r->keep);
	schedule(r, now_ns);
	return print_name(r->path, &p, number, name);
}

int rotation_next(struct rotation *r, uint64_t now_ns, char name[PATH_MAX])
{
	return begin_part(r, now_ns, true, name);
}

int rotation_resume(struct rotation *r, uint64_t now_ns, char name[PATH_MAX])
{
	return begin_part(r, now_ns, false, name);
}
