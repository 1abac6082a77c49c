/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the counters of each module are called, in the order of the log, and in which versions of
 * the module they are there. A record is its id, its rank, the integers, the doubles, of 8 bytes
 * each.
 */
#include "darshan.h"

#define LAST 255
/* clang-format off */
#define IN(name)           {name, 1, LAST}
#define FROM(name, since)  {name, since, LAST}
#define ONLY(name, until)  {name, 1, until}

#define BINS(p)                                                                                    \
	IN(p "_0_100"), IN(p "_100_1K"), IN(p "_1K_10K"), IN(p "_10K_100K"), IN(p "_100K_1M"),     \
	IN(p "_1M_4M"), IN(p "_4M_10M"), IN(p "_10M_100M"), IN(p "_100M_1G"), IN(p "_1G_PLUS")
#define FOUR(p, what)                                                                              \
	IN(p "1_" what), IN(p "2_" what), IN(p "3_" what), IN(p "4_" what)
#define FIVE(p)                                                                                    \
	IN(p "_D1"), IN(p "_D2"), IN(p "_D3"), IN(p "_D4"), IN(p "_D5")
#define SHAPE(p)  IN(p "_ACCESS"), FIVE(p "_LENGTH"), FIVE(p "_STRIDE")
#define RANKS(p)                                                                                   \
	IN(p "FASTEST_RANK"), IN(p "FASTEST_RANK_BYTES"), IN(p "SLOWEST_RANK"),                    \
	IN(p "SLOWEST_RANK_BYTES")
#define RANK_TIMES(p)                                                                              \
	IN(p "F_FASTEST_RANK_TIME"), IN(p "F_SLOWEST_RANK_TIME"), IN(p "F_VARIANCE_RANK_TIME"),    \
	IN(p "F_VARIANCE_RANK_BYTES")
/* What POSIX, MPI-IO, H5D and PNETCDF_VAR measure; two of them since `since`. */
#define TIMES(p, since)                                                                            \
	IN(p "F_OPEN_START_TIMESTAMP"), IN(p "F_READ_START_TIMESTAMP"),                            \
	IN(p "F_WRITE_START_TIMESTAMP"), FROM(p "F_CLOSE_START_TIMESTAMP", since),                 \
	FROM(p "F_OPEN_END_TIMESTAMP", since), IN(p "F_READ_END_TIMESTAMP"),                       \
	IN(p "F_WRITE_END_TIMESTAMP"), IN(p "F_CLOSE_END_TIMESTAMP"), IN(p "F_READ_TIME"),         \
	IN(p "F_WRITE_TIME"), IN(p "F_META_TIME"), IN(p "F_MAX_READ_TIME"),                        \
	IN(p "F_MAX_WRITE_TIME"), RANK_TIMES(p)

static const struct darshan_counter posix_ints[] = {
	IN("POSIX_OPENS"), FROM("POSIX_FILENOS", 4), FROM("POSIX_DUPS", 4), IN("POSIX_READS"),
	IN("POSIX_WRITES"), IN("POSIX_SEEKS"), IN("POSIX_STATS"), IN("POSIX_MMAPS"),
	ONLY("POSIX_FOPENS", 1), ONLY("POSIX_FREADS", 1), ONLY("POSIX_FWRITES", 1),
	ONLY("POSIX_FSEEKS", 1), IN("POSIX_FSYNCS"), IN("POSIX_FDSYNCS"),
	FROM("POSIX_RENAME_SOURCES", 4), FROM("POSIX_RENAME_TARGETS", 4),
	FROM("POSIX_RENAMED_FROM", 4), IN("POSIX_MODE"), IN("POSIX_BYTES_READ"),
	IN("POSIX_BYTES_WRITTEN"), IN("POSIX_MAX_BYTE_READ"), IN("POSIX_MAX_BYTE_WRITTEN"),
	IN("POSIX_CONSEC_READS"), IN("POSIX_CONSEC_WRITES"), IN("POSIX_SEQ_READS"),
	IN("POSIX_SEQ_WRITES"), IN("POSIX_RW_SWITCHES"), IN("POSIX_MEM_NOT_ALIGNED"),
	IN("POSIX_MEM_ALIGNMENT"), IN("POSIX_FILE_NOT_ALIGNED"), IN("POSIX_FILE_ALIGNMENT"),
	IN("POSIX_MAX_READ_TIME_SIZE"), IN("POSIX_MAX_WRITE_TIME_SIZE"), BINS("POSIX_SIZE_READ"),
	BINS("POSIX_SIZE_WRITE"), FOUR("POSIX_STRIDE", "STRIDE"), FOUR("POSIX_STRIDE", "COUNT"),
	FOUR("POSIX_ACCESS", "ACCESS"), FOUR("POSIX_ACCESS", "COUNT"), RANKS("POSIX_"),
};
static const struct darshan_counter posix_doubles[] = {TIMES("POSIX_", 3)};

