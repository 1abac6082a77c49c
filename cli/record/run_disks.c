/* SPDX-License-Identifier: BSD-2-Clause */
/* The disks of --blktrace. */
#include "run_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/ui/message.h"
#include "cli/ui/same_file.h"
#include "tie_disks.h"
#include "lib/base/plural.h"

/* Returns whether --blktrace may replace its file; otherwise prints a message. */
static bool is_replaceable(struct record_job *j)
{
	struct same_file_set files = {.command = j->command};
	same_file_add_output(&files, ROLE_EXPORT, "--blktrace", j->blktrace);
	same_file_add(&files, ROLE_TRACE, j->name);
	const bool ok = same_file_check(&files) == EXIT_OK;
	same_file_free(&files);
	return ok;
}

int run_begin_disks(struct record_job *j)
{
	int errnum = 0;
	if (j->blktrace == NULL)
		return EXIT_OK;
	if (!is_replaceable(j))
		return EXIT_NOT_RECORDED;
	const char *const why =
	    block_trace_begin(&j->disks, j->blktrace, j->clock.sample[0].ns, j->epoch_ns, &errnum);
	if (why == NULL)
		return EXIT_OK;
	message_print("--blktrace=%s: %s%s%s%s", j->blktrace, why, errnum != 0 ? ": " : "",
		      errnum != 0 ? strerror(errnum) : "",
		      errnum == EPERM || errnum == EACCES ? "; it needs CAP_SYS_ADMIN" : "");
	return EXIT_NOT_RECORDED;
}

static void keep_disk_error(struct record_job *j, int errnum)
{
	if (j->disk_errnum == 0)
		j->disk_errnum = errnum;
}

void run_drain_disks(struct record_job *j)
{
	if (j->blktrace != NULL && j->disk_errnum == 0)
		keep_disk_error(j, block_trace_drain(&j->disks));
}

void run_end_disks(struct record_job *j)
{
	keep_disk_error(j, block_trace_end(&j->disks));
}

void run_remove_disks(const struct record_job *j)
{
	if (j->disks.created)
		run_remove_file(j->blktrace);
}

int run_tie_disks(struct record_job *j)
{
	if (j->blktrace == NULL || j->resume != NULL)
		return EXIT_OK;
	if (j->disk_errnum != 0)
		return run_failed(j->blktrace, j->disk_errnum);
	if (j->disks.lost > 0)
		message_print("warning: %" PRIu64 " %s of disks missing", j->disks.lost,
			      plural(j->disks.lost, "action", "actions"));
	return tie_disks(j->name, j->blktrace) ? EXIT_OK : EXIT_NOT_RECORDED;
}
