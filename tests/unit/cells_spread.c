/* SPDX-License-Identifier: BSD-2-Clause */
/* Amounts of intervals in bins: the same cells as one request for each amount makes. */
#include <criterion/criterion.h>

#include <string.h>

#include "lib/analyze/over_time/cells_spread.h"

static const uint64_t second = CELLS_NS_PER_S;

/* Random numbers, the same in each run. */
static uint64_t draw(uint64_t below)
{
	static uint64_t x = 88172645463325252;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x % below;
}

static void add_each(struct cells *c, uint32_t process, const struct cells_spread *s)
{
	for (unsigned d = 0; d < 2; d++) {
		const struct cells_request q = {.start_ns = s->from_ns,
						.end_ns = s->to_ns - 1,
						.length = s->amount[d],
						.process = process,
						.write = d,
						.lasts = true};
		cr_assert(q.length == 0 || cells_add_request(c, &q));
	}
}

static void expect_equal(struct cells *a, struct cells *b)
{
	cr_assert(cells_settle(a) && cells_settle(b));
	cr_assert_eq(a->coarser, b->coarser);
	cr_assert_eq(a->first_bin, b->first_bin);
	cr_assert_eq(a->last_bin, b->last_bin);
	cr_assert_eq(a->sorted, b->sorted);
	for (size_t i = 0; i < a->row_capacity && a->rows[i].count > 0; i++) {
		size_t n, m;
		const struct cell *of_a = cells_row_bins(&a->rows[i], &n),
				  *of_b = cells_row_bins(&b->rows[i], &m);
		cr_assert_eq(n, m);
		for (size_t k = 0; k < n; k++) {
			cr_assert_eq(of_a[k].bin, of_b[k].bin);
			cr_assert_arr_eq(of_a[k].requests, of_b[k].requests, 2 * sizeof(uint64_t));
			cr_assert_arr_eq(of_a[k].bytes, of_b[k].bytes, 2 * sizeof(uint64_t));
		}
	}
}

/* Adds intervals to rows of hosts and to a row of all, as amounts and as requests. */
static void compare_intervals(size_t n, uint32_t hosts, uint64_t max, uint64_t every_ns)
{
	struct cells spread[2] = {{.coarser = 0}, {.coarser = 0}},
		     each[2] = {{.coarser = 0}, {.coarser = 0}};
	struct cells_spread s;
	for (size_t i = 0; i < n; i++) {
		const uint32_t host = (uint32_t)(i % hosts);
		const uint64_t late = draw(50) == 0 ? 300 * second : 0,
			       from = 1000 * second + i / hosts * every_ns + draw(second) - late,
			       amount[2] = {draw(3) == 0 ? 0 : draw(max), draw(3) * draw(max)};
		cells_spread_begin(&s, from, from + 1 + draw(2 * every_ns), amount);
		for (unsigned all = 2; all-- > 0;) {
			cr_assert(cells_spread(&spread[all], all ? 0 : host, &s));
			add_each(&each[all], all ? 0 : host, &s);
		}
	}
	for (unsigned all = 0; all < 2; all++) {
		expect_equal(&spread[all], &each[all]);
		cells_free(&spread[all]);
		cells_free(&each[all]);
	}
}

Test(cells_spread, amounts_are_divided_as_requests)
{
	compare_intervals(60000, 7, (uint64_t)1 << 40, 60 * second);
	compare_intervals(60000, 3, 100, 1 * second);
	compare_intervals(50000, 40, (uint64_t)1 << 63, 120 * second);
	compare_intervals(50000, 2, 1000, second / 3000);
}
