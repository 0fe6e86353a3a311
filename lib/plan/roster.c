/* roster.c: libraries in a file of wisdom. */
#include "plan/roster.h"

#include "unit/loaded.h"
#include "unit/trust.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Versions ------------------------------------------------------------------------------------------------- */

static const char UNKNOWN[] = "unknown";

/* The version of a unit's library; the unit is held. */
static const char *version_of(const mms_unit *unit) {
  mmscan_part part = {.struct_size = sizeof part};
  if (unit->describe) unit->describe(unit, &part);
  return part.version ? part.version : UNKNOWN;
}

enum { LINE_ROOM = 512 };

/* The line of a built-in unit. False: it has no library, or its line would be too long or more than one. */
static bool line_of(const mms_unit *unit, char *line) {
  if (!unit->describe) return false;
  const int length = snprintf(line, LINE_ROOM, "unit %s %s\n", unit->name, version_of(unit));
  return length < LINE_ROOM && strchr(line, '\n') == line + length - 1;
}

/* ---- Writing -------------------------------------------------------------------------------------------------- */

void mms_roster_write_builtins(const mms_roster *r, mms_text *out) {
  char line[LINE_ROOM];
  for (size_t i = 0; mms_unit_builtin(i); i++)
    if (r->builtin >> i & 1 && line_of(mms_unit_builtin(i), line)) mms_text_add(out, "%s", line);
}

static size_t find(const mms_roster *r, const char *name, const char *version) {
  size_t i = 0;
  while (i < r->count && (strcmp(r->library[i].name, name) != 0 || strcmp(r->library[i].version, version) != 0)) i++;
  return i;
}

/* A newline ends a name or a version: a library that has one in either is not written. */
static void add(mms_roster *r, const char *name, const char *version) {
  if (r->count == MMS_ROSTER_MOST || find(r, name, version) < r->count) return;
  if (strchr(name, '\n') || strchr(version, '\n')) return;
  r->library[r->count++] = (mms_library){.name = name, .version = version};
}

void mms_roster_add(mms_roster *r, const mms_unit *unit) {
  if (unit && !mms_unit_is_builtin(unit->name)) add(r, unit->name, version_of(unit));
  for (size_t i = 0; unit && mms_unit_builtin(i); i++)
    if (mms_unit_builtin(i) == unit) r->builtin |= 1ul << i;
}

bool mms_roster_has(const mms_roster *r, const mms_unit *unit) {
  return !unit || mms_unit_is_builtin(unit->name) || find(r, unit->name, version_of(unit)) < r->count;
}

static const char *or_unknown(const char *version) { return *version ? version : UNKNOWN; }

void mms_roster_add_trusted(mms_roster *r) {
  for (const mms_trusted *t = mms_trust_list(); t; t = t->next) add(r, t->unit, or_unknown(t->version));
}

/* As many as a reader takes. */
static size_t write_routines(const mms_library *library, mms_text *out) {
  size_t lines = 0;
  for (const mms_trusted *t = mms_trust_list(); t && lines < MMS_ROSTER_ROUTINES; t = t->next)
    if (strcmp(t->unit, library->name) == 0 && strcmp(or_unknown(t->version), library->version) == 0) {
      mms_text_add(out, "good %s\n", t->routine);
      lines++;
    }
  return lines;
}

size_t mms_roster_write(const mms_roster *r, mms_text *out) {
  size_t lines = 0;
  for (size_t i = 0; i < r->count; i++) {
    mms_text_add(out, "blas %s\nversion %s\n", r->library[i].name, r->library[i].version);
    lines += 2 + write_routines(&r->library[i], out);
  }
  return lines;
}

void mms_roster_name(const mms_roster *r, const mms_unit *unit, char *name, size_t size) {
  if (!unit || mms_unit_is_builtin(unit->name))
    snprintf(name, size, "%s", unit ? unit->name : "-");
  else
    snprintf(name, size, "@%zu", find(r, unit->name, version_of(unit)) + 1);
}

/* ---- Reading -------------------------------------------------------------------------------------------------- */

/* What follows a word and a space. NULL: the line does not begin with them. */
static const char *after(const char *line, const char *word) {
  size_t length = strlen(word);
  return strncmp(line, word, length) == 0 && line[length] == ' ' && line[length + 1] ? line + length + 1 : NULL;
}

static bool add_good(mms_library *l, const char *routine) {
  if (l->good_count == MMS_ROSTER_ROUTINES) return false;
  l->good[l->good_count++] = routine;
  return true;
}

