/* suspect.h: whose code runs, for the user to be told where it ends the process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SUSPECT_H
#define SUSPECT_H

/* From here on a crash, or the end of the process, is put down to `library`, which stays the caller's. NULL: to nobody
 * any more. */
void suspect(const char *library);

#endif
