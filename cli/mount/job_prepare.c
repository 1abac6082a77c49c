/* SPDX-License-Identifier: BSD-2-Clause */
/* What a mount needs before it serves requests. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/record/output_name.h"
#include "cli/ui/message.h"
#include "cli/ui/output.h"
#include "cli/ui/signals.h"
#include "lib/base/clock.h"

#include "job_internal.h"

enum { DESCRIPTORS = 1 << 20 }; /* the default of fs.nr_open */

static bool failed(const char *what, int errnum)
{
	message_print("%s: %s", what, strerror(errnum));
	return false;
}

bool job_open_source(struct mount *m, const char *source, const char *point)
{
	struct stat st;
	if (realpath(source, m->source) == NULL || stat(m->source, &st) != 0) {
		message_print_about(source, "%s", strerror(errno));
		return false;
	}
	if (!job_find_point(point, m->point) || stat(m->point, &st) != 0 || !S_ISDIR(st.st_mode)) {
		message_print_about(point, errno == ENOTCONN
					       ? "the file system here has ended; run iotrace "
						 "mount --stop first"
					       : "is not a directory");
		return false;
	}
	m->root.fd = open(m->source, O_PATH | O_DIRECTORY | O_CLOEXEC);
	m->root.type = S_IFDIR;
	if (m->root.fd >= 0)
		return true;
	message_print_about(source, "%s", strerror(errno));
	return false;
}

bool job_open_trace(struct mount_job *j)
{
	char why[128];
	const char *wrong = NULL;
	if (j->options->out == NULL)
		output_name_default(j->m.point, getpid(), j->name, sizeof(j->name));
	else
		wrong =
		    output_name_expand(j->options->out, getpid(), j->name, sizeof(j->name), why);
	if (wrong != NULL) {
		message_print("%s", wrong);
		return false;
	}
	older_output_set_aside(&j->older, j->name);
	j->writer = iot_writer_new();
	if (j->writer == NULL)
		return failed("no writer", ENOMEM);
	if (live_trace_set(j->writer, j->options->out == NULL, output_compression(j->name)) ==
		IOT_OK &&
	    iot_writer_open(j->writer, j->name) == IOT_OK)
		return true;
	message_print("%s", iot_writer_error(j->writer));
	return false;
}

static bool write_trace_directive(struct mount_job *j)
{
	char memory[IOT_COMMENT_MAX];
	struct iot_builder b;
	struct iot_event ev = {.kind = 0};
	const char *const view = j->m.cached ? "kernel" : "application";
	iot_directive_begin(&b, memory, sizeof(memory), "trace");
	iot_directive_text(&b, "source", "mount", 5);
	live_trace_names(&b);
	iot_directive_number(&b, "epoch", j->epoch_ns);
	iot_directive_text(&b, "lacks", "cpu,asynchronous", 16);
	iot_directive_text(&b, "view", view, strlen(view));
	if (iot_directive_end(&b, &ev) == IOT_OK &&
	    iot_writer_events(j->writer, &ev, 1) == IOT_OK) {
		analyses_events(&j->options->live->analyses, &ev, 1);
		return true;
	}
	message_print("%s", iot_writer_error(j->writer));
	return false;
}

/*
 * Each file that the kernel knows has a descriptor, and each open file another one. Root may raise
 * the limit of the shell. Returns the limit.
 */
static size_t raise_limit(void)
{
	const rlim_t many = DESCRIPTORS;
	struct rlimit limit = {many, many};
	if (setrlimit(RLIMIT_NOFILE, &limit) == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return DESCRIPTORS;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	return (size_t)limit.rlim_cur;
}

/* Leaves three quarters of the descriptors to open files. */
static void limit_inodes(struct mount *m)
{
	const size_t limit = raise_limit();
	const int source = open(m->source, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (source >= 0)
		inodes_limit(&m->inodes, source, limit / 4);
}

bool job_prepare(struct mount_job *j)
{
	struct mount *m = &j->m;
	j->epoch_ns = clock_read_ns(CLOCK_REALTIME);
	clock_map_start(&j->clock, clock_has_tsc() ? RECORD_TSC : RECORD_MONOTONIC);
	clock_map_sample(&j->clock);
	m->clock = &j->clock;
	m->cached = j->options->cached;
	m->mapped = j->options->mapped;
	m->timeout = 1;
	m->as_root = geteuid() == 0;
	(void)umask(0); /* the kernel applies the umask of the caller before it asks */
	if (!inodes_init(&m->inodes) || !requesters_init(&m->requesters, m->clock) ||
	    pthread_mutex_init(&m->pieces.mutex, NULL) != 0 ||
	    !buffers_init(&m->buffers, j->options->buffer, j->options->drop, m->clock))
		return failed("no buffers", errno);
	limit_inodes(m);
	j->signals = signals_receive();
	if (j->signals < 0)
		return failed("signals cannot be received", errno);
	j->trace = mount_trace_new(j->writer, &j->clock, &j->options->events);
	return j->trace != NULL ? write_trace_directive(j) : failed("no trace", ENOMEM);
}
