/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stage that ties physical records to the logical ones that caused them: a logical record and
 * its physical ones get the same operationId, and each physical record without a logical one an id
 * of its own. Logical records without physical ones get 0.
 *
 *	extents.c  which bytes of files are where on disks
 *	sectors.c  which files have the sectors of a physical record
 *	match.c    the logical record of each physical one
 *	tie.c      the stage: it keeps all events in a temporary file and reads them twice
 *	sums.c     the %counter directives that the stage adds at the end, and their sums
 *
 * Memory: 20 bytes for each physical record, 12 for each logical one that is tied, 48 for each
 * block of 4 KiB of a mapped file that is used, and the open files.
 */
#ifndef LIB_TIES_TIE_H
#define LIB_TIES_TIE_H

#include <iotrace/stream.h>

/*
 * Adds the stage. The events of the upstream are in order of start; processes have the same ids in
 * logical and physical records. Takes over the upstream in every case; returns NULL if out of
 * memory, or if the upstream is NULL.
 */
struct iot_stream *tie_stream(struct iot_stream *upstream);

#endif
