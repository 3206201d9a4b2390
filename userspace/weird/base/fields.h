/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Members of a JSON object, each of one type and within bounds. The first fault is kept in
 * the refusal, and what is read after it is the default, so a reader checks once, at the end.
 */
#ifndef WEIRD_FIELDS_H
#define WEIRD_FIELDS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/refusal.h"

struct names;

struct fields {
	struct json_object *object;
	struct refusal *refusal;
};

/* Parses a whole text strictly; NULL, and @refusal filled, where it is none. */
struct json_object *fields_parse(const char *text, size_t size, struct refusal *refusal);

/* An object that has no members but those of the NULL-terminated list. */
bool fields_begin(struct fields *fields, struct json_object *object, const char *const *known,
		  struct refusal *refusal);

uint64_t field_number(const struct fields *fields, const char *name, uint64_t min, uint64_t max,
		      uint64_t otherwise);
bool field_flag(const struct fields *fields, const char *name);

/* NULL where there is none. */
const char *field_text(const struct fields *fields, const char *name);
struct json_object *field_list(const struct fields *fields, const char *name);
struct json_object *field_object(const struct fields *fields, const char *name);

/* A word of a netlink enumeration; @otherwise where there is none. */
uint32_t field_word(const struct fields *fields, const char *name, const struct names *words,
		    uint32_t otherwise);

/* A member that must be there. */
void field_required(const struct fields *fields, const char *name);

#endif
