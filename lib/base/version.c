/* version.c: the version of the library, for callers, and for files that suit only one version. */
#include "mmscan.h"

#define STRING_OF(token) #token
#define STRING(macro)    STRING_OF(macro)

const char *mmscan_version(void) {
  return STRING(MMSCAN_VERSION_MAJOR) "." STRING(MMSCAN_VERSION_MINOR) "." STRING(MMSCAN_VERSION_PATCH);
}
