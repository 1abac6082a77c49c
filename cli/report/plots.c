/* SPDX-License-Identifier: BSD-2-Clause */
#include "plots.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/ui/message.h"

#include "png.h"

const struct plot *const trace_plots[] = {
    &plot_kinds,     &plot_rate,  &plot_requests,   &plot_heat,        &plot_offset,    &plot_sizes,
    &plot_classes10, &plot_cdf,   &plot_burstiness, &plot_concurrency, &plot_processes, &plot_hosts,
    &plot_cost,      &plot_cycle, &plot_class,      &plot_working_set, &plot_idle,      NULL};

const struct plot *const job_plots[] = {&plot_files,
					&plot_box,
					&plot_jobs_classes10,
					&plot_scatter_bytes,
					&plot_scatter_intensity,
					&plot_scatter_burstiness,
					&plot_scatter_parallel,
					NULL};

static char *path_of(const char *directory, const char *name, const char *suffix)
{
	const size_t size = strlen(directory) + strlen(name) + strlen(suffix) + 2;
	char *path = malloc(size);
	if (path != NULL)
		snprintf(path, size, "%s/%s%s", directory, name, suffix);
	return path;
}

static void write_svg(const struct plot *p, const struct plot_data *d, struct output *o)
{
	plot_write(p, d, o, PLOT_FILE);
}

static void write_tsv(const struct plot *p, const struct plot_data *d, struct output *o)
{
	struct tsv t = {.out = o};
	p->write_data(d, &t);
	tsv_end(&t);
}

static enum exit_status
write_file(const struct plot *p, const struct plot_data *d, const char *path, unsigned how,
	   void (*write)(const struct plot *p, const struct plot_data *d, struct output *o))
{
	struct output o = {.status = IOT_OK};
	enum exit_status status = output_open(&o, path, how);
	if (status != EXIT_OK)
		return status;
	write(p, d, &o);
	return output_close(&o);
}

static enum exit_status write_plot(const struct plot *p, const struct plot_data *d,
				   const char *directory, bool png, unsigned how)
{
	char *svg = path_of(directory, p->name, ".svg"), *tsv = path_of(directory, p->name, ".tsv"),
	     *image = path_of(directory, p->name, ".png");
	enum exit_status status = EXIT_OK;
	if (svg == NULL || tsv == NULL || image == NULL)
		status = message_no_memory();
	if (status == EXIT_OK)
		status = write_file(p, d, svg, how, write_svg);
	if (status == EXIT_OK)
		status = write_file(p, d, tsv, how, write_tsv);
	if (status == EXIT_OK && png)
		status = png_convert(svg, image);
	free(svg);
	free(tsv);
	free(image);
	return status;
}

static void add_files(struct same_file_set *files, const char *directory, const char *name,
		      bool png)
{
	static const char *const endings[] = {".svg", ".tsv", ".png"};
	for (size_t k = 0; k < (png ? 3 : 2); k++) {
		char *path = path_of(directory, name, endings[k]);
		if (path == NULL)
			files->failed = true;
		else
			same_file_add_output(files, ROLE_OUTPUT, "--plots", path);
		free(path);
	}
}

static bool is_trace_plot(const char *name)
{
	size_t i = 0;
	while (trace_plots[i] != NULL && strcmp(trace_plots[i]->name, name) != 0)
		i++;
	return trace_plots[i] != NULL;
}

/* A name of both lists is one file. */
void plots_add_files(struct same_file_set *files, const char *directory, bool png)
{
	for (size_t i = 0; trace_plots[i] != NULL; i++)
		add_files(files, directory, trace_plots[i]->name, png);
	for (size_t i = 0; job_plots[i] != NULL; i++)
		if (!is_trace_plot(job_plots[i]->name))
			add_files(files, directory, job_plots[i]->name, png);
}

enum exit_status plots_write(const struct plot *const *plots, const struct plot_data *d,
			     const char *directory, bool png, unsigned how)
{
	enum exit_status status = EXIT_OK;
	if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
		message_print_about(directory, "cannot make the directory: %s", strerror(errno));
		return EXIT_FAILED;
	}
	for (size_t i = 0; plots[i] != NULL && status == EXIT_OK; i++)
		if (plots[i]->has_data(d))
			status = write_plot(plots[i], d, directory, png, how);
	return status;
}
