/* SPDX-License-Identifier: BSD-2-Clause */
/* The operands: what they are, and how many of them may be open at the same time. */
#include "merge.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/ui/piped.h"
#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"
#include "lib/base/error.h"

enum {
	OPEN_FILES_MAX = 512, /* inputs: more would need too much memory */
	DESCRIPTORS_ELSE = 6, /* descriptors for the output, the tempfile, and libraries */
};

static size_t used_descriptors(rlim_t end)
{
	size_t used = DESCRIPTORS_ELSE;
	for (int fd = 0; fd < (int)end; fd++)
		used += fcntl(fd, F_GETFD) >= 0;
	return used;
}

/* Raises the limit of descriptors as far as it may be raised. */
size_t merge_open_max(const struct merge_options *o)
{
	struct rlimit limit;
	const size_t each = o->reorder ? 3 : 2;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return OPEN_FILES_MAX;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > each * OPEN_FILES_MAX * 2)
		return OPEN_FILES_MAX;
	const size_t used = used_descriptors(limit.rlim_cur);
	const size_t inputs = limit.rlim_cur > used ? ((size_t)limit.rlim_cur - used) / each : 0;
	return inputs < 2 ? 2 : inputs;
}

static enum exit_status take_operand(struct merge_command *m, struct merge_operand *in,
				     const char *path)
{
	const struct merge_options *o = m->options;
	struct stat st;
	bool standard = strcmp(path, "-") == 0;
	in->merge = m;
	in->path = path;
	m->paths[in - m->inputs] = path;
	escape_text(in->display_name, sizeof(in->display_name), standard ? "standard input" : path,
		    standard ? strlen("standard input") : strlen(path));
	if (standard && isatty(STDIN_FILENO))
		return options_wrong(o->command, "standard input is a terminal; name a trace");
	bool known = (standard ? fstat(STDIN_FILENO, &st) : stat(path, &st)) == 0;
	in->again = known && S_ISREG(st.st_mode) && !standard;
	in->once = piped_detect(path);
	in->source = in->once ? iot_source_new() : NULL;
	if (in->once && in->source == NULL)
		return message_no_memory();
	m->total += known && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	return EXIT_OK;
}

static enum exit_status refuse_files(const struct merge_command *m, char *const *paths)
{
	static const char if_twice[] = "the output has all of its events twice";
	struct same_file_set files = {.command = m->options->command,
				      .reads_directories = true,
				      .if_twice = m->options->read.quiet ? NULL : if_twice};
	same_file_add(&files, ROLE_TRACE, m->options->write.path);
	same_file_add_inputs(&files, paths, m->count);
	const enum exit_status status = same_file_check(&files);
	same_file_free(&files);
	return status;
}

enum exit_status merge_take_operands(struct merge_command *m, char *const *paths)
{
	bool piped = false;
	const enum exit_status refused = refuse_files(m, paths);
	if (refused != EXIT_OK)
		return refused;
	for (size_t i = 0; i < m->count; i++) {
		enum exit_status status = take_operand(m, &m->inputs[i], paths[i]);
		if (status != EXIT_OK)
			return status;
		piped = piped || m->inputs[i].once;
	}
	signals_catch(piped ? SIGNALS_PIPE : SIGNALS_FILES, m->options->write.path,
		      m->options->read.quiet);
	return EXIT_OK;
}
