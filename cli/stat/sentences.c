/* SPDX-License-Identifier: BSD-2-Clause */
/* What text says before and after its tables. */
#include "results.h"

#include <string.h>

#include "cli/ui/printable.h"

#define NS_PER_S 1e9

/* The number of I/Os without the values that the table shows. */
void stat_print_unknown(struct stat_results *s)
{
	const struct iot_stats_row *f = iot_stats_total(s->stats);
	const uint64_t ios = stat_has_samples(s) ? 0 : f->reads + f->writes;
	if (f->timed == 0 && ios > 0)
		output_text(&s->out, "\n  The durations of the I/Os are not known.\n");
	else if (f->timed < ios)
		output_printf(&s->out,
			      "\n  The durations of %ju of %ju I/Os are not known: \">\" is a sum "
			      "without them.\n",
			      (uintmax_t)(ios - f->timed), (uintmax_t)ios);
	if (f->located < f->followers)
		output_printf(&s->out,
			      "\n  Whether %ju of %ju I/Os are sequential is not known: seq is of "
			      "the others.\n",
			      (uintmax_t)(f->followers - f->located), (uintmax_t)f->followers);
}

/* Bytes and I/Os per second, from the first start to the last end. */
void stat_print_rates(struct stat_results *s)
{
	const double span_s = (double)iot_stats_fact(s->stats, IOT_STATS_SPAN_NS) / NS_PER_S;
	const struct iot_stats_row *f = iot_stats_total(s->stats);
	char read[24], written[24];
	if (span_s <= 0 || !stat_knows_ios(s, f))
		return;
	output_printf(
	    &s->out, "\n  In %.6f s, per second: %.1f reads of %s, %.1f writes of %s.\n", span_s,
	    (double)f->reads / span_s,
	    printable_bytes(read, sizeof read, (uint64_t)((double)f->read_bytes / span_s)),
	    (double)f->writes / span_s,
	    printable_bytes(written, sizeof written,
			    (uint64_t)((double)f->written_bytes / span_s)));
}

void stat_print_unseen(struct stat_results *s)
{
	char sentence[UNSEEN_TEXT], text[4 * UNSEEN_TEXT];
	if (!unseen_any(&s->unseen))
		return;
	(void)unseen_sentence(&s->unseen, sentence);
	output_printf(&s->out, "%s: %s; %s\n", unseen_state_name(&s->unseen),
		      printable(text, sizeof text, sentence, strlen(sentence)),
		      unseen_remedy(&s->unseen));
}
