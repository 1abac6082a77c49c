/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptions are defined by RECORD_OPEN, which starts before every use. A definition is freed
 * when its process closes it, unless a child may have inherited it.
 */
#include "ring_events_internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/format/open_flags.h"

static bool is_below(const char *path, const char *directory)
{
	const size_t n = strlen(directory);
	return strncmp(path, directory, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

bool ring_events_is_skipped(const struct ring_events *e, const char *path)
{
	const struct ring_events_options *o = e->options;
	if (glob_list_match(&o->skipped, path))
		return true;
	if (o->paths.count > 0)
		return !glob_list_match(&o->paths, path);
	if (path[0] != '/' || (path[1] != 'd' && path[1] != 'p' && path[1] != 's'))
		return false;
	return (is_below(path, "/dev") && !is_below(path, "/dev/shm")) || is_below(path, "/proc") ||
	       is_below(path, "/sys");
}

/* Returns a number that is not 0 if a byte of x is c, and possibly if none is. */
static uint64_t has_byte(uint64_t x, char c)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), zero = x ^ ones * (unsigned char)c;
	return (zero - ones) & ~zero & ones << 7;
}

/*
 * Returns true only if no slash of a path precedes another, a dot, or the end. RECORD_MARGIN bytes
 * after the path are read.
 */
static bool is_normal(const char *path, size_t n)
{
	uint64_t x, next;
	for (size_t i = 0; i < n; i += sizeof(x)) {
		memcpy(&x, path + i, sizeof(x));
		memcpy(&next, path + i + 1, sizeof(next));
		if ((has_byte(x, '/') &
		     (has_byte(next, '/') | has_byte(next, '.') | has_byte(next, '\0'))) != 0)
			return false;
	}
	return true;
}

/*
 * Removes ".", ".." and double slashes from an absolute path in place. Symbolic links are not
 * followed.
 */
static void normalize(char *path)
{
	size_t n = 0;
	for (const char *p = path; *p != '\0';) {
		p += strspn(p, "/");
		const size_t size = strcspn(p, "/");
		if (size == 2 && memcmp(p, "..", 2) == 0) {
			while (n > 0 && path[--n] != '/')
				;
		} else if (size > 0 && !(size == 1 && *p == '.')) {
			path[n++] = '/';
			memmove(path + n, p, size);
			n += size;
		}
		p += size;
	}
	if (n == 0)
		path[n++] = '/';
	path[n] = '\0';
}

const char *ring_events_path(char *text, uint32_t size)
{
	if (size == 0 || *text == '\0')
		return NULL;
	if (*text == '/' && !is_normal(text, size - 1))
		normalize(text);
	return text;
}

static uint32_t object_of(struct ring_events *e, const struct record_open *o)
{
	const uint64_t identity[] = {o->device, o->inode, (uint64_t)o->birth};
	if (o->inode == 0 || e->identities.count >= RING_OBJECTS_MAX)
		return 0;
	const size_t n = idmap_number(&e->identities, XXH3_64bits(identity, sizeof(identity)));
	if (n != SIZE_MAX)
		return (uint32_t)n + 1;
	ring_events_fail(e, IOT_ENOMEM);
	return 0;
}

/* Returns the definition of a description, NULL if it is unknown. */
static struct description *find_description(struct ring_events *e, uint32_t number)
{
	const size_t n = idmap_find(&e->numbers, number);
	return n != SIZE_MAX && n < e->description_capacity ? &e->description[n] : NULL;
}

static void see_file(struct ring_events *e, const struct description *d,
		     const struct record_open *o)
{
	const struct file_identity identity = {o->device, o->inode, o->birth};
	if (e->options->extents && S_ISREG(d->mode) && !d->skipped &&
	    !file_maps_see(&e->maps, d->object, d->path, &identity))
		ring_events_fail(e, IOT_ENOMEM);
}

void ring_events_define(struct ring_events *e, uint32_t index, const struct record_open *o,
			const char *path)
{
	if (find_description(e, o->head.description) != NULL ||
	    e->numbers.count >= RING_DESCRIPTIONS_MAX)
		return;
	const size_t n = idmap_number(&e->numbers, o->head.description);
	char *copy = ring_events_copy_text(e, path);
	if (!array_reserve_index(&e->description, &e->description_capacity, n,
				 sizeof(*e->description))) {
		free(copy);
		ring_events_fail(e, IOT_ENOMEM);
		return;
	}
	e->description[n] =
	    (struct description){.path = copy,
				 .object = object_of(e, o),
				 .opener = index,
				 .forks = e->tracked[index].forks,
				 .mode = o->mode,
				 .flags = o->flags,
				 .skipped = copy != NULL && ring_events_is_skipped(e, copy)};
	see_file(e, &e->description[n], o);
}

/* Returns the flags of an open that change what a write costs; NULL if it has none. */
static const char *flags_name(uint32_t flags)
{
	return open_flags_name((flags & O_SYNC) == O_SYNC, (flags & O_DSYNC) != 0,
			       (flags & O_DIRECT) != 0);
}

static void declare_file(struct ring_events *e, uint32_t index, uint32_t number,
			 const struct description *d)
{
	struct iot_builder b;
	ring_events_begin_directive(e, &b, "file");
	iot_directive_number(&b, "process", e->processes->process[index].id);
	iot_directive_number(&b, "id", number);
	if (d->object != 0)
		iot_directive_number(&b, "object", d->object);
	if (d->path != NULL)
		ring_events_add_text(&b, "path", d->path);
	if (S_ISDIR(d->mode))
		ring_events_add_text(&b, "kind", "directory");
	else if (S_ISBLK(d->mode))
		ring_events_add_text(&b, "kind", "device");
	if (flags_name(d->flags) != NULL)
		ring_events_add_text(&b, "flags", flags_name(d->flags));
	ring_events_end_directive(e, &b);
}

const struct description *ring_events_use_file(struct ring_events *e, uint32_t index,
					       uint32_t number)
{
	struct tracked *t = &e->tracked[index];
	size_t n = idmap_find(&t->known, number);
	if (n != SIZE_MAX && n < t->file_capacity && t->file[n] != 0)
		return &e->description[t->file[n] - 1];
	const struct description *d = find_description(e, number);
	if (d == NULL)
		return NULL;
	n = idmap_number(&t->known, number);
	if (!array_reserve_index(&t->file, &t->file_capacity, n, sizeof(*t->file))) {
		ring_events_fail(e, IOT_ENOMEM);
		return NULL;
	}
	t->file[n] = (uint32_t)(d - e->description) + 1;
	if (!d->skipped) {
		ring_events_declare_process(e, index);
		declare_file(e, index, number, d);
	}
	return d;
}

static void forget_file(struct tracked *t, uint32_t number)
{
	const size_t n = idmap_remove(&t->known, number);
	if (n != SIZE_MAX && n < t->file_capacity)
		t->file[n] = 0;
}

void ring_events_close_file(struct ring_events *e, uint32_t index, uint32_t number)
{
	struct tracked *t = &e->tracked[index];
	struct description *d = find_description(e, number);
	forget_file(t, number);
	for (uint32_t i = t->next_thread; i != 0; i = e->tracked[i].next_thread)
		forget_file(&e->tracked[i], number);
	if (d != NULL)
		file_maps_close(&e->maps, d->object);
	if (d == NULL || d->opener != index || d->forks != t->forks)
		return;
	(void)idmap_remove(&e->numbers, number);
	free(d->path);
	*d = (struct description){.path = NULL};
}
