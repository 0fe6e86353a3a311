/* suspect.h: whose code runs, for the user to be told where it ends the process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SUSPECT_H
#define SUSPECT_H

/* From here on until suspect_nobody() it is an error if the process ends: a library that it runs may do that. Then, and
 * where it crashes, temporary files are removed. */
void suspect_somebody(void);
void suspect_nobody(void);

/* From here on a crash, or the end of the process, is put down to `library`, which stays the caller's. NULL: to none in
 * particular. */
void suspect(const char *library);

#endif
