/* number_option.c: the value of an option that is a whole number.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "number_option.h"
#include "element.h"
#include "message.h"

int number_option(const char *subcommand, const char *option, const char *text, size_t least, size_t most,
                  size_t *value) {
  scalar number;
  if (element_by_name("u64")->parse(text, &number) != PARSED || number.u64 < least || number.u64 > most)
    return wrong_usage(subcommand, "%s: '%s' is not a whole number from %zu to %zu", option, text, least, most);
  *value = (size_t)number.u64;
  return DONE;
}
