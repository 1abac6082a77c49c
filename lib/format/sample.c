/* SPDX-License-Identifier: BSD-2-Clause */
#include "sample.h"

#include <xxhash.h>

#include "lib/base/number.h"
#include "lib/base/text.h"

#include "directive.h"

const struct iot_text sample_names[SAMPLE_VALUES] = {
    [SAMPLE_READ_BYTES] = TEXT_OF("read-bytes"),
    [SAMPLE_WRITTEN_BYTES] = TEXT_OF("written-bytes"),
    [SAMPLE_READS] = TEXT_OF("reads"),
    [SAMPLE_WRITES] = TEXT_OF("writes"),
    [SAMPLE_REQUESTS] = TEXT_OF("requests"),
    [SAMPLE_OPENS] = TEXT_OF("opens"),
    [SAMPLE_CLOSES] = TEXT_OF("closes"),
    [SAMPLE_READDIRS] = TEXT_OF("readdirs"),
    [SAMPLE_INODE_UPDATES] = TEXT_OF("inode-updates"),
    [SAMPLE_CREATES] = TEXT_OF("creates"),
    [SAMPLE_READ_NS] = TEXT_OF("read-ns"),
    [SAMPLE_WRITE_NS] = TEXT_OF("write-ns"),
    [SAMPLE_BUSY_NS] = TEXT_OF("busy-ns"),
    [SAMPLE_QUEUE_NS] = TEXT_OF("queue-ns")};

static void take_word(struct sample *s, struct iot_text key, struct iot_text value)
{
	struct {
		struct iot_text key;
		bool *flag;
	} const flags[] = {{TEXT_OF("gap"), &s->gap},
			   {TEXT_OF("reset"), &s->reset},
			   {TEXT_OF("doubtful"), &s->doubtful}};
	if (text_equals(key, "host"))
		s->host = value;
	else if (text_equals(key, "target"))
		s->target = value;
	else if (text_equals(key, "job"))
		s->job = value;
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (text_same(key, flags[i].key))
			*flags[i].flag = !text_equals(value, "0");
}

/* Returns false for a value that is not a number. */
static bool take_pair(struct sample *s, struct iot_text key, struct iot_text value)
{
	for (unsigned v = 0; v < SAMPLE_VALUES; v++) {
		if (key.size != sample_names[v].size || key.data[0] != sample_names[v].data[0] ||
		    !text_same(key, sample_names[v]))
			continue;
		s->known |= UINT32_C(1) << v;
		return number_decimal(value.data, value.size, &s->value[v]);
	}
	take_word(s, key, value);
	return true;
}

bool sample_of(const struct iot_event *ev, struct sample *s)
{
	struct iot_text rest = ev->text, token, key, value;
	const unsigned both = IOT_HAS_TIME | IOT_HAS_TOOK;
	*s =
	    (struct sample){.start_ns = (uint64_t)ev->rec.start_ns, .took_ns = ev->rec.duration_ns};
	if ((ev->has & both) != both || !directive_end_fits(ev) || s->took_ns == 0)
		return false;
	while (directive_token(&rest, &token))
		if (directive_split(token, &key, &value) && !take_pair(s, key, value))
			return false;
	return s->host.data != NULL;
}

uint64_t sample_key(const struct sample *s)
{
	const struct iot_text parts[] = {s->host, s->target, s->job};
	uint64_t hash = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		hash = XXH3_64bits_withSeed(parts[i].size > 0 ? parts[i].data : "", parts[i].size,
					    hash);
	return hash;
}
