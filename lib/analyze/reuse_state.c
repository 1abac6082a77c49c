/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads the reuse of bytes: sums of files, and the segments of their maps. See state.h. */
#include "reuse_internal.h"

#include "state.h"

enum { SEGMENTS_PER_FILE_MAX = 4 };

/* The segments of all files, one after the other, without the untouched bytes at the begin. */
struct segment_cursor {
	size_t row; /* of the file */
	struct byte_position at;
	struct byte_segment segment;
	bool more;
};

static void next_segment(const struct state *s, const struct reuse *r, struct segment_cursor *c)
{
	for (; c->row < s->files.count; c->row++, c->at = (struct byte_position){.leaf = NULL}) {
		const size_t file = s->files.own[c->row];
		while (file < r->capacity &&
		       byte_map_next(&r->files[file].map, &c->at, &c->segment))
			if (c->segment.begin > 0 || c->segment.state != USE_NONE) {
				c->more = true;
				return;
			}
	}
	c->more = false;
}

static void load_segment(struct state *s, struct reuse *r, const struct segment_cursor *c)
{
	state_check(s,
		    r->maps.segments <
			BYTE_SEGMENTS_MAX + SEGMENTS_PER_FILE_MAX * (size_t)s->files.count,
		    "up to 8388608 segments");
	struct reuse_file *f = state_failed(s) ? NULL
					       : state_at(s, &r->files, &r->capacity,
							  s->files.own[c->row], sizeof *r->files);
	if (f != NULL && !byte_map_append(&r->maps, &f->map, c->segment.begin, c->segment.state))
		state_no_memory(s);
}

/* Each segment follows the one before, in another state. */
static bool follows(const struct segment_cursor *c, const struct segment_cursor *last)
{
	return last->more && c->row == last->row
		   ? c->segment.begin > last->segment.begin &&
			 c->segment.state != last->segment.state
		   : (!last->more || c->row > last->row) && c->segment.state != USE_NONE;
}

static void segments_state(struct state *s, struct reuse *r)
{
	struct segment_cursor c = {.row = 0}, last = {.row = 0};
	if (state_saves(s))
		next_segment(s, r, &c);
	while (state_list(s, "reuse.segment", c.more)) {
		uint32_t file = (uint32_t)c.row, use = c.segment.state;
		state_small(s, "row", &file, (uint32_t)s->files.count);
		state_number(s, "begin", &c.segment.begin);
		state_small(s, "use", &use, USES - 1);
		if (state_saves(s)) {
			next_segment(s, r, &c);
			continue;
		}
		c.row = file;
		c.segment.state = use;
		state_check(s, file < s->files.count && follows(&c, &last), "segments in order");
		load_segment(s, r, &c);
		last = c;
		last.more = true;
	}
}

static void file_columns(struct state *s, struct reuse_file *f)
{
	state_number(s, "re_read", &f->re_read);
	state_number(s, "read_after_write", &f->read_after_write);
	state_number(s, "overwrite_unread", &f->overwrite_unread);
	state_number(s, "overwrite_read", &f->overwrite_read);
	state_number(s, "unknown_r", &f->unknown[0]);
	state_number(s, "unknown_w", &f->unknown[1]);
	state_flag(s, "timed", &f->write_timed);
	state_signed(s, "first", &f->first_write_ns);
	state_signed(s, "last", &f->last_write_ns);
}

void reuse_state(struct state *s, struct reuse *r)
{
	size_t i;
	while (state_each(s, "reuse", 1, &i)) {
		state_small(s, "round", &r->round, BYTE_ROUND_MAX);
		state_flag(s, "unordered", &r->unordered);
	}
	while (state_each(s, "reuse.file", s->files.count, &i)) {
		struct reuse_file *f =
		    state_at(s, &r->files, &r->capacity, s->files.own[i], sizeof *r->files);
		if (f == NULL)
			return;
		file_columns(s, f);
	}
	segments_state(s, r);
}
