/* SPDX-License-Identifier: GPL-2.0 */
/* Classes of qdiscs as words, and as options of the weir qdiscs there. */
#ifndef WEIR_TRIM_CLASS_WORD_H
#define WEIR_TRIM_CLASS_WORD_H

#include <stdbool.h>
#include <stddef.h>

#include "grammar/class.h"

/* For help. */
#define CLASS_WORDS "MAJOR:MINOR[,limit=LIMIT][,headers=NUMBER][,header-time=TIME][,other-limit=NUMBER]"
#define CLASS_TEXT 192

struct syntax;

/* `class`: may be given for each class. */
extern const struct syntax class_syntax;

bool class_same(const struct class *a, const struct class *b);

/* As the key takes it. */
const char *class_text(char text[static CLASS_TEXT], const struct class *class);

/* The limits of a weir qdisc from its TCA_OPTIONS, and these from them: returns the bytes. */
void class_read(struct class *class, const void *options, size_t length);
size_t class_write(const struct class *class, void *options, size_t size);

#endif