static const struct darshan_counter mpiio_ints[] = {
	IN("MPIIO_INDEP_OPENS"), IN("MPIIO_COLL_OPENS"), IN("MPIIO_INDEP_READS"),
	IN("MPIIO_INDEP_WRITES"), IN("MPIIO_COLL_READS"), IN("MPIIO_COLL_WRITES"),
	IN("MPIIO_SPLIT_READS"), IN("MPIIO_SPLIT_WRITES"), IN("MPIIO_NB_READS"),
	IN("MPIIO_NB_WRITES"), IN("MPIIO_SYNCS"), IN("MPIIO_HINTS"), IN("MPIIO_VIEWS"),
	IN("MPIIO_MODE"), IN("MPIIO_BYTES_READ"), IN("MPIIO_BYTES_WRITTEN"),
	IN("MPIIO_RW_SWITCHES"), IN("MPIIO_MAX_READ_TIME_SIZE"), IN("MPIIO_MAX_WRITE_TIME_SIZE"),
	BINS("MPIIO_SIZE_READ_AGG"), BINS("MPIIO_SIZE_WRITE_AGG"), FOUR("MPIIO_ACCESS", "ACCESS"),
	FOUR("MPIIO_ACCESS", "COUNT"), RANKS("MPIIO_"),
};
static const struct darshan_counter mpiio_doubles[] = {TIMES("MPIIO_", 3)};

static const struct darshan_counter stdio_ints[] = {
	IN("STDIO_OPENS"), FROM("STDIO_FDOPENS", 2), IN("STDIO_READS"), IN("STDIO_WRITES"),
	IN("STDIO_SEEKS"), IN("STDIO_FLUSHES"), IN("STDIO_BYTES_WRITTEN"), IN("STDIO_BYTES_READ"),
	IN("STDIO_MAX_BYTE_READ"), IN("STDIO_MAX_BYTE_WRITTEN"), RANKS("STDIO_"),
};
static const struct darshan_counter stdio_doubles[] = {
	IN("STDIO_F_META_TIME"), IN("STDIO_F_WRITE_TIME"), IN("STDIO_F_READ_TIME"),
	IN("STDIO_F_OPEN_START_TIMESTAMP"), IN("STDIO_F_CLOSE_START_TIMESTAMP"),
	IN("STDIO_F_WRITE_START_TIMESTAMP"), IN("STDIO_F_READ_START_TIMESTAMP"),
	IN("STDIO_F_OPEN_END_TIMESTAMP"), IN("STDIO_F_CLOSE_END_TIMESTAMP"),
	IN("STDIO_F_WRITE_END_TIMESTAMP"), IN("STDIO_F_READ_END_TIMESTAMP"), RANK_TIMES("STDIO_"),
};

static const struct darshan_counter h5f_ints[] = {
	IN("H5F_OPENS"), IN("H5F_FLUSHES"), IN("H5F_USE_MPIIO"),
};
static const struct darshan_counter h5f_doubles[] = {
	IN("H5F_F_OPEN_START_TIMESTAMP"), IN("H5F_F_CLOSE_START_TIMESTAMP"),
	IN("H5F_F_OPEN_END_TIMESTAMP"), IN("H5F_F_CLOSE_END_TIMESTAMP"), IN("H5F_F_META_TIME"),
};

static const struct darshan_counter h5d_ints[] = {
	FROM("H5D_FILE_REC_ID", 2), IN("H5D_OPENS"), IN("H5D_READS"), IN("H5D_WRITES"),
	IN("H5D_FLUSHES"), IN("H5D_BYTES_READ"), IN("H5D_BYTES_WRITTEN"), IN("H5D_RW_SWITCHES"),
	IN("H5D_REGULAR_HYPERSLAB_SELECTS"), IN("H5D_IRREGULAR_HYPERSLAB_SELECTS"),
	IN("H5D_POINT_SELECTS"), IN("H5D_MAX_READ_TIME_SIZE"), IN("H5D_MAX_WRITE_TIME_SIZE"),
	BINS("H5D_SIZE_READ_AGG"), BINS("H5D_SIZE_WRITE_AGG"), SHAPE("H5D_ACCESS1"),
	SHAPE("H5D_ACCESS2"), SHAPE("H5D_ACCESS3"), SHAPE("H5D_ACCESS4"),
	FOUR("H5D_ACCESS", "COUNT"), IN("H5D_DATASPACE_NDIMS"), IN("H5D_DATASPACE_NPOINTS"),
	IN("H5D_DATATYPE_SIZE"), FIVE("H5D_CHUNK_SIZE"), IN("H5D_USE_MPIIO_COLLECTIVE"),
	IN("H5D_USE_DEPRECATED"), RANKS("H5D_"),
};
static const struct darshan_counter h5d_doubles[] = {TIMES("H5D_", 1)};

