/* contest_page.c: a contest as one self-contained HTML file.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "contest_report.h"
#include "html.h"
#include "machine.h"
#include "message.h"
#include "output.h"
#include "peer.h"
#include "picture.h"
#include "shell.h"
#include "temporary.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static output page = OUTPUT_CLOSED;

int contest_page_prepare(const char *name) {
  return picture_check("--report") == DONE ? output_open(&page, name) : FAILED;
}

int contest_page_close(int status) { return output_close(&page, status); }

/* ---- Rows and cells ---------------------------------------------------------------------------------------------- */

static void put_pair(FILE *to, const char *name, const char *value) {
  fputs("<tr><th>", to);
  html_put_text(to, name);
  fputs("</th><td>", to);
  html_put_text(to, value);
  fputs("</td></tr>\n", to);
}

static void put_number(FILE *to, double value) {
  if (value > 0)
    fprintf(to, "<td class=\"n\">%.*f</td>", report_decimals(value), value);
  else
    fputs("<td class=\"n\">&ndash;</td>", to);
}

/* ---- The machine ------------------------------------------------------------------------------------------------- */

static void put_caches(FILE *to) {
  const char *between = "";
  fputs("<tr><th>caches</th><td>", to);
  for (int level = 1; level <= CACHE_LEVELS; level++) {
    if (machine_cache(level) == 0) continue;
    fprintf(to, "%sL%d %zu KiB", between, level, machine_cache(level) >> 10);
    between = ", ";
  }
  fputs("</td></tr>\n", to);
}

static void put_system(FILE *to) {
  char text[320], date[64];
  struct utsname system;
  const time_t now = time(NULL);
  if (uname(&system) == 0) {
    snprintf(text, sizeof text, "%s %s, %s", system.sysname, system.release, system.machine);
    put_pair(to, "system", text);
  }
  strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
  put_pair(to, "date", date);
}

static void put_machine(FILE *to, const contest *c) {
  char text[192];
  fputs("<h2>Machine and versions</h2>\n<table>\n", to);
  report_machine(text, sizeof text, c->request);
  put_pair(to, "processor", text);
  put_caches(to);
  put_system(to);
  snprintf(text, sizeof text, "%s, ISA %s", mmscan_version(), mmscan_isa());
  put_pair(to, "mmscan", text);
  put_pair(to, "serial loop by", PEER_BUILT);
  const int rounds = c->request->rounds;
  snprintf(text, sizeof text, "medians of %d round%s; all in one process, in turn", rounds, rounds == 1 ? "" : "s");
  put_pair(to, "times", text);
  contest_own_threads(c, text);
  put_pair(to, "threads", text);
  fputs("</table>\n", to);
}

static void put_settings(FILE *to, const contest *c) {
  json_t *set = c->settings;
  fputs("<h2>Settings</h2>\n", to);
  fputs(json_object_size(set) == 0 ? "<p>No variable that a unit reads is set.</p>\n" : "<table>\n", to);
  for (void *i = json_object_iter(set); i != NULL; i = json_object_iter_next(set, i))
    put_pair(to, json_object_iter_key(i), json_string_value(json_object_iter_value(i)));
  if (json_object_size(set) != 0) fputs("</table>\n", to);
}

/* The variables that are set, and the command. */
static void put_shell_lines(FILE *to, const contest *c) {
  for (void *i = json_object_iter(c->settings); i != NULL; i = json_object_iter_next(c->settings, i)) {
    fprintf(to, "export %s=", json_object_iter_key(i));
    shell_put_word(to, json_string_value(json_object_iter_value(i)));
    fputc('\n', to);
  }
  fprintf(to, "%s\n", c->request->command);
}

static void put_commands(FILE *to, const contest *c) {
  char *lines = NULL;
  size_t size;
  FILE *plain = open_memstream(&lines, &size);
  if (plain == NULL) return;
  put_shell_lines(plain, c);
  fputs("<h2>To reproduce this</h2>\n<pre>", to);
  if (fclose(plain) == 0) html_put_text(to, lines);
  fputs("</pre>\n<p>Which units are found, and why one takes no part: <code>mmscan bench --units --list</code></p>\n",
        to);
  free(lines);
}

/* ---- The units --------------------------------------------------------------------------------------------------- */

static void put_ranking_head(FILE *to, const contest *c) {
  fputs("<tr><th></th><th>unit</th><th>s</th><th>best product<br>Gelem/s</th><th>most<br>GFLOP/s</th><th>gain by "
        "own<br>threads</th>",
        to);
  for (size_t i = 0; i < c->request->thread_counts; i++)
    fprintf(to, "<th>%d thread%s<br>Gelem/s</th><th>of the<br>copy bound</th><th>of the<br>serial loop</th>",
            c->request->threads[i], c->request->threads[i] == 1 ? "" : "s");
  fputs("</tr>\n", to);
}

