/* unit_items.c: what an item of `mmscan bench --units LIST` stands for, where it is more than one name. */
#include "unit_items.h"
#include "exports.h"
#include "message.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- A file ------------------------------------------------------------------------------------------------------ */

/* The path of a library may have # in it. */
static void cut_comment(char *line) {
  char *mark = strchr(line, '#');
  while (mark != NULL && mark != line && !isspace((unsigned char)mark[-1])) mark = strchr(mark + 1, '#');
  if (mark != NULL) *mark = '\0';
}

static char *trimmed(char *line) {
  char *end = line + strlen(line);
  while (end > line && isspace((unsigned char)end[-1])) *--end = '\0';
  while (isspace((unsigned char)*line)) line++;
  return line;
}

static int read_lines(FILE *stream, const char *file, json_t *lines) {
  char *line = NULL;
  size_t room = 0;
  int status = DONE;
  while (status == DONE && getline(&line, &room, stream) >= 0) {
    cut_comment(line);
    const char *name = trimmed(line);
    if (*name != '\0' && json_array_append_new(lines, json_string_nocheck(name)) != 0) status = fail_memory();
  }
  if (status == DONE && ferror(stream)) status = fail_file(file);
  free(line);
  return status;
}

json_t *unit_lines(const char *file) {
  FILE *stream = fopen(file, "re");
  if (stream == NULL) return fail_file(file), NULL;
  json_t *lines = json_array();
  int status = read_lines(stream, file, lines);
  fclose(stream);
  if (status == DONE && json_array_size(lines) == 0) status = fail("%s: there is no name of a unit in it", file);
  if (status == DONE) return lines;
  json_decref(lines);
  return NULL;
}

/* ---- A folder ---------------------------------------------------------------------------------------------------- */

bool is_folder(const char *path) {
  struct stat at;
  return stat(path, &at) == 0 && S_ISDIR(at.st_mode);
}

/* "libblis.so" and "libblis.so.4", but not "libblis.some". */
static int is_library_name(const struct dirent *entry) {
  const char *at = entry->d_name;
  while ((at = strstr(at, ".so")) != NULL && at[3] != '\0' && at[3] != '.') at += 3;
  return at != NULL;
}

static bool multiplies(const char *file) {
  return exports(file, "cblas_sgemm") || exports(file, "libxsmm_dispatch_gemm") || exports(file, "libxsmm_smmdispatch");
}

static int add_library(json_t *libraries, const char *folder, const char *name) {
  char *path;
  if (asprintf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name) < 0) return fail_memory();
  const bool added = !multiplies(path) || json_array_append_new(libraries, json_string_nocheck(path)) == 0;
  free(path);
  return added ? DONE : fail_memory();
}

json_t *unit_libraries(const char *folder) {
  struct dirent **entries;
  const int count = scandir(folder, &entries, is_library_name, alphasort);
  if (count < 0) return fail_file(folder), NULL;
  json_t *libraries = json_array();
  int status = DONE;
  for (int i = 0; i < count; i++) {
    if (status == DONE) status = add_library(libraries, folder, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  if (status == DONE) return libraries;
  json_decref(libraries);
  return NULL;
}
