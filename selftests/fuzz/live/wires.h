/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A box and what is far from it, three wires between them:
 *
 *	a: frames go in there, and what the box sends back by it comes out
 *	b: the port that trims
 *	s: what programs and the module leave to the stack goes out there
 */
#ifndef WIRES_H
#define WIRES_H

#include <stdbool.h>

#define WIRES_MTU	9000

enum wire { WIRE_A, WIRE_B, WIRE_S, WIRES };

/**
 * struct wires - the box, in whose namespace this process is
 * @box: indices of the box's ends
 * @in: sends into the box by wire a
 * @local: sends by the box itself, out of wire b
 * @out: receives from the wires
 * @stack: receives frames for the box's stack by wire a
 * @stopped: that goes nowhere, and counts as if it had come out of wire s
 * @here: the box's namespace
 * @far: the one of the other ends
 */
struct wires {
	unsigned int box[WIRES];
	int in;
	int local;
	int out[WIRES];
	int stack;
	bool stopped;
	int here;
	int far;
};

void wires_up(struct wires *w);
void wires_down(struct wires *w);

/*
 * A program at the far end of wire a: a veth end takes frames that a program sends back to
 * it only where it has a program, too. This one forwards nothing there.
 */
void wires_far_program(const struct wires *w, bool there);

/* Frames that come in by wire a, and are left to the stack, go out by this one. */
void wires_lead(struct wires *w, enum wire to);

/*
 * Or ends there. Linux up to 6.17 forgets the length of the Ethernet header behind generic
 * XDP (skb->mac_len), and would lead frames on without one.
 */
void wires_stop(struct wires *w);

#endif
