/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names, types and versions of the counters of each module, in the order of the log. A record is
 * its id, its rank, and these.
 */
#include "darshan.h"

#include <string.h>

#define LAST 255
/* clang-format off */
#define IN(name)                 {name, 1, LAST, DARSHAN_SIGNED}
#define FROM(name, since)        {name, since, LAST, DARSHAN_SIGNED}
#define ONLY(name, until)        {name, 1, until, DARSHAN_SIGNED}
#define ID(name, since)          {name, since, LAST, DARSHAN_ID}
#define PLACE(name)              {name, 1, LAST, DARSHAN_PLACE}
#define COUNT(name)              {name, 1, LAST, DARSHAN_UNSIGNED}
#define REAL(name)               {name, 1, LAST, DARSHAN_DOUBLE}
#define REAL_FROM(name, since)   {name, since, LAST, DARSHAN_DOUBLE}
#define WORD(name, until)        {name, 1, until, DARSHAN_WORD}
#define UUID(name)               {name, 1, LAST, DARSHAN_UUID}
#define TEXT(name)               {name, 1, LAST, DARSHAN_TEXT}

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
/*
 * Counters of modules that distinguish reads from writes; two of them exist since version `since`.
 */
#define RANK_TIMES(p)                                                                              \
	REAL(p "F_FASTEST_RANK_TIME"), REAL(p "F_SLOWEST_RANK_TIME")
#define VARIANCES(p)                                                                               \
	REAL(p "F_VARIANCE_RANK_TIME"), REAL(p "F_VARIANCE_RANK_BYTES")
#define TIMES(p, since)                                                                            \
	REAL(p "F_OPEN_START_TIMESTAMP"), REAL(p "F_READ_START_TIMESTAMP"),                        \
	REAL(p "F_WRITE_START_TIMESTAMP"), REAL_FROM(p "F_CLOSE_START_TIMESTAMP", since),          \
	REAL_FROM(p "F_OPEN_END_TIMESTAMP", since), REAL(p "F_READ_END_TIMESTAMP"),                \
	REAL(p "F_WRITE_END_TIMESTAMP"), REAL(p "F_CLOSE_END_TIMESTAMP"), REAL(p "F_READ_TIME"),   \
	REAL(p "F_WRITE_TIME"), REAL(p "F_META_TIME"), REAL(p "F_MAX_READ_TIME"),                  \
	REAL(p "F_MAX_WRITE_TIME"), RANK_TIMES(p)

static const struct darshan_counter posix[] = {
	IN("POSIX_OPENS"), FROM("POSIX_FILENOS", 4), FROM("POSIX_DUPS", 4), IN("POSIX_READS"),
	IN("POSIX_WRITES"), IN("POSIX_SEEKS"), IN("POSIX_STATS"), IN("POSIX_MMAPS"),
	ONLY("POSIX_FOPENS", 1), ONLY("POSIX_FREADS", 1), ONLY("POSIX_FWRITES", 1),
	ONLY("POSIX_FSEEKS", 1), IN("POSIX_FSYNCS"), IN("POSIX_FDSYNCS"),
	FROM("POSIX_RENAME_SOURCES", 4), FROM("POSIX_RENAME_TARGETS", 4),
	ID("POSIX_RENAMED_FROM", 4), IN("POSIX_MODE"), IN("POSIX_BYTES_READ"),
	IN("POSIX_BYTES_WRITTEN"), IN("POSIX_MAX_BYTE_READ"), IN("POSIX_MAX_BYTE_WRITTEN"),
	IN("POSIX_CONSEC_READS"), IN("POSIX_CONSEC_WRITES"), IN("POSIX_SEQ_READS"),
	IN("POSIX_SEQ_WRITES"), IN("POSIX_RW_SWITCHES"), IN("POSIX_MEM_NOT_ALIGNED"),
	IN("POSIX_MEM_ALIGNMENT"), IN("POSIX_FILE_NOT_ALIGNED"), IN("POSIX_FILE_ALIGNMENT"),
	IN("POSIX_MAX_READ_TIME_SIZE"), IN("POSIX_MAX_WRITE_TIME_SIZE"), BINS("POSIX_SIZE_READ"),
	BINS("POSIX_SIZE_WRITE"), FOUR("POSIX_STRIDE", "STRIDE"), FOUR("POSIX_STRIDE", "COUNT"),
	FOUR("POSIX_ACCESS", "ACCESS"), FOUR("POSIX_ACCESS", "COUNT"), RANKS("POSIX_"),
	TIMES("POSIX_", 3), VARIANCES("POSIX_"),
};

