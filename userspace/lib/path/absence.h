/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranks that this one waits for, while the box answers. */
#ifndef WEIR_ABSENCE_H
#define WEIR_ABSENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "packet/bitmap.h"

struct weir;
struct wire_notice;

/* Room for the words of absence_words(). */
#define ABSENCE_WORDS	(BITMAP_TEXT + 32)

/* Return true if the wait is so long that the box is asked for the ranks that are missing. */
bool absence_is_asked(const struct weir *comm);

/* The box has named the ranks of a block that this rank waits for, as @wire has them. */
void absence_note(struct weir *comm, const uint8_t *wire);

/* It has named the ranks that wait for a generation, as this one does. */
void absence_note_joins(struct weir *comm, const struct wire_notice *notice);

/* Return true if the box has named ranks since the last progress. */
bool absence_is_known(const struct weir *comm);

/* "It lacks ranks 1, 3-5. ", with @verb in the place of "It lacks"; empty where it is not known. */
void absence_words(const struct weir *comm, const char *verb, char words[ABSENCE_WORDS]);

/* Tells the caller, once a wait, when it is time. @is_joining: it is for a generation. */
void absence_warn(struct weir *comm, bool is_joining);

#endif
