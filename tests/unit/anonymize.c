/* SPDX-License-Identifier: BSD-2-Clause */
/* Anonymization: pseudonyms, new ids, and the allow-list. Key files. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/filter.h>

#include "cli/ui/key.h"
#include "converters/converter.h"
#include "fuzz/plant.h"

enum { PSEUDONYM_SIZE = 20 };

/* A stream of one event after the other, anonymized. */
struct anonymous {
	struct iot_anonymizer *a;
	struct iot_stream *stream;
	struct iot_batch *batch;
	struct iot_event ev;
	unsigned char key;
};

static int give_event(void *context, struct iot_stream *self, struct iot_batch *b)
{
	const struct anonymous *t = context;
	(void)self;
	b->events[0] = t->ev;
	b->count = 1;
	return 1;
}

/* FNV-1a, from 32 different starts. */
static void hash(void *context, const struct iot_text *parts, size_t n,
		 unsigned char digest[IOT_DIGEST_SIZE])
{
	const struct anonymous *t = context;
	for (unsigned k = 0; k < IOT_DIGEST_SIZE; k++) {
		uint64_t h = 0xcbf29ce484222325U ^ ((uint64_t)t->key << 8) ^ k;
		for (size_t i = 0; i < n; i++)
			for (size_t c = 0; c < parts[i].size; c++)
				h = (h ^ (unsigned char)parts[i].data[c]) * 0x100000001b3U;
		digest[k] = (unsigned char)((h ^ h >> 43) * 0x9e3779b97f4a7c15U >> 56);
	}
}

static int is_harmless(void *context, struct iot_text counter, int exact)
{
	(void)context;
	return exact ? counter_is_known(counter) : counter_is_count(counter);
}

static const struct iot_stage source = {.next = give_event};

static struct anonymous *with(struct iot_anonymize_options o)
{
	struct anonymous *t = calloc(1, sizeof(*t));
	cr_assert_not_null(t);
	t->key = 1;
	o.size = sizeof(o);
	o.context = t;
	o.hash = hash;
	o.counter = is_harmless;
	t->a = iot_anonymizer_new(&o);
	t->batch = iot_batch_new(1);
	t->stream = iot_stream_anonymize(iot_stream_new(NULL, &source, t), t->a);
	cr_assert(t->a != NULL && t->batch != NULL && t->stream != NULL);
	return t;
}

static struct anonymous *with_flags(unsigned flags)
{
	return with((struct iot_anonymize_options){.flags = flags});
}

static void release(struct anonymous *t)
{
	iot_stream_free(t->stream);
	iot_anonymizer_free(t->a);
	iot_batch_free(t->batch);
	free(t);
}

/* Returns whether the event stays; its text is valid until the next call. */
static bool anonymize(struct anonymous *t, struct iot_event *ev)
{
	t->ev = *ev;
	cr_assert_eq(iot_stream_next(t->stream, t->batch), 1);
	if (t->batch->count > 0)
		*ev = t->batch->events[0];
	return t->batch->count > 0;
}

static struct iot_event parsed(const char *text)
{
	struct iot_event ev = {.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK, "%s", text);
	return ev;
}

static void expect_text(struct anonymous *t, const char *before, const char *after)
{
	struct iot_event ev = parsed(before);
	cr_assert(anonymize(t, &ev), "%s", before);
	cr_expect(ev.text.size == strlen(after) && memcmp(ev.text.data, after, ev.text.size) == 0,
		  "%s became %.*s", before, (int)ev.text.size, ev.text.data);
}

static void expect_texts(const char *const (*texts)[2], size_t n)
{
	struct anonymous *t = with_flags(0);
	for (size_t i = 0; i < n; i++)
		expect_text(t, texts[i][0], texts[i][1]);
	release(t);
}

/* A path of up to 1000 characters becomes one in `out`. */
static const char *path_of(struct anonymous *t, const char *path, char *out)
{
	char text[1100];
	snprintf(text, sizeof(text), "%%op name=open path=%s", path);
	struct iot_event ev = parsed(text);
	cr_assert(anonymize(t, &ev));
	const struct iot_text becomes = iot_directive_get(&ev, "path");
	cr_assert_leq(becomes.size, 1000);
	memcpy(out, becomes.data, becomes.size);
	out[becomes.size] = '\0';
	return out;
}

