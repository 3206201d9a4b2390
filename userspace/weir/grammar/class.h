/* SPDX-License-Identifier: GPL-2.0 */
/* A class of a qdisc, as tc(8) writes it, and limits of the weir qdisc there. */
#ifndef WEIR_CLASS_H
#define WEIR_CLASS_H

#include <stdint.h>

#include <weir_tc.h>

/**
 * struct class - a class whose packets are trimmed
 * @id: the class, as in TC_H_MAKE()
 * @said: limits that the qdisc has itself, bit i being WEIR_TC_i; it has the policy's others
 * @limit: these, by WEIR_TC_i
 */
struct class {
	uint32_t id;
	uint32_t said;
	uint64_t limit[WEIR_TC_MAX + 1];
};

#endif
