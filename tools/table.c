/* table.c: the subcommand table: the paper's Table 1, with what is measured beside what is stated. */
#include "arguments.h"
#include "command.h"
#include "json.h"
#include "message.h"
#include "network.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: mmscan table [OPTION]...\n"
    "Runs every method of the paper's Table 1 on N numbers, checks its result against the plain\n"
    "loop, and prints what was counted; to the right of depth and work, what the paper states.\n"
    "\n"
    "  -n N          how many numbers, default 4096, at most 2^24, which takes\n"
    "                minutes; also as a power, 2^20\n"
    "  -s S          size of the matrices in Dakkak's row and in the last, default 8\n"
    "  --json        as one JSON object, with more detail\n"
    "  --help        this text\n"
    "\n"
    "depth      levels, one after another\n"
    "work       binary operators, including those on padding; unpadded: without them\n"
    "fan-in     the most elements that one adder combines\n"
    "fan-out    the most uses of one value in a level, by adders or passed on\n"
    "products   of two S-by-S matrices, in the methods that multiply\n"
    "\n"
    "A formula has a value where the paper states it for such an N: most are for powers of two,\n"
    "of four or of S. An O() has none.\n";

enum { MOST_N = 1 << 24 };

typedef struct request {
  size_t n, s;
  bool as_json;
} request;

/* ---- What the paper states --------------------------------------------------------------------------------------- */

/* A formula and its value, which is NaN if the formula is not about this n. For an order of growth it is the value of
 * the leading term. */
typedef struct claim {
  const char *formula;
  double (*value)(size_t n, size_t s);
} claim;

typedef struct table_row {
  const char *title, *method;
  size_t s; /* 0: that of the request */
  claim depth, work;
} table_row;

/* k where n = base^k, else NaN. */
static double exact_log(size_t base, size_t n) {
  double k = 0;
  for (; n > 1 && n % base == 0; n /= base) k++;
  return n == 1 ? k : NAN;
}

static double log2_n(size_t n, size_t s) {
  (void)s;
  return exact_log(2, n);
}

static double sklansky_work(size_t n, size_t s) { return (double)n * log2_n(n, s) / 2; }

static double hillis_steele_work(size_t n, size_t s) { return (double)n * log2_n(n, s) - (double)n + 1; }

static double blelloch_depth(size_t n, size_t s) { return 2 * log2_n(n, s); }

static double blelloch_work(size_t n, size_t s) { return 2 * ((double)n - 1) + 0 * log2_n(n, s); }

static double brent_kung_depth(size_t n, size_t s) { return n == 1 ? NAN : 2 * log2_n(n, s) - 1; }

static double brent_kung_work(size_t n, size_t s) { return 2 * (double)n - log2_n(n, s) - 2; }

static double dakkak_depth(size_t n, size_t s) { return 5 * ceil((double)n / (double)(s * s * s)); }

static double matmul_depth(size_t n, size_t s) { return n == 1 ? NAN : 2 * exact_log(s, n) - 1; }

static double matmul_work(size_t n, size_t s) { return (double)n * (1 + (double)s / 2) + 0 * exact_log(s, n); }

static double ns(size_t n, size_t s) { return (double)n * (double)s; }

static bool is_order(const claim *c) { return strstr(c->formula, "O(") != NULL; }