Test(anonymize, one_key_gives_one_name_and_another_key_another)
{
	struct anonymous *one = with_flags(0), *two = with_flags(0);
	char a[1001], b[1001];
	cr_expect_str_eq(path_of(one, "/home/alice/run", a), path_of(two, "/home/alice/run", b));
	two->key = 2;
	cr_expect_str_neq(path_of(one, "/home/alice/run", a), path_of(two, "/home/alice/run", b));
	release(one);
	release(two);
}

Test(anonymize, hierarchy_stays_and_equal_parts_in_different_directories_differ)
{
	struct anonymous *t = with_flags(0);
	char a[1001], b[1001];
	const size_t part = 1 + PSEUDONYM_SIZE;
	path_of(t, "/home/alice/x", a);
	path_of(t, "/home/alice/y", b);
	cr_expect_eq(strlen(a), 3 * part);
	cr_expect(memcmp(a, b, 2 * part) == 0 && strcmp(a, b) != 0);
	path_of(t, "/data/alice/x", b);
	cr_expect(strcmp(a + part, b + part) != 0);
	path_of(t, "../a//b/", b);
	cr_expect(memcmp(b, "../", 3) == 0);
	cr_expect_eq(strlen(b), 3 + PSEUDONYM_SIZE + 2 + PSEUDONYM_SIZE + 1);
	release(t);
}

Test(anonymize, kept_prefixes_end_where_parts_end)
{
	struct anonymous *t = with((struct iot_anonymize_options){.keep = "/usr/,/opt/tool"});
	char out[1001];
	cr_expect(strncmp(path_of(t, "/usr/lib", out), "/usr/", 5) == 0 && strlen(out) == 25);
	cr_expect(strncmp(path_of(t, "/usrlocal/lib", out), "/usr", 4) != 0);
	cr_expect_str_eq(path_of(t, "/opt/tool", out), "/opt/tool");
	cr_expect(strncmp(path_of(t, "/opt/toolbox", out), "/opt", 4) != 0);
	release(t);
}

Test(anonymize, extension_stays_if_requested_and_if_it_is_one)
{
	struct anonymous *none = with_flags(0), *t = with_flags(IOT_KEEP_EXTENSIONS);
	char out[1001];
	cr_expect_null(strstr(path_of(none, "/a/mesh.h5", out), ".h5"));
	cr_expect_not_null(strstr(path_of(t, "/a/mesh.h5", out), ".h5"));
	cr_expect_null(strchr(path_of(t, ".bashrc", out), '.'));
	cr_expect_null(strchr(path_of(t, "a.projectname", out), '.'));
	cr_expect_null(strchr(path_of(t, "a.x-y", out), '.'));
	cr_expect_null(strchr(path_of(t, "dump.20231114", out), '.'));
	cr_expect_null(strchr(path_of(t, "/a/.name", out), '.'));
	release(none);
	release(t);
}

Test(anonymize, a_path_that_gets_too_long_becomes_one_name)
{
	struct anonymous *t = with_flags(0);
	char text[4096] = "%op name=open path=";
	for (size_t i = strlen(text); i < sizeof(text) - 2; i += 2)
		strcpy(text + i, "a/");
	struct iot_event ev = parsed(text);
	cr_assert(anonymize(t, &ev));
	cr_expect_eq(iot_directive_get(&ev, "path").size, PSEUDONYM_SIZE);
	release(t);
}

struct reported {
	char text[1000];
	size_t size;
};

static void on_replaced(void *context, const struct iot_replacement *r)
{
	struct reported *report = context;
	report->size +=
	    (size_t)snprintf(report->text + report->size, sizeof(report->text) - report->size,
			     "%s %.*s %zu %.*s\n", r->kind, (int)r->was.size, r->was.data,
			     r->becomes.size, (int)r->extension.size, r->extension.data);
}

static void fixed_hash(void *context, const struct iot_text *parts, size_t n,
		       unsigned char digest[IOT_DIGEST_SIZE])
{
	(void)context, (void)parts, (void)n;
	memset(digest, 1, IOT_DIGEST_SIZE);
}

