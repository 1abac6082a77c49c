/* SPDX-License-Identifier: BSD-2-Clause */
#include <iotrace/iotrace.h>

int iot_blocks_of(const struct iot_record *rec, uint32_t block_size, uint64_t *first,
		  uint64_t *count)
{
	const uint64_t unit = rec->type & IOT_LOGICAL ? 1 : IOT_BLOCK_SIZE;
	uint64_t offset, length, last;
	*first = *count = 0;
	if (block_size == 0 || (rec->flags & IOT_OFFSET_UNKNOWN) != 0)
		return IOT_EUSAGE;
	if (__builtin_mul_overflow(rec->offset, unit, &offset) ||
	    __builtin_mul_overflow(rec->length, unit, &length))
		return IOT_ELIMIT;
	if (length == 0)
		return IOT_OK;
	if (__builtin_add_overflow(offset, length - 1, &last))
		return IOT_ELIMIT;
	*first = offset / block_size;
	*count = last / block_size - *first + 1;
	return IOT_OK;
}
