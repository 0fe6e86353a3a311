/* report_csv.c: a report as comma-separated values. */
#include "report.h"

#include <csv.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* In JSON the first of these are of a table, the others of its rows. */
static const char columns[] = "work,type,op,place,n,row,name,role,threads,form,s,seconds,fastest_seconds,"
                              "gelem_per_second,gflop_per_second,of_bound,times_serial,skipped,columns,stride,"
                              "first_quartile_seconds,third_quartile_seconds,to,shape,axis,indices";

/* Quoted if need be (RFC 4180). */
static void put_text(const char *text) {
  if (strpbrk(text, ",\"\n\r") == NULL)
    fputs(text, stdout);
  else
    csv_fwrite(stdout, text, strlen(text));
}

/* A number with enough digits to be read back as the same number. */
static void put_value(const json_t *value) {
  if (json_is_string(value)) put_text(json_string_value(value));
  if (json_is_integer(value)) printf("%lld", (long long)json_integer_value(value));
  if (json_is_boolean(value)) put_text(json_is_true(value) ? "yes" : "no");
  if (json_is_real(value)) printf("%.17g", json_real_value(value));
}

static void put_line(const json_t *table, const json_t *row) {
  char names[sizeof columns], *rest = names, *name;
  memcpy(names, columns, sizeof columns);
  while ((name = strsep(&rest, ",")) != NULL) {
    const json_t *value = json_object_get(row, name);
    put_value(value != NULL ? value : json_object_get(table, name));
    if (rest != NULL) putchar(',');
  }
  putchar('\n');
}

/* For a unit that takes no part. */
static void put_failure(const json_t *unit) {
  json_t *row = json_pack("{s:s, s:s, s:O, s:O}", "work", "unit", "role", "unit", "name",
                          json_object_get(unit, "label"), "skipped", json_object_get(unit, "failed"));
  put_line(NULL, row);
  json_decref(row);
}

void report_csv(const json_t *report) {
  size_t i, k;
  json_t *table, *row, *unit;
  puts(columns);
  json_array_foreach (json_object_get(report, "tables"), i, table)
    json_array_foreach (json_object_get(table, "rows"), k, row) put_line(table, row);
  json_array_foreach (json_object_get(report, "ranking"), i, unit)
    if (json_object_get(unit, "failed") != NULL) put_failure(unit);
}
