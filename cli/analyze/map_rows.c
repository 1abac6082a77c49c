/* SPDX-License-Identifier: BSD-2-Clause */
#include "map_rows.h"

#include "lib/result/names.h"

#define ALL(name)                                                                                  \
	{                                                                                          \
		"read_" name, "write_" name, name                                                  \
	}
#define ALL_BYTES(name)                                                                            \
	{                                                                                          \
		"read_" name, "written_" name, name                                                \
	}
#define DIRECTIONS(name)                                                                           \
	{                                                                                          \
		"read_" name, "write_" name, NULL                                                  \
	}
#define ONE(name)                                                                                  \
	{                                                                                          \
		NULL, NULL, name                                                                   \
	}

const struct map_row map_rows[MAP_ROWS_MAX] = {
    {"1.1", "bytes", ALL_BYTES("bytes"), SHOWN_BYTES},
    {"1.2", "requests", {"reads", "writes", "requests"}, SHOWN_COUNT},
    {"1.3", "highest rate, per second", ALL_BYTES("bytes_per_s_max"), SHOWN_BYTES},
    {"1.3", "mean rate, per second", ALL_BYTES("bytes_per_s"), SHOWN_BYTES},
    {"1.4", "highest requests/s", ALL("requests_per_s_max"), SHOWN_REAL},
    {"1.4", "mean requests/s", ALL("requests_per_s"), SHOWN_REAL},
    {"1.5", "created files", ONE("created"), SHOWN_COUNT},
    {"1.5", "opens", ONE("opens"), SHOWN_COUNT},
    {"1.5", "closes", ONE("closes"), SHOWN_COUNT},
    {"1.6", "time above 1 MiB/s", ALL("intensity"), SHOWN_PERCENT},
    {"2.2", "small requests", DIRECTIONS("small_share"), SHOWN_PERCENT},
    {"2.3", "requests of variable size", DIRECTIONS("variable_share"), SHOWN_PERCENT},
    {"2.4",
     "share of the requests",
     {"read_request_share", "write_request_share", NULL},
     SHOWN_PERCENT},
    {"2.4", "share of the bytes", {"read_byte_share", "write_byte_share", NULL}, SHOWN_PERCENT},
    {"2.6", "files of one process", ONE("unshared_files"), SHOWN_COUNT},
    {"2.6", "files of several processes", ONE("shared_files"), SHOWN_COUNT},
    {"2.7", "most frequent pattern", DIRECTIONS("pattern"), SHOWN_WORD},
    {"2.7", "requests of this pattern", DIRECTIONS("pattern_share"), SHOWN_PERCENT},
    {"2.9", "burstiness", ALL("burstiness"), SHOWN_REAL},
    {"2.10", "requests repeat", ONE("repetitive"), SHOWN_YES},
    {"2.10", "lag of most repetitions, in requests", ONE("lag"), SHOWN_COUNT},
    {"2.11", "period of bins by type, in s", ALL("type_period_s"), SHOWN_REAL},
    {"3.1", "parallel I/O intensity", ALL("parallel_normalised"), SHOWN_REAL},
    {"4.2", "requests of POSIX", DIRECTIONS("posix"), SHOWN_COUNT},
    {"4.2", "requests of MPI-IO", DIRECTIONS("mpiio"), SHOWN_COUNT},
    {"4.2", "counted by POSIX", DIRECTIONS("counters_POSIX"), SHOWN_COUNT},
    {"4.2", "counted by MPI-IO", DIRECTIONS("counters_MPI-IO"), SHOWN_COUNT},
    {"4.2", "counted by STDIO", DIRECTIONS("counters_STDIO"), SHOWN_COUNT},
    {"4.4", "bytes required", DIRECTIONS("required"), SHOWN_PERCENT},
    {"4.4", "bytes of checkpoints", {NULL, "write_checkpoint", NULL}, SHOWN_PERCENT},
    {"4.4", "bytes of swapping", DIRECTIONS("swapping"), SHOWN_PERCENT},
    {"4.4", "bytes rewritten", {NULL, "write_rewritten", NULL}, SHOWN_PERCENT},
    {"4.5", "asynchronous requests", ONE("asynchronous_request_share"), SHOWN_PERCENT},
    {"4.5", "asynchronous bytes", ONE("asynchronous_byte_share"), SHOWN_PERCENT},
};

bool map_row_find(const struct iot_analyze *a, const struct map_row *row,
		  const struct iot_analyze_value *found[MAP_KEYS])
{
	bool any = false;
	for (unsigned i = 0; i < MAP_KEYS; i++) {
		found[i] = row->keys[i] != NULL
			       ? iot_analyze_find(a, SECTION_OF(map), row->criterion, row->keys[i])
			       : NULL;
		any |= found[i] != NULL;
	}
	return any;
}
