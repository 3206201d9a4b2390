/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEIR_FILE_H
#define WEIR_FILE_H

#include <limits.h>

/*
 * Find the full path of the file that a key names, as the module notes it. Return an exit status, with
 * the reason printed if there is no such file or its path is too long for the module.
 */
int file_find(const char *key, const char *name, char path[static PATH_MAX]);

#endif
