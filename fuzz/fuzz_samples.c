/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any trace as samples of I/O nodes: the command ends, and prints values unless it refuses the
 * trace; no file is left.
 *
 * Inputs with numbers of more than four digits are left out, as they take long.
 */
#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"

static const char description[] = "compute-nodes = 2\nrequest-max = 1KiB  ciod-buffer = 1KiB\n"
				  "page-pool = 2KiB\ntree = 1MB/s  network = 1MB/s\n";

static bool is_long(const uint8_t *data, size_t size)
{
	unsigned digits = 0;
	for (size_t i = 0; i < size; i++) {
		digits = isdigit(data[i]) ? digits + 1 : 0;
		if (digits > 4)
			return true;
	}
	return size > 0 && (data[0] & 0x80) != 0; /* compressed */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char system_path[64], trace_path[64], out_path[COMMAND_PATH];
	size_t out_size;
	if (is_long(data, size))
		return 0;
	const int system_fd = fuzz_file(description, sizeof description - 1);
	const int trace_fd = fuzz_file(data, size);
	snprintf(system_path, sizeof system_path, "/proc/self/fd/%d", system_fd);
	snprintf(trace_path, sizeof trace_path, "/proc/self/fd/%d", trace_fd);
	command_path(out_path, "counters");
	const char *words[] = {"model", "--json", "-o", out_path, system_path, trace_path, NULL};
	struct command done = command_run(cmd_model, words);
	free(command_output(out_path, &out_size));
	FUZZ_CHECK(done.status == EXIT_FAILED || strstr(done.out, "validation") != NULL);
	free(done.out);
	command_left_nothing();
	(void)close(system_fd);
	(void)close(trace_fd);
	return 0;
}
