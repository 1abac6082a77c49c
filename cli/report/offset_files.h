/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes over time and offset of the files with most bytes. */
#ifndef CLI_REPORT_OFFSET_FILES_H
#define CLI_REPORT_OFFSET_FILES_H

#include <stdbool.h>

#include <iotrace/analyze.h>

enum { OFFSET_FILES = 4 };

struct offset_file {
	struct iot_analyze_offsets map; /* its cells are a copy, its texts belong to the analysis */
	char key[32];
	uint32_t blocks; /* up to the last one with bytes */
	bool has[2];     /* reads, writes */
};

struct offset_files {
	struct offset_file file[OFFSET_FILES];
	size_t count;
	bool has[2];     /* whether any has reads, writes */
	double min, max; /* of the bytes of a cell and direction, in blocks */
};

/* Returns an enum iot_status. */
int offset_files_make(struct offset_files *f, struct iot_analyze *a);
void offset_files_free(struct offset_files *f);
/* The bytes of a cell, in blocks. */
double offset_file_share(const struct offset_file *f, const struct iot_analyze_offset_cell *c,
			 unsigned direction);

#endif