Test(anonymize, replacements_are_reported_once)
{
	struct reported report = {.size = 0};
	struct anonymous t = {.ev = parsed("%op name=open process=7 file=3 path=/a/b.h5")};
	const struct iot_anonymize_options o = {.size = sizeof(o),
						.flags = IOT_KEEP_EXTENSIONS,
						.keep = "/a",
						.context = &report,
						.hash = fixed_hash,
						.replaced = on_replaced};
	t.a = iot_anonymizer_new(&o);
	t.batch = iot_batch_new(1);
	for (int i = 0; i < 2; i++) {
		t.stream = iot_stream_anonymize(iot_stream_new(NULL, &source, &t), t.a);
		cr_assert_eq(iot_stream_next(t.stream, t.batch), 1);
		cr_assert_eq(iot_stream_next(t.stream, t.batch), 1);
		iot_stream_free(t.stream);
	}
	cr_expect_str_eq(report.text, "f /a/b.h5 26 h5\nprocess 7 1 \nfile 7/3 1 \n"
				      "process 7 1 \nfile 7/3 1 \n");
	cr_expect_eq(iot_anonymizer_fact(t.a, IOT_ANONYMIZER_FILES), 1);
	iot_anonymizer_free(t.a);
	iot_batch_free(t.batch);
}

Test(anonymize, ids_are_given_in_order_of_first_use)
{
	struct anonymous *a = with_flags(0);
	struct iot_event ev = {.kind = IOT_RECORD,
			       .rec = {.type = IOT_LOGICAL, .process = 4711, .file = 90}};
	cr_assert(anonymize(a, &ev));
	cr_expect(ev.rec.process == 1 && ev.rec.file == 1);
	expect_text(a, "%process id=5000 parent=4711 rank=3 secret=x",
		    "%process id=2 parent=1 rank=3");
	expect_text(a, "%op name=close time=5 process=4711 file=90 result=EBADF",
		    "%op name=close time=5 process=1 file=1 result=EBADF");
	cr_expect_eq(iot_anonymizer_fact(a->a, IOT_ANONYMIZER_KEYS), 1);
	release(a);
}

Test(anonymize, unknown_keys_and_words_are_dropped)
{
	struct anonymous *a = with_flags(0);
	struct iot_event comment = {.kind = IOT_COMMENT, .text = {"alice was here", 14}};
	struct iot_event other = parsed("%secret of=alice");
	cr_expect_not(anonymize(a, &comment));
	cr_expect_not(anonymize(a, &other));
	cr_expect_eq(iot_anonymizer_fact(a->a, IOT_ANONYMIZER_COMMENTS), 1);
	cr_expect_eq(iot_anonymizer_fact(a->a, IOT_ANONYMIZER_DIRECTIVES), 1);
	expect_text(a, "%trace source=alices-tool epoch=5 lacks=cpu,alice,offset site=cern",
		    "%trace lacks=cpu,offset");
	expect_text(a, "%lost time=3 why=alice%20pulled%20the%20plug records=4",
		    "%lost time=3 records=4");
	expect_text(a, "%op name=alice time=1 result=Alice", "%op name=other time=1 result=error");
	expect_text(a,
		    "%counter source=POSIX POSIX_READS=3 POSIX_RENAMED_FROM=77 alice=5 POSIX_X=bob",
		    "%counter source=POSIX POSIX_READS=3");
	expect_text(a,
		    "%counter source=DAOS DAOS_OBJ_OPENS=4 DAOS_POOL_UUID=00010203-0405-0607-0809-"
		    "101112131415 DAOS_OID_HI=5 H5D_FILE_REC_ID=77 PNETCDF_VAR_FILE_REC_ID=77 "
		    "BGQ_CSJOBID=9 MPI_PROCESSOR_NAME=17 APXC_BLADE=3 times=2",
		    "%counter source=DAOS DAOS_OBJ_OPENS=4 times=2");
	release(a);
}

Test(anonymize, operations_that_failed_do_not_succeed)
{
	static const char *const texts[][2] = {
	    {"%op name=open result=error", "%op name=open result=error"},
	    {"%op name=open result=EALICE", "%op name=open result=error"},
	    {"%op name=open result=", "%op name=open result=error"},
	    {"%op name=open result=ENOENT", "%op name=open result=ENOENT"},
	    {"%op name=open result=0", "%op name=open result=0"},
	    {"%op name=open", "%op name=open"}};
	expect_texts(texts, sizeof(texts) / sizeof(*texts));
}

Test(anonymize, words_of_the_format_and_its_converters_stay)
{
	static const char *const texts[][2] = {
	    {"%lost why=interrupted", "%lost why=interrupted"},
	    {"%lost why=interrupted%20alice", "%lost"},
	    {"%trace log-format=2.2.1", "%trace log-format=2.2.1"},
	    {"%trace log-format=2.alice", "%trace"},
	    {"%file process=1 id=1 kind=pipe fs=lustre",
	     "%file process=1 id=1 kind=pipe fs=lustre"},
	    {"%file process=1 id=1 kind=alice fs=alicefs", "%file process=1 id=1"}};
	expect_texts(texts, sizeof(texts) / sizeof(*texts));
}

