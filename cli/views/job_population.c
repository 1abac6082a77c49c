/* SPDX-License-Identifier: BSD-2-Clause */
#include "job_population.h"

#include <string.h>

#include "lib/result/columns.h"
#include "lib/result/row.h"

static const unsigned permille[] = {0, 10, 100, 250, 500, 750, 800, 900, 990, 1000};
enum { QUANTILES = sizeof permille / sizeof permille[0] };

const struct iot_column job_population_columns[POPULATION_COLUMNS] =
    COLUMN_LIST(COLUMN_AS(known_jobs, "n"), COLUMN_AS(quantile, "0"), COLUMN_AS(quantile, "0.01"),
		COLUMN_AS(quantile, "0.1"), COLUMN_AS(quantile, "0.25"), COLUMN_AS(quantile, "0.5"),
		COLUMN_AS(quantile, "0.75"), COLUMN_AS(quantile, "0.8"), COLUMN_AS(quantile, "0.9"),
		COLUMN_AS(quantile, "0.99"), COLUMN_AS(quantile, "1"), COLUMN(mean), COLUMN(stddev),
		COLUMN(top_fifth_share), COLUMN(main_jobs_share));

static void compute(struct iot_row *to, void *source)
{
	const struct population *p = source;
	row_number(to, &metrics.known_jobs, p->n);
	if (p->n == 0)
		return;
	for (size_t i = 0; i < QUANTILES; i++)
		row_real(to, &metrics.quantile, population_quantile(p, permille[i]));
	row_real(to, &metrics.mean, population_mean(p));
	row_real(to, &metrics.stddev, population_stddev(p));
	row_real(to, &metrics.top_fifth_share, population_top_share(p));
	row_real(to, &metrics.main_jobs_share, population_main_members(p));
}

static void copy(struct iot_row *to, void *source)
{
	const struct job_population *p = source;
	memcpy(to->cell, p->cell, sizeof p->cell);
}

void job_population_make(struct job_population *p, const struct job_group *g, size_t value,
			 struct population *scratch)
{
	analyze_group_collect(g, value, scratch);
	const struct iot_table computed = TABLE_RECORD(job_population_columns, compute, scratch);
	iot_table_row(&computed, 0, p->cell);
	p->table = (struct iot_table)TABLE_RECORD(job_population_columns, copy, p);
}