static const struct darshan_counter mpiio[] = {
	IN("MPIIO_INDEP_OPENS"), IN("MPIIO_COLL_OPENS"), IN("MPIIO_INDEP_READS"),
	IN("MPIIO_INDEP_WRITES"), IN("MPIIO_COLL_READS"), IN("MPIIO_COLL_WRITES"),
	IN("MPIIO_SPLIT_READS"), IN("MPIIO_SPLIT_WRITES"), IN("MPIIO_NB_READS"),
	IN("MPIIO_NB_WRITES"), IN("MPIIO_SYNCS"), IN("MPIIO_HINTS"), IN("MPIIO_VIEWS"),
	IN("MPIIO_MODE"), IN("MPIIO_BYTES_READ"), IN("MPIIO_BYTES_WRITTEN"),
	IN("MPIIO_RW_SWITCHES"), IN("MPIIO_MAX_READ_TIME_SIZE"), IN("MPIIO_MAX_WRITE_TIME_SIZE"),
	BINS("MPIIO_SIZE_READ_AGG"), BINS("MPIIO_SIZE_WRITE_AGG"), FOUR("MPIIO_ACCESS", "ACCESS"),
	FOUR("MPIIO_ACCESS", "COUNT"), RANKS("MPIIO_"),
	TIMES("MPIIO_", 3), VARIANCES("MPIIO_"),
};

static const struct darshan_counter stdio[] = {
	IN("STDIO_OPENS"), FROM("STDIO_FDOPENS", 2), IN("STDIO_READS"), IN("STDIO_WRITES"),
	IN("STDIO_SEEKS"), IN("STDIO_FLUSHES"), IN("STDIO_BYTES_WRITTEN"), IN("STDIO_BYTES_READ"),
	IN("STDIO_MAX_BYTE_READ"), IN("STDIO_MAX_BYTE_WRITTEN"), RANKS("STDIO_"),
	REAL("STDIO_F_META_TIME"), REAL("STDIO_F_WRITE_TIME"), REAL("STDIO_F_READ_TIME"),
	REAL("STDIO_F_OPEN_START_TIMESTAMP"), REAL("STDIO_F_CLOSE_START_TIMESTAMP"),
	REAL("STDIO_F_WRITE_START_TIMESTAMP"), REAL("STDIO_F_READ_START_TIMESTAMP"),
	REAL("STDIO_F_OPEN_END_TIMESTAMP"), REAL("STDIO_F_CLOSE_END_TIMESTAMP"),
	REAL("STDIO_F_WRITE_END_TIMESTAMP"), REAL("STDIO_F_READ_END_TIMESTAMP"),
	RANK_TIMES("STDIO_"), VARIANCES("STDIO_"),
};

static const struct darshan_counter h5f[] = {
	IN("H5F_OPENS"), FROM("H5F_FLUSHES", 3), FROM("H5F_USE_MPIIO", 3),
	REAL("H5F_F_OPEN_START_TIMESTAMP"), REAL_FROM("H5F_F_CLOSE_START_TIMESTAMP", 2),
	REAL_FROM("H5F_F_OPEN_END_TIMESTAMP", 2), REAL("H5F_F_CLOSE_END_TIMESTAMP"),
	REAL_FROM("H5F_F_META_TIME", 3),
};

