/* flaw.h: descriptions with something wrong in them: what is put into their fields, and what calls then return.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef FLAW_H
#define FLAW_H

#include "test.h"

/* A value of a field; unused ones are all zeros. The machines this runs on are little-endian. */
struct field {
  const char *name;
  size_t offset, size;
  uint64_t value;
};

struct flaw {
  mmscan_status status;
  struct field fields[3];
};

#define SET(desc, field, value)                                                                                        \
  { #field " = " #value, offsetof(desc, field), sizeof(((desc *)NULL)->field), (uint64_t)(value) }

static inline void spoil(void *desc, const struct flaw *flaw) {
  for (const struct field *f = flaw->fields; f < flaw->fields + COUNT(flaw->fields); f++)
    memcpy((char *)desc + f->offset, &f->value, f->size);
}

static inline void check_flaw(const struct flaw *flaw, mmscan_status got, const char *call) {
  if (got != flaw->status)
    fail_seeded("%s, %s: %s, not %s", call, flaw->fields[0].name, mmscan_strerror(got), mmscan_strerror(flaw->status));
}

#endif
