/* SPDX-License-Identifier: BSD-2-Clause */
/* The libraries that run, which may be others than those that the program was compiled with. */
#include "version.h"

#include <bzlib.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <lzma.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "converters/input/archive_library.h"

#include "cli/record/launch.h"

static int print_archives(void)
{
	struct archive_library l;
	struct error error = {.status = IOT_OK};
	if (!archive_library_open(&l, &error))
		return printf("archives: no (%s)\n", error.text);
	const int size = printf("archives: yes (%s)\n", l.archive_version_string());
	archive_library_close(&l);
	return size;
}

int version_print(void)
{
	char library[PATH_MAX];
	const char *bzip2 = BZ2_bzlibVersion(); /* "1.0.8, 13-Jul-2019" */
	const unsigned xxhash = XXH_versionNumber();
	const bool records = launch_find_library(library, 0) || launch_find_library(library, 1);
	const int size = printf(
	    "iotrace %s\n"
	    "libraries: zstd %s, zlib %s, xxhash %u.%u.%u, libsodium %s, libdeflate "
	    "%s, liblzma %s, bzip2 %.*s\n",
	    iot_version(), ZSTD_versionString(), zlibVersion(), xxhash / 10000, xxhash / 100 % 100,
	    xxhash % 100, sodium_version_string(), LIBDEFLATE_VERSION_STRING, lzma_version_string(),
	    (int)strcspn(bzip2, ","), bzip2);
	return size < 0 || print_archives() < 0 ||
		       printf("record: %s\n", records ? "yes" : "no (its library was not found)") <
			   0
		   ? -1
		   : 0;
}