static const struct darshan_counter h5d[] = {
	ID("H5D_FILE_REC_ID", 2), IN("H5D_OPENS"), IN("H5D_READS"), IN("H5D_WRITES"),
	IN("H5D_FLUSHES"), IN("H5D_BYTES_READ"), IN("H5D_BYTES_WRITTEN"), IN("H5D_RW_SWITCHES"),
	IN("H5D_REGULAR_HYPERSLAB_SELECTS"), IN("H5D_IRREGULAR_HYPERSLAB_SELECTS"),
	IN("H5D_POINT_SELECTS"), IN("H5D_MAX_READ_TIME_SIZE"), IN("H5D_MAX_WRITE_TIME_SIZE"),
	BINS("H5D_SIZE_READ_AGG"), BINS("H5D_SIZE_WRITE_AGG"), SHAPE("H5D_ACCESS1"),
	SHAPE("H5D_ACCESS2"), SHAPE("H5D_ACCESS3"), SHAPE("H5D_ACCESS4"),
	FOUR("H5D_ACCESS", "COUNT"), IN("H5D_DATASPACE_NDIMS"), IN("H5D_DATASPACE_NPOINTS"),
	IN("H5D_DATATYPE_SIZE"), FIVE("H5D_CHUNK_SIZE"), IN("H5D_USE_MPIIO_COLLECTIVE"),
	IN("H5D_USE_DEPRECATED"), RANKS("H5D_"),
	TIMES("H5D_", 1), VARIANCES("H5D_"),
};

/* Names of PnetCDF versions 1 and 2, then those since version 3. */
static const struct darshan_counter pnetcdf_file[] = {
	ONLY("PNETCDF_INDEP_OPENS", 2), ONLY("PNETCDF_COLL_OPENS", 2),
	FROM("PNETCDF_FILE_CREATES", 3), FROM("PNETCDF_FILE_OPENS", 3),
	FROM("PNETCDF_FILE_REDEFS", 3), FROM("PNETCDF_FILE_INDEP_WAITS", 3),
	FROM("PNETCDF_FILE_COLL_WAITS", 3), FROM("PNETCDF_FILE_SYNCS", 3),
	FROM("PNETCDF_FILE_BYTES_READ", 3), FROM("PNETCDF_FILE_BYTES_WRITTEN", 3),
	FROM("PNETCDF_FILE_WAIT_FAILURES", 3), REAL("PNETCDF_FILE_F_OPEN_START_TIMESTAMP"),
	REAL_FROM("PNETCDF_FILE_F_CLOSE_START_TIMESTAMP", 2),
	REAL_FROM("PNETCDF_FILE_F_WAIT_START_TIMESTAMP", 3),
	REAL_FROM("PNETCDF_FILE_F_OPEN_END_TIMESTAMP", 2),
	REAL("PNETCDF_FILE_F_CLOSE_END_TIMESTAMP"),
	REAL_FROM("PNETCDF_FILE_F_WAIT_END_TIMESTAMP", 3),
	REAL_FROM("PNETCDF_FILE_F_META_TIME", 3), REAL_FROM("PNETCDF_FILE_F_WAIT_TIME", 3),
};

#define CALLS(p)                                                                                   \
	IN(p "_VAR"), IN(p "_VAR1"), IN(p "_VARA"), IN(p "_VARS"), IN(p "_VARM"), IN(p "_VARN")
static const struct darshan_counter pnetcdf_var[] = {
	ID("PNETCDF_VAR_FILE_REC_ID", 1), IN("PNETCDF_VAR_OPENS"), IN("PNETCDF_VAR_INDEP_READS"),
	IN("PNETCDF_VAR_INDEP_WRITES"), IN("PNETCDF_VAR_COLL_READS"),
	IN("PNETCDF_VAR_COLL_WRITES"), IN("PNETCDF_VAR_NB_READS"), IN("PNETCDF_VAR_NB_WRITES"),
	IN("PNETCDF_VAR_BYTES_READ"),
	IN("PNETCDF_VAR_BYTES_WRITTEN"), IN("PNETCDF_VAR_RW_SWITCHES"), CALLS("PNETCDF_VAR_PUT"),
	IN("PNETCDF_VAR_PUT_VARD"), CALLS("PNETCDF_VAR_GET"), IN("PNETCDF_VAR_GET_VARD"),
	CALLS("PNETCDF_VAR_IPUT"), CALLS("PNETCDF_VAR_IGET"), CALLS("PNETCDF_VAR_BPUT"),
	IN("PNETCDF_VAR_MAX_READ_TIME_SIZE"), IN("PNETCDF_VAR_MAX_WRITE_TIME_SIZE"),
	BINS("PNETCDF_VAR_SIZE_READ_AGG"), BINS("PNETCDF_VAR_SIZE_WRITE_AGG"),
	SHAPE("PNETCDF_VAR_ACCESS1"), SHAPE("PNETCDF_VAR_ACCESS2"), SHAPE("PNETCDF_VAR_ACCESS3"),
	SHAPE("PNETCDF_VAR_ACCESS4"), FOUR("PNETCDF_VAR_ACCESS", "COUNT"),
	IN("PNETCDF_VAR_NDIMS"), IN("PNETCDF_VAR_NPOINTS"), IN("PNETCDF_VAR_DATATYPE_SIZE"),
	IN("PNETCDF_VAR_IS_RECORD_VAR"), RANKS("PNETCDF_VAR_"),
	TIMES("PNETCDF_VAR_", 1), VARIANCES("PNETCDF_VAR_"),
};

