/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers of the processes and files of requests and operations, and the definitions that these
 * depend on.
 */
#include "requests_internal.h"

#include <string.h>

#include "lib/base/text.h"

size_t requests_number(struct requests *r, uint32_t process)
{
	const size_t i = process_ids_number(&r->processes, process);
	requests_keep(r, i != SIZE_MAX);
	return r->failed ? SIZE_MAX : i;
}

void requests_mark_active(struct requests *r, size_t number)
{
	requests_keep(r, process_ids_mark_active(&r->processes, number));
}

void requests_define_process(struct requests *r, const struct iot_event *ev)
{
	requests_keep(r, process_ids_define(&r->processes, ev, r->options.per_thread != 0));
}

static uint64_t key_of(const struct requests *r, const struct file_id *id)
{
	return r->file_ids.map.keys[id - r->ids];
}

/* 0: out of memory. Returns a number in any case. */
static uint32_t kept_file(struct requests *r, uint32_t number)
{
	return requests_keep(r, number != 0) ? number : 1;
}

bool requests_knows_file(const struct requests *r, const struct file_key *key)
{
	const bool object = key->object != 0;
	const size_t i = object ? idmap_find(&r->files.object_map, key->object)
				: file_ids_find(&r->file_ids, key->process, key->file);
	const uint32_t number = i == SIZE_MAX ? 0
				: object      ? r->files.object_file[i]
					      : r->ids[i].own.file;
	return number != 0 && number != r->files.other;
}

bool requests_begin_sample(struct requests *r)
{
	return requests_keep(r, files_number_other(&r->files) != 0) && !r->failed;
}

uint32_t requests_file(struct requests *r, struct file_id *id, uint32_t object)
{
	return kept_file(r, object != 0 ? files_number_object(&r->files, object)
					: files_number_own(&r->files, &id->own, key_of(r, id)));
}

uint32_t requests_undefined_file(struct requests *r, struct file_id *id)
{
	return kept_file(r, files_number_undefined(&r->files, &id->own, key_of(r, id)));
}

struct file_key requests_key(const struct requests *r, const struct file_id *id, uint32_t object)
{
	if (object != 0)
		return (struct file_key){.object = object};
	return file_key_of_id(key_of(r, id));
}

struct file_id *requests_id(struct requests *r, uint32_t process, uint32_t file)
{
	const size_t i = requests_id_number(r, process, file);
	return i != SIZE_MAX ? &r->ids[i] : NULL;
}

size_t requests_pair(struct requests *r, size_t process, uint32_t file)
{
	const size_t before = r->pair_map.count;
	const size_t pair = idmap_number(&r->pair_map, idmap_pair((uint32_t)process + 1, file));
	if (requests_keep(r, pair != SIZE_MAX) && r->pair_map.count > before && !r->failed)
		r->fixed_pairs += file == r->files.other || r->files.keys[file - 1].undefined;
	return pair;
}

/* The file of the definition that applies; its number + 1. */
uint32_t requests_defined_file(struct requests *r, struct file_id *id)
{
	return id->defined || !r->options.part ? requests_file(r, id, id->defined_object)
					       : requests_undefined_file(r, id);
}

static size_t operation_pair(struct requests *r, const struct op *op, size_t process,
			     bool *synchronous)
{
	const struct iot_event *ev = op->ev;
	struct file_id *id = requests_id(r, ev->rec.process, ev->rec.file);
	if (id == NULL)
		return SIZE_MAX;
	*synchronous = id->synchronous;
	const uint32_t file = requests_defined_file(r, id);
	const bool defined = id->defined || !r->options.part;
	const struct file_key key = requests_key(r, id, id->defined_object);
	if (file == r->files.other && defined)
		(void)requests_keep(
		    r, file_sums_add_operation(&r->file_sums, &key, r->has_mpiio ? LAYERS : 1, op));
	return requests_pair(r, process, file);
}

struct request_operation requests_operation(struct requests *r, const struct op *op)
{
	const struct iot_event *ev = op->ev;
	struct request_operation numbers = {SIZE_MAX, SIZE_MAX, false};
	const size_t thread =
	    (ev->has & IOT_HAS_PROCESS) != 0 ? requests_number(r, ev->rec.process) : SIZE_MAX;
	if (thread == SIZE_MAX)
		return numbers;
	numbers.process = process_ids_owner(&r->processes, thread);
	requests_mark_active(r, numbers.process);
	if ((r->options.sections & REQUESTS_ROWS) != 0 && (ev->has & IOT_HAS_FILE) != 0)
		numbers.pair = operation_pair(r, op, numbers.process, &numbers.synchronous);
	return numbers;
}

/* Returns whether the flags of an opening contain sync or dsync. */
static bool is_synchronous(struct iot_text flags)
{
	static const char sync[] = "sync";
	return flags.data != NULL && memmem(flags.data, flags.size, sync, strlen(sync)) != NULL;
}

void requests_define_file(struct requests *r, const struct iot_event *ev, struct iot_text layer,
			  struct iot_text flags)
{
	if (((ev->has & IOT_HAS_DISK) != 0) != (r->options.physical != 0))
		return;
	const bool mpiio = text_equals(layer, "mpiio");
	if (!mpiio && !r->options.part && (r->options.sections & REQUESTS_ROWS) == 0 &&
	    file_ids_find(&r->file_ids, ev->rec.process, ev->rec.file) == SIZE_MAX)
		return;
	struct file_id *id = requests_id(r, ev->rec.process, ev->rec.file);
	if (id == NULL)
		return;
	id->layer = mpiio;
	r->has_mpiio |= mpiio;
	id->has_layer = id->defined = true;
	id->defined_object = ev->rec.object;
	id->synchronous = is_synchronous(flags);
}
