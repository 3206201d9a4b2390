// SPDX-License-Identifier: GPL-2.0
/* `weir import sonic FILE`: prints commands that `weir restore` and a shell take. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/quote.h"
#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "import/import.h"

#define MAP "--map"
#define CLASSES "--classes"

const char *import_device(const struct import *import, const char *port)
{
	size_t length = strlen(port);
	int i;

	for (i = 0; i < import->map_count; i++) {
		if (!strncmp(import->maps[i], port, length) && import->maps[i][length] == '=')
			return import->maps[i] + length + 1;
	}
	return port;
}

static void add_text(struct json_object *object, const char *key, const char *text)
{
	char *clean = quote_text(text);

	json_object_object_add(object, key, json_object_new_string(clean));
	free(clean);
}

void import_left(struct import *import, const char *table, const char *key, const char *field,
		 const char *why)
{
	const char *value = field ? import_field(import_entry(import, table, key), field) : NULL;
	struct json_object *left = json_object_new_object();

	add_text(left, "table", table);
	add_text(left, "key", key);
	if (field)
		add_text(left, "field", field);
	if (value)
		add_text(left, "value", value);
	add_text(left, "why", why);
	json_object_array_add(import->left, left);
}

struct json_object *import_entry(const struct import *import, const char *table, const char *key)
{
	struct json_object *entries, *entry;

	if (!json_object_object_get_ex(import->root, table, &entries) ||
	    !json_object_is_type(entries, json_type_object))
		return NULL;
	if (!key)
		return entries;
	if (!json_object_object_get_ex(entries, key, &entry) ||
	    !json_object_is_type(entry, json_type_object))
		return NULL;
	return entry;
}

const char *import_field(struct json_object *entry, const char *field)
{
	struct json_object *value;

	return entry && json_object_object_get_ex(entry, field, &value) ?
	       json_object_get_string(value) : NULL;
}

bool import_number(const char *text, uint64_t max, uint64_t *number)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	return !errno && !*end && *number <= max;
}

/* A handle, as `tc` has it: up to four hexadecimal digits and a colon. */
static bool is_handle(const char *word)
{
	size_t digits = strspn(word, "0123456789abcdefABCDEF");

	return digits && digits <= 4 && !strcmp(word + digits, ":") && strspn(word, "0") != digits;
}

/* The words behind the file: --classes with its handle, and --map with what belongs to it. */
static int read_words(struct import *import, int count, char **words)
{
	int i;

	if (count && !strcmp(*words, CLASSES)) {
		if (count < 2 || !is_handle(words[1]))
			return usage(NULL, "import: " CLASSES " takes the handle of the devices' root qdisc, such as 1:%s%s",
				     count < 2 ? "" : ", not ", count < 2 ? "" : words[1]);
		import->classes = words[1];
		words += 2;
		count -= 2;
	}
	import->maps = words;
	for (i = 0; i < count; i++) {
		if (!strcmp(words[i], MAP) && i + 1 < count)
			continue;
		if (!i || !strchr(words[i], '=') || *words[i] == '=' || !strchr(words[i], '=')[1])
			return usage(NULL, "import does not know '%s': it takes FILE " CLASSES " HANDLE " MAP " PORT=DEVICE ..., such as " MAP " Ethernet0=eth1",
				     words[i]);
	}
	import->map_count = count;
	return WEIR_OK;
}

static int read_file(struct import *import)
{
	import->root = json_object_from_file(import->file);
	if (!import->root)
		return refused(0, "cannot read %s as JSON: %s", import->file,
			       json_util_get_last_err() ?: "it is empty");
	if (!json_object_is_type(import->root, json_type_object))
		return refused(EINVAL, "%s is no config_db.json: an object of tables is missing",
			       import->file);
	return WEIR_OK;
}

static void print_commands(const struct import *import)
{
	size_t i, size;
	char *text;
	FILE *file;

	print_list("commands");
	for (i = 0; i < import->commands.count; i++) {
		file = open_memstream(&text, &size);
		if (!file)
			abort();
		fputs("weir ", file);
		batch_print(&import->commands.command[i], file);
		fclose(file);
		print_string(NULL, text);
		free(text);
	}
	print_end();
}

static void print_json(const struct import *import)
{
	size_t i;

	print_object(NULL);
	print_commands(import);
	print_list("left");
	for (i = 0; i < json_object_array_length(import->left); i++) {
		print_object(NULL);
		json_object_object_foreach(json_object_array_get_idx(import->left, i), key, value)
			print_string(key, json_object_get_string(value));
		print_end();
	}
	print_end();
	print_end();
	print_done();
}

/* As a file of commands, in which all else is comments. */
static void print_file(const struct import *import)
{
	size_t i;

	for (i = 0; i < json_object_array_length(import->left); i++) {
		struct json_object *left = json_object_array_get_idx(import->left, i);
		const char *field = import_field(left, "field"), *value = import_field(left, "value");

		printf("# left out: %s|%s%s%s%s%s: %s\n", import_field(left, "table"),
		       import_field(left, "key"), field ? " " : "", field ?: "", value ? " " : "",
		       value ?: "", import_field(left, "why"));
	}
	for (i = 0; i < import->commands.count; i++) {
		fputs("weir ", stdout);
		batch_print(&import->commands.command[i], stdout);
		putchar('\n');
	}
	printf(BATCH_END "\n", import->commands.count);
}

int import_sonic_run(const struct args *args)
{
	struct import import = {};
	int status;

	if (!args->words)
		return usage(NULL, "import sonic lacks its file: write import sonic config_db.json");
	import.file = args->word[0];
	status = read_words(&import, args->words - 1, args->word + 1);
	if (status)
		return status;
	import.left = json_object_new_array();
	status = read_file(&import);
	status = status ?: sonic_import(&import);
	if (!status && opt.json)
		print_json(&import);
	else if (!status)
		print_file(&import);
	json_object_put(import.left);
	json_object_put(import.root);
	batch_free(&import.commands);
	return status;
}