static const struct darshan_counter bgq[] = {
	WORD("BGQ_ALIGNMENT", 1), PLACE("BGQ_CSJOBID"), IN("BGQ_NNODES"), IN("BGQ_RANKSPERNODE"),
	IN("BGQ_DDRPERNODE"), IN("BGQ_INODES"), IN("BGQ_ANODES"), IN("BGQ_BNODES"),
	IN("BGQ_CNODES"), IN("BGQ_DNODES"), IN("BGQ_ENODES"), IN("BGQ_TORUSENABLED"),
	REAL("BGQ_F_TIMESTAMP"),
};

static const struct darshan_counter dfs[] = {
	IN("DFS_OPENS"), IN("DFS_GLOBAL_OPENS"), IN("DFS_LOOKUPS"), IN("DFS_DUPS"),
	IN("DFS_READS"), IN("DFS_READXS"), IN("DFS_WRITES"), IN("DFS_WRITEXS"),
	IN("DFS_NB_READS"), IN("DFS_NB_WRITES"), IN("DFS_GET_SIZES"), IN("DFS_PUNCHES"),
	IN("DFS_REMOVES"), IN("DFS_STATS"), IN("DFS_BYTES_READ"), IN("DFS_BYTES_WRITTEN"),
	IN("DFS_RW_SWITCHES"), IN("DFS_MAX_READ_TIME_SIZE"), IN("DFS_MAX_WRITE_TIME_SIZE"),
	BINS("DFS_SIZE_READ"), BINS("DFS_SIZE_WRITE"), FOUR("DFS_ACCESS", "ACCESS"),
	FOUR("DFS_ACCESS", "COUNT"), IN("DFS_CHUNK_SIZE"), RANKS("DFS_"), TIMES("DFS_", 1),
	UUID("DFS_POOL_UUID"), UUID("DFS_CONT_UUID"),
};

static const struct darshan_counter daos[] = {
	IN("DAOS_OBJ_OPENS"), IN("DAOS_OBJ_FETCHES"), IN("DAOS_OBJ_UPDATES"),
	IN("DAOS_OBJ_PUNCHES"), IN("DAOS_OBJ_DKEY_PUNCHES"), IN("DAOS_OBJ_AKEY_PUNCHES"),
	IN("DAOS_OBJ_DKEY_LISTS"), IN("DAOS_OBJ_AKEY_LISTS"), IN("DAOS_OBJ_RECX_LISTS"),
	IN("DAOS_ARRAY_OPENS"), IN("DAOS_ARRAY_READS"), IN("DAOS_ARRAY_WRITES"),
	IN("DAOS_ARRAY_GET_SIZES"), IN("DAOS_ARRAY_SET_SIZES"), IN("DAOS_ARRAY_STATS"),
	IN("DAOS_ARRAY_PUNCHES"), IN("DAOS_ARRAY_DESTROYS"), IN("DAOS_KV_OPENS"),
	IN("DAOS_KV_GETS"), IN("DAOS_KV_PUTS"), IN("DAOS_KV_REMOVES"), IN("DAOS_KV_LISTS"),
	IN("DAOS_KV_DESTROYS"), IN("DAOS_NB_OPS"), IN("DAOS_BYTES_READ"),
	IN("DAOS_BYTES_WRITTEN"), IN("DAOS_RW_SWITCHES"), IN("DAOS_MAX_READ_TIME_SIZE"),
	IN("DAOS_MAX_WRITE_TIME_SIZE"), BINS("DAOS_SIZE_READ"), BINS("DAOS_SIZE_WRITE"),
	FOUR("DAOS_ACCESS", "ACCESS"), FOUR("DAOS_ACCESS", "COUNT"), IN("DAOS_OBJ_OTYPE"),
	IN("DAOS_ARRAY_CELL_SIZE"), IN("DAOS_ARRAY_CHUNK_SIZE"), RANKS("DAOS_"),
	TIMES("DAOS_", 1), UUID("DAOS_POOL_UUID"), UUID("DAOS_CONT_UUID"),
	ID("DAOS_OID_HI", 1), ID("DAOS_OID_LO", 1),
};

