/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NHT1_APP_OPTIONS_H
#define NHT1_APP_OPTIONS_H

#include "bt.h"
#include "output.h"

struct app_options {
	const struct bt_class *of;
	struct output output;
	int threads, word, runs, json;
	double compute_s; /* The time without I/O; 0: to be measured. */
	double step_s;    /* Pattern only: the time of an iteration; 0: the solver computes. */
	int sleep;        /* Pattern only: the iteration sleeps. */
};

/* Reads the options; a wrong one, and --help, end the program. */
void app_options_parse(struct app_options *a, int argc, char **argv);

#endif
