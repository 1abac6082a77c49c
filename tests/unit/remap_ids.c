/* SPDX-License-Identifier: BSD-2-Clause */
/* Ids rewritten: in records, and in the text of directives, known or not. */
#include <criterion/criterion.h>
#include <string.h>

#include "lib/filter/remap_ids.h"

/* Processes get 100 more, files 200, objects 300; file 13 cannot be. */
static bool add(void *context, enum remapped_id kind, uint32_t id, const struct iot_event *ev,
		uint32_t *to)
{
	unsigned *asked = context;
	(void)ev;
	++*asked;
	*to = id + 100 * (kind + 1U);
	return !(kind == ID_FILE && id == 13);
}

static bool same(void *context, enum remapped_id kind, uint32_t id, const struct iot_event *ev,
		 uint32_t *to)
{
	(void)context, (void)kind, (void)ev;
	*to = id;
	return true;
}

static void expect_becomes(const char *text, const char *wanted)
{
	unsigned asked = 0;
	struct remap_ids r = {.map = add, .context = &asked};
	struct iot_event ev = {.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
	cr_assert(remap_ids_event(&r, &ev));
	cr_expect(ev.text.size == strlen(wanted) && memcmp(ev.text.data, wanted, ev.text.size) == 0,
		  "%s became %.*s", text, (int)ev.text.size, ev.text.data);
	remap_ids_free(&r);
}

Test(remap_ids, records_have_their_ids_replaced)
{
	unsigned asked = 0;
	struct remap_ids r = {.map = add, .context = &asked};
	struct iot_event ev = {.kind = IOT_RECORD,
			       .rec = {.process = 7, .file = 3, .object = 1, .offset = 7}};
	cr_assert(remap_ids_event(&r, &ev));
	cr_expect_eq(ev.rec.process, 107);
	cr_expect_eq(ev.rec.file, 203);
	cr_expect_eq(ev.rec.object, 301);
	cr_expect_eq(ev.rec.offset, 7);
	remap_ids_free(&r);
}

Test(remap_ids, object_0_is_none_and_stays)
{
	unsigned asked = 0;
	struct remap_ids r = {.map = add, .context = &asked};
	struct iot_event ev = {.kind = IOT_RECORD};
	cr_assert(remap_ids_event(&r, &ev));
	cr_expect_eq(ev.rec.object, 0);
	cr_expect_eq(ev.rec.process, 100, "0 is a process like any other");
	remap_ids_free(&r);
	expect_becomes("%file process=1 id=2 object=0", "%file process=101 id=202 object=0");
}

Test(remap_ids, id_is_what_the_directive_is_about)
{
	expect_becomes("%process id=7 parent=1 thread-of=6 rank=7",
		       "%process id=107 parent=101 thread-of=106 rank=7");
	expect_becomes("%file process=7 id=3 object=1 path=/x source-id=3",
		       "%file process=107 id=203 object=301 path=/x source-id=3");
	expect_becomes("%op name=close id=3 process=7 file=3",
		       "%op name=close id=3 process=107 file=203");
}

Test(remap_ids, unknown_directives_are_rewritten_too)
{
	expect_becomes("%new process=7 file=3 parent=1 object=9 thread-of=2 id=4 time=7",
		       "%new process=107 file=203 parent=101 object=309 thread-of=102 id=4 time=7");
	expect_becomes("%counter source=x process=7 opens=7",
		       "%counter source=x process=107 opens=7");
	expect_becomes("%lost time=1 process=7", "%lost time=1 process=107");
}

Test(remap_ids, repeated_keys_are_all_rewritten)
{
	expect_becomes("%op name=x file=1 file=2", "%op name=x file=201 file=202");
}

Test(remap_ids, values_that_are_no_ids_stay)
{
	expect_becomes(
	    "%new process=me file=-1 file= object=4294967296 subprocess=7 path=/process=7",
	    "%new process=me file=-1 file= object=4294967296 subprocess=7 path=/process=7");
}

Test(remap_ids, blanks_stay_as_they_were)
{
	expect_becomes("%new  process=7\tfile=3 ", "%new  process=107\tfile=203 ");
}

Test(remap_ids, comments_are_nobodys_ids)
{
	expect_becomes("process=7 wrote file=3", "process=7 wrote file=3");
}

Test(remap_ids, fields_of_a_directive_follow_its_text)
{
	unsigned asked = 0;
	struct remap_ids r = {.map = add, .context = &asked};
	const char *text = "%file process=7 id=3 object=1";
	struct iot_event ev = {.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
	cr_assert(remap_ids_event(&r, &ev));
	cr_expect_eq(ev.rec.process, 107);
	cr_expect_eq(ev.rec.file, 203);
	cr_expect_eq(ev.rec.object, 301);
	remap_ids_free(&r);
}

Test(remap_ids, text_that_does_not_change_stays_where_it_is)
{
	struct remap_ids r = {.map = same};
	const char *text = "%file process=7 id=3 object=1";
	struct iot_event ev = {.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
	cr_assert(remap_ids_event(&r, &ev));
	cr_expect_eq(ev.text.data, text);
	remap_ids_free(&r);
}

Test(remap_ids, a_map_that_fails_is_reported)
{
	unsigned asked = 0;
	struct remap_ids r = {.map = add, .context = &asked};
	struct iot_event ev = {.kind = IOT_RECORD, .rec.file = 13};
	cr_expect_not(remap_ids_event(&r, &ev));
	remap_ids_free(&r);
}

Test(remap_ids, shortest_ids_grow_to_the_longest)
{
	char text[2048] = "%n", wanted[4096] = "%n";
	for (int i = 0; i < 100; i++) {
		strcat(text, " file=0");
		strcat(wanted, " file=200");
	}
	expect_becomes(text, wanted);
}

/* Processes become 100 more; file 13 fails. */
static int add_100(void *context, enum iot_id kind, uint32_t id, const struct iot_event *ev,
		   uint32_t *to)
{
	(void)context, (void)ev;
	*to = kind == IOT_ID_PROCESS ? id + 100 : id;
	return kind == IOT_ID_FILE && id == 13 ? IOT_ELIMIT : IOT_OK;
}

static struct iot_stream *remapped(struct iot_reader *r, const char *trace)
{
	cr_assert_eq(iot_reader_open_memory(r, trace, strlen(trace), "trace"), IOT_OK);
	return iot_stream_remap(iot_stream_of_reader(r), add_100, NULL);
}

Test(remap_ids, the_stage_keeps_all_texts_of_a_batch)
{
	static const char *const wanted[] = {"process 1", "%process id=101",
					     "%file process=101 id=2", "%lost"};
	struct iot_reader *r = iot_reader_new();
	struct iot_batch *b = iot_batch_new(10);
	struct iot_stream *s =
	    remapped(r, "ff process 1\nff %process id=1\nff %file process=1 id=2\nff %lost\n"
			"80 0 0 10 0 1 0 2 1 0\n");
	cr_assert_eq(iot_stream_next(s, b), 1);
	cr_assert_eq(b->count, 5);
	for (size_t i = 0; i < 4; i++)
		cr_expect(b->events[i].text.size == strlen(wanted[i]) &&
			      memcmp(b->events[i].text.data, wanted[i], strlen(wanted[i])) == 0,
			  "%s", wanted[i]);
	cr_expect_eq(b->events[4].rec.process, 101);
	iot_stream_free(s);
	iot_batch_free(b);
	iot_reader_free(r);
}

Test(remap_ids, the_stage_fails_with_the_status_of_the_map)
{
	struct iot_reader *r = iot_reader_new();
	struct iot_batch *b = iot_batch_new(10);
	struct iot_stream *s = remapped(r, "ff %file process=1 id=13\n");
	cr_expect_eq(iot_stream_next(s, b), IOT_ELIMIT);
	cr_expect_str_neq(iot_stream_error(s), "");
	iot_stream_free(s);
	iot_batch_free(b);
	iot_reader_free(r);
}
