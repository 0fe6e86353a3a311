/* report_csv.c: races as comma-separated values.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "report.h"

#include <csv.h>
#include <stdio.h>
#include <string.h>

/* Quoted if need be (RFC 4180). */
static void put_text(const char *text) {
  if (strpbrk(text, ",\"\n\r") == NULL)
    fputs(text, stdout);
  else
    csv_fwrite(stdout, text, strlen(text));
}

/* With enough digits to be read back as the same number. */
static void put_times(const contender *c) {
  printf(",%.17g,%.17g,%.17g,", c->seconds, c->fastest, contender_speed(c));
  if (report_form(c) != NULL) printf("%.17g", contender_flops(c));
  putchar(',');
  if (report_of_bound(c) > 0) printf("%.17g", report_of_bound(c));
  printf(",%.17g,", report_times_serial(c));
}

static void put_line(const contender *c) {
  const race *r = c->race;
  printf("%s,%s,%s,%s,%zu,", report_work(r), r->number->name, number_operator(r->op), r->in_place ? "in" : "out", r->n);
  if (r->row != 0) printf("%zu", r->row);
  putchar(',');
  put_text(c->name);
  printf(",%s,%d,", report_role(c), c->threads);
  put_text(report_form(c) != NULL ? report_form(c) : "");
  putchar(',');
  if (c->s != 0) printf("%zu", c->s);
  if (c->refusal[0] == '\0')
    put_times(c);
  else
    fputs(",,,,,,,", stdout);
  put_text(c->refusal);
  putchar('\n');
}

void report_csv(const race *races, size_t count) {
  puts("work,type,op,place,n,row,name,role,threads,form,s,seconds,fastest_seconds,gelem_per_second,gflop_per_second,of_"
       "bound,times_serial,skipped");
  for (const race *r = races; r < races + count; r++)
    for (size_t i = 0; i < r->count; i++) put_line(&r->contenders[i]);
}

void report_csv_failed(const char *unit, const char *reason) {
  fputs("unit,,,,,,", stdout);
  put_text(unit);
  fputs(",unit,,,,,,,,,,", stdout);
  put_text(reason);
  putchar('\n');
}
