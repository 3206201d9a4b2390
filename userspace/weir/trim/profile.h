/* SPDX-License-Identifier: GPL-2.0 */
/* Names for several settings of a policy at once. */
#ifndef WEIR_PROFILE_H
#define WEIR_PROFILE_H

#include "grammar/args.h"

/*
 * Adds what the profile says and the command line does not, and the hook can do. @hook: enum
 * weir_trim_hook. Returns an exit status.
 */
int profile_fill(struct args *args, uint32_t hook);

#endif
