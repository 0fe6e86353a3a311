/* pages.c: what is made of a report as JSON: the plot and the page, by a script. */
#include "pages.h"
#include "json.h"
#include "message.h"
#include "python.h"
#include "report.h"

#include <string.h>
#include <strings.h>

/* What the name ends in, of the endings that are known, without the dot; NULL: in none, or it is nothing else. */
static const char *ending(const char *name) {
  static const char *const endings[] = {".svg", ".png", ".html"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    const size_t length = strlen(name), tail = strlen(endings[i]);
    if (length > tail && strcasecmp(name + length - tail, endings[i]) == 0) return endings[i] + 1;
  }
  return NULL;
}

bool pages_is_page(const char *name) { return ending(name) != NULL && strcmp(ending(name), "html") == 0; }

bool pages_is_plot(const char *name) { return ending(name) != NULL && !pages_is_page(name); }

/* Whether the script writes the text: that of --units. */
static bool is_text(const bench_request *request) { return request->units && !request->json && !request->csv; }

static int open_file(output *file, const char *name) {
  return python_check(python_pages, ending(name)) == DONE ? output_open(file, name) : FAILED;
}

int pages_prepare(pages *p, const bench_request *request) {
  int status = is_text(request) ? python_check(python_pages, "text") : DONE;
  if (status == DONE && request->plot != NULL) status = open_file(&p->plot, request->plot);
  if (status == DONE && request->page != NULL) status = open_file(&p->page, request->page);
  return status;
}

static int print_text(json_t *report) {
  output out;
  const int status = output_open(&out, "-");
  return output_close(&out, status == DONE ? python_draw(python_pages, "text", report, &out) : status);
}

int pages_make(pages *p, const bench_request *request, json_t *report) {
  const char *plot = request->plot, *page = request->page;
  int status = report == NULL ? fail_memory() : request->json ? print_json(json_incref(report)) : DONE;
  if (status == DONE && request->csv) report_csv(report);
  json_object_set_new(report, "title", json_text(request->title));
  if (status == DONE && is_text(request)) status = print_text(json_incref(report));
  if (status == DONE && plot != NULL) status = python_draw(python_pages, ending(plot), json_incref(report), &p->plot);
  if (status == DONE && page != NULL) status = python_draw(python_pages, ending(page), json_incref(report), &p->page);
  json_decref(report);
  return status;
}

int pages_close(pages *p, int status) { return output_close(&p->page, output_close(&p->plot, status)); }
