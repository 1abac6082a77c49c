/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures, and the report when the trace is complete. */
#include "run_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/ui/message.h"
#include "cli/ui/printable.h"
#include "lib/base/plural.h"

int run_failed(const char *what, int errnum)
{
	message_print("%s: %s", what, strerror(errnum));
	return EXIT_NOT_RECORDED;
}

int run_report_failure(const struct record_job *j, const struct collector *c)
{
	const char *own = collector_error(c);
	if (j->part_failed)
		return EXIT_NOT_RECORDED;
	message_print("%s", *own != '\0' ? own : iot_writer_error(j->writer));
	return EXIT_NOT_RECORDED;
}

int run_report_exec(const struct record_job *j, int errnum)
{
	return launch_report(j->argv[0], errnum);
}

static const char *with_commas(uint64_t n, char text[32])
{
	char digits[24];
	const int size = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	char *p = text;
	for (int i = 0; i < size; i++) {
		if (i > 0 && (size - i) % 3 == 0)
			*p++ = ',';
		*p++ = digits[i];
	}
	*p = '\0';
	return text;
}

static void report_check(const struct ring_events_totals *t)
{
	static const char *const directions[] = {"read", "written"};
	message_print("check: %" PRIu64 " of %" PRIu64
		      " processes differ from the kernel's counters",
		      t->differing, t->compared);
	if (t->of_libc > 0)
		message_print("check: %" PRIu64 " of %" PRIu64
			      " processes lack only what libc itself read (locales, users, "
			      "libraries): %" PRIu64 " bytes",
			      t->of_libc, t->compared, t->libc_bytes);
	for (int i = 0; i < 2; i++)
		message_print("check: bytes %s: the kernel counted %" PRIu64
			      ", the trace has %" PRIu64,
			      directions[i], t->kernel[i], t->traced[i]);
}

static void report_unseen(const struct unseen *u)
{
	char sentence[UNSEEN_TEXT], text[4 * UNSEEN_TEXT];
	if (!unseen_any(u))
		return;
	(void)unseen_sentence(u, sentence);
	message_print("warning: not seen: %s; %s",
		      printable(text, sizeof(text), sentence, strlen(sentence)), unseen_remedy(u));
}

/* The names of the trace: its file, or its first and last part. */
static void report_total(const struct record_job *j)
{
	const struct ring_events_totals *t = &j->totals;
	char records[32], processes[32];
	const bool has_parts = *j->first != '\0' && strcmp(j->first, j->name) != 0;
	message_print("%s I/Os of %s %s in %s%s%s", with_commas(t->records, records),
		      with_commas(t->processes, processes),
		      t->processes == 1 ? "process" : "processes", has_parts ? j->first : "",
		      has_parts ? " to " : "",
		      strcmp(j->name, "-") == 0 ? "standard output" : j->name);
}

void run_report(const struct record_job *j)
{
	const struct ring_events_totals *t = &j->totals;
	if (j->check)
		report_check(t);
	if (j->quiet)
		return;
	if (isatty(STDERR_FILENO))
		report_total(j);
	report_unseen(&t->unseen);
	if (t->lost > 0)
		message_print("warning: %" PRIu64 " %s missing", t->lost,
			      plural(t->lost, "I/O is", "I/Os are"));
	if (t->killed > 0)
		message_print("%" PRIu64 " %s in progress when a process was killed", t->killed,
			      plural(t->killed, "call was", "calls were"));
	if (j->late > 0)
		message_print("warning: %" PRIu64 " %s not in order of start; see iotrace reorder",
			      j->late, plural(j->late, "record is", "records are"));
	if (t->damaged > 0)
		message_print("warning: programs damaged %" PRIu64 " %s of their records",
			      t->damaged, plural(t->damaged, "place", "places"));
	if (t->unmapped > 0)
		message_print("warning: %" PRIu64
			      " %s no %%extent: removed, not readable, or not on "
			      "a disk",
			      t->unmapped, plural(t->unmapped, "file has", "files have"));
	if (j->interrupted)
		message_print("warning: interrupted while traced processes were running");
}