static void put_scans(FILE *to, const contest *c, const contender *const *scans) {
  for (size_t i = 0; i < c->request->thread_counts; i++) {
    put_number(to, contest_elements(scans[i]));
    put_number(to, scans[i] != NULL ? report_of_bound(scans[i]) : 0);
    put_number(to, scans[i] != NULL ? report_times_serial(scans[i]) : 0);
  }
  fputs("</tr>\n", to);
}

static void put_measure(FILE *to, const contest *c, const char *name, bool is_loop) {
  const contender *found[MOST_THREAD_COUNTS] = {NULL};
  const race *r = &c->races[CONTEST_SCANS];
  for (size_t i = 0; i < c->request->thread_counts; i++)
    found[i] = is_loop ? lineup_loop(r) : lineup_bound(r, c->request->threads[i]);
  fprintf(to, "<tr class=\"measure\"><td></td><td colspan=\"5\">%s</td>", name);
  put_scans(to, c, found);
}

/* A rank, or an s; 0: there is none. */
static void put_whole(FILE *to, size_t value) {
  if (value > 0)
    fprintf(to, "<td class=\"n\">%zu</td>", value);
  else
    put_number(to, 0);
}

static void put_standing(FILE *to, const contest *c, size_t place) {
  const standing *s = &c->ranking[place];
  const bool failed = s->unit->failure[0] != '\0';
  fputs(failed ? "<tr class=\"failed\">" : "<tr>", to);
  put_whole(to, s->s != 0 ? place + 1 : 0);
  fputs("<td>", to);
  html_put_text(to, s->unit->label);
  fputs("</td>", to);
  if (failed) {
    fprintf(to, "<td class=\"long\" colspan=\"%zu\">failed: ", 4 + 3 * c->request->thread_counts);
    html_put_text(to, s->unit->failure);
    fputs("</td></tr>\n", to);
    return;
  }
  put_whole(to, s->s);
  put_number(to, contest_elements(s->product));
  put_number(to, contest_operations(s->peak));
  put_number(to, s->gain);
  if (s->refusal == NULL) {
    put_scans(to, c, s->scans);
    return;
  }
  fprintf(to, "<td class=\"missing\" colspan=\"%zu\">", 3 * c->request->thread_counts);
  html_put_text(to, s->refusal);
  fputs("</td></tr>\n", to);
}

static void put_ranking(FILE *to, const contest *c) {
  fputs("<h2>Ranking</h2>\n<table class=\"wide\">\n", to);
  put_ranking_head(to, c);
  put_measure(to, c, "copy bound", false);
  put_measure(to, c, "serial loop", true);
  for (size_t i = 0; i < c->list.count; i++) put_standing(to, c, i);
  fputs("</table>\n", to);
}

static void put_libraries(FILE *to, const contest *c) {
  fputs("<h2>Units</h2>\n<table class=\"wide\">\n<tr><th>unit</th><th>library</th><th>version</th><th>own threads</th>"
        "</tr>\n",
        to);
  for (size_t i = 0; i < c->list.count; i++) {
    const bench_unit *unit = c->ranking[i].unit;
    const char *const texts[] = {unit->label, unit->part.library ? unit->part.library : unit->name,
                                 unit->part.version ? unit->part.version : ""};
    fputs("<tr>", to);
    for (int k = 0; k < 3; k++) {
      fputs(k == 0 ? "<td>" : "<td class=\"long\">", to);
      html_put_text(to, texts[k]);
      fputs("</td>", to);
    }
    fprintf(to, unit->threads > 0 ? "<td class=\"n\">%d</td></tr>\n" : "<td></td></tr>\n", unit->threads);
  }
  fputs("</table>\n", to);
}

/* ---- The products ------------------------------------------------------------------------------------------------ */

static void put_product(FILE *to, const contender *p) {
  const double elements = contest_elements(p), operations = contest_operations(p);
  if (elements > 0)
    fprintf(to, "<td class=\"n\">%.*f<br><small>%.*f</small></td>", report_decimals(elements), elements,
            report_decimals(operations), operations);
  else
    put_number(to, 0);
}

static void put_product_row(FILE *to, const contest *c, const bench_unit *unit, product_kind kind) {
  const char *refusal = contest_refusal(c, unit, kind);
  if (refusal == NULL || unit->failure[0] != '\0') return;
  fputs("<tr><td>", to);
  html_put_text(to, kind == 0 ? unit->label : "");
  fprintf(to, "</td><td>%s</td>", products[kind].name);
  if (refusal[0] != '\0') {
    fprintf(to, "<td class=\"missing\" colspan=\"%d\">", CONTEST_SIZES);
    html_put_text(to, refusal);
    fputs("</td></tr>\n", to);
    return;
  }
  for (int i = 0; i < CONTEST_SIZES; i++) put_product(to, contest_product(&c->races[i], unit, kind));
  fputs("</tr>\n", to);
}

