/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_trace.h"

#include <limits.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "job.h"

int live_trace_set(struct iot_writer *w, bool is_new, enum iot_compression compression)
{
	const struct {
		enum iot_option what;
		uint64_t value;
	} settings[] = {{IOT_SET_TICK_NS, 1},
			{IOT_SET_IN_PLACE, 1},
			{IOT_SET_NEW, is_new},
			{IOT_SET_FLUSH, 0},
			{IOT_SET_FLUSH_NS, 0},
			{IOT_SET_FSYNC, 0},
			{IOT_SET_COMPRESSION, compression}};
	int status = IOT_OK;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]) && status == IOT_OK; i++)
		status = iot_writer_set(w, settings[i].what, settings[i].value);
	return status;
}

/* Returns NULL if the name is unknown; a static program cannot look it up. */
static const char *user_name(void)
{
#ifdef IOTRACE_STATIC
	return NULL;
#else
	const struct passwd *user = getpwuid(geteuid());
	return user != NULL ? user->pw_name : NULL;
#endif
}

void live_trace_names(struct iot_builder *b)
{
	char host[HOST_NAME_MAX + 1] = "", number[JOB_NUMBER];
	const char *job = job_number(number);
	const char *user = user_name();
	if (gethostname(host, sizeof(host) - 1) == 0)
		iot_directive_text(b, "host", host, strlen(host));
	if (user != NULL)
		iot_directive_text(b, "user", user, strlen(user));
	else
		iot_directive_number(b, "user", geteuid());
	if (job != NULL)
		iot_directive_text(b, "job", job, strlen(job));
}
