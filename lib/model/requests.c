/* SPDX-License-Identifier: BSD-2-Clause */
#include "requests.h"

__extension__ typedef unsigned __int128 wide;

int64_t model_duration_ps(uint64_t bytes, uint64_t bandwidth)
{
	uint64_t ps;
	if (bandwidth == MODEL_NO_DELAY)
		return 0;
	if (!__builtin_mul_overflow(bytes, (uint64_t)MODEL_PS_PER_S, &ps) &&
	    !__builtin_add_overflow(ps, bandwidth / 2, &ps))
		return (int64_t)(ps / bandwidth);
	return (int64_t)(((wide)bytes * (uint64_t)MODEL_PS_PER_S + bandwidth / 2) / bandwidth);
}

/* If bytes are logged without a request, assumes the fewest requests that can transfer them. */
static uint64_t logged_count(const struct model_system *s, const struct model_log *l,
			     enum model_direction d)
{
	if (l->requests[d] > 0 || l->bytes[d] == 0)
		return l->requests[d];
	return (l->bytes[d] - 1) / s->request_max + 1;
}

static uint64_t pieces_of(const struct model_system *s, uint64_t size)
{
	return size <= s->request_max ? 1 : (size - 1) / s->request_max + 1;
}

uint64_t model_request_count(const struct model_system *s, const struct model_log *l,
			     enum model_direction d)
{
	const uint64_t n = logged_count(s, l, d);
	if (n == 0)
		return 0;
	const uint64_t size = l->bytes[d] / n, longer = l->bytes[d] % n;
	return longer * pieces_of(s, size + 1) + (n - longer) * pieces_of(s, size);
}

static uint64_t piece_size(const struct model_system *s, uint64_t size, uint64_t i)
{
	const uint64_t pieces = pieces_of(s, size);
	const uint64_t piece = i % pieces;
	return pieces == 1          ? size
	       : piece + 1 < pieces ? s->request_max
				    : size - piece * s->request_max;
}

/* The first requests are one byte longer, if the bytes cannot be divided. */
struct model_request model_request_at(const struct model_system *s, const struct model_log *l,
				      uint64_t i)
{
	const uint64_t reads = model_request_count(s, l, MODEL_READ);
	const enum model_direction d = i < reads ? MODEL_READ : MODEL_WRITE;
	const uint64_t n = logged_count(s, l, d);
	if (n == 0)
		return (struct model_request){0, false};
	const uint64_t size = l->bytes[d] / n, longer = l->bytes[d] % n;
	const uint64_t longer_pieces = longer * pieces_of(s, size + 1);
	if (d == MODEL_WRITE)
		i -= reads;
	return (struct model_request){i < longer_pieces ? piece_size(s, size + 1, i)
							: piece_size(s, size, i - longer_pieces),
				      d == MODEL_WRITE};
}
