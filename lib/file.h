/* file.h: a small file as a whole. */
#ifndef MMS_FILE_H
#define MMS_FILE_H

#include "mmscan.h"

/* Reads a file of up to `most` bytes. *text is the caller's to free, and is ended by a null, though it may hold others.
 *
 * MMSCAN_EIO     it cannot be read, is no regular file, or is longer; *why says it
 * MMSCAN_ENOMEM
 */
mmscan_status mms_file_read(const char *name, size_t most, char **text, size_t *size, const char **why);

/* Writes a file beside `name`, and puts it in its place: who reads meanwhile sees the old one or the new, and where
 * this fails the old one stays. MMSCAN_EIO, MMSCAN_ENOMEM. */
mmscan_status mms_file_replace(const char *name, const char *text, size_t size);

#endif