Test(anonymize, names_of_operations_stay_by_which_analyze_counts)
{
	static const char *const names[] = {
	    "open",     "close",    "create", "mkdir",      "rmdir",    "readdir", "opendir",
	    "closedir", "unlink",   "link",   "symlink",    "truncate", "chmod",   "chown",
	    "utime",    "setxattr", "rename", "mknod",      "seek",     "lseek",   "read",
	    "write",    "discard",  "delete", "removexattr"};
	struct anonymous *t = with_flags(0);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char text[64];
		(void)snprintf(text, sizeof text, "%%op name=%s result=0", names[i]);
		expect_text(t, text, text);
	}
	expect_text(t, "%op name=alice result=0", "%op name=other result=0");
	release(t);
}

Test(anonymize, unknown_directives_that_stay_have_their_numbers_changed)
{
	struct anonymous *a = with_flags(IOT_KEEP_UNKNOWN);
	expect_text(a, "%phase process=77 time=9 name=solve", "%phase process=1 time=9 name=solve");
	expect_text(a, "%phase thread-of=77 parent=8 object=44 process=8",
		    "%phase thread-of=1 parent=2 object=1 process=2");
	expect_text(a, "%counter source=POSIX parent=8", "%counter source=POSIX parent=2");
	struct iot_event ev = parsed("%phase host=alice user=alice command=alice to=/home/alice");
	cr_assert(anonymize(a, &ev));
	cr_expect_null(memmem(ev.text.data, ev.text.size, "alice", 5));
	release(a);
}

Test(anonymize, grains_move_both_ends)
{
	struct anonymous *a =
	    with((struct iot_anonymize_options){.time_grain_ns = 1000, .size_grain = 4096});
	struct iot_event ev = {.kind = IOT_RECORD,
			       .rec = {.type = IOT_LOGICAL,
				       .start_ns = 2999,
				       .duration_ns = 1002,
				       .offset = 4095,
				       .length = 2}};
	cr_assert(anonymize(a, &ev));
	cr_expect(ev.rec.start_ns == 2000 && ev.rec.duration_ns == 2000);
	cr_expect(ev.rec.offset == 0 && ev.rec.length == 8192);
	release(a);
}

Test(anonymize, sizes_are_rounded_as_ends_are)
{
	static const struct {
		uint64_t grain, size, becomes;
	} cases[] = {{0, 4097, 4097},
		     {4096, 0, 0},
		     {4096, 1, 4096},
		     {4096, 4096, 4096},
		     {4096, 4097, 8192},
		     {4096, UINT64_MAX, UINT64_MAX},
		     {0, UINT64_MAX, UINT64_MAX}};
	char text[100], expected[100];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct anonymous *a =
		    with((struct iot_anonymize_options){.size_grain = cases[i].grain});
		snprintf(text, sizeof text, "%%op name=truncate size=%" PRIu64, cases[i].size);
		snprintf(expected, sizeof expected, "%%op name=truncate size=%" PRIu64,
			 cases[i].becomes);
		struct iot_event ev = {.text = {text, strlen(text)}};
		cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
		cr_assert(anonymize(a, &ev));
		cr_expect_eq(ev.text.size, strlen(expected));
		cr_expect_arr_eq(ev.text.data, expected, ev.text.size);
		release(a);
	}
}

Test(anonymize, grains_move_clocks_below_zero_down)
{
	struct anonymous *a = with((struct iot_anonymize_options){.time_grain_ns = 1000});
	static const int64_t clocks[][2] = {{-1, -1000}, {-1000, -1000}, {-1001, -2000}, {999, 0}};
	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
		struct iot_event ev = {.kind = IOT_RECORD,
				       .rec = {.type = IOT_LOGICAL, .cpu_ns = clocks[i][0]}};
		cr_assert(anonymize(a, &ev));
		cr_expect_eq(ev.rec.cpu_ns, clocks[i][1]);
	}
	release(a);
}

