/* SPDX-License-Identifier: BSD-2-Clause */
#include "process_start.h"

#include <string.h>
#include <sys/types.h>

#include "proc_file.h"
#include "lib/base/number.h"

enum { FIELD = 22 };

uint64_t process_start(uint32_t pid)
{
	char line[1024];
	uint64_t start;
	(void)proc_file_read(pid, "stat", line, sizeof(line));
	const char *p = strrchr(line, ')'); /* the end of field 2 */
	for (int field = 2; p != NULL && field < FIELD; field++)
		p = strchr(p + 1, ' ');
	return p != NULL && number_decimal(p + 1, strcspn(p + 1, " "), &start) ? start : 0;
}
