/* SPDX-License-Identifier: GPL-2.0 */
/* A table whose blocks are in pairs, with real threads. */
#ifndef PAIRS_H
#define PAIRS_H

/* Return true if each turn has one result, while it is needed. */
bool pairs_run(void);

#endif
