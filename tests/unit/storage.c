/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input that the caller reads at any byte: it reads as memory does, with short reads and failures.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>

#include "trace_tools.h"

struct object {
	struct bytes bytes;
	size_t max;         /* bytes of an answer */
	uint64_t bad;       /* reads at or after this offset fail */
	atomic_uint inside; /* calls in progress */
	atomic_uint calls;
};

static ssize_t read_at(void *context, void *to, size_t size, uint64_t offset)
{
	struct object *o = context;
	cr_assert_eq(atomic_fetch_add(&o->inside, 1), 0);
	o->calls++;
	cr_assert_lt(offset, o->bytes.size);
	size_t n = o->bytes.size - (size_t)offset;
	n = n < size ? n : size;
	n = n < o->max ? n : o->max;
	const bool fails = offset + n > o->bad;
	if (fails)
		errno = ESTALE;
	else
		memcpy(to, o->bytes.data + offset, n);
	atomic_fetch_sub(&o->inside, 1);
	return fails ? -1 : (ssize_t)n;
}

static struct iot_reader *open_object(struct object *o, uint64_t threads)
{
	const struct iot_storage storage = {
	    .read_at = read_at, .context = o, .size = o->bytes.size};
	struct iot_reader *r = iot_reader_new();
	cr_assert_eq(iot_reader_set(r, IOT_SET_READ_AHEAD, threads > 0), IOT_OK);
	cr_assert_eq(iot_reader_set(r, IOT_SET_THREADS, threads > 0 ? threads : 1), IOT_OK);
	cr_assert_eq(iot_reader_open_storage(r, &storage, "object"), IOT_OK);
	return r;
}

static uint64_t sum_of_offsets(struct iot_reader *r, size_t *count)
{
	struct iot_record rec;
	uint64_t sum = 0;
	ssize_t got;
	*count = 0;
	for (; (got = iot_reader_records(r, &rec, 1)) == 1; ++*count)
		sum = sum * 31 + rec.offset;
	cr_assert_eq(got, 0, "%s", iot_reader_error(r));
	return sum;
}

Test(storage, it_reads_as_memory_does_from_any_record)
{
	for (int how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		struct object o = {.max = 57, .bad = UINT64_MAX};
		o.bytes =
		    sample(95, (struct make){.compression = (enum iot_compression)how, .sync = 10});
		for (uint64_t first = 0; first <= 95; first++) {
			size_t n, m;
			struct iot_reader *a = open_object(&o, 0), *b = iot_reader_new();
			cr_assert_eq(
			    iot_reader_open_memory(b, o.bytes.data, o.bytes.size, "memory"),
			    IOT_OK);
			cr_assert_eq(iot_reader_seek(a, IOT_SEEK_RECORD, first), IOT_OK);
			cr_assert_eq(iot_reader_seek(b, IOT_SEEK_RECORD, first), IOT_OK);
			cr_assert_eq(sum_of_offsets(a, &n), sum_of_offsets(b, &m));
			cr_assert_eq(n, 95 - first);
			cr_assert_eq(m, n);
			iot_reader_free(a);
			iot_reader_free(b);
		}
		free(o.bytes.data);
	}
}

Test(storage, parts_are_read_one_call_at_a_time)
{
	struct object o = {.max = SIZE_MAX, .bad = UINT64_MAX};
	size_t total = 0;
	o.bytes = sample(5000, (struct make){.compression = IOT_ZSTD, .sync = 50});
	for (uint64_t k = 1; k <= 7; k++) {
		struct iot_part part;
		size_t n;
		struct iot_reader *r = open_object(&o, 3);
		cr_assert_eq(iot_reader_part(r, k, 7, &part), IOT_OK);
		cr_assert_eq(part.stored, o.bytes.size);
		sum_of_offsets(r, &n);
		total += n;
		iot_reader_free(r);
	}
	cr_assert_eq(total, 5000);
	free(o.bytes.data);
}

Test(storage, a_failure_has_its_reason_and_comes_after_the_good_records)
{
	struct object o = {.max = 100};
	struct iot_record rec;
	size_t n = 0;
	ssize_t got;
	o.bytes = sample(200, (struct make){.compression = IOT_PLAIN, .sync = 10});
	o.bad = o.bytes.size / 2;
	struct iot_reader *r = open_object(&o, 0);
	for (; (got = iot_reader_records(r, &rec, 1)) == 1; n++)
		;
	cr_assert_eq(got, IOT_EIO);
	cr_assert_gt(n, 80);
	cr_assert_not_null(strstr(iot_reader_error(r), strerror(ESTALE)), "%s",
			   iot_reader_error(r));
	iot_reader_free(r);
	free(o.bytes.data);
}