static void put_products(FILE *to, const contest *c) {
  char length[80];
  contest_product_length(c, length);
  fprintf(
      to,
      "<h2>Products</h2>\n<p>W = L_s X, the first level of a scan, %s, %s: Gelem/s, and below it GFLOP/s (2 s times "
      "as many).</p>\n<ul>\n",
      c->number->name, length);
  for (int kind = 0; kind < PRODUCTS; kind++)
    fprintf(to, "<li><b>%s</b>: %s</li>\n", products[kind].name, products[kind].description);
  fputs("</ul>\n<table class=\"wide\">\n<tr><th>unit</th><th>form</th>", to);
  for (int i = 0; i < CONTEST_SIZES; i++) fprintf(to, "<th>s = %zu</th>", contest_sizes[i]);
  fputs("</tr>\n", to);
  for (size_t i = 0; i < c->list.count; i++)
    for (int kind = 0; kind < PRODUCTS; kind++) put_product_row(to, c, c->ranking[i].unit, kind);
  fputs("</table>\n", to);
}

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

/* The whole of a file, which the caller frees. NULL if it cannot be read. */
static char *read_all(int file) {
  struct stat about;
  if (fstat(file, &about) != 0) return NULL;
  const size_t size = (size_t)about.st_size;
  char *text = malloc(size + 1);
  size_t done = 0;
  ssize_t got = 1;
  while (text != NULL && done < size && (got = pread(file, text + done, size - done, (off_t)done)) > 0)
    done += (size_t)got;
  if (text != NULL) text[done] = '\0';
  if (got > 0) return text;
  free(text);
  return NULL;
}

static int put_picture(FILE *to, const contest *c, contest_picture picture) {
  int file;
  if (temporary_spool(&file) != DONE) return FAILED;
  int status = contest_draw_one(c, picture, file);
  char *svg = status == DONE ? read_all(file) : NULL;
  if (status == DONE && svg == NULL) status = fail("a picture cannot be read: %s", strerror(errno));
  if (svg != NULL) {
    fputs("<figure>\n", to);
    html_put_svg(to, svg, picture);
    fputs("<figcaption>", to);
    html_put_text(to, contest_captions[picture]);
    fputs("</figcaption>\n</figure>\n", to);
  }
  free(svg);
  close(file);
  return status;
}

/* ---- The page ---------------------------------------------------------------------------------------------------- */

static const char style[] =
    "body { font: 15px/1.45 Helvetica, Arial, sans-serif; color: #222; max-width: 1160px; margin: 2em auto; padding: 0 "
    "1em }\n"
    "h1 { font-size: 1.6em } h2 { font-size: 1.2em; margin-top: 2em }\n"
    "table { border-collapse: collapse } th, td { padding: .25em .7em; text-align: left; vertical-align: top }\n"
    ".wide { width: 100% } .wide th { border-bottom: 1px solid #888 } .wide td { border-bottom: 1px solid #e4e4e4 }\n"
    ".n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums } .measure td, .missing { color: "
    "#777 }\n"
    ".failed td { color: #b00000 } .long { overflow-wrap: anywhere } small { color: #777 } figure { margin: 1.5em 0 }\n"
    "figure svg { width: 100%; height: auto } figcaption { color: #555 }\n"
    "pre { background: #f4f4f4; padding: .8em; white-space: pre-wrap; overflow-wrap: anywhere }\n";

static void put_head(FILE *to, const contest *c) {
  char machine[192], length[48];
  const char *title = c->request->title;
  report_machine(machine, sizeof machine, c->request);
  report_length(c->races[CONTEST_SCANS].n, length);
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>mmscan: units compared</title>\n"
        "<style>\n",
        to);
  fprintf(to, "%s</style>\n</head>\n<body>\n<h1>", style);
  html_put_text(to, title != NULL ? title : machine);
  fputs("</h1>\n<p>Libraries that multiply matrices, compared on prefix sums: ", to);
  fprintf(to, "%s, %s, out of place. Every result was checked first.</p>\n", c->number->name, length);
}

static int put_page(FILE *to, const contest *c) {
  int status = DONE;
  put_head(to, c);
  put_ranking(to, c);
  for (int i = 0; i < PICTURES && status == DONE; i++) status = put_picture(to, c, i);
  put_products(to, c);
  put_libraries(to, c);
  put_machine(to, c);
  put_settings(to, c);
  put_commands(to, c);
  fputs("</body>\n</html>\n", to);
  return status;
}

int contest_page_write(const contest *c) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  int status = to != NULL ? put_page(to, c) : fail_memory();
  if (to != NULL && fclose(to) != 0) status = fail_memory();
  if (status == DONE) status = output_write(&page, text, size);
  free(text);
  return status;
}
