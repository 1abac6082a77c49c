/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * I/O logs. The first line is "fio version 2 iolog" or "fio version 3 iolog"; the others are, after
 * a time in microseconds in version 3,
 *
 *	FILE add|open|close
 *	FILE read|write|sync|datasync|trim OFFSET LENGTH
 *	FILE wait TIME 0
 *
 * A log that fio appended to contains several headers; the times of each part count from its start.
 */
#include "fio.h"

#include <stdlib.h>

#include "lib/base/hash.h"

enum { NS_PER_US = 1000 };

unsigned fio_header(const char *line, const char *end)
{
	static const char header[] = "fio version ? iolog";
	const size_t digit = 12, size = sizeof header - 1;
	if ((size_t)(end - line) != size || memcmp(line, header, digit) != 0 ||
	    memcmp(line + digit + 1, header + digit + 1, size - digit - 1) != 0)
		return 0;
	return number_digit(line[digit]) < 10 ? number_digit(line[digit]) : 0;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Returns the number of words; more than FIO_WORDS_MAX are not counted. */
static size_t split(const char *at, const char *end, struct fio_word word[FIO_WORDS_MAX])
{
	for (size_t n = 0;; n++) {
		while (at < end && is_blank(*at))
			at++;
		if (at == end || n == FIO_WORDS_MAX)
			return n;
		word[n].data = at;
		while (at < end && !is_blank(*at))
			at++;
		word[n].size = (size_t)(at - word[n].data);
	}
}

static enum fio_action action_of(struct fio_word word)
{
	static const char *const names[FIO_ACTIONS] = {
	    [FIO_ADD] = "add",   [FIO_OPEN] = "open",         [FIO_CLOSE] = "close",
	    [FIO_READ] = "read", [FIO_WRITE] = "write",       [FIO_SYNC] = "sync",
	    [FIO_TRIM] = "trim", [FIO_DATASYNC] = "datasync", [FIO_WAIT] = "wait"};
	unsigned i = 0;
	while (i < FIO_ACTIONS &&
	       (strlen(names[i]) != word.size || memcmp(names[i], word.data, word.size) != 0))
		i++;
	return (enum fio_action)i;
}

/* Files */

static bool is_name(const struct fio_file *file, struct fio_word name)
{
	return file->name != NULL && file->size == name.size &&
	       memcmp(file->name, name.data, name.size) == 0;
}

static uint64_t hash(const struct fio *f, struct fio_word name)
{
	uint64_t h = f->seed ^ name.size, part;
	for (size_t i = 0; i < name.size; i += sizeof part) {
		part = 0;
		memcpy(&part, name.data + i,
		       name.size - i < sizeof part ? name.size - i : sizeof part);
		h = hash_mix(f->seed, h ^ part);
	}
	return h;
}

static bool set_name(struct fio *f, struct fio_file *file, struct fio_word name)
{
	file->name = malloc(name.size);
	if (file->name == NULL)
		return fio_no_memory(f);
	memcpy(file->name, name.data, name.size);
	file->size = name.size;
	return true;
}

/* Returns the file of a name, a new one for a new name; NULL on failure. */
static struct fio_file *find_file(struct fio *f, struct fio_word name)
{
	if (f->last_file > 0 && is_name(&f->file[f->last_file - 1], name))
		return &f->file[f->last_file - 1];
	for (uint64_t h = hash(f, name);; h++) {
		const size_t i = idmap_number(&f->names, h);
		if (i >= FIO_FILES_MAX && i != SIZE_MAX) {
			f->status = error_set(&f->src->error, IOT_ELIMIT, "more than %d files",
					      FIO_FILES_MAX);
			return NULL;
		}
		if (!array_reserve_index(&f->file, &f->file_capacity, i, sizeof *f->file)) {
			(void)fio_no_memory(f);
			return NULL;
		}
		struct fio_file *file = &f->file[i];
		if (file->name != NULL && !is_name(file, name))
			continue;
		f->last_file = i + 1;
		return file->name != NULL || set_name(f, file, name) ? file : NULL;
	}
}

static bool is_open(const struct fio *f, const struct fio_file *file)
{
	return file->file != 0 && file->process == f->process;
}

/* Lines */

static bool process(struct fio *f, struct fio_word name, const struct fio_io *io)
{
	f->actions[io->action]++;
	if (io->action == FIO_ADD || io->action == FIO_WAIT)
		return true;
	struct fio_file *file = find_file(f, name);
	if (file == NULL)
		return false;
	if (io->action == FIO_OPEN || !is_open(f, file)) {
		f->unopened += io->action != FIO_OPEN;
		if (!fio_emit_open(f, file))
			return false;
	}
	const bool fine = fio_emit_io(f, file, io);
	if (io->action == FIO_CLOSE)
		file->file = 0;
	return fine;
}

static bool header(struct fio *f, unsigned version)
{
	f->version = version;
	f->headers++;
	return fio_emit_process(f);
}

static void set_time(struct fio *f, struct fio_io *io, uint64_t us)
{
	io->start_ns = (int64_t)(us * NS_PER_US);
	f->backwards += io->start_ns < f->now_ns;
	f->now_ns = io->start_ns;
}

static bool parse(struct fio *f, const char *line, const char *end, struct fio_word *name,
		  struct fio_io *io)
{
	struct fio_word word[FIO_WORDS_MAX];
	size_t count = split(line, end, word), first = f->version == 3;
	uint64_t us = 0;
	if (count < first + 2 || (first == 1 && (!number_decimal(word[0].data, word[0].size, &us) ||
						 us > INT64_MAX / NS_PER_US)))
		return false;
	count -= first;
	*name = word[first];
	io->action = action_of(word[first + 1]);
	const bool transfers = io->action >= FIO_READ;
	if (io->action == FIO_ACTIONS || count != (transfers ? 4 : 2) || name->size > FIO_NAME_MAX)
		return false;
	const struct fio_word *numbers = &word[first + 2];
	if (transfers && (!number_decimal(numbers[0].data, numbers[0].size, &io->offset) ||
			  !number_decimal(numbers[1].data, numbers[1].size, &io->length) ||
			  io->length > UINT32_MAX))
		return false;
	set_time(f, io, us);
	return true;
}

bool fio_iolog_line(struct fio *f, const char *line, const char *end)
{
	struct fio_io io = {.action = FIO_ADD};
	struct fio_word name;
	const unsigned version = fio_header(line, end);
	if (version == 2 || version == 3)
		return header(f, version);
	if (end - line < FIO_LINE_MAX && f->version != 0 && parse(f, line, end, &name, &io))
		return process(f, name, &io);
	fio_count_unparsed(f, line, end);
	return true;
}
