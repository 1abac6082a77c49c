/* SPDX-License-Identifier: BSD-2-Clause */
#include "export.h"

#include "cli/ui/message.h"
#include "cli/ui/same_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/atomic_file.h"

void export_event(struct export *x, const struct iot_event *ev)
{
	if (ev->kind == IOT_RECORD)
		return;
	names_event(&x->names, ev);
	x->failed |= x->names.failed;
}

void export_fail(struct export *x, const char *format, ...)
{
	va_list args;
	if (x->failed)
		return;
	va_start(args, format);
	vsnprintf(x->error, sizeof x->error, format, args);
	va_end(args);
	x->failed = true;
}

void *export_state(struct export *x, size_t size)
{
	x->state = calloc(1, size);
	x->failed |= x->state == NULL;
	return x->state;
}

static bool is_chosen(struct export *x, const struct iot_record *rec)
{
	const bool logical = (rec->type & IOT_LOGICAL) != 0;
	if (logical != x->options->physical)
		return true;
	x->notes[logical ? NOTE_LOGICAL : NOTE_PHYSICAL]++;
	return false;
}

bool export_transfer(struct export *x, const struct iot_record *rec, struct transfer *t)
{
	const uint64_t unit = rec->type & IOT_LOGICAL ? 1 : IOT_BLOCK_SIZE;
	uint64_t end;
	if (!is_chosen(x, rec))
		return false;
	if (rec->flags & IOT_OFFSET_UNKNOWN || rec->length == 0) {
		x->notes[rec->length == 0 ? NOTE_EMPTY : NOTE_OFFSET_UNKNOWN]++;
		return false;
	}
	if (__builtin_mul_overflow(rec->offset, unit, &t->offset) ||
	    __builtin_mul_overflow(rec->length, unit, &t->length) ||
	    __builtin_add_overflow(t->offset, t->length, &end) || end > INT64_MAX) {
		export_fail(x,
			    "an I/O of length %ju at offset %ju ends beyond 2^63-1 bytes, the "
			    "largest size of a file",
			    (uintmax_t)rec->length, (uintmax_t)rec->offset);
		return false;
	}
	return true;
}

bool export_bytes(struct export *x, const struct iot_record *rec, uint64_t value, uint64_t *bytes)
{
	const uint64_t unit = rec->type & IOT_LOGICAL ? 1 : IOT_BLOCK_SIZE;
	if (!__builtin_mul_overflow(value, unit, bytes))
		return true;
	x->notes[NOTE_OFFSET_TOO_LARGE]++;
	return false;
}

/* Returns whether the path is neither the input nor another output; otherwise prints a message. */
static bool is_free(const struct export *x, const char *path)
{
	const struct export_options *o = x->options;
	struct same_file_set files = {.command = o->command, .reads_directories = true};
	same_file_add(&files, ROLE_INPUT, o->input);
	same_file_add(&files, ROLE_EXPORT, o->path);
	if (path != o->setup)
		same_file_add_output(&files, ROLE_EXPORT, "-o", path);
	if (o->setup != NULL)
		same_file_add_output(&files, ROLE_OUTPUT, "--setup", o->setup);
	const bool fine = same_file_check(&files) == EXIT_OK;
	same_file_free(&files);
	return fine;
}

struct output *export_open(struct export *x, const char *path)
{
	if (x->more_count == EXPORT_OUTPUTS_MAX) {
		export_fail(x, "more than %d output files", EXPORT_OUTPUTS_MAX);
		return NULL;
	}
	struct output *o = malloc(sizeof *o);
	x->failed |= o == NULL;
	if (o == NULL)
		return NULL;
	if (!is_free(x, path) ||
	    output_open(o, path, x->options->no_fsync ? ATOMIC_FILE_NO_SYNC : 0) != EXIT_OK) {
		x->failed = x->reported = true;
		free(o);
		return NULL;
	}
	x->more[x->more_count++] = o;
	return o;
}

enum exit_status export_close(struct export *x, bool discard)
{
	enum exit_status status = EXIT_OK;
	for (size_t i = 0; i < x->more_count; i++) {
		if (discard || status != EXIT_OK)
			output_abandon(x->more[i]);
		else
			status = output_close(x->more[i]);
		free(x->more[i]);
	}
	x->more_count = 0;
	return status;
}

void export_report(const struct export *x, const char *format)
{
	static const char *const texts[] = {
	    [NOTE_OPERATIONS] = "operations left out (--all-events)",
	    [NOTE_METADATA] = "operations without data left out",
	    [NOTE_COUNTERS] = "counters left out",
	    [NOTE_LOST] = "losses not marked",
	    [NOTE_LOGICAL] = "I/Os of programs left out",
	    [NOTE_PHYSICAL] = "I/Os of disks left out (--layer)",
	    [NOTE_OFFSET_UNKNOWN] = "I/Os of unknown offset left out",
	    [NOTE_START_UNKNOWN] = "events of unknown start left out",
	    [NOTE_DURATION_UNKNOWN] = "I/Os of unknown duration without an end",
	    [NOTE_EMPTY] = "I/Os of length 0 left out",
	    [NOTE_OFFSET_TOO_LARGE] = "offsets or lengths beyond 64 bits, left out",
	    [NOTE_ROUNDED] = "starts rounded down",
	    [NOTE_SECONDS] = "starts rounded down to seconds, in the same order",
	    [NOTE_SPLIT] = "I/Os split",
	    [NOTE_NAME] = "names that the format cannot contain, replaced",
	    [NOTE_TENANT] = "I/Os of a process above 16777215, written as tenant 0",
	    [NOTE_OVERLAP] = "events left out that overlap more than 1024 others",
	};
	char all[1024] = "";
	size_t used = 0;
	for (size_t i = 0; i < NOTES; i++)
		if (x->notes[i] > 0 && used < sizeof all)
			used += (size_t)snprintf(all + used, sizeof all - used, "%s%s: %ju",
						 used > 0 ? "; " : "", texts[i],
						 (uintmax_t)x->notes[i]);
	if (used > 0)
		message_print("%s: %s", format, all);
}

void export_free(struct export *x, const struct export_format *format)
{
	if (format->free != NULL)
		format->free(x);
	free(x->state);
	names_free(&x->names);
}
