/* SPDX-License-Identifier: BSD-2-Clause */
/* Names replaced by pseudonyms, numbers given anew, and what is not known left out. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cli/anonymize.h"

static struct iot_anonymize_options with_secret(unsigned char byte)
{
	struct iot_anonymize_options o = {.epoch = IOT_EPOCH_DROP};
	memset(o.names.secret, byte, sizeof o.names.secret);
	return o;
}

static struct iot_anonymizer *anonymizer(const struct iot_anonymize_options *o)
{
	struct iot_anonymizer *a = calloc(1, sizeof *a);
	cr_assert_not_null(a);
	a->options = o;
	return a;
}

static void release(struct iot_anonymizer *a)
{
	iot_anonymizer_free(a);
	free(a);
}

static struct iot_event parsed(const char *text)
{
	struct iot_event ev = {.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK, "%s", text);
	return ev;
}

static void expect_text(struct iot_anonymizer *a, const char *before, const char *after)
{
	struct iot_event ev = parsed(before);
	cr_assert(iot_anonymize(a, &ev), "%s", before);
	cr_expect(ev.text.size == strlen(after) && memcmp(ev.text.data, after, ev.text.size) == 0,
		  "%s became %.*s", before, (int)ev.text.size, ev.text.data);
}

static const char *path_of(const struct iot_pseudonyms *p, const char *path, char *out)
{
	size_t n = iot_pseudonym_path(p, (struct iot_text){path, strlen(path)}, out, 1000);
	out[n] = '\0';
	return out;
}

Test(anonymize, one_key_gives_one_name_and_another_key_another)
{
	struct iot_pseudonyms one = with_secret(1).names, two = with_secret(2).names;
	char a[1001], b[1001];
	cr_expect_str_eq(path_of(&one, "/home/alice/run", a), path_of(&one, "/home/alice/run", b));
	cr_expect_str_neq(path_of(&one, "/home/alice/run", a), path_of(&two, "/home/alice/run", b));
}

Test(anonymize, hierarchy_stays_and_equal_parts_in_different_directories_differ)
{
	struct iot_pseudonyms p = with_secret(1).names;
	char a[1001], b[1001];
	const size_t part = 1 + IOT_PSEUDONYM_SIZE;
	path_of(&p, "/home/alice/x", a);
	path_of(&p, "/home/alice/y", b);
	cr_expect_eq(strlen(a), 3 * part);
	cr_expect(memcmp(a, b, 2 * part) == 0 && strcmp(a, b) != 0);
	path_of(&p, "/data/alice/x", b);
	cr_expect(strcmp(a + part, b + part) != 0);
	path_of(&p, "../a//b/", b);
	cr_expect(memcmp(b, "../", 3) == 0);
	cr_expect_eq(strlen(b), 3 + IOT_PSEUDONYM_SIZE + 2 + IOT_PSEUDONYM_SIZE + 1);
}

Test(anonymize, kept_prefixes_end_where_parts_end)
{
	struct iot_pseudonyms p = with_secret(1).names;
	char out[1001];
	p.keep = "/usr/,/opt/tool";
	cr_expect(strncmp(path_of(&p, "/usr/lib", out), "/usr/", 5) == 0 && strlen(out) == 25);
	cr_expect(strncmp(path_of(&p, "/usrlocal/lib", out), "/usr", 4) != 0);
	cr_expect_str_eq(path_of(&p, "/opt/tool", out), "/opt/tool");
	cr_expect(strncmp(path_of(&p, "/opt/toolbox", out), "/opt", 4) != 0);
}

Test(anonymize, extension_stays_if_told_and_if_it_is_one)
{
	struct iot_pseudonyms p = with_secret(1).names;
	char out[1001];
	cr_expect_null(strstr(path_of(&p, "/a/mesh.h5", out), ".h5"));
	p.keep_extension = true;
	cr_expect_not_null(strstr(path_of(&p, "/a/mesh.h5", out), ".h5"));
	cr_expect_null(strchr(path_of(&p, ".bashrc", out), '.'));
	cr_expect_null(strchr(path_of(&p, "a.projectname", out), '.'));
	cr_expect_null(strchr(path_of(&p, "a.x-y", out), '.'));
}

Test(anonymize, a_path_that_gets_too_long_has_no_pseudonym)
{
	struct iot_pseudonyms p = with_secret(1).names;
	char out[60];
	cr_expect_eq(iot_pseudonym_path(&p, (struct iot_text){"a/b/c", 5}, out, sizeof out), 0);
}

Test(anonymize, numbers_are_given_in_order_of_coming)
{
	const struct iot_anonymize_options o = with_secret(1);
	struct iot_anonymizer *a = anonymizer(&o);
	struct iot_event ev = {.kind = IOT_RECORD,
			       .rec = {.type = IOT_LOGICAL, .process = 4711, .file = 90}};
	cr_assert(iot_anonymize(a, &ev));
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
	const struct iot_anonymize_options o = with_secret(1);
	struct iot_anonymizer *a = anonymizer(&o);
	struct iot_event comment = {.kind = IOT_COMMENT, .text = {"alice was here", 14}};
	struct iot_event other = parsed("%secret of=alice");
	cr_expect_not(iot_anonymize(a, &comment));
	cr_expect_not(iot_anonymize(a, &other));
	cr_expect(a->comments == 1 && a->directives == 1);
	expect_text(a, "%trace source=alices-tool epoch=5 lacks=cpu,alice,offset site=cern",
		    "%trace lacks=cpu,offset");
	expect_text(a, "%lost time=3 why=alice%20pulled%20the%20plug records=4",
		    "%lost time=3 records=4");
	expect_text(a, "%op name=alice time=1 result=Alice", "%op name=other time=1");
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

Test(anonymize, unknown_directives_that_stay_have_their_numbers_changed)
{
	struct iot_anonymize_options o = with_secret(1);
	o.keep_unknown = true;
	struct iot_anonymizer *a = anonymizer(&o);
	expect_text(a, "%phase process=77 time=9 name=solve", "%phase process=1 time=9 name=solve");
	release(a);
}

Test(anonymize, grains_move_both_ends)
{
	struct iot_anonymize_options o = with_secret(1);
	o.time_grain_ns = 1000;
	o.size_grain = 4096;
	struct iot_anonymizer *a = anonymizer(&o);
	struct iot_event ev = {.kind = IOT_RECORD,
			       .rec = {.type = IOT_LOGICAL,
				       .start_ns = 2999,
				       .duration_ns = 1002,
				       .offset = 4095,
				       .length = 2}};
	cr_assert(iot_anonymize(a, &ev));
	cr_expect(ev.rec.start_ns == 2000 && ev.rec.duration_ns == 2000);
	cr_expect(ev.rec.offset == 0 && ev.rec.length == 8192);
	release(a);
}

Test(anonymize, epoch_shifts_by_what_the_key_tells)
{
	struct iot_anonymize_options o = with_secret(1);
	o.epoch = IOT_EPOCH_SHIFT;
	struct iot_anonymizer *a = anonymizer(&o);
	uint64_t epoch[2];
	for (int i = 0; i < 2; i++) {
		struct iot_event ev = parsed(i == 0 ? "%trace epoch=1700000000000000000"
						    : "%trace epoch=1700000000000000123");
		cr_assert(iot_anonymize(a, &ev));
		epoch[i] = strtoull(iot_directive_get(&ev, "epoch").data, NULL, 10);
	}
	cr_expect_eq(epoch[1] - epoch[0], 123);
	cr_expect_neq(epoch[0], 1700000000000000000U);
	release(a);
}
