/* SPDX-License-Identifier: BSD-2-Clause */
/* Names become pseudonyms, ids are renumbered, and unknown words are removed. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/filter/anonymize.h"
#include "fuzz/plant.h"

static struct anonymize_options with_secret(unsigned char byte)
{
	struct anonymize_options o = {.epoch = EPOCH_DROP};
	memset(o.names.secret, byte, sizeof o.names.secret);
	return o;
}

static struct anonymizer *anonymizer(const struct anonymize_options *o)
{
	struct anonymizer *a = calloc(1, sizeof *a);
	cr_assert_not_null(a);
	a->options = o;
	return a;
}

static void release(struct anonymizer *a)
{
	anonymizer_free(a);
	free(a);
}

static struct iot_event parsed(const char *text)
{
	struct iot_event ev = {.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK, "%s", text);
	return ev;
}

static void expect_text(struct anonymizer *a, const char *before, const char *after)
{
	struct iot_event ev = parsed(before);
	cr_assert(anonymize_events(a, &ev), "%s", before);
	cr_expect(ev.text.size == strlen(after) && memcmp(ev.text.data, after, ev.text.size) == 0,
		  "%s became %.*s", before, (int)ev.text.size, ev.text.data);
}

static const char *path_of(const struct pseudonyms *p, const char *path, char *out)
{
	size_t n = pseudonym_path(p, (struct iot_text){path, strlen(path)}, out, 1000);
	out[n] = '\0';
	return out;
}

Test(anonymize, one_key_gives_one_name_and_another_key_another)
{
	struct pseudonyms one = with_secret(1).names, two = with_secret(2).names;
	char a[1001], b[1001];
	cr_expect_str_eq(path_of(&one, "/home/alice/run", a), path_of(&one, "/home/alice/run", b));
	cr_expect_str_neq(path_of(&one, "/home/alice/run", a), path_of(&two, "/home/alice/run", b));
}

Test(anonymize, hierarchy_stays_and_equal_parts_in_different_directories_differ)
{
	struct pseudonyms p = with_secret(1).names;
	char a[1001], b[1001];
	const size_t part = 1 + PSEUDONYM_SIZE;
	path_of(&p, "/home/alice/x", a);
	path_of(&p, "/home/alice/y", b);
	cr_expect_eq(strlen(a), 3 * part);
	cr_expect(memcmp(a, b, 2 * part) == 0 && strcmp(a, b) != 0);
	path_of(&p, "/data/alice/x", b);
	cr_expect(strcmp(a + part, b + part) != 0);
	path_of(&p, "../a//b/", b);
	cr_expect(memcmp(b, "../", 3) == 0);
	cr_expect_eq(strlen(b), 3 + PSEUDONYM_SIZE + 2 + PSEUDONYM_SIZE + 1);
}

Test(anonymize, kept_prefixes_end_where_parts_end)
{
	struct pseudonyms p = with_secret(1).names;
	char out[1001];
	p.keep = "/usr/,/opt/tool";
	cr_expect(strncmp(path_of(&p, "/usr/lib", out), "/usr/", 5) == 0 && strlen(out) == 25);
	cr_expect(strncmp(path_of(&p, "/usrlocal/lib", out), "/usr", 4) != 0);
	cr_expect_str_eq(path_of(&p, "/opt/tool", out), "/opt/tool");
	cr_expect(strncmp(path_of(&p, "/opt/toolbox", out), "/opt", 4) != 0);
}

Test(anonymize, extension_stays_if_told_and_if_it_is_one)
{
	struct pseudonyms p = with_secret(1).names;
	char out[1001];
	cr_expect_null(strstr(path_of(&p, "/a/mesh.h5", out), ".h5"));
	p.keep_extension = true;
	cr_expect_not_null(strstr(path_of(&p, "/a/mesh.h5", out), ".h5"));
	cr_expect_null(strchr(path_of(&p, ".bashrc", out), '.'));
	cr_expect_null(strchr(path_of(&p, "a.projectname", out), '.'));
	cr_expect_null(strchr(path_of(&p, "a.x-y", out), '.'));
	cr_expect_null(strchr(path_of(&p, "dump.20231114", out), '.'));
	cr_expect_null(strchr(path_of(&p, "/a/.name", out), '.'));
}

Test(anonymize, a_path_that_gets_too_long_has_no_pseudonym)
{
	struct pseudonyms p = with_secret(1).names;
	char out[60];
	cr_expect_eq(pseudonym_path(&p, (struct iot_text){"a/b/c", 5}, out, sizeof out), 0);
}

Test(anonymize, numbers_are_given_in_order_of_coming)
{
	const struct anonymize_options o = with_secret(1);
	struct anonymizer *a = anonymizer(&o);
	struct iot_event ev = {.kind = IOT_RECORD,
			       .rec = {.type = IOT_LOGICAL, .process = 4711, .file = 90}};
	cr_assert(anonymize_events(a, &ev));
	cr_expect(ev.rec.process == 1 && ev.rec.file == 1);
	expect_text(a, "%process id=5000 parent=4711 rank=3 secret=x",
		    "%process id=2 parent=1 rank=3");
	expect_text(a, "%op name=close time=5 process=4711 file=90 result=EBADF",
		    "%op name=close time=5 process=1 file=1 result=EBADF");
	cr_expect_eq(a->keys, 1);
	release(a);
}

Test(anonymize, what_is_not_known_goes)
{
	const struct anonymize_options o = with_secret(1);
	struct anonymizer *a = anonymizer(&o);
	struct iot_event comment = {.kind = IOT_COMMENT, .text = {"alice was here", 14}};
	struct iot_event other = parsed("%secret of=alice");
	cr_expect_not(anonymize_events(a, &comment));
	cr_expect_not(anonymize_events(a, &other));
	cr_expect(a->comments == 1 && a->directives == 1);
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
	const struct anonymize_options o = with_secret(1);
	struct anonymizer *a = anonymizer(&o);
	expect_text(a, "%op name=open result=error", "%op name=open result=error");
	expect_text(a, "%op name=open result=EALICE", "%op name=open result=error");
	expect_text(a, "%op name=open result=", "%op name=open result=error");
	expect_text(a, "%op name=open result=ENOENT", "%op name=open result=ENOENT");
	expect_text(a, "%op name=open result=0", "%op name=open result=0");
	expect_text(a, "%op name=open", "%op name=open");
	release(a);
}

Test(anonymize, words_of_the_format_and_its_converters_stay)
{
	const struct anonymize_options o = with_secret(1);
	struct anonymizer *a = anonymizer(&o);
	expect_text(a, "%lost why=interrupted", "%lost why=interrupted");
	expect_text(a, "%lost why=interrupted%20alice", "%lost");
	expect_text(a, "%trace log-format=2.2.1", "%trace log-format=2.2.1");
	expect_text(a, "%trace log-format=2.alice", "%trace");
	expect_text(a, "%file process=1 id=1 kind=pipe fs=lustre",
		    "%file process=1 id=1 kind=pipe fs=lustre");
	expect_text(a, "%file process=1 id=1 kind=alice fs=alicefs", "%file process=1 id=1");
	release(a);
}

Test(anonymize, unknown_directives_that_stay_have_their_numbers_changed)
{
	struct anonymize_options o = with_secret(1);
	o.keep_unknown = true;
	struct anonymizer *a = anonymizer(&o);
	expect_text(a, "%phase process=77 time=9 name=solve", "%phase process=1 time=9 name=solve");
	expect_text(a, "%phase thread-of=77 parent=8 object=44 process=8",
		    "%phase thread-of=1 parent=2 object=1 process=2");
	expect_text(a, "%counter source=POSIX parent=8", "%counter source=POSIX parent=2");
	struct iot_event ev = parsed("%phase host=alice user=alice command=alice to=/home/alice");
	cr_assert(anonymize_events(a, &ev));
	cr_expect_null(memmem(ev.text.data, ev.text.size, "alice", 5));
	release(a);
}

Test(anonymize, grains_move_both_ends)
{
	struct anonymize_options o = with_secret(1);
	o.time_grain_ns = 1000;
	o.size_grain = 4096;
	struct anonymizer *a = anonymizer(&o);
	struct iot_event ev = {.kind = IOT_RECORD,
			       .rec = {.type = IOT_LOGICAL,
				       .start_ns = 2999,
				       .duration_ns = 1002,
				       .offset = 4095,
				       .length = 2}};
	cr_assert(anonymize_events(a, &ev));
	cr_expect(ev.rec.start_ns == 2000 && ev.rec.duration_ns == 2000);
	cr_expect(ev.rec.offset == 0 && ev.rec.length == 8192);
	release(a);
}

Test(anonymize, grains_move_clocks_below_zero_down)
{
	struct anonymize_options o = with_secret(1);
	o.time_grain_ns = 1000;
	struct anonymizer *a = anonymizer(&o);
	static const int64_t clocks[][2] = {{-1, -1000}, {-1000, -1000}, {-1001, -2000}, {999, 0}};
	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
		struct iot_event ev = {.kind = IOT_RECORD,
				       .rec = {.type = IOT_LOGICAL, .cpu_ns = clocks[i][0]}};
		cr_assert(anonymize_events(a, &ev));
		cr_expect_eq(ev.rec.cpu_ns, clocks[i][1]);
	}
	release(a);
}

Test(anonymize, a_grain_leaves_no_exact_figure_in_counters)
{
	static const char text[] = "%counter source=POSIX process=1 POSIX_BYTES_READ=196542 "
				   "POSIX_F_OPEN_START_TIMESTAMP=0.07135915756225586";
	for (int i = 0; i < 2; i++) {
		struct anonymize_options o = with_secret(1);
		*(i == 0 ? &o.time_grain_ns : &o.size_grain) = 4096;
		struct anonymizer *a = anonymizer(&o);
		struct iot_event ev = parsed(text);
		cr_expect_not(anonymize_events(a, &ev));
		cr_expect_eq(a->directives, 1);
		expect_text(a, "%counter source=strace hidden.mmap=3 skipped.pipe.read_bytes=77",
			    "%counter source=strace hidden.mmap=3");
		release(a);
	}
}

Test(anonymize, times_that_count_from_1970_are_moved_as_epochs_are)
{
	struct anonymize_options o = with_secret(1);
	o.epoch = EPOCH_SHIFT;
	struct anonymizer *a = anonymizer(&o);
	const int64_t date = 1700000000000000000,
		      shift = (int64_t)pseudonym_shift(&o.names, UINT64_C(630720000000000000));
	struct iot_event ev = {.kind = IOT_RECORD, .rec = {.type = IOT_LOGICAL, .start_ns = date}};
	expect_text(a, "%trace epoch=0", "%trace epoch=0");
	cr_assert(anonymize_events(a, &ev));
	cr_expect_eq(ev.rec.start_ns, date + shift);
	ev = parsed("%op name=open time=1700000000000000005");
	ev.rec.start_ns = date + 5;
	cr_assert(anonymize_events(a, &ev));
	const struct iot_text time = iot_directive_get(&ev, "time");
	cr_expect_eq(strtoll(time.data, NULL, 10), date + 5 + shift);
	anonymizer_begin(a);
	ev = (struct iot_event){.kind = IOT_RECORD, .rec = {.type = IOT_LOGICAL, .start_ns = 5}};
	cr_assert(anonymize_events(a, &ev));
	cr_expect_eq(ev.rec.start_ns, 5);
	release(a);
}

Test(anonymize, epoch_shifts_by_what_the_key_tells)
{
	struct anonymize_options o = with_secret(1);
	o.epoch = EPOCH_SHIFT;
	struct anonymizer *a = anonymizer(&o);
	uint64_t epoch[2];
	for (int i = 0; i < 2; i++) {
		struct iot_event ev = parsed(i == 0 ? "%trace epoch=1700000000000000000"
						    : "%trace epoch=1700000000000000123");
		cr_assert(anonymize_events(a, &ev));
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
	struct anonymize_options o = with_secret(1);
	struct anonymizer *a = anonymizer(&o);
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
	struct anonymize_options o = with_secret(1);
	struct anonymizer *a = anonymizer(&o);
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
	const struct anonymize_options o = with_secret(1);
	struct anonymizer *a = anonymizer(&o);
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
			cr_assert(!anonymize_events(a, &ev) ||
				      !plant_is_in(ev.text.data, ev.text.size),
				  "%s became %.*s", text, (int)ev.text.size, ev.text.data);
		}
	}
	cr_expect_gt(planted, 800);
	release(a);
}
