/* SPDX-License-Identifier: BSD-2-Clause */
#include "html.h"

#include <math.h>
#include <stdio.h>

#include "cli/ui/markup.h"
#include "cli/ui/printable.h"

#include "plot.h"

enum { NAME_CAPACITY = 1 << 16 };

/* Page and plots in light and dark; paper is light. */
static const char style[] =
    ":root{color-scheme:light dark;--bg:#fff;--fg:#222;--soft:#666;--rule:#ddd;--panel:#f6f6f6}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;max-width:66rem;padding:1rem 1.25rem 3rem;background:var(--bg);"
    "color:var(--fg);font:15px/1.45 system-ui,sans-serif}"
    "h1{font-size:1.5rem;margin:.5rem 0;overflow-wrap:anywhere}"
    "h2{font-size:1.15rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--rule)}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}"
    "dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}"
    ".scroll{display:inline-block;vertical-align:top;max-width:100%;overflow-x:auto;"
    "margin-right:2.5rem}"
    "table{border-collapse:collapse;margin:.5rem 0 1rem;font-size:.9rem}"
    "caption{text-align:left;color:var(--soft);padding:.2rem 0}"
    "th,td{padding:.15rem .6rem;text-align:right;border-bottom:1px solid var(--rule);"
    "font-variant-numeric:tabular-nums;font-weight:400;white-space:nowrap}"
    "thead th{color:var(--soft);vertical-align:bottom}"
    "th:first-child,td:first-child{text-align:left;padding-left:0}"
    "td.n{white-space:normal;overflow-wrap:anywhere;min-width:12rem;max-width:26rem}"
    ".finding{margin:.4rem 0;padding:.4rem .8rem;background:var(--panel);"
    "border-left:3px solid #E69F00}"
    "figure{margin:1rem 0}figure svg{display:block;width:100%;height:auto;max-width:64rem}"
    "nav a{margin-right:.8rem}a{color:inherit}details{margin:.5rem 0}"
    "summary h2{display:inline;border:0;font-size:1rem}.soft{color:var(--soft)}"
    "svg text{fill:var(--fg)}svg .grid{stroke:var(--rule)}svg .frame{stroke:var(--soft)}"
    "svg .t{fill:var(--fg)}svg .o{color:var(--soft)}"
    "@media screen and (prefers-color-scheme:dark){"
    ":root{--bg:#16181c;--fg:#e4e4e4;--soft:#a9a9a9;--rule:#3a3d42;--panel:#212429}"
    "svg .r{color:#3d9be0}svg .w{color:#f0813a}svg .m{color:#2fc39a}}"
    "@page{size:A4;margin:14mm}"
    "@media print{body{max-width:none;padding:0;font-size:10pt}nav{display:none}"
    "figure,tr,.finding{break-inside:avoid}h2{break-after:avoid}.scroll{display:block;"
    "overflow:visible;margin:0}"
    "table{font-size:8pt}th,td{padding:.1rem .3rem}td.n{min-width:9rem}}";

void html_begin(struct html *h, const char *title, size_t size)
{
	output_text(h->out,
		    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
		    "'none'; style-src 'unsafe-inline'\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, "
		    "initial-scale=1\">\n<title>");
	markup_shortened(h->out, title, size, HTML_NAME_MAX);
	output_printf(h->out, "</title>\n<style>%s", plot_style);
	output_text(h->out, style);
	output_text(h->out, "</style>\n</head>\n<body>\n");
}

void html_end(struct html *h)
{
	output_text(h->out, "</body>\n</html>\n");
}

void html_section(struct html *h, const char *id, const char *heading)
{
	output_printf(h->out, "<section>\n<h2 id=\"%s\">", id);
	markup_text(h->out, heading);
	output_text(h->out, "</h2>\n");
}

void html_details(struct html *h, const char *id, const char *heading)
{
	output_printf(h->out, "<details>\n<summary><h2 id=\"%s\">", id);
	markup_text(h->out, heading);
	output_text(h->out, "</h2></summary>\n");
}

void html_details_end(struct html *h)
{
	output_text(h->out, "</details>\n");
}

void html_section_end(struct html *h)
{
	output_text(h->out, "</section>\n");
}

void html_paragraph(struct html *h, const char *text)
{
	output_text(h->out, "<p>");
	markup_text(h->out, text);
	output_text(h->out, "</p>\n");
}

