/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths of files, and hosts and ranks of processes, as their last definitions declare them; the
 * first and the last path of an object (lib/format/renames.h); and the first origin of the trace.
 */
#ifndef LIB_ANALYZE_TABLES_ROW_NAMES_H
#define LIB_ANALYZE_TABLES_ROW_NAMES_H

#include "lib/analyze/requests.h"
#include "lib/analyze/values.h"
#include "lib/format/renames.h"

enum { ROW_NAMES_MAX = 1 << 28 /* bytes of all names */, ROW_NAME_MAX = 8192 };

enum name_kind {
	NAME_OBJECT,
	NAME_FILE,
	NAME_HOST,
	NAME_RANK,
	NAME_TRACE,
	NAME_PROGRAM,
	NAME_KINDS
};
enum { TRACE_SOURCE, TRACE_COMMAND, TRACE_HOST, TRACE_NAMES }; /* keys of NAME_TRACE */

struct name_place {
	uint32_t at, size; /* in the text; size 0: none */
};

/* All zeros: empty. */
struct row_names {
	struct name_table {
		struct idmap map; /* objects; (process, fileId); processes; TRACE_... */
		struct name_place *name;
		size_t capacity;
	} of[NAME_KINDS];
	struct renames renames; /* of objects */
	struct last_names last;
	char *text;
	size_t size, capacity;
	uint64_t omitted; /* names beyond these limits */
};

/* These return false if out of memory. */
bool row_names_define_process(struct row_names *n, const struct iot_event *ev);
bool row_names_define_file(struct row_names *n, const struct iot_event *ev, struct iot_text path);
bool row_names_define_trace(struct row_names *n, const struct iot_event *ev);
bool row_names_rename(struct row_names *n, const struct iot_event *op);
bool row_names_set(struct row_names *n, enum name_kind kind, uint64_t key, struct iot_text text);
/* Adds the names of a part, which are later. */
bool row_names_join(struct row_names *n, const struct row_names *part);
/* Finds the last paths of objects; no name may be added afterwards. */
bool row_names_follow(struct row_names *n);
/* Percent-encoded; its data is NULL if there is none. Valid until a name is added. */
struct iot_text row_names_path(const struct row_names *n, const struct file_key *file);
/* The first path of a renamed object, otherwise none. */
struct iot_text row_names_first_path(const struct row_names *n, const struct file_key *file);
struct iot_text row_names_host(const struct row_names *n, uint32_t process);
/* Returns the host of a process, or the host of the trace if the process declares none. */
struct iot_text row_names_host_or_trace(const struct row_names *n, uint32_t process);
/*
 * If two traces are of several hosts, gives each process without a host the one of its trace.
 * Returns false if out of memory.
 */
bool row_names_give_hosts(struct row_names *n, const struct requests *r, struct row_names *more,
			  const struct requests *of_more);
struct iot_text row_names_program(const struct row_names *n, uint32_t process);
/* Stores the number of hosts of all active processes. Returns false if out of memory. */
bool row_names_hosts(const struct row_names *n, const struct requests *r, uint64_t *hosts);
/* The origin of the trace, as far as it is declared: values of section `trace`. */
void row_names_values(const struct row_names *n, struct values *v);
/* Returns false if none is declared. */
bool row_names_rank(const struct row_names *n, uint32_t process, uint64_t *rank);
/* Name i of a kind, which may be none. */
struct iot_text row_names_at(const struct row_names *n, enum name_kind kind, size_t i);
struct state;
void row_names_state(struct state *s, struct row_names *n);
void row_names_free(struct row_names *n);

#endif