static const struct darshan_counter pnetcdf_file_ints[] = {
	IN("PNETCDF_FILE_CREATES"), IN("PNETCDF_FILE_OPENS"), IN("PNETCDF_FILE_ENDDEFS"),
	IN("PNETCDF_FILE_REDEFS"), IN("PNETCDF_FILE_INDEP_WAITS"), IN("PNETCDF_FILE_COLL_WAITS"),
	IN("PNETCDF_FILE_SYNCS"), IN("PNETCDF_FILE_BYTES_READ"),
	IN("PNETCDF_FILE_BYTES_WRITTEN"),
};
static const struct darshan_counter pnetcdf_file_doubles[] = {
	IN("PNETCDF_FILE_F_OPEN_START_TIMESTAMP"), IN("PNETCDF_FILE_F_CLOSE_START_TIMESTAMP"),
	IN("PNETCDF_FILE_F_OPEN_END_TIMESTAMP"), IN("PNETCDF_FILE_F_CLOSE_END_TIMESTAMP"),
	IN("PNETCDF_FILE_F_META_TIME"),
};

#define CALLS(p)                                                                                   \
	IN(p "_VAR"), IN(p "_VAR1"), IN(p "_VARA"), IN(p "_VARS"), IN(p "_VARM"), IN(p "_VARN")
static const struct darshan_counter pnetcdf_var_ints[] = {
	IN("PNETCDF_VAR_OPENS"), IN("PNETCDF_VAR_INDEP_READS"), IN("PNETCDF_VAR_INDEP_WRITES"),
	IN("PNETCDF_VAR_COLL_READS"), IN("PNETCDF_VAR_COLL_WRITES"), IN("PNETCDF_VAR_NB_READS"),
	IN("PNETCDF_VAR_NB_WRITES"), IN("PNETCDF_VAR_BYTES_READ"),
	IN("PNETCDF_VAR_BYTES_WRITTEN"), IN("PNETCDF_VAR_RW_SWITCHES"), CALLS("PNETCDF_VAR_PUT"),
	IN("PNETCDF_VAR_PUT_VARD"), CALLS("PNETCDF_VAR_GET"), IN("PNETCDF_VAR_GET_VARD"),
	CALLS("PNETCDF_VAR_IPUT"), CALLS("PNETCDF_VAR_IGET"), CALLS("PNETCDF_VAR_BPUT"),
	IN("PNETCDF_VAR_MAX_READ_TIME_SIZE"), IN("PNETCDF_VAR_MAX_WRITE_TIME_SIZE"),
	BINS("PNETCDF_VAR_SIZE_READ_AGG"), BINS("PNETCDF_VAR_SIZE_WRITE_AGG"),
	SHAPE("PNETCDF_VAR_ACCESS1"), SHAPE("PNETCDF_VAR_ACCESS2"), SHAPE("PNETCDF_VAR_ACCESS3"),
	SHAPE("PNETCDF_VAR_ACCESS4"), FOUR("PNETCDF_VAR_ACCESS", "COUNT"),
	IN("PNETCDF_VAR_NDIMS"), IN("PNETCDF_VAR_NPOINTS"), IN("PNETCDF_VAR_DATATYPE_SIZE"),
	RANKS("PNETCDF_VAR_"),
};
static const struct darshan_counter pnetcdf_var_doubles[] = {TIMES("PNETCDF_VAR_", 1)};

static const struct darshan_counter bgq_ints[] = {
	IN("BGQ_CSJOBID"), IN("BGQ_NNODES"), IN("BGQ_RANKSPERNODE"), IN("BGQ_DDRPERNODE"),
	IN("BGQ_INODES"), IN("BGQ_ANODES"), IN("BGQ_BNODES"), IN("BGQ_CNODES"), IN("BGQ_DNODES"),
	IN("BGQ_ENODES"), IN("BGQ_TORUSENABLED"),
};
static const struct darshan_counter bgq_doubles[] = {IN("BGQ_F_TIMESTAMP")};

#define COUNTERS(prefix, oldest_, newest)                                                          \
	{ .ints = prefix##_ints, .doubles = prefix##_doubles,                                      \
	  .int_count = sizeof prefix##_ints / sizeof *prefix##_ints,                               \
	  .double_count = sizeof prefix##_doubles / sizeof *prefix##_doubles,                      \
	  .oldest = oldest_, .versions = newest }

static const struct darshan_counters modules[] = {
	[DARSHAN_POSIX] = COUNTERS(posix, 1, 4),
	[DARSHAN_MPIIO] = COUNTERS(mpiio, 1, 3),
	[DARSHAN_STDIO] = COUNTERS(stdio, 1, 2),
	[DARSHAN_H5F] = COUNTERS(h5f, 3, 3),
	[DARSHAN_H5D] = COUNTERS(h5d, 1, 2),
	[DARSHAN_PNETCDF_FILE] = COUNTERS(pnetcdf_file, 2, 2),
	[DARSHAN_PNETCDF_VAR] = COUNTERS(pnetcdf_var, 1, 1),
	[DARSHAN_BGQ] = COUNTERS(bgq, 2, 2),
};
/* clang-format on */

const struct darshan_counters *iot_darshan_counters(unsigned module, unsigned version)
{
	if (module >= sizeof modules / sizeof *modules || modules[module].ints == NULL ||
	    version < modules[module].oldest || version > modules[module].versions)
		return NULL;
	return &modules[module];
}
