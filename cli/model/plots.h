/* SPDX-License-Identifier: BSD-2-Clause */
/* Plots of simulations of the system model. */
#ifndef CLI_MODEL_PLOTS_H
#define CLI_MODEL_PLOTS_H

#include "cli/ui/same_file.h"
#include "results.h"

/*
 * Writes bytes.svg (logged and simulated bytes of all I/O nodes over time), and with a variant
 * nodes_io.svg and nodes_time.svg (times of I/O nodes), and io_ratios.svg and time_ratios.svg
 * (the distributions of ratios over jobs). Returns EXIT_OK, or EXIT_FAILED after a message.
 */
enum exit_status model_plots_write(const struct model_results *r, const char *directory);
void model_plots_add_files(struct same_file_set *files, const char *directory);

#endif