static const table_row rows[] = {
    {"Sklansky", "sklansky", 0, {"log2(n)", log2_n}, {"n log2(n) / 2", sklansky_work}},
    {"Hillis-Steele (Kogge-Stone)", "hillis-steele", 0, {"log2(n)", log2_n}, {"n log2(n) - n + 1", hillis_steele_work}},
    {"Blelloch (exclusive)", "blelloch", 0, {"2 log2(n)", blelloch_depth}, {"2 (n - 1)", blelloch_work}},
    {"Brent-Kung", "brent-kung", 0, {"2 log2(n) - 1", brent_kung_depth}, {"2n - log2(n) - 2", brent_kung_work}},
    {"Dakkak et al., Alg. 7", "dakkak-block", 0, {"5 ceil(n / s^3)", dakkak_depth}, {"O(n s)", ns}},
    {"MatMulScan", "matmulscan", 2, {"2 log2(n) - 1", matmul_depth}, {"2n + O(log2(n))", matmul_work}},
    {"MatMulScan", "matmulscan", 4, {"log2(n) - 1", matmul_depth}, {"3n + O(log2(n))", matmul_work}},
    {"MatMulScan", "matmulscan", 0, {"2 log_s(n) - 1", matmul_depth}, {"n (1 + s/2) + O(s^3 log_s(n))", matmul_work}},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* ---- Running ----------------------------------------------------------------------------------------------------- */

/* Numbers without a pattern, whose sums wrap around. */
static uint64_t number(size_t i) { return (i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (i << 7); }

static bool is_scan(const uint64_t *y, size_t n, mmscan_kind kind) {
  uint64_t sum = 0;
  bool right = true;
  for (size_t i = 0; right && i < n; i++) {
    const uint64_t before = sum;
    sum += number(i);
    right = y[i] == (kind == MMSCAN_INCLUSIVE ? sum : before);
  }
  return right;
}

static int run_row(const request *r, const table_row *row, mmscan_method *method, mmscan_network_counts *counts) {
  network_method(row->method, method);
  const mmscan_network_desc desc = network_desc(method, row->s ? row->s : r->s, r->n);
  uint64_t *x = malloc(r->n * sizeof *x);
  if (x == NULL) return fail_memory();
  for (size_t i = 0; i < r->n; i++) x[i] = number(i);
  *counts = (mmscan_network_counts){.struct_size = sizeof *counts};
  const mmscan_status status = mmscan_network(&desc, x, x, counts);
  const bool right = status != MMSCAN_OK || is_scan(x, r->n, method->kind);
  free(x);
  if (status != MMSCAN_OK) return fail("%s: %s", row->title, mmscan_strerror(status));
  return right ? DONE : fail("%s: the result is wrong", row->title);
}

/* ---- The report -------------------------------------------------------------------------------------------------- */

static json_t *claim_json(const claim *c, size_t n, size_t s) {
  const double value = c->value(n, s);
  json_t *number = isnan(value) ? json_null() : json_real(value);
  return json_pack("{s:s, s:o, s:b}", "formula", c->formula, is_order(c) ? "leading_term" : "value", number, "is_order",
                   is_order(c));
}

static json_t *row_json(const request *r, const table_row *row, const mmscan_method *m,
                        const mmscan_network_counts *c) {
  const size_t s = row->s ? row->s : r->s;
  json_t *size = m->has_s ? json_integer((json_int_t)s) : json_null();
  return json_pack("{s:s, s:s, s:o, s:s, s:{s:I, s:o}, s:{s:I, s:I, s:o}, s:I, s:I, s:I, s:I, s:I, s:I}", "title",
                   row->title, "method", m->name, "s", size, "kind",
                   m->kind == MMSCAN_INCLUSIVE ? "inclusive" : "exclusive", "depth", "measured", (json_int_t)c->depth,
                   "stated", claim_json(&row->depth, r->n, s), "work", "measured", (json_int_t)c->work, "unpadded",
                   (json_int_t)c->work_unpadded, "stated", claim_json(&row->work, r->n, s), "multiplications",
                   (json_int_t)c->multiplications, "adders", (json_int_t)c->adders, "path", (json_int_t)c->path,
                   "fan_in", (json_int_t)c->fan_in, "fan_out", (json_int_t)c->fan_out, "reads", (json_int_t)c->reads);
}

static void print_claim(const claim *c, size_t n, size_t s, int width) {
  char text[80];
  const double value = c->value(n, s);
  if (is_order(c) || isnan(value))
    snprintf(text, sizeof text, "%s", c->formula);
  else
    snprintf(text, sizeof text, "%s = %.0f", c->formula, value);
  printf("  %-*s", width, text);
}

static void print_head(const request *r) {
  printf("n = %zu\n\n", r->n);
  printf("%-32s %5s  %-23s %10s %10s  %-30s %6s %7s %9s\n", "method", "depth", "stated", "work", "unpadded", "stated",
         "fan-in", "fan-out", "products");
}

static void print_row(const request *r, const table_row *row, const mmscan_method *m, const mmscan_network_counts *c) {
  char title[48], size[24] = "";
  const size_t s = row->s ? row->s : r->s;
  if (m->has_s) snprintf(size, sizeof size, ", s = %zu", s);
  snprintf(title, sizeof title, "%s%s", row->title, size);
  printf("%-32s %5llu", title, (unsigned long long)c->depth);
  print_claim(&row->depth, r->n, s, 23);
  printf(" %10llu %10llu", (unsigned long long)c->work, (unsigned long long)c->work_unpadded);
  print_claim(&row->work, r->n, s, 30);
  printf(" %6llu %7llu", (unsigned long long)c->fan_in, (unsigned long long)c->fan_out);
  if (m->has_s) printf(" %9llu", (unsigned long long)c->multiplications);
  putchar('\n');
}

static int print_rows(const request *r, json_t *list) {
  mmscan_method method;
  mmscan_network_counts counts;
  for (int i = 0; i < ROWS; i++) {
    if (run_row(r, &rows[i], &method, &counts) != DONE) return FAILED;
    if (r->as_json)
      json_array_append_new(list, row_json(r, &rows[i], &method, &counts));
    else
      print_row(r, &rows[i], &method, &counts);
  }
  if (!r->as_json) puts("\nEvery result is that of the plain loop.");
  return DONE;
}

static int print_table(const request *r) {
  json_t *list = json_array();
  if (list == NULL) return fail_memory();
  if (!r->as_json) print_head(r);
  int status = print_rows(r, list);
  if (status == DONE && r->as_json)
    status = print_json(json_pack("{s:I, s:I, s:O}", "n", (json_int_t)r->n, "s", (json_int_t)r->s, "rows", list));
  json_decref(list);
  return status;
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

int run_table(int argc, char **argv) {
  request r = {.n = 4096, .s = 8};
  const argument options[] = {{'n', NULL, ARGUMENT_LENGTH, .to = &r.n, .least = 1, .most = MOST_N},
                              {'s', NULL, ARGUMENT_NUMBER, .to = &r.s, .least = 2, .most = MMSCAN_MAX_S},
                              {0, "json", ARGUMENT_FLAG, .to = &r.as_json},
                              {0}};
  const int status = read_only_options(options, "table", help, &r, argc, argv);
  return status == DONE ? print_table(&r) : status;
}
