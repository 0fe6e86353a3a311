/* picture.c: pictures, drawn by the program gnuplot.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "picture.h"
#include "json.h"
#include "message.h"
#include "output.h"
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static output picture = OUTPUT_CLOSED;

/* ---- The file and its format ------------------------------------------------------------------------------------- */

bool picture_ends_in(const char *name, const char *end) {
  const size_t length = strlen(name), tail = strlen(end);
  return length > tail && strcasecmp(name + length - tail, end) == 0;
}

bool picture_is_format(const char *name) { return picture_ends_in(name, ".svg") || picture_ends_in(name, ".png"); }

/* The user's own gnuplot settings (start-up files, GNUTERM) are not for these pictures. */
static bool start_gnuplot(process *gnuplot, const char *option, int to) {
  const char *const argv[] = {"gnuplot", "-d", option, NULL};
  unsetenv("GNUTERM");
  return process_start(gnuplot, argv, to, false);
}

int picture_check(const char *option) {
  process gnuplot;
  if (!start_gnuplot(&gnuplot, "--version", -1))
    return fail("%s needs the program gnuplot, which cannot be started: %s", option, strerror(errno));
  process_end(&gnuplot);
  return DONE;
}

int picture_prepare(const char *name) { return picture_check("--plot") == DONE ? output_open(&picture, name) : FAILED; }

int picture_close(int status) { return output_close(&picture, status); }

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* gnuplot reports success even if the disk is full, so this looks for the end of an SVG or PNG. What is not a regular
 * file, or cannot be read, cannot be checked and counts as whole. */
static bool is_whole(int file) {
  static const char svg[] = "</svg>", png[] = "IEND\xAE\x42\x60\x82";
  struct stat about;
  char end[16];
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return true;
  if ((fcntl(file, F_GETFL) & O_ACCMODE) == O_WRONLY) return true;
  const off_t from = about.st_size - (off_t)sizeof end;
  if (from < 0 || pread(file, end, sizeof end, from) != (ssize_t)sizeof end) return false;
  return memmem(end, sizeof end, svg, strlen(svg)) != NULL || memmem(end, sizeof end, png, strlen(png)) != NULL;
}

int picture_draw_to(int file, picture_script *put, const void *what) {
  process gnuplot;
  if (!start_gnuplot(&gnuplot, NULL, file)) return fail("gnuplot: %s", strerror(errno));
  put(gnuplot.to, what);
  if (process_end(&gnuplot) != 0) return fail("gnuplot failed");
  return is_whole(file) ? DONE : fail("gnuplot left a picture unfinished: is the disk full?");
}

int picture_draw(picture_script *put, const void *what) { return picture_draw_to(picture.fd, put, what); }

/* ---- For scripts ------------------------------------------------------------------------------------------------- */

void picture_put_terminal(FILE *to, bool svg, size_t height) {
  fprintf(to, "set terminal %s size %d,%zu enhanced font '%s' background '#ffffff'\n", svg ? "svg" : "pngcairo",
          PICTURE_WIDTH, height, svg ? "Helvetica,Arial,sans-serif,14" : "Sans,11");
}

void picture_put_axes(FILE *to) {
  fputs("set border 3 lc '#606060'\n"
        "set tics nomirror out scale 0.5 textcolor '#404040'\n"
        "set grid lc '#e4e4e4' lt 1\n",
        to);
}

/* Between single quotes, in which a single quote is written twice. */
static void put_quoted(FILE *to, const char *text, size_t length) {
  fputc('\'', to);
  for (const char *c = text; c < text + length; c++) {
    if (*c == '\'') fputc('\'', to);
    fputc((unsigned char)*c < ' ' ? ' ' : *c, to);
  }
  fputc('\'', to);
}

void picture_put_string(FILE *to, const char *text) {
  json_t *valid = json_text(text);
  put_quoted(to, valid != NULL ? json_string_value(valid) : "", json_string_length(valid));
  json_decref(valid);
}

#define NEXT_LINE ".\"\\n\"." /* between two strings */

enum { TITLE = 66 }; /* characters of a title that fit in a line */

/* The length of the first line of a text, which ends at a blank or with the text. */
static size_t line_of(const char *text) {
  size_t end = 0, characters = 0;
  for (size_t i = 0; text[i] != '\0'; i++) {
    if (text[i] == ' ') end = i;
    characters += ((unsigned char)text[i] & 0xC0) != 0x80; /* continuation bytes of UTF-8 do not count */
    if (characters > TITLE && end > 0) return end;
  }
  return strlen(text);
}

static void put_lines(FILE *to, const char *text) {
  for (size_t length; (length = line_of(text)) < strlen(text); text += length + 1) {
    put_quoted(to, text, length);
    fputs(NEXT_LINE, to);
  }
  put_quoted(to, text, strlen(text));
}

/* The whole title, if it fits in one line; else `whose` and `what` each begin a line. */
static void put_both(FILE *to, const char *whose, const char *what, const char *title) {
  if (*whose != '\0' && line_of(title) < strlen(title)) {
    put_lines(to, whose);
    fputs(NEXT_LINE, to);
    title = what;
  }
  put_lines(to, title);
}

void picture_put_title(FILE *to, const char *of, const char *what) {
  const bool is_of_any = *of != '\0';
  json_t *valid = json_text(of);
  json_t *whose = valid != NULL ? json_sprintf("%s%s", json_string_value(valid), is_of_any ? ":" : "") : NULL;
  json_t *title = whose != NULL ? json_sprintf("%s%s%s", json_string_value(whose), is_of_any ? " " : "", what) : NULL;
  fputs("set title ", to);
  if (title != NULL) put_both(to, json_string_value(whose), what, json_string_value(title));
  fputs(" noenhanced font ',16' offset 0,0.3\n", to);
  json_decref(title);
  json_decref(whose);
  json_decref(valid);
}
