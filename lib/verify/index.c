/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the seek table at the end of a .zst with the frames that a walk finds. */
#include <sys/stat.h>

#include "lib/io/zstd_frames.h"
#include "verify_internal.h"

/* Returns false if the input is not a regular file. */
static bool stored_input_of(const struct iot_verifier *handle, struct stored_input *in)
{
	struct stat st;
	if (handle->begin < 0 || fstat(handle->fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_size < handle->begin)
		return false;
	*in = (struct stored_input){.fd = handle->fd,
				    .first = (uint64_t)handle->begin,
				    .size = (uint64_t)(st.st_size - handle->begin)};
	return true;
}

/* Returns the number of equal offsets at the beginning of a and b. */
static size_t common_frames(const struct zstd_frames *a, const struct zstd_frames *b)
{
	size_t i = 0;
	while (i < a->count && i < b->count && a->at[i] == b->at[i])
		i++;
	return i;
}

static void compare(struct iot_verifier *handle, const struct zstd_frames *table,
		    const struct zstd_frames *walked)
{
	const size_t same = common_frames(table, walked);
	if (same < walked->count)
		finding_report(handle, IOT_WARN_INDEX, handle->verdict.lines, 1,
			       "the seek table lacks the frame at byte %llu",
			       (unsigned long long)walked->at[same]);
	else if (same < table->count)
		finding_report(handle, IOT_WARN_INDEX, handle->verdict.lines, 1,
			       "the seek table has a frame at byte %llu, where none begins",
			       (unsigned long long)table->at[same]);
}

void verify_index(struct iot_verifier *handle)
{
	struct stored_input in;
	struct zstd_frames table, walked;
	if (!stored_input_of(handle, &in))
		return;
	const int status = zstd_frames_of_table(&in, &table);
	if (status == IOT_EFORMAT)
		finding_report(handle, IOT_WARN_INDEX, handle->verdict.lines, 1,
			       "the sizes in the seek table do not add up to the file's");
	if (status != 1)
		return;
	if (zstd_frames_walk(&in, &walked) == IOT_OK)
		compare(handle, &table, &walked);
	zstd_frames_free(&walked);
	zstd_frames_free(&table);
}
