/* suspect.h: names the library that is running, if it crashes or ends the process. */
#ifndef SUSPECT_H
#define SUSPECT_H

/* Between these two calls, an exit of the process is an error: a library may have called exit(). On such an exit, and
 * on a crash, temporary files are removed. */
void suspect_begin(void);
void suspect_end(void);

/* From here on, a crash or an exit of the process is blamed on `library`, which the caller keeps. NULL: on none in
 * particular. */
void suspect(const char *library);

#endif
