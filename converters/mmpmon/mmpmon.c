/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * With -p each response is a line of keys and values, which manuals and terminals break:
 *
 *     _fs_io_s_ _n_ 192.0.2.8 _nn_ node1 _rc_ 0 _t_ 1764320400 _tu_ 407431 _cl_ c1 _fs_ gpfs2
 *     _d_ 2 _br_ 6291456 _bw_ 314572800 _oc_ 10 _cc_ 16 _rdc_ 101 _wc_ 300 _dir_ 7 _iu_ 2
 *
 * Without -p it is a line for each value:
 *
 *     mmpmon node 192.0.2.8 name node1 fs_io_s OK
 *     cluster:        c1
 *     filesystem:     gpfs2
 *     timestamp:      1764320400/407431
 *     bytes read:     6291456
 */
#include <stdlib.h>

#include "mmpmon.h"

enum { BITS = 150, LONG_BITS = 120 };

/* Returns MMPMON_NONE if the word is not the name of a response. */
static enum mmpmon_kind kind_of(struct iot_text word)
{
	static const char *const others[] = {"_ver_",   "_nlist_", "_mount_",    "_failed_",
					     "_begin_", "_end_",   "_response_", "_rhist_",
					     "_R_",     "_L_",     "_vfs_s_",    "_ioc_s_"};
	if (text_equals(word, "_fs_io_s_"))
		return MMPMON_FILE_SYSTEM;
	if (text_equals(word, "_io_s_"))
		return MMPMON_NODE;
	if (text_equals(word, "_reset_"))
		return MMPMON_RESET;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (text_equals(word, others[i]))
			return MMPMON_OTHER;
	return MMPMON_NONE;
}

static void keep_key(struct mmpmon *m, struct iot_text key)
{
	const size_t size = key.size < sizeof m->key ? key.size : sizeof m->key - 1;
	memcpy(m->key, key.data, size);
	m->key[size] = '\0';
}

/* Takes keys and values, of which the last line may have left a key. */
static void take_pairs(struct mmpmon *m, struct iot_text rest)
{
	struct iot_text key, value;
	if (m->key[0] != '\0' && word_next(&rest, &value)) {
		mmpmon_set(m, mmpmon_find_key(m, (struct iot_text){m->key, strlen(m->key)}), value);
		m->key[0] = '\0';
	}
	while (word_next(&rest, &key)) {
		if (!word_next(&rest, &value)) {
			keep_key(m, key);
			return;
		}
		mmpmon_set(m, mmpmon_find_key(m, key), value);
	}
}

static bool short_line(struct sampling *s, struct iot_text line)
{
	struct mmpmon *m = s->own;
	struct iot_text rest = line, word;
	if (!word_next(&rest, &word))
		return true;
	const enum mmpmon_kind kind = kind_of(word);
	if (kind != MMPMON_NONE) {
		if (!mmpmon_end(s))
			return false;
		mmpmon_begin(m, kind);
		take_pairs(m, rest);
		return true;
	}
	if (m->response.kind == MMPMON_NONE || (word.data[0] != '_' && m->key[0] == '\0'))
		return samples_unparsed(s);
	take_pairs(m, line);
	return true;
}

/* The form without -p */

/* Takes "mmpmon node ADDRESS name HOST REQUEST OK". */
static bool take_title(struct sampling *s, struct iot_text line)
{
	struct mmpmon *m = s->own;
	struct iot_text word[7];
	size_t n = 0;
	while (n < 7 && word_next(&line, &word[n]))
		n++;
	if (n < 6 || !text_equals(word[1], "node") || !text_equals(word[3], "name"))
		return false;
	mmpmon_begin(m, text_equals(word[5], "fs_io_s") ? MMPMON_FILE_SYSTEM
			: text_equals(word[5], "io_s")  ? MMPMON_NODE
							: MMPMON_OTHER);
	mmpmon_set(m, MMPMON_HOST, word[4]);
	if (n < 7 || !text_equals(word[6], "OK"))
		mmpmon_set(m, MMPMON_STATUS, (struct iot_text){"1", 1});
	return true;
}

