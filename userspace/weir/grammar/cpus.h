/* SPDX-License-Identifier: GPL-2.0 */
/* Lists of CPUs, as 0-3,8. */
#ifndef WEIR_CPUS_H
#define WEIR_CPUS_H

#include <stddef.h>
#include <stdint.h>

struct nlmsghdr;
struct syntax;

#define CPUS_TEXT 600

extern const struct syntax cpus_syntax;

/* All attributes of a message of this type, as a list. */
const char *cpus_text(char text[static CPUS_TEXT], const struct nlmsghdr *message, uint16_t attr);

#endif
