/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The application I/O benchmark of NHT-1 (NASA RND-92-016, section 2): computes, and writes the
 * solution after each fifth step. The options --help describes; docs/nht1.md has examples.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "app_options.h"
#include "clock.h"
#include "die.h"
#include "report.h"

enum { INTERVAL = 5 }; /* Steps from one vector to the next. */

#define TOLERANCE 1e-8 /* Relative, of the norms. */

static void pattern_step(const struct app_options *a, struct bt *bt)
{
	const double end = now_s() + a->step_s;
	const struct timespec time = {(time_t)a->step_s,
				      (long)((a->step_s - (double)(time_t)a->step_s) * 1e9)};
	bt->u[0]++;
	if (a->sleep)
		nanosleep(&time, NULL);
	while (now_s() < end)
		;
}

static void step(const struct app_options *a, struct bt *bt)
{
	if (a->step_s > 0)
		pattern_step(a, bt);
	else
		bt_step(bt);
}

/*
 * Writes u, as numbers of 4 bytes if the option says so; these overwrite rhs, which each step
 * computes again.
 */
static void write_vector(const struct app_options *a, struct bt *bt, struct output *o)
{
	const size_t n = bt_size(bt);
	if (a->word == 8) {
		output_vector(o, bt->u, n * sizeof(double));
		return;
	}
	float *narrow = (float *)(void *)bt->rhs;
	for (size_t i = 0; i < n; i++)
		narrow[i] = (float)bt->u[i];
	output_vector(o, narrow, n * sizeof(float));
}

/*
 * Runs all steps. Returns the time until all data is transferred, or the time of computation
 * without an output.
 */
static double run_steps(const struct app_options *a, struct bt *bt, struct output *o)
{
	const char *section = o != NULL ? "app" : "compute";
	const double begin = section_begin(section);
	if (o != NULL)
		output_open(o);
	for (int s = 1; s <= a->of->steps; s++) {
		step(a, bt);
		if (o != NULL && s % INTERVAL == 0) {
			write_vector(a, bt, o);
			mark("vector");
		}
	}
	if (o != NULL)
		output_close(o);
	return section_end(section) - begin;
}

/*
 * One untimed step touches all memory. A time counts only if the norms are right, so others end the
 * program.
 */
static double timed_run(const struct app_options *a, struct bt *bt, struct output *o)
{
	bt_reset(bt);
	step(a, bt);
	bt_reset(bt);
	const double time = run_steps(a, bt, o);
	const double difference = a->step_s > 0 ? 0 : bt_difference(bt, a->of);
	if (!(difference <= TOLERANCE))
		die("class %c: norms differ from the published ones by %.3g, expected at most %.0e",
		    a->of->letter, difference, TOLERANCE);
	return time;
}

static double best_without_output(const struct app_options *a, struct bt *bt)
{
	double best = timed_run(a, bt, NULL);
	for (int i = 1; i < a->runs; i++) {
		const double time = timed_run(a, bt, NULL);
		best = time < best ? time : best;
	}
	return best;
}

static void report_parameters(struct report *r, const struct app_options *a)
{
	const char *const names[] = {"NHT-1 application benchmark",
				     "NHT-1 application benchmark, reduced"};
	const char class[] = {a->of->letter, '\0'};
	if (a->step_s > 0)
		report_text(r, "pattern_only", a->sleep ? "slept" : "computed");
	report_text(r, "benchmark", names[a->of->letter != 'B']);
	report_text(r, "class", class);
	report_count(r, "points", (uint64_t)a->of->n);
	report_count(r, "steps", (uint64_t)a->of->steps);
	report_count(r, "threads", (uint64_t)a->threads);
	report_count(r, "word", (uint64_t)a->word);
	report_text(r, "io", io_words[a->output.io]);
	report_text(r, "sync",
		    a->output.sync == SYNC_NONE ? "none: not on disk" : sync_words[a->output.sync]);
	report_count(r, "request_bytes", a->output.request);
	report_text(r, "output", a->output.path);
}

static void report_run(const struct app_options *a, double compute_s, double total_s)
{
	struct report r = {.json = a->json};
	const size_t points = (size_t)a->of->n * (size_t)a->of->n * (size_t)a->of->n;
	const size_t vectors = (size_t)(a->of->steps / INTERVAL),
		     bytes = vectors * points * BT_M * (size_t)a->word;
	report_parameters(&r, a);
	report_machine(&r, a->output.file_per_vector ? "." : a->output.path);
	report_count(&r, "vectors", vectors);
	report_count(&r, "written_bytes", bytes);
	report_number(&r, "compute_s", compute_s);
	report_number(&r, "total_s", total_s);
	report_number(&r, "bytes_per_s", (double)bytes / total_s);
	report_number(&r, "overhead", total_s / compute_s - 1);
	report_end(&r);
}

int main(int argc, char **argv)
{
	struct app_options a;
	struct bt bt;
	app_options_parse(&a, argc, argv);
	if (bt_init(&bt, a.of, a.threads) != 0)
		die("class %c: out of memory", a.of->letter);
	const double compute_s = a.compute_s > 0 ? a.compute_s : best_without_output(&a, &bt);
	const double total_s = timed_run(&a, &bt, &a.output);
	temporary_keep();
	report_run(&a, compute_s, total_s);
	bt_free(&bt);
	return 0;
}
