/* temporary.h: temporary files, which are removed if a signal ends the process. */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include <stddef.h>
#include <stdint.h>

/* From now on, a signal that ends the process removes all temporary files and the progress bar. */
void temporary_begin(void);

/* A file without a name, in TMPDIR or /tmp, for data that has to be read or written out of order. *fd is the caller's
 * to close. */
int temporary_spool(int *fd);

/* Writes to a spool. The message of a failure tells the user about TMPDIR. */
int temporary_write_at(int fd, const void *data, size_t size, uint64_t offset);

enum { TEMPORARY_MOST = 2 }; /* files beside their targets at the same time */

/* Makes a file beside the file `target`, to be renamed to it. *name belongs to this module. */
int temporary_beside(const char *target, int *fd, char **name);

/* A signal that ends this process is to remove what temporary_beside() made in another one, too. */
void temporary_watch(const char *name);

/* Rename the file of temporary_beside() to `target`, or remove it. */
int temporary_rename(char *name, const char *target);
void temporary_remove(char *name);

/* Removes all temporary files; may be called in a signal handler. */
void temporary_remove_all(void);

#endif
