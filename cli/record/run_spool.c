/* SPDX-License-Identifier: BSD-2-Clause */
/* The spool of --convert=after and auto. */
#include "run_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ui/message.h"
#include "proc_file.h"

/* Appends a text with its NUL to j->texts, which has the size. */
static void add_text(struct record_job *j, size_t *size, const char *text, size_t n)
{
	memcpy(j->texts + *size, text, n);
	j->texts[*size + n] = '\0';
	*size += n + 1;
}

static size_t arguments_size(const struct record_job *j)
{
	size_t size = 0;
	for (char **a = j->arguments; *a != NULL; a++)
		size += strlen(*a) + 1;
	return size;
}

/* All that another process needs to know of this one. */
static bool fill_begin(struct record_job *j)
{
	struct iot_event ev = {.kind = 0};
	char name[2 * PATH_MAX] = "", directory[PATH_MAX];
	const bool is_relative = j->name[0] != '/' && run_has_file(j);
	if (run_make_directive(j, &ev) != IOT_OK)
		return false;
	if (is_relative && getcwd(directory, sizeof(directory)) == NULL)
		return false;
	(void)snprintf(name, sizeof(name), "%s%s%s", is_relative ? directory : "",
		       is_relative ? "/" : "", j->name);
	size_t size = 0;
	const size_t all =
	    strlen(name) + ev.text.size + 2 + (j->arguments != NULL ? arguments_size(j) : 0);
	j->texts = all <= SPOOL_DATA_MAX / 2 ? malloc(all) : NULL;
	if (j->texts == NULL || j->arguments == NULL)
		return false;
	j->begin = (struct spool_begin){.magic = SPOOL_MAGIC,
					.version = RECORD_VERSION,
					.text_size = (uint32_t)all,
					.clock = (uint8_t)j->clock.clock,
					.cpu = (uint8_t)j->cpu,
					.samples = (uint8_t)j->clock.count,
					.began = process_start((uint32_t)getpid()),
					.sample = {j->clock.sample[0], j->clock.sample[1]}};
	add_text(j, &size, name, strlen(name));
	add_text(j, &size, ev.text.data, ev.text.size);
	for (char **a = j->arguments; *a != NULL; a++, j->begin.arguments++)
		add_text(j, &size, *a, strlen(*a));
	return true;
}

int run_create_spool(struct record_job *j)
{
	if (j->convert == CONVERT_WHILE)
		return EXIT_OK;
	if (fill_begin(j) && spool_create(&j->spool, j->recording.fd, j->spool_limit) &&
	    spool_begin(&j->spool, &j->begin, j->texts)) {
		j->collector.spool = &j->spool;
		j->collector.begin = &j->begin;
		return EXIT_OK;
	}
	spool_close(&j->spool);
	(void)unlinkat(j->recording.fd, "spool", 0);
	return j->convert == CONVERT_AUTO ? EXIT_OK : run_failed("--convert=after", errno);
}

void run_end_recording(struct record_job *j, int status)
{
	char path[PATH_MAX];
	(void)snprintf(path, sizeof(path), "%s", j->recording.path);
	const bool has_run = j->launch.release < 0;
	const bool kept = status == EXIT_NOT_RECORDED && j->spool.fd >= 0 && has_run;
	if (kept)
		message_print("%s is kept: 'iotrace record --resume %s -o OUT' makes the trace",
			      path, path);
	spool_close(&j->spool);
	if (kept)
		recording_close(&j->recording);
	else if (!recording_remove(&j->recording))
		message_print_about(path, "cannot be removed: %s", strerror(errno));
}
