/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of libarchive, which is loaded when the first archive is opened: loading the
 * libraries that it needs in turn, among them ICU, would take most of the start of each command.
 */
#ifndef CONVERTERS_INPUT_ARCHIVE_LIBRARY_H
#define CONVERTERS_INPUT_ARCHIVE_LIBRARY_H

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>

#include "lib/base/error.h"

#define ARCHIVE_FUNCTIONS(X)                                                                       \
	X(archive_read_new)                                                                        \
	X(archive_read_free)                                                                       \
	X(archive_read_set_read_callback)                                                          \
	X(archive_read_set_callback_data)                                                          \
	X(archive_read_open1)                                                                      \
	X(archive_read_support_filter_bzip2)                                                       \
	X(archive_read_support_filter_lz4)                                                         \
	X(archive_read_support_format_empty)                                                       \
	X(archive_read_support_format_raw)                                                         \
	X(archive_read_support_format_tar)                                                         \
	X(archive_read_next_header)                                                                \
	X(archive_read_next_header2)                                                               \
	X(archive_read_data_block)                                                                 \
	X(archive_error_string)                                                                    \
	X(archive_errno)                                                                           \
	X(archive_set_error)                                                                       \
	X(archive_version_string)                                                                  \
	X(archive_entry_new2)                                                                      \
	X(archive_entry_free)                                                                      \
	X(archive_entry_filetype)                                                                  \
	X(archive_entry_hardlink)                                                                  \
	X(archive_entry_pathname)                                                                  \
	X(archive_entry_pathname_utf8)

struct archive_library {
	void *handle;
#define X(name) __typeof__(name) *name;
	ARCHIVE_FUNCTIONS(X)
#undef X
};

/* Returns false with *error set if libarchive cannot be loaded. The memory of it remains in use. */
bool archive_library_open(struct archive_library *l, struct error *error);
/* Nothing happens if it is not open. */
void archive_library_close(struct archive_library *l);

#endif
