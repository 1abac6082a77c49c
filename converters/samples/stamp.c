/* SPDX-License-Identifier: BSD-2-Clause */
#include "samples.h"

#include "lib/base/civil_time.h"

bool samples_set_host(struct sampling *s, struct iot_text name)
{
	if (name.size > sizeof s->host)
		return false;
	memcpy(s->host, name.data, name.size);
	s->host_size = name.size;
	return true;
}

bool samples_stamp(struct sampling *s, struct iot_text line)
{
	struct iot_text rest = line, key, value, more;
	int64_t ns;
	if (!word_next(&rest, &key) || !word_next(&rest, &value) || word_next(&rest, &more))
		return false;
	if (text_equals(key, "host"))
		return source_setting(s->src, "host") != NULL || samples_set_host(s, value);
	if (!text_equals(key, "time") || !civil_seconds_parse(value, &ns) || ns > SAMPLES_TIME_MAX)
		return false;
	s->stamp_ns = ns;
	return true;
}

void samples_host_of_member(struct sampling *s)
{
	const char *host = source_setting(s->src, "host");
	const char *path = input_name(s->src->input, s->member - 1), *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	s->host_size = 0;
	if (host != NULL)
		(void)samples_set_host(s, (struct iot_text){host, strlen(host)});
	else if (strcmp(path, "-") != 0)
		(void)samples_set_host(s, (struct iot_text){name, strcspn(name, ".")});
}

bool samples_has_host(struct sampling *s)
{
	if (s->host_size > 0)
		return true;
	return samples_fail(s, "no host: expected a line \"host NAME\" before it, or %shost=NAME",
			    s->src->option_prefix);
}

bool samples_is_stamped(struct sampling *s)
{
	if (s->stamp_ns == SAMPLES_TIME_UNKNOWN)
		return samples_fail(s, "no time: expected a line \"time SECONDS\" before it");
	return samples_has_host(s);
}
