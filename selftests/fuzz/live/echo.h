/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ECHO_H
#define ECHO_H

#include "rng.h"

/*
 * The box accepts the attributes that it shows of an object: one object of the namespace
 * is read, taken away, made again from these, and must look as it did. No other process
 * may change the namespace meanwhile.
 */
void echo_any(int fd, struct rng *rng);

/* And attributes of an accepted request are shown of the object. */
void echo_said(int fd, struct rng *rng);

#endif