void html_table(struct html *h, const char *caption, const char *const *headings)
{
	output_text(h->out, "<div class=\"scroll\"><table>\n");
	if (caption != NULL) {
		output_text(h->out, "<caption>");
		markup_text(h->out, caption);
		output_text(h->out, "</caption>\n");
	}
	output_text(h->out, "<thead><tr>");
	for (; *headings != NULL; headings++) {
		output_text(h->out, "<th scope=\"col\">");
		markup_text(h->out, *headings);
		output_text(h->out, "</th>");
	}
	output_text(h->out, "</tr></thead>\n<tbody>\n");
}

void html_table_end(struct html *h)
{
	output_text(h->out, "</tbody></table></div>\n");
}

void html_row(struct html *h, const char *label)
{
	output_text(h->out, "<tr><th scope=\"row\">");
	markup_text(h->out, label);
	output_text(h->out, "</th>");
}

void html_row_end(struct html *h)
{
	output_text(h->out, "</tr>\n");
}

void html_name(struct html *h, struct iot_text name)
{
	char text[NAME_CAPACITY];
	const size_t size = name.size < NAME_CAPACITY ? name.size : NAME_CAPACITY,
		     n = iot_percent_decode((struct iot_text){name.data, size}, text, NULL);
	const bool has_title =
	    markup_is_longer(text, n, HTML_NAME_MAX) && n <= HTML_TITLES_MAX - h->titles;
	if (has_title) {
		h->titles += n;
		output_text(h->out, "<span title=\"");
		markup_write(h->out, text, n);
		output_text(h->out, "\">");
	}
	markup_shortened(h->out, text, n, HTML_NAME_MAX);
	if (has_title)
		output_text(h->out, "</span>");
}

void html_text(struct html *h, struct iot_text sentence)
{
	char text[NAME_CAPACITY];
	const size_t size = sentence.size < NAME_CAPACITY ? sentence.size : NAME_CAPACITY;
	markup_shortened(h->out, text,
			 iot_percent_decode((struct iot_text){sentence.data, size}, text, NULL),
			 HTML_SENTENCE_MAX);
}

void html_row_named(struct html *h, struct iot_text name)
{
	output_text(h->out, "<tr><td class=\"n\">");
	html_name(h, name);
	output_text(h->out, "</td>");
}

/* Digits in groups of three. */
static void group_digits(char text[HTML_VALUE], uint64_t number)
{
	char digits[HTML_VALUE];
	const int n = snprintf(digits, sizeof digits, "%ju", (uintmax_t)number);
	int at = 0;
	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = '\0';
}

const char *html_value(char text[HTML_VALUE], enum html_form form,
		       const struct iot_analyze_value *v)
{
	if (v == NULL || v->kind == IOT_VALUE_UNKNOWN)
		return "-";
	const double real = v->kind == IOT_VALUE_NUMBER ? (double)v->number : v->real;
	if (form == HTML_BYTES && real < 0x1p63)
		printable_bytes(text, HTML_VALUE,
				v->kind == IOT_VALUE_NUMBER ? v->number : (uint64_t)real);
	else if (form == HTML_COUNT && v->kind == IOT_VALUE_NUMBER)
		group_digits(text, v->number);
	else if (form == HTML_PERCENT)
		snprintf(text, HTML_VALUE, "%.1f %%", 100 * real);
	else if (form == HTML_NS)
		printable_time(text, HTML_VALUE, real);
	else
		snprintf(text, HTML_VALUE,
			 real == 0 || fabs(real) >= 1 ? "%.2f"
			 : fabs(real) >= 0.001        ? "%.4f"
						      : "%.3g",
			 real);
	return text;
}

void html_cell(struct html *h, enum html_form form, const struct iot_analyze_value *v)
{
	char text[HTML_VALUE];
	if (v != NULL && v->kind == IOT_VALUE_TEXT) {
		output_text(h->out, "<td>");
		html_name(h, v->text);
		output_text(h->out, "</td>");
		return;
	}
	if (v != NULL && v->note != NULL) {
		output_text(h->out, "<td title=\"");
		markup_text(h->out, v->note);
		output_text(h->out, "\">");
	} else {
		output_text(h->out, "<td>");
	}
	markup_text(h->out, html_value(text, form, v));
	output_text(h->out, "</td>");
}

void html_cell_text(struct html *h, const char *text)
{
	output_text(h->out, "<td>");
	markup_text(h->out, text);
	output_text(h->out, "</td>");
}