Test(anonymize, a_grain_leaves_no_exact_number_in_counters)
{
	static const char text[] = "%counter source=POSIX process=1 POSIX_BYTES_READ=196542 "
				   "POSIX_F_OPEN_START_TIMESTAMP=0.07135915756225586";
	for (int i = 0; i < 2; i++) {
		struct iot_anonymize_options o = {.time_grain_ns = i == 0 ? 4096 : 0,
						  .size_grain = i == 0 ? 0 : 4096};
		struct anonymous *a = with(o);
		struct iot_event ev = parsed(text);
		cr_expect_not(anonymize(a, &ev));
		cr_expect_eq(iot_anonymizer_fact(a->a, IOT_ANONYMIZER_DIRECTIVES), 1);
		expect_text(a, "%counter source=strace hidden.mmap=3 skipped.pipe.read_bytes=77",
			    "%counter source=strace hidden.mmap=3");
		release(a);
	}
}

Test(anonymize, times_that_count_from_1970_are_shifted_as_epochs_are)
{
	struct anonymous *a = with_flags(IOT_SHIFT_EPOCH);
	const int64_t date = 1700000000000000000;
	struct iot_event ev = {.kind = IOT_RECORD, .rec = {.type = IOT_LOGICAL, .start_ns = date}};
	expect_text(a, "%trace epoch=0", "%trace epoch=0");
	cr_assert(anonymize(a, &ev));
	const int64_t shift = ev.rec.start_ns - date;
	cr_expect(shift > 0 && shift < 630720000000000000);
	ev = parsed("%op name=open time=1700000000000000005");
	ev.rec.start_ns = date + 5;
	cr_assert(anonymize(a, &ev));
	const struct iot_text time = iot_directive_get(&ev, "time");
	cr_expect_eq(strtoll(time.data, NULL, 10), date + 5 + shift);
	release(a);
	a = with_flags(IOT_SHIFT_EPOCH);
	ev = (struct iot_event){.kind = IOT_RECORD, .rec = {.type = IOT_LOGICAL, .start_ns = 5}};
	cr_assert(anonymize(a, &ev));
	cr_expect_eq(ev.rec.start_ns, 5);
	release(a);
}

Test(anonymize, epoch_shifts_by_a_time_of_the_key)
{
	struct anonymous *a = with_flags(IOT_SHIFT_EPOCH);
	uint64_t epoch[2];
	for (int i = 0; i < 2; i++) {
		struct iot_event ev = parsed(i == 0 ? "%trace epoch=1700000000000000000"
						    : "%trace epoch=1700000000000000123");
		cr_assert(anonymize(a, &ev));
		epoch[i] = strtoull(iot_directive_get(&ev, "epoch").data, NULL, 10);
	}
	cr_expect_eq(epoch[1] - epoch[0], 123);
	cr_expect_neq(epoch[0], 1700000000000000000U);
	release(a);
}

static const char *weakness(const char *key)
{
	return key_weakness((const unsigned char *)key, strlen(key));
}

Test(anonymize, keys_that_can_be_guessed_are_refused)
{
	static const char *const weak[] = {"",
					   "too short a key",
					   "aaaaaaaaaaaaaaaa",
					   "abababababababababababab",
					   "passwordpassword",
					   "p4ssw0rdzp4ssw0rdzp4ss",
					   "0123456789012345678901234567890123456789",
					   "abcdefghijklmnop",
					   "0123456789abcdef",
					   "ponmlkjihgfedcba"};
	for (size_t i = 0; i < sizeof weak / sizeof *weak; i++)
		cr_expect_not_null(weakness(weak[i]), "%s", weak[i]);
	cr_expect_null(weakness("a key of enough bytes"));
	cr_expect_null(weakness("0123456789abcdef, and more than that"));
	cr_expect_null(weakness("correct horse battery staple"));
}

Test(anonymize, random_keys_are_never_refused)
{
	unsigned char raw[KEY_FILE_MAX];
	uint64_t state = 1;
	for (unsigned round = 0; round < 20000; round++) {
		char text[65];
		for (size_t i = 0; i < 32; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			raw[i] = (unsigned char)(state >> 56);
			snprintf(text + 2 * i, 3, "%02x", raw[i]);
		}
		cr_assert_null(key_weakness(raw, 16));
		cr_assert_null(key_weakness(raw, 32));
		cr_assert_null(weakness(text));
	}
	memset(raw, 'x', sizeof raw);
	cr_expect_not_null(key_weakness(raw, sizeof raw));
}