enum { MDHIM_SERVERS = 4 };
static const struct darshan_counter mdhim[] = {
	IN("MDHIM_PUTS"), IN("MDHIM_GETS"), IN("MDHIM_PUT_MAX_SIZE"), IN("MDHIM_GET_MAX_SIZE"),
	[MDHIM_SERVERS] = IN("MDHIM_SERVERS"), REAL("MDHIM_F_PUT_TIMESTAMP"),
	REAL("MDHIM_F_GET_TIMESTAMP"), REAL("MDHIM_F_PUT_MAX_DURATION"),
	REAL("MDHIM_F_GET_MAX_DURATION"),
};

/* AutoPerf: a record of the job, followed by one for each rank or router. */
static const struct darshan_counter apmpi_head[] = {
	COUNT("APMPI_MAGIC"), WORD("APMPI_SYNC_FLAG", LAST), REAL("MPI_TOTAL_COMM_TIME_VARIANCE"),
	REAL("MPI_TOTAL_COMM_SYNC_TIME_VARIANCE"),
};

#define SENDS(M)                                                                                   \
	M("MPI_SEND"), M("MPI_SSEND"), M("MPI_RSEND"), M("MPI_BSEND"), M("MPI_RECV"),              \
	M("MPI_SENDRECV"), M("MPI_SENDRECV_REPLACE"), M("MPI_ISEND"), M("MPI_ISSEND"),             \
	M("MPI_IRSEND"), M("MPI_IBSEND"), M("MPI_IRECV")
#define WAITS(M)                                                                                   \
	M("MPI_PROBE"), M("MPI_IPROBE"), M("MPI_TEST"), M("MPI_TESTANY"), M("MPI_TESTALL"),        \
	M("MPI_TESTSOME"), M("MPI_WAIT"), M("MPI_WAITANY"), M("MPI_WAITALL"), M("MPI_WAITSOME")
#define COLLECTIVES(M, p)                                                                          \
	M(p "BCAST"), M(p "GATHER"), M(p "GATHERV"), M(p "SCATTER"), M(p "SCATTERV"), M(p "SCAN"), \
	M(p "EXSCAN"), M(p "ALLGATHER"), M(p "ALLGATHERV"), M(p "REDUCE"), M(p "ALLREDUCE"),       \
	M(p "REDUCE_SCATTER"), M(p "ALLTOALL"), M(p "ALLTOALLV"), M(p "ALLTOALLW")
#define PUTS(M)                                                                                    \
	M("MPI_PUT"), M("MPI_GET"), M("MPI_ACCUMULATE"), M("MPI_GET_ACCUMULATE")
#define WINDOWS(M)                                                                                 \
	M("MPI_FETCH_AND_OP"), M("MPI_COMPARE_AND_SWAP"), M("MPI_WIN_FENCE"), M("MPI_WIN_START"),  \
	M("MPI_WIN_COMPLETE"), M("MPI_WIN_POST"), M("MPI_WIN_WAIT"), M("MPI_WIN_TEST"),            \
	M("MPI_WIN_LOCK"), M("MPI_WIN_UNLOCK"), M("MPI_WIN_UNLOCK_ALL"), M("MPI_WIN_FLUSH"),       \
	M("MPI_WIN_FLUSH_ALL"), M("MPI_WIN_FLUSH_LOCAL"), M("MPI_WIN_FLUSH_LOCAL_ALL"),            \
	M("MPI_WIN_SYNC")
