/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ECHO_H
#define ECHO_H

#include "rng.h"

/*
 * What the box shows of an object, the box takes: one of the objects of the namespace is
 * read, taken away, made again from what was read, and must look as it did. Nobody else
 * may change the namespace meanwhile.
 */
void echo_any(int fd, struct rng *rng);

/* And what is said of an object, and taken, is shown of it. */
void echo_said(int fd, struct rng *rng);

#endif
