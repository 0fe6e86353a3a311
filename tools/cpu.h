/* cpu.h: the name of the CPU.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef CPU_H
#define CPU_H

#include <stddef.h>

/* Not every system names its CPU; then it is the name of the architecture, or "unknown". */
void cpu_name(char *name, size_t size);

#endif
