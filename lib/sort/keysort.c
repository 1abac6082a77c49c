/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stable natural merge sort: existing runs are found, short ones extended by insertion sort, and
 * neighbours merged in the order of "powersort" (Munro and Wild, 2018). A merge first skips the
 * elements that are already in place, so sorted or nearly sorted input costs little more than one
 * pass.
 */
#include "keysort.h"

#include <stdbool.h>
#include <string.h>

enum {
	RUN_MIN = 32,   /* shorter runs are extended by insertion sort */
	RUN_STACK = 72, /* powers on the stack increase, and are at most 64 + 1 */
};

static bool is_before(struct sort_key a, struct sort_key b)
{
	return (a.start < b.start) | ((a.start == b.start) & (a.tie < b.tie));
}

/*
 * Returns the index of the first key of a[0 .. n) after x; x is not in a. Searches exponentially
 * from the end.
 */
static size_t first_after(const struct sort_key *a, size_t n, struct sort_key x)
{
	size_t step = 1, high = n;
	while (step <= n && is_before(x, a[n - step])) {
		high = n - step;
		step *= 2;
	}
	size_t low = step <= n ? n - step + 1 : 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (is_before(x, a[mid]))
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/*
 * Returns the index of the first key of a[0 .. n) not before x. Searches exponentially from the
 * beginning.
 */
static size_t first_from(const struct sort_key *a, size_t n, struct sort_key x)
{
	size_t step = 1, low = 0;
	while (step <= n && is_before(a[step - 1], x)) {
		low = step;
		step *= 2;
	}
	size_t high = step <= n ? step - 1 : n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (is_before(a[mid], x))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The loops select by pointer, not by branch, because the comparison is unpredictable. */
static void merge_forward(struct sort_key *a, size_t left, size_t right, struct sort_key *spare)
{
	memcpy(spare, a, left * sizeof(*a));
	const struct sort_key *l = spare, *l_end = spare + left, *r = a + left, *r_end = r + right;
	struct sort_key *out = a;
	while (l < l_end && r < r_end) {
		bool take_right = is_before(*r, *l);
		*out++ = take_right ? *r : *l;
		r += take_right;
		l += !take_right;
	}
	memcpy(out, l, (size_t)(l_end - l) * sizeof(*a));
}

static void merge_backward(struct sort_key *a, size_t left, size_t right, struct sort_key *spare)
{
	memcpy(spare, a + left, right * sizeof(*a));
	const struct sort_key *l = a + left, *r = spare + right;
	struct sort_key *out = a + left + right;
	while (l > a && r > spare) {
		bool take_left = is_before(r[-1], l[-1]);
		*--out = take_left ? l[-1] : r[-1];
		l -= take_left;
		r -= !take_left;
	}
	memcpy(a + (l - a), spare, (size_t)(r - spare) * sizeof(*a));
}

static void merge(struct sort_key *a, size_t left, size_t right, struct sort_key *spare)
{
	size_t skip = first_after(a, left, a[left]);
	a += skip;
	left -= skip;
	if (left == 0)
		return;
	right = first_from(a + left, right, a[left - 1]);
	if (left <= right)
		merge_forward(a, left, right, spare);
	else
		merge_backward(a, left, right, spare);
}

static void reverse(struct sort_key *a, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct sort_key key = a[i];
		a[i] = a[n - 1 - i];
		a[n - 1 - i] = key;
	}
}

/* Sorts a[0 .. n), whose prefix a[0 .. done) is already in order. */
static void insertion_sort(struct sort_key *a, size_t done, size_t n)
{
	for (size_t i = done; i < n; i++) {
		struct sort_key key = a[i];
		size_t at = i;
		for (; at > 0 && is_before(key, a[at - 1]); at--)
			a[at] = a[at - 1];
		a[at] = key;
	}
}

/*
 * Returns the length of the run at a, after making it ascending and, if n allows, at least RUN_MIN
 * long.
 */
static size_t next_run(struct sort_key *a, size_t n, size_t done)
{
	size_t len = done > 0 ? done : 1;
	while (len < n && is_before(a[len - 1], a[len]))
		len++;
	if (len == 1 && n > 1) {
		while (len < n && is_before(a[len], a[len - 1]))
			len++;
		reverse(a, len);
	}
	if (len >= RUN_MIN || len == n)
		return len;
	size_t longer = n < RUN_MIN ? n : RUN_MIN;
	insertion_sort(a, len, longer);
	return longer;
}

/*
 * Returns the depth, in a balanced tree over n keys, of the border between [at, mid) and [mid,
 * end).
 */
static unsigned border_power(size_t n, size_t at, size_t mid, size_t end)
{
	/* the midpoints, doubled */
	uint64_t left = (uint64_t)at + mid, right = (uint64_t)mid + end;
	unsigned power = 1;
	for (; (left >= n) == (right >= n) && power < 64; power++) {
		uint64_t bit = left >= n ? n : 0;
		left = 2 * (left - bit);
		right = 2 * (right - bit);
	}
	return power;
}

struct run_stack {
	size_t at[RUN_STACK];
	unsigned power[RUN_STACK]; /* of the border after the run */
	size_t depth;
};

static void push_run(struct sort_key *a, struct sort_key *spare, struct run_stack *st, size_t n,
		     size_t *at, size_t mid, size_t end)
{
	unsigned power = mid < n ? border_power(n, *at, mid, end) : 0;
	while (st->depth > 0 && st->power[st->depth - 1] >= power) {
		size_t left = st->at[--st->depth];
		merge(a + left, *at - left, mid - *at, spare);
		*at = left;
	}
	st->at[st->depth] = *at;
	st->power[st->depth++] = power;
	*at = mid;
}

void keysort(struct sort_key *a, size_t n, size_t done, struct sort_key *spare)
{
	struct run_stack st = {.depth = 0};
	size_t at = 0, mid = next_run(a, n, done);
	while (mid < n) {
		size_t end = mid + next_run(a + mid, n - mid, 0);
		push_run(a, spare, &st, n, &at, mid, end);
		mid = end;
	}
	push_run(a, spare, &st, n, &at, n, n);
}
