/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files requests*.c. */
#ifndef LIB_ANALYZE_REQUESTS_INTERNAL_H
#define LIB_ANALYZE_REQUESTS_INTERNAL_H

#include "requests.h"

#include "lib/base/array.h"

static inline bool requests_keep(struct requests *r, bool done)
{
	r->failed |= !done;
	return done;
}

/* The number of a fileId; SIZE_MAX if out of memory. */
static inline size_t requests_id_number(struct requests *r, uint32_t process, uint32_t file)
{
	const size_t i = file_ids_number(&r->file_ids, process, file);
	return requests_keep(r, array_reserve_index(&r->ids, &r->id_capacity, i, sizeof *r->ids))
		   ? i
		   : SIZE_MAX;
}

/* The number of a process or thread; SIZE_MAX if out of memory. */
size_t requests_number(struct requests *r, uint32_t process);
void requests_mark_active(struct requests *r, size_t number);
/* The file of an object, or of one fileId if the object is unknown; its number + 1. */
uint32_t requests_file(struct requests *r, struct file_id *id, uint32_t object);
/* In a part, the file that an earlier part declares for a fileId; its number + 1. */
uint32_t requests_undefined_file(struct requests *r, struct file_id *id);
/* The file of the definition that applies to operations; its number + 1. */
uint32_t requests_defined_file(struct requests *r, struct file_id *id);
/* The number of a pair; SIZE_MAX if out of memory. file: number + 1. */
size_t requests_pair(struct requests *r, size_t process, uint32_t file);
/* Returns NULL if out of memory. */
struct file_id *requests_id(struct requests *r, uint32_t process, uint32_t file);
/* Returns its number + 1. */
uint32_t requests_new_stream(struct requests *r);
/* Frees the number of a stream that has ended. */
void requests_free_stream(struct requests *r, uint32_t stream);
/*
 * In a part, appends a head of the next part if the part has fewer than HEADS_MAX; `file` is the
 * number of the file of the head, + 1, or 0.
 */
bool requests_begin_head(struct requests *r, struct file_id *id, const struct request_head *next,
			 uint32_t file);
/* At the first request of a fileId in a part. */
void requests_begin_own_head(struct requests *r, struct file_id *id);
/* A stream with requests that are not yet counted ends only after they are counted. */
void requests_replace_stream(struct requests *r, struct file_id *id);
/* Adds a head of a state. */
void requests_add_head(struct requests *r, struct file_id *id, const struct request_head *head);
/* The key of an object, or of a fileId whose object is unknown. */
struct file_key requests_key(const struct requests *r, const struct file_id *id, uint32_t object);
/* Reserves a number for all files outside of the sample. Returns false if out of memory. */
bool requests_begin_sample(struct requests *r);
/* The stream of a fileId ends: so does its head, if it has one. */
void requests_end_head(struct requests *r, const struct file_id *id);

#endif
