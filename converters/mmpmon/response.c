/* SPDX-License-Identifier: BSD-2-Clause */
#include <xxhash.h>

#include "mmpmon.h"

enum { US_PER_S = 1000000, NS_PER_US = 1000 };

#define VALUE(v) ((enum mmpmon_key)((int)MMPMON_VALUES + (int)(v)))

/* In the order in which mmpmon prints them. */
static const struct {
	struct iot_text name;
	const char *label;
	enum mmpmon_key key;
} keys[] = {
    {TEXT_OF("_n_"), NULL, MMPMON_UNKNOWN},
    {TEXT_OF("_nn_"), NULL, MMPMON_HOST},
    {TEXT_OF("_rc_"), NULL, MMPMON_STATUS},
    {TEXT_OF("_t_"), NULL, MMPMON_SECONDS},
    {TEXT_OF("_tu_"), NULL, MMPMON_MICROSECONDS},
    {TEXT_OF("_cl_"), "cluster", MMPMON_CLUSTER},
    {TEXT_OF("_fs_"), "filesystem", MMPMON_TARGET},
    {TEXT_OF("_d_"), "disks", MMPMON_UNKNOWN},
    {TEXT_OF("_br_"), "bytes read", VALUE(SAMPLE_READ_BYTES)},
    {TEXT_OF("_bw_"), "bytes written", VALUE(SAMPLE_WRITTEN_BYTES)},
    {TEXT_OF("_oc_"), "opens", VALUE(SAMPLE_OPENS)},
    {TEXT_OF("_cc_"), "closes", VALUE(SAMPLE_CLOSES)},
    {TEXT_OF("_rdc_"), "reads", VALUE(SAMPLE_READS)},
    {TEXT_OF("_wc_"), "writes", VALUE(SAMPLE_WRITES)},
    {TEXT_OF("_dir_"), "readdir", VALUE(SAMPLE_READDIRS)},
    {TEXT_OF("_iu_"), "inode updates", VALUE(SAMPLE_INODE_UPDATES)},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* Names are short. */
static bool is_name(struct iot_text word, struct iot_text name)
{
	if (word.size != name.size)
		return false;
	for (size_t i = 0; i < name.size; i++)
		if (word.data[i] != name.data[i])
			return false;
	return true;
}

enum mmpmon_key mmpmon_find_key(struct mmpmon *m, struct iot_text name)
{
	for (size_t i = 0; i < KEYS; i++) {
		const size_t k = (m->candidate + i) % KEYS;
		if (is_name(name, keys[k].name)) {
			m->candidate = k + 1;
			return keys[k].key;
		}
	}
	return MMPMON_UNKNOWN;
}

enum mmpmon_key mmpmon_find_label(struct iot_text label)
{
	for (size_t i = 0; i < KEYS; i++)
		if (keys[i].label != NULL && text_equals(label, keys[i].label))
			return keys[i].key;
	return MMPMON_UNKNOWN;
}

void mmpmon_begin(struct mmpmon *m, enum mmpmon_kind kind)
{
	m->response.kind = kind;
	m->response.known = 0;
	m->response.wrong = false;
	m->candidate = 0;
	m->key[0] = '\0';
}

void mmpmon_set(struct mmpmon *m, enum mmpmon_key key, struct iot_text value)
{
	struct mmpmon_response *r = &m->response;
	const char *at = value.data, *const end = at + value.size;
	if (key >= MMPMON_UNKNOWN || r->kind == MMPMON_OTHER || r->kind == MMPMON_NONE)
		return;
	if (key < MMPMON_TEXTS) {
		r->wrong |= value.size > MMPMON_NAME_MAX;
		if (value.size > MMPMON_NAME_MAX)
			return;
		memcpy(r->texts[key], value.data, value.size);
		r->text[key] = (struct iot_text){r->texts[key], value.size};
	} else if (!number_scan(&at, end, 10, &r->number[key]) || at != end) {
		r->wrong = true;
		return;
	}
	r->known |= UINT64_C(1) << key;
}

/* The end of a response */

static bool knows(const struct mmpmon_response *r, enum mmpmon_key key)
{
	return (r->known >> key & 1) != 0;
}

static struct mmpmon_host *find_host(struct sampling *s, struct iot_text name)
{
	struct mmpmon *m = s->own;
	const size_t i =
	    idmap_number(&m->hosts, XXH3_64bits_withSeed(name.data, name.size, s->seed));
	if (!array_reserve_index(&m->host, &m->host_capacity, i, sizeof *m->host)) {
		(void)samples_no_memory(s);
		return NULL;
	}
	return &m->host[i];
}

/* Sets the time of the response. Returns false if there is none. */
static bool find_time(const struct mmpmon_response *r, int64_t *ns)
{
	if (!knows(r, MMPMON_SECONDS) || !knows(r, MMPMON_MICROSECONDS) ||
	    r->number[MMPMON_MICROSECONDS] >= US_PER_S ||
	    r->number[MMPMON_SECONDS] >= SAMPLES_TIME_MAX / SAMPLES_NS_PER_S)
		return false;
	*ns = (int64_t)(r->number[MMPMON_SECONDS] * SAMPLES_NS_PER_S +
			r->number[MMPMON_MICROSECONDS] * NS_PER_US);
	return true;
}

/* Makes "CLUSTER:FS" in the memory of the cluster's name. */
static bool make_target(struct mmpmon_response *r, struct iot_text *target)
{
	struct iot_text *cluster = &r->text[MMPMON_CLUSTER], *fs = &r->text[MMPMON_TARGET];
	if (r->kind == MMPMON_NODE) {
		*target = (struct iot_text){"node", 4};
		return true;
	}
	if (!knows(r, MMPMON_CLUSTER) || !knows(r, MMPMON_TARGET) ||
	    cluster->size + 1 + fs->size > MMPMON_NAME_MAX)
		return false;
	char *text = r->texts[MMPMON_CLUSTER];
	text[cluster->size] = ':';
	memcpy(text + cluster->size + 1, fs->data, fs->size);
	*target = (struct iot_text){text, cluster->size + 1 + fs->size};
	return true;
}

static bool count(struct sampling *s, struct mmpmon_host *host, int64_t time_ns)
{
	struct mmpmon *m = s->own;
	struct mmpmon_response *r = &m->response;
	struct sample_point p = {.host = r->text[MMPMON_HOST],
				 .time_ns = time_ns,
				 .since_ns =
				     host->reset_ns > 0 ? host->reset_ns : SAMPLES_TIME_UNKNOWN};
	if (!make_target(r, &p.target))
		return samples_unparsed(s);
	host->has_file_systems |= r->kind == MMPMON_FILE_SYSTEM;
	if (r->kind == MMPMON_NODE && host->has_file_systems) {
		m->skipped_nodes++;
		return true;
	}
	for (unsigned v = 0; v < SAMPLE_VALUES; v++)
		if (knows(r, VALUE(v)))
			sample_set(&p, v, r->number[VALUE(v)]);
	return p.known != 0 ? samples_count(s, &p) : samples_unparsed(s);
}

bool mmpmon_end(struct sampling *s)
{
	struct mmpmon *m = s->own;
	struct mmpmon_response *r = &m->response;
	int64_t time_ns;
	bool ok = true;
	if (r->kind == MMPMON_NONE)
		return true;
	if (r->kind == MMPMON_OTHER) {
		m->skipped++;
	} else if (knows(r, MMPMON_STATUS) && r->number[MMPMON_STATUS] != 0) {
		m->failed++;
	} else if (r->wrong || !knows(r, MMPMON_HOST) || !find_time(r, &time_ns)) {
		ok = samples_unparsed(s);
	} else {
		struct mmpmon_host *host = find_host(s, r->text[MMPMON_HOST]);
		if (host != NULL && r->kind == MMPMON_RESET)
			host->reset_ns = time_ns;
		ok = host != NULL && (r->kind == MMPMON_RESET || count(s, host, time_ns));
	}
	r->kind = MMPMON_NONE;
	return ok;
}