Test(anonymize, counters_and_errors_stay_only_by_their_exact_names)
{
	static const char *const unknown[] = {"POSIX_anything",
					      "POSIX_",
					      "POSIX_READSX",
					      "XPOSIX_READS",
					      "posix_reads",
					      "hidden.secret",
					      "ambiguous.",
					      "HEATMAP_WRITE_BIN_",
					      "HEATMAP_WRITE_BIN_x",
					      "HEATMAP_WRITE_BIN_007",
					      "HEATMAP_WRITE_BIN_123456",
					      "LUSTRE_COMP1_POOL_NAME",
					      "LUSTRE_COMP1_STRIPE_SIZE2",
					      "POSIX_RENAMED_FROM",
					      "BGQ_CSJOBID",
					      "DFS_POOL_UUID",
					      "MPI_PROCESSOR_NAME"};
	struct anonymous *a = with_flags(0);
	char text[200];
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
		snprintf(text, sizeof text, "%%counter source=POSIX %s=1", unknown[i]);
		expect_text(a, text, "%counter source=POSIX");
	}
	expect_text(a, "%counter POSIX_READS=1 MPI_ISEND_MSG_SIZE_AGG_256_1K=2 hidden.mmap=3",
		    "%counter POSIX_READS=1 MPI_ISEND_MSG_SIZE_AGG_256_1K=2 hidden.mmap=3");
	expect_text(a, "%counter HEATMAP_READ_BIN_10=1 LUSTRE_COMP2_STRIPE_SIZE=2 MDHIM_SERVER_0=3",
		    "%counter HEATMAP_READ_BIN_10=1 LUSTRE_COMP2_STRIPE_SIZE=2 MDHIM_SERVER_0=3");
	expect_text(a, "%counter POSIX_READS=1-2-3 POSIX_WRITES=1,-2.5e-07,nan", /* not a figure */
		    "%counter POSIX_WRITES=1,-2.5e-07,nan");
	expect_text(a, "%op name=open time=1 result=ESECRET", "%op name=open time=1 result=error");
	expect_text(a, "%op name=open time=1 result=ENOENTX", "%op name=open time=1 result=error");
	expect_text(a, "%op name=open time=1 result=E2BIG", "%op name=open time=1 result=E2BIG");
	expect_text(a, "%op name=open time=1 result=EXFULL", "%op name=open time=1 result=EXFULL");
	release(a);
}

Test(anonymize, numbers_that_are_no_ids_do_not_stay_as_ids)
{
	struct anonymous *a = with_flags(0);
	expect_text(a, "%process id=9 thread-of=4915551234567", "%process id=1");
	release(a);
}

/* Every key that is known of each directive, and some that are not. */
static const char *const full[] = {
    "comment of somebody",
    "%trace source=strace command=/bin/x host=n user=u epoch=5 lacks=cpu,offset layer=posix "
    "lengths=requested clocks=rank-0 precision=1ns epoch-precision=1s form=log log-format=3.41 "
    "ranks=4 job=7 site=x",
    "%process id=1 name=x parent=2 host=n rank=3 thread-of=4 uid=1000",
    "%file process=1 id=2 object=3 path=/a/b.c kind=disk offset=unknown completion=unknown "
    "cpu=unknown start=unknown layer=posix source-id=x",
    "%op name=open time=1 took=2 process=1 file=2 path=/a to=/b result=ENOENT mode=x",
    "%counter source=POSIX time=1 took=2 process=1 file=2 path=/a object=3 rank=-1 part=2 "
    "POSIX_READS=7 hidden.mmap=1 record=5",
    "%lost time=1 took=2 process=1 file=2 records=3 bytes=4 why=x",
    "%unknown time=1 path=/a",
};

Test(anonymize, a_secret_at_any_place_of_any_text_does_not_stay)
{
	struct anonymous *a = with_flags(0);
	char text[PLANT_CAPACITY];
	unsigned planted = 0;
	for (size_t i = 0; i < sizeof full / sizeof *full; i++) {
		const struct iot_text was = {full[i], strlen(full[i])};
		for (size_t k = 0; k < 20 * PLANT_FORMS; k++) {
			const size_t size =
			    plant(text, was, k / PLANT_FORMS, (unsigned)(k % PLANT_FORMS));
			struct iot_event ev = {.text = {text, size}};
			if (size == 0 || iot_directive_parse(&ev, NULL) != IOT_OK)
				continue;
			cr_assert(plant_is_in(text, size), "%s", text);
			planted++;
			cr_assert(!anonymize(a, &ev) || !plant_is_in(ev.text.data, ev.text.size),
				  "%s became %.*s", text, (int)ev.text.size, ev.text.data);
		}
	}
	cr_expect_gt(planted, 800);
	release(a);
}