bool mms_roster_line(mms_roster *r, const char *line) {
  mms_library *last = r->count ? &r->library[r->count - 1] : NULL;
  const char *name = after(line, "blas"), *version = after(line, "version"), *routine = after(line, "good");
  if (name && r->count < MMS_ROSTER_MOST && (!last || last->version)) {
    r->library[r->count++] = (mms_library){.name = name};
    return true;
  }
  if (version && last && !last->version) {
    last->version = version;
    return find(r, last->name, version) == r->count - 1; /* each library once */
  }
  return routine && last && last->version && add_good(last, routine);
}

static mmscan_status open_library(mms_library *l) {
  char why[1];
  mmscan_status status = mms_loaded_open(l->name, &l->unit, why, sizeof why);
  if (status) return status == MMSCAN_ENOMEM ? status : MMSCAN_EIO;
  if (strcmp(version_of(l->unit), l->version) == 0) return MMSCAN_OK;
  mms_unit_drop(l->unit);
  l->unit = NULL;
  return MMSCAN_EIO;
}

char *mms_roster_skip_builtins(mms_roster *r, char *text) {
  r->builtins = text;
  while (after(text, "unit") && strchr(text, '\n')) text = strchr(text, '\n') + 1;
  return text;
}

bool mms_roster_is_whole(const mms_roster *r) { return r->count == 0 || r->library[r->count - 1].version; }

/* NULL if the name of a unit is not @ and the number of a library. */
static const mms_library *library_of(const mms_roster *r, const char *name) {
  char *end;
  if (*name != '@') return NULL;
  unsigned long number = strtoul(name + 1, &end, 10);
  if (end == name + 1 || *end || number < 1 || number > r->count) return NULL;
  return r->library[number - 1].version ? &r->library[number - 1] : NULL;
}

bool mms_roster_knows(const mms_roster *r, const char *name) {
  return *name == '@' ? library_of(r, name) != NULL : mms_unit_is_builtin(name);
}

static mmscan_status builtin_unit(const mms_roster *r, const char *name, const mms_unit **unit) {
  char line[LINE_ROOM];
  *unit = mms_unit_find(name);
  if (!*unit) return MMSCAN_EIO;
  if (!mms_unit_hold(*unit)) return mms_unit_fault(*unit) == MMSCAN_ENOMEM ? MMSCAN_ENOMEM : MMSCAN_EIO;
  const bool is_other = line_of(*unit, line) && !strstr(r->builtins, line);
  mms_unit_drop(*unit);
  return is_other ? MMSCAN_EIO : MMSCAN_OK;
}

mmscan_status mms_roster_unit(mms_roster *r, const char *name, const mms_unit **unit) {
  if (!mms_roster_knows(r, name)) return MMSCAN_EIO;
  if (*name != '@') return builtin_unit(r, name, unit);
  mms_library *l = &r->library[library_of(r, name) - r->library];
  const mmscan_status status = l->unit ? MMSCAN_OK : open_library(l);
  *unit = l->unit;
  return status;
}

/* In a library that is already open, a routine stays off until it is tried. */
static void tell(const mms_library *l, const char *routine) {
  const mms_unit *unit = mms_unit_find(l->name);
  if (!unit || !unit->try_routine || mms_unit_is_closed(unit) || !mms_unit_hold(unit)) return;
  if (strcmp(version_of(unit), l->version) == 0) unit->try_routine(unit, routine);
  mms_unit_drop(unit);
}

static bool note_routines(const mms_library *l, mms_trusted **notes) {
  const char *version = strcmp(l->version, UNKNOWN) == 0 ? "" : l->version;
  size_t g = 0;
  while (g < l->good_count && mms_trust_note(notes, l->name, version, l->good[g])) g++;
  return g == l->good_count;
}

mmscan_status mms_roster_keep(mms_roster *r) {
  mms_trusted *notes = NULL;
  for (size_t i = 0; i < r->count; i++)
    if (!note_routines(&r->library[i], &notes)) {
      mms_trust_forget(notes);
      return MMSCAN_ENOMEM;
    }
  mms_trust_add_all(notes);
  for (size_t i = 0; i < r->count; i++)
    for (size_t g = 0; g < r->library[i].good_count; g++) tell(&r->library[i], r->library[i].good[g]);
  return MMSCAN_OK;
}

void mms_roster_drop(mms_roster *r) {
  for (size_t i = 0; i < r->count; i++) mms_unit_drop(r->library[i].unit);
}