/* For each operation: number of calls, bytes by size class, time, and waiting time. */
#define CALLED(op)  COUNT(op "_CALL_COUNT")
#define MOVED(op)                                                                                  \
	CALLED(op), COUNT(op "_TOTAL_BYTES"), COUNT(op "_MSG_SIZE_AGG_0_256"),                     \
	COUNT(op "_MSG_SIZE_AGG_256_1K"), COUNT(op "_MSG_SIZE_AGG_1K_8K"),                         \
	COUNT(op "_MSG_SIZE_AGG_8K_256K"), COUNT(op "_MSG_SIZE_AGG_256K_1M"),                      \
	COUNT(op "_MSG_SIZE_AGG_1M_PLUS")
#define TIMED(op)   REAL(op "_TOTAL_TIME"), REAL(op "_MIN_TIME"), REAL(op "_MAX_TIME")
#define SYNCED(op)  REAL(op "_TOTAL_SYNC_TIME")

static const struct darshan_counter apmpi[] = {
	SENDS(MOVED), WAITS(CALLED), CALLED("MPI_BARRIER"), CALLED("MPI_IBARRIER"),
	COLLECTIVES(MOVED, "MPI_"), COLLECTIVES(MOVED, "MPI_I"), PUTS(MOVED), WINDOWS(CALLED),
	SENDS(TIMED), WAITS(TIMED), TIMED("MPI_BARRIER"), TIMED("MPI_IBARRIER"),
	COLLECTIVES(TIMED, "MPI_"), COLLECTIVES(TIMED, "MPI_I"), PUTS(TIMED), WINDOWS(TIMED),
	SYNCED("MPI_BARRIER"), COLLECTIVES(SYNCED, "MPI_"), REAL("MPI_TOTAL_COMM_TIME"),
	REAL("MPI_TOTAL_COMM_SYNC_TIME"), TEXT("MPI_PROCESSOR_NAME"),
};

static const struct darshan_counter apxc_head[] = {
	COUNT("APXC_MAGIC"), IN("APXC_BLADES"), IN("APXC_CHASSIS"), IN("APXC_GROUPS"),
	IN("APXC_MEMORY_MODE"), IN("APXC_CLUSTER_MODE"), ID("APXC_APPLICATION_ID", 1),
};

#define FLITS(tile, channel) COUNT("APXC_AR_RTR_" tile "_INQ_PRF_INCOMING_FLIT_VC" channel)
#define TILE(t)                                                                                    \
	FLITS(t, "0"), FLITS(t, "1"), FLITS(t, "2"), FLITS(t, "3"), FLITS(t, "4"), FLITS(t, "5"),  \
	FLITS(t, "6"), FLITS(t, "7"), COUNT("APXC_AR_RTR_" t "_INQ_PRF_ROWBUS_STALL_CNT")
#define PORT(t)                                                                                    \
	FLITS(t, "0"), FLITS(t, "4"), COUNT("APXC_AR_RTR_" t "_INQ_PRF_REQ_ROWBUS_STALL_CNT"),     \
	COUNT("APXC_AR_RTR_" t "_INQ_PRF_RSP_ROWBUS_STALL_CNT")
#define EIGHT(M, row)                                                                              \
	M(row "_0"), M(row "_1"), M(row "_2"), M(row "_3"), M(row "_4"), M(row "_5"), M(row "_6"), \
	M(row "_7")

static const struct darshan_counter apxc[] = {
	PLACE("APXC_GROUP"), PLACE("APXC_CHASSIS"), PLACE("APXC_BLADE"), PLACE("APXC_NODE"),
	EIGHT(TILE, "0"), EIGHT(TILE, "1"), EIGHT(TILE, "2"), EIGHT(TILE, "3"), EIGHT(TILE, "4"),
	EIGHT(PORT, "PT_5"),
};

#define FIELDS(list)  {list, sizeof list / sizeof *list}