static void take_timestamp(struct mmpmon *m, struct iot_text value)
{
	const char *slash = memchr(value.data, '/', value.size);
	const size_t n = slash != NULL ? (size_t)(slash - value.data) : value.size;
	mmpmon_set(m, MMPMON_SECONDS, (struct iot_text){value.data, n});
	if (slash != NULL)
		mmpmon_set(m, MMPMON_MICROSECONDS,
			   (struct iot_text){slash + 1, value.size - n - 1});
}

static bool long_line(struct sampling *s, struct iot_text line)
{
	struct mmpmon *m = s->own;
	struct iot_text value, rest;
	if (line.size > 7 && memcmp(line.data, "mmpmon ", 7) == 0)
		return mmpmon_end(s) && (take_title(s, line) || samples_unparsed(s));
	const char *colon = line.size > 0 ? memchr(line.data, ':', line.size) : NULL;
	if (m->response.kind == MMPMON_OTHER || line.size == 0)
		return true;
	if (colon == NULL || m->response.kind == MMPMON_NONE)
		return samples_unparsed(s);
	const struct iot_text label = {line.data, (size_t)(colon - line.data)};
	rest = (struct iot_text){colon + 1, line.size - label.size - 1};
	if (!word_next(&rest, &value))
		return samples_unparsed(s);
	if (text_equals(label, "timestamp"))
		take_timestamp(m, value);
	else
		mmpmon_set(m, mmpmon_find_label(label), value);
	return true;
}

static bool line(struct sampling *s, struct iot_text text)
{
	struct mmpmon *m = s->own;
	if (text.size > 7 && memcmp(text.data, "mmpmon ", 7) == 0)
		m->is_long = true;
	else if (text.size > 0 && text.data[0] == '_')
		m->is_long = false;
	return m->is_long ? long_line(s, text) : short_line(s, text);
}

/* Members */

static bool end(struct sampling *s)
{
	struct mmpmon *m = s->own;
	/*
	 * the last response of a member that is cut may lack its last keys, and no value is wrong
	 */
	const bool ok = mmpmon_end(s);
	if (m->skipped > 0)
		report_add(&s->src->report, "skipped.responses", m->skipped);
	if (m->failed > 0)
		report_add(&s->src->report, "failed.responses", m->failed);
	if (m->skipped_nodes > 0)
		report_add(&s->src->report, "skipped.node_responses", m->skipped_nodes);
	m->skipped = m->failed = m->skipped_nodes = 0;
	m->is_long = false;
	return ok;
}

static void close_state(struct sampling *s)
{
	struct mmpmon *m = s->own;
	idmap_free(&m->hosts);
	free(m->host);
}

/* Interface */

static int line_bits(struct iot_text text)
{
	struct iot_text word;
	if (!word_next(&text, &word))
		return 0;
	if (text_equals(word, "_fs_io_s_") || text_equals(word, "_io_s_"))
		return BITS;
	const bool is_long = text_equals(word, "mmpmon") && word_next(&text, &word);
	return is_long && text_equals(word, "node") ? LONG_BITS : 0;
}

static int sniff(struct input *in)
{
	return samples_sniff(in, line_bits);
}

static const struct samples_format format = {.state_size = sizeof(struct mmpmon),
					     .tick_ns = 1000,
					     .line = line,
					     .end = end,
					     .close = close_state};

static int open_source(struct source_state *src)
{
	return samples_open(src, &format);
}

static const struct iot_format_option options[] = {
    SAMPLES_OPTIONS,
    {NULL, NULL, NULL},
};

const struct converter converter_mmpmon = {
    .name = "mmpmon",
    .summary = "counters of GPFS file systems: mmpmon, with or without -p",
    .options = options,
    .sniff = sniff,
    .open = open_source,
    .next = samples_next,
    .close = samples_close,
};
