/* progress.c: a progress bar on standard error, if that is a terminal and the work takes more than a second. */
#include "progress.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define QUIET_SECONDS  1.0 /* short work shows no bar */
#define REDRAW_SECONDS 0.2
#define BAR_WIDTH      20

static struct {
  const char *stage;
  uint64_t total, done;
  double program_start, stage_start, last_drawn;
  bool started, wanted, forbidden;
  volatile bool visible; /* read by a signal handler */
} bar;

#define ERASE "\r\033[K"

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(const char *stage, uint64_t total) {
  const double now = seconds();
  if (!bar.started) {
    bar.started = true;
    bar.program_start = now;
    bar.wanted = isatty(STDERR_FILENO);
  }
  bar.stage = stage;
  bar.total = total;
  bar.done = 0;
  bar.stage_start = now;
}

/* "812 MB": three digits, decimal units. */
static const char *size_text(double bytes, char text[16]) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof units[0]) {
    bytes /= 1000;
    unit++;
  }
  const int digits = bytes < 9.995 && unit > 0 ? 2 : bytes < 99.95 && unit > 0 ? 1 : 0;
  snprintf(text, 16, "%.*f %s", digits, fmin(bytes, 99999), units[unit]);
  return text;
}

static void draw_share(double rate) {
  const double share = fmin(1, (double)bar.done / (double)bar.total);
  const long left = rate > 0 ? lround(fmin(359999, (double)(bar.total - bar.done) / rate)) : 0;
  char cells[BAR_WIDTH + 1];
  for (int i = 0; i < BAR_WIDTH; i++) cells[i] = i < share * BAR_WIDTH ? '#' : '.';
  cells[BAR_WIDTH] = '\0';
  fprintf(stderr, " [%s] %3.0f%%  ETA %ld:%02ld", cells, 100 * share, left / 60, left % 60);
}

static void draw(double now) {
  const double rate = (double)bar.done / fmax(now - bar.stage_start, 1e-3);
  char done[16], speed[16];
  bar.visible = true;
  fprintf(stderr, ERASE "%s", bar.stage);
  if (bar.total >= bar.done && bar.total > 0) draw_share(rate);
  fprintf(stderr, "  %s  %s/s", size_text((double)bar.done, done), size_text(rate, speed));
  fflush(stderr);
  bar.last_drawn = now;
}

void progress_add(uint64_t bytes) {
  bar.done += bytes;
  if (!bar.wanted || bar.forbidden) return;
  const double now = seconds();
  if (now - bar.program_start > QUIET_SECONDS && now - bar.last_drawn > REDRAW_SECONDS) draw(now);
}

void progress_forbid(void) {
  progress_erase();
  bar.forbidden = true;
}

void progress_erase(void) {
  if (!bar.visible) return;
  fputs(ERASE, stderr);
  fflush(stderr);
  bar.visible = false;
}

void progress_erase_at_once(void) {
  if (bar.visible && write(STDERR_FILENO, ERASE, sizeof ERASE - 1) < 0) return;
}
