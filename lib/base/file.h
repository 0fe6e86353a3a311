/* file.h: small files, read or replaced as a whole. */
#ifndef MMS_FILE_H
#define MMS_FILE_H

#include "mmscan.h"

/* Reads a file of up to `most` bytes. *text is the caller's to free. A null follows it, though it may contain others.
 *
 * MMSCAN_EIO     it cannot be read, is no regular file, or is longer; *why says which
 * MMSCAN_ENOMEM
 */
mmscan_status mms_file_read(const char *name, size_t most, char **text, size_t *size, const char **why);

/* Writes a new file beside `name`, which then takes its place: a reader sees either the old file or the new one, and if
 * this fails the old one stays. MMSCAN_EIO, MMSCAN_ENOMEM. */
mmscan_status mms_file_replace(const char *name, const char *text, size_t size);

#endif
