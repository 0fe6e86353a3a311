/* temporary.h: temporary files, which a signal does not leave behind.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include <stddef.h>
#include <stdint.h>

/* A file without a name, in TMPDIR or /tmp, for data that has to be read or written out of order. *fd is the caller's
 * to close. */
int temporary_spool(int *fd);

/* Writes to a spool, with the message a user can act on. */
int temporary_write_at(int fd, const void *data, size_t size, uint64_t offset);

enum { TEMPORARY_MOST = 2 }; /* files beside their targets at a time */

/* A file beside the file `target`, to be renamed to it. *name stays temporary's. */
int temporary_beside(const char *target, int *fd, char **name);

/* Ends the file of temporary_beside(): as `target`, or not at all. */
int temporary_rename(char *name, const char *target);
void temporary_remove(char *name);

/* Removes all that are there; a signal handler may. */
void temporary_remove_all(void);

#endif
