// SPDX-License-Identifier: GPL-2.0
#include "base/fields.h"

#include <limits.h>
#include <string.h>

#include "grammar/names.h"

#define DEPTH_MAX 8

struct json_object *fields_parse(const char *text, size_t size, struct refusal *refusal)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
	struct json_object *object = NULL;

	if (!tokener || size > INT_MAX) {
		refuse(refusal, 413, "the text is too long");
		json_tokener_free(tokener);
		return NULL;
	}
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, text, (int)size);
	/* A number or word may go on, until the end is shown. */
	if (json_tokener_get_error(tokener) == json_tokener_continue)
		object = json_tokener_parse_ex(tokener, "", 1);
	if (json_tokener_get_error(tokener) != json_tokener_success) {
		refuse(refusal, 400, "not JSON: %s at byte %zu",
		       json_tokener_error_desc(json_tokener_get_error(tokener)),
		       json_tokener_get_parse_end(tokener));
		json_object_put(object);
		object = NULL;
	}
	json_tokener_free(tokener);
	return object;
}

static bool is_known(const char *name, const char *const *known)
{
	for (; *known; known++) {
		if (!strcmp(name, *known))
			return true;
	}
	return false;
}

bool fields_begin(struct fields *fields, struct json_object *object, const char *const *known,
		  struct refusal *refusal)
{
	fields->object = NULL;
	fields->refusal = refusal;
	if (!json_object_is_type(object, json_type_object))
		return refuse(refusal, 400, "a JSON object is needed here");
	fields->object = object;
	json_object_object_foreach(object, name, value) {
		(void)value;
		if (!is_known(name, known))
			return refuse(refusal, 400, "there is no member '%.40s'", name);
	}
	return true;
}

/* NULL where there is none, or a fault has been found before. */
static struct json_object *find(const struct fields *fields, const char *name,
				enum json_type type, const char *what)
{
	struct json_object *value = NULL;

	if (fields->refusal->status || !json_object_object_get_ex(fields->object, name, &value))
		return NULL;
	if (json_object_is_type(value, type))
		return value;
	refuse(fields->refusal, 400, "'%s' must be %s", name, what);
	return NULL;
}

void field_required(const struct fields *fields, const char *name)
{
	if (!json_object_object_get_ex(fields->object, name, NULL))
		refuse(fields->refusal, 400, "'%s' is missing", name);
}

uint64_t field_number(const struct fields *fields, const char *name, uint64_t min, uint64_t max,
		      uint64_t otherwise)
{
	struct json_object *value = find(fields, name, json_type_int, "an integer");
	int64_t number;

	if (!value)
		return otherwise;
	number = json_object_get_int64(value);
	if (number >= 0 && (uint64_t)number >= min && (uint64_t)number <= max)
		return number;
	refuse(fields->refusal, 400, "'%s' is %jd: it must be %ju to %ju", name, (intmax_t)number,
	       (uintmax_t)min, (uintmax_t)max);
	return otherwise;
}

bool field_flag(const struct fields *fields, const char *name)
{
	struct json_object *value = find(fields, name, json_type_boolean, "true or false");

	return value && json_object_get_boolean(value);
}

const char *field_text(const struct fields *fields, const char *name)
{
	struct json_object *value = find(fields, name, json_type_string, "a string");
	const char *text = value ? json_object_get_string(value) : NULL;

	if (!text || strlen(text) == (size_t)json_object_get_string_len(value))
		return text;
	refuse(fields->refusal, 400, "'%s' has a zero byte in it", name);
	return NULL;
}

struct json_object *field_list(const struct fields *fields, const char *name)
{
	return find(fields, name, json_type_array, "a list");
}

struct json_object *field_object(const struct fields *fields, const char *name)
{
	return find(fields, name, json_type_object, "an object");
}

uint32_t field_word(const struct fields *fields, const char *name, const struct names *words,
		    uint32_t otherwise)
{
	const char *text = field_text(fields, name);
	const struct name *word = text ? names_find(words, text) : NULL;
	char list[256];

	if (!text || word)
		return word ? word->value : otherwise;
	names_list(words, list, sizeof(list));
	refuse(fields->refusal, 400, "'%s' is '%.40s': it must be one of %s", name, text, list);
	return otherwise;
}
