/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEIR_HELP_H
#define WEIR_HELP_H

void help_all(void);

/* @verb: show that one alone; NULL for all. */
int help_object(const char *name, const char *verb);

#endif