static const struct darshan_counters modules[] = {
	[DARSHAN_POSIX] = {.record = FIELDS(posix), .versions = 4},
	[DARSHAN_MPIIO] = {.record = FIELDS(mpiio), .versions = 3},
	[DARSHAN_STDIO] = {.record = FIELDS(stdio), .versions = 2},
	[DARSHAN_H5F] = {.record = FIELDS(h5f), .versions = 3},
	[DARSHAN_H5D] = {.record = FIELDS(h5d), .versions = 2},
	[DARSHAN_PNETCDF_FILE] = {.record = FIELDS(pnetcdf_file), .versions = 3},
	[DARSHAN_PNETCDF_VAR] = {.record = FIELDS(pnetcdf_var), .versions = 1},
	[DARSHAN_BGQ] = {.record = FIELDS(bgq), .versions = 2},
	[DARSHAN_MDHIM] = {.record = FIELDS(mdhim), .versions = 1,
			   .rest = "MDHIM_SERVER_%u", .rest_counter = MDHIM_SERVERS},
	[DARSHAN_APXC] = {.record = FIELDS(apxc), .versions = 1, .head = FIELDS(apxc_head),
			  .magic = UINT64_C(0x4155544f50455246)},
	[DARSHAN_APMPI] = {.record = FIELDS(apmpi), .versions = 1, .head = FIELDS(apmpi_head),
			   .magic = UINT64_C(0x41504d5049)},
	[DARSHAN_DFS] = {.record = FIELDS(dfs), .versions = 1},
	[DARSHAN_DAOS] = {.record = FIELDS(daos), .versions = 1},
};
/* Counters without a table here; %u is a number. */
static const char *const variable[] = {
	"HEATMAP_F_BIN_WIDTH_SECONDS", "HEATMAP_WRITE_BIN_%u", "HEATMAP_READ_BIN_%u",
	"LUSTRE_OSTS", "LUSTRE_MDTS", "LUSTRE_STRIPE_OFFSET", "LUSTRE_STRIPE_SIZE",
	"LUSTRE_STRIPE_WIDTH", "LUSTRE_NUM_COMPONENTS", "LUSTRE_NUM_STRIPES", "LUSTRE_OST_ID_%u",
	"LUSTRE_COMP%u_STRIPE_SIZE", "LUSTRE_COMP%u_STRIPE_COUNT", "LUSTRE_COMP%u_STRIPE_PATTERN",
	"LUSTRE_COMP%u_FLAGS", "LUSTRE_COMP%u_EXT_START", "LUSTRE_COMP%u_EXT_END",
	"LUSTRE_COMP%u_MIRROR_ID", "MDHIM_SERVER_%u", "zeros",
};

/* clang-format on */

/*
 * `format` may contain one %u, which matches a number of at most five digits without leading zeros.
 */
static bool matches(struct iot_text name, const char *format)
{
	const char *p = name.data, *end = p + name.size;
	for (; p < end && *format != '\0'; format++) {
		if (*format != '%') {
			if (*p++ != *format)
				return false;
			continue;
		}
		const char *number = p;
		while (p < end && *p >= '0' && *p <= '9')
			p++;
		if (p == number || p - number > 5 || (*number == '0' && p - number > 1))
			return false;
		format++;
	}
	return p == end && *format == '\0';
}

static bool matches_any(struct iot_text name, const char *const *formats, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (matches(name, formats[i]))
			return true;
	return false;
}

/* Returns true if the fields contain the name and its values identify nothing. */
static bool has(const struct darshan_fields *fields, struct iot_text name)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct darshan_counter *counter = &fields->counter[i];
		if (matches(name, counter->name))
			return counter->kind != DARSHAN_ID && counter->kind != DARSHAN_PLACE &&
			       counter->kind != DARSHAN_UUID && counter->kind != DARSHAN_TEXT;
	}
	return false;
}

bool darshan_is_counter(struct iot_text name)
{
	for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
		if (has(&modules[i].record, name) || has(&modules[i].head, name))
			return true;
	return matches_any(name, variable, sizeof variable / sizeof *variable);
}

const struct darshan_counters *darshan_counters(unsigned module, unsigned version)
{
	if (module >= sizeof modules / sizeof *modules || version == 0 ||
	    version > modules[module].versions)
		return NULL;
	return &modules[module];
}
