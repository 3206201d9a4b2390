// SPDX-License-Identifier: GPL-2.0
#include "conf/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/file.h"
#include "base/log.h"
#include "conf/conf.h"

#define COPY		"weird.json"
#define JSON_STYLE	(JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE)

/**
 * struct staging - a copy that is being made
 * @name: path of the directory
 * @fd: the directory
 * @owner: of the copies
 */
struct staging {
	const char *name;
	int fd;
	struct stat owner;
	struct refusal *refusal;
};

static bool write_copy(const struct staging *to, const char *name, const char *text)
{
	int err = file_replace(to->fd, name, text, &to->owner);

	return !err || refuse(to->refusal, 500, "%s/%s: %s", to->name, name, strerror(-err));
}

/* Copy the file that a member of "tls" names, and let the member name the copy. */
static bool copy_file(const struct staging *to, struct json_object *tls, const char *member)
{
	struct json_object *path = json_object_object_get(tls, member);
	char name[32], *text, *where;
	size_t size;
	bool good;

	if (!path)
		return true;
	text = file_read(json_object_get_string(path), TLS_PEM_MAX, &size);
	if (!text)
		return refuse(to->refusal, 500, "%s: %s", json_object_get_string(path),
			      strerror(errno));
	snprintf(name, sizeof(name), "%s.pem", member);
	good = write_copy(to, name, text);
	explicit_bzero(text, size);
	free(text);
	if (!good)
		return false;
	if (asprintf(&where, "%s/%s", to->name, name) < 0)
		log_die("no memory");
	json_object_object_add(tls, member, json_object_new_string(where));
	free(where);
	return true;
}

static bool copy_all(const struct staging *to, const char *path)
{
	struct json_object *conf = json_object_from_file(path);
	struct json_object *tls;
	bool good = true;

	if (!conf)
		return refuse(to->refusal, 500, "%s: %s", path, json_util_get_last_err());
	if (json_object_object_get_ex(conf, "tls", &tls))
		good = copy_file(to, tls, "certificate") && copy_file(to, tls, "key") &&
		       copy_file(to, tls, "authority");
	good = good && write_copy(to, COPY, json_object_to_json_string_ext(conf, JSON_STYLE));
	json_object_put(conf);
	return good;
}

bool stage(const char *path, const char *directory, const char *state, struct refusal *refusal)
{
	struct staging to = { .name = directory, .refusal = refusal };
	struct conf conf;
	bool good;

	if (!conf_read(&conf, path, refusal))
		return false;
	conf_free(&conf);
	if (stat(state, &to.owner))
		return refuse(refusal, 500, "%s: %s", state, strerror(errno));
	if (mkdir(directory, 0755) && errno != EEXIST)
		return refuse(refusal, 500, "%s: %s", directory, strerror(errno));
	to.fd = open(directory, O_DIRECTORY | O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (to.fd < 0)
		return refuse(refusal, 500, "%s: %s", directory, strerror(errno));
	good = copy_all(&to, path);
	close(to.fd);
	return good;
}
