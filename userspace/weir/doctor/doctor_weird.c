// SPDX-License-Identifier: GPL-2.0
/* weird, where it runs in this network namespace, or was set up to. */
#include <ctype.h>
#include <dirent.h>
#include <linux/capability.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "doctor/doctor.h"

#define NAME		"weird"
#define CONFIG		"/etc/weir/weird.json"
#define PATIENCE_S	2
#define PATH		256
#define WORDS		4096

/**
 * struct daemon - a process
 * @pid: its number
 * @words: its command line, words with a zero byte behind each
 * @length: of @words
 */
struct daemon {
	long pid;
	char words[WORDS + 1];
	size_t length;
};

static size_t read_of(long pid, const char *name, char *text, size_t size)
{
	char path[PATH];
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/%s", pid, name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	length = fread(text, 1, size - 1, file);
	text[length] = '\0';
	fclose(file);
	return length;
}

static bool is_here(long pid)
{
	struct stat own, its;
	char path[PATH];

	snprintf(path, sizeof(path), "/proc/%ld/ns/net", pid);
	return !stat("/proc/self/ns/net", &own) && !stat(path, &its) && own.st_ino == its.st_ino;
}

static bool is_weird(long pid)
{
	char name[32];

	return read_of(pid, "comm", name, sizeof(name)) && !strcmp(name, NAME "\n") && is_here(pid);
}

static bool find(struct daemon *daemon)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	while (processes && !found && (entry = readdir(processes))) {
		daemon->pid = strtol(entry->d_name, NULL, 10);
		found = daemon->pid > 0 && is_weird(daemon->pid);
	}
	if (processes)
		closedir(processes);
	if (found)
		daemon->length = read_of(daemon->pid, "cmdline", daemon->words, sizeof(daemon->words));
	return found;
}

/* The word behind an option; NULL where there is none that can be printed. */
static const char *value_of(const struct daemon *daemon, const char *option)
{
	const char *word = daemon->words, *end = word + daemon->length, *value;

	for (; word < end; word += strlen(word) + 1) {
		if (strcmp(word, option))
			continue;
		value = word + strlen(word) + 1;
		for (const char *c = value; c < end && *c; c++)
			if (!isgraph((unsigned char)*c))
				return NULL;
		return value < end ? value : NULL;
	}
	return NULL;
}

/* Any answer will do, a refusal or one of TLS's, too. A process that hangs accepts and is silent. */
static bool answers(const struct addrinfo *at)
{
	static const char question[] = "GET /jobs HTTP/1.1\r\nHost: weird\r\nConnection: close\r\n\r\n";
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool answered;
	char byte;

	if (fd < 0)
		return false;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	answered = !connect(fd, at->ai_addr, at->ai_addrlen) &&
		   send(fd, question, sizeof(question) - 1, MSG_NOSIGNAL) > 0 &&
		   recv(fd, &byte, 1, 0) > 0;
	close(fd);
	return answered;
}

/* ADDRESS:PORT or [ADDRESS]:PORT; the address of all is answered at its own. */
static bool answers_at(const char *listen)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST };
	struct addrinfo *found;
	char host[PATH], *port;
	bool answered;
	size_t length;

	snprintf(host, sizeof(host), "%s", listen + (*listen == '['));
	port = strrchr(host, ':');
	if (!port)
		return false;
	*port++ = '\0';
	length = strlen(host);
	if (length && host[length - 1] == ']')
		host[length - 1] = '\0';
	if (getaddrinfo(host, port, &hints, &found))
		return false;
	answered = answers(found);
	freeaddrinfo(found);
	return answered;
}

static void check_answer(const struct daemon *daemon)
{
	const char *listen = value_of(daemon, "--listen");
	struct finding finding = { DOCTOR_OK, "answer", NAME, NULL };

	if (listen && answers_at(listen)) {
		report(&finding, "process %ld answers at %s", daemon->pid, listen);
		return;
	}
	finding.verdict = DOCTOR_FAIL;
	finding.fix = "see its log, `journalctl -u weird`, and run `systemctl restart weird`: jobs go on";
	report(&finding, "process %ld does not answer at %s: workers get no job", daemon->pid,
	       listen ? listen : "any address");
}

static void check_rights(const struct daemon *daemon)
{
	struct finding finding = { DOCTOR_OK, "rights", NAME, NULL };
	unsigned long long effective;
	char status[WORDS], *line;

	read_of(daemon->pid, "status", status, sizeof(status));
	line = strstr(status, "CapEff:");
	if (!line || sscanf(line, "CapEff: %llx", &effective) != 1)
		return;
	if (effective >> CAP_NET_ADMIN & 1) {
		report(&finding, "it has CAP_NET_ADMIN");
		return;
	}
	finding.verdict = DOCTOR_FAIL;
	finding.fix = "start it with AmbientCapabilities=CAP_NET_ADMIN, as its unit does, or as root";
	report(&finding, "it lacks CAP_NET_ADMIN: the module takes no job from it");
}

/* Check that the configuration can be read. Relative names begin in the daemon's working directory. */
static void check_config(const struct daemon *daemon)
{
	const char *config = value_of(daemon, "--config");
	struct finding finding = { DOCTOR_OK, "config", NAME, NULL };
	char path[PATH];

	if (!config)
		return;
	snprintf(path, sizeof(path), "/proc/%ld/%s%s", daemon->pid, *config == '/' ? "root" : "cwd/",
		 config);
	if (!access(path, R_OK)) {
		report(&finding, "%s can be read", config);
		return;
	}
	finding.verdict = DOCTOR_WARN;
	finding.fix = "put it back, and see `weird --config FILE --check`";
	report(&finding, "%s cannot be read: it could not start again", config);
}

static void check_set_up(void)
{
	struct finding finding = { DOCTOR_WARN, "running", NAME, "run `systemctl enable --now weird`" };

	if (!access(CONFIG, F_OK))
		report(&finding, "there is " CONFIG ", and no weird runs in this network namespace");
}

void doctor_weird(void)
{
	struct daemon daemon;

	if (!find(&daemon)) {
		check_set_up();
		return;
	}
	check_answer(&daemon);
	check_rights(&daemon);
	check_config(&daemon);
}
