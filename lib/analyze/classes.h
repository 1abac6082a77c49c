/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Classes of I/O, from the reuse of bytes: required, checkpoint or other periodic output, swapping
 * (data that does not fit in memory), rewritten.
 */
#ifndef LIB_ANALYZE_CLASSES_H
#define LIB_ANALYZE_CLASSES_H

#include "lib/analyze/tables/row_names.h"

#include "reuse.h"

enum io_class {
	CLASS_REQUIRED,
	CLASS_CHECKPOINT,
	CLASS_SWAPPING,
	CLASS_REWRITTEN,
	CLASS_UNKNOWN, /* the offset is */
	IO_CLASSES
};

extern const char *const io_class_names[IO_CLASSES];

/* Bytes by direction and class. */
struct io_class_sums {
	uint64_t bytes[2][IO_CLASSES];
};

struct classes {
	bool *checkpoint; /* by file: of a checkpoint series */
	uint64_t series, files;
};

/* Finds the checkpoint series. Returns false if out of memory. */
bool classes_find(struct classes *c, const struct requests *r, const struct reuse *reuse,
		  const struct row_names *names);
void classes_of_file(const struct classes *c, const struct reuse *reuse, size_t file,
		     struct io_class_sums *to);
/* running_s: the time that rates refer to; 0: unknown. */
void classes_values(const struct classes *c, const struct reuse *reuse, double running_s,
		    struct values *v);
/* The class with most bytes; IO_CLASSES: no bytes. */
enum io_class classes_largest(const struct io_class_sums *s);
void classes_free(struct classes *c);

#endif
