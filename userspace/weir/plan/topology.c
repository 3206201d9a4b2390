// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "base/units.h"
#include "grammar/args.h"
#include "plan/topology.h"

/* Memory that a box takes for a job besides its blocks, and for each block besides its gradients. */
#define SPARE_BYTES	(64 * 4096)
#define BLOCK_BYTES	256

/* By default the table of a job with keys has so many for each. */
#define KEY_BYTES	64

#define GRADS_DEFAULT	1024
#define BLOCKS_DEFAULT	8192

/**
 * struct reader - where in the file
 * @words: of this line
 * @rate: of links that say none
 */
struct reader {
	struct topology *topology;
	unsigned int line;
	char *words[PLAN_WORDS];
	unsigned int count;
	uint64_t rate;
};

/* A sentence about a line. Returns WEIR_USAGE. */
static int wrong(const struct reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int wrong(const struct reader *reader, const char *format, ...)
{
	char sentence[512];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	return usage(NULL, "%s, line %u: %s", reader->topology->file, reader->line, sentence);
}

static void *grown(void *array, unsigned int count, size_t size)
{
	void *larger;

	/* Doubled when it is a power of two. */
	if (count & (count - 1))
		return array;
	larger = realloc(array, (count ? 2 * (size_t)count : 1) * size);
	if (!larger)
		abort();
	return larger;
}

static int find(const struct topology *topology, const char *name)
{
	for (unsigned int i = 0; i < topology->nodes_count; i++)
		if (!strcmp(topology->nodes[i].name, name))
			return (int)i;
	return -1;
}

/* Return the Levenshtein distance of two names. */
static unsigned int distance(const char *a, const char *b)
{
	size_t as = strlen(a), bs = strlen(b);
	unsigned int row[PLAN_NAME + 1];

	for (size_t j = 0; j <= bs; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 1; i <= as; i++) {
		unsigned int before = row[0];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= bs; j++) {
			unsigned int change = before + (a[i - 1] != b[j - 1]);
			unsigned int least = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

			before = row[j];
			row[j] = change < least ? change : least;
		}
	}
	return row[bs];
}

/* The node that is meant, or -1 with a sentence. */
static int node_named(const struct reader *reader, const char *name)
{
	const struct topology *topology = reader->topology;
	int found = find(topology, name), near = -1;
	unsigned int least = 3;

	if (found >= 0)
		return found;
	for (unsigned int i = 0; i < topology->nodes_count && strlen(name) < PLAN_NAME; i++) {
		unsigned int d = distance(name, topology->nodes[i].name);

		if (d < least) {
			least = d;
			near = (int)i;
		}
	}
	if (near >= 0)
		wrong(reader, "there is no '%s' above; is %s meant?", name,
		      topology->nodes[near].name);
	else
		wrong(reader, "there is no '%s' above: name it in a line of box, switch or worker",
		      name);
	return -1;
}

static int read_address(const struct reader *reader, struct node *node, const char *word)
{
	const struct topology *topology = reader->topology;
	struct addr addr;

	if (!addr_parse(&addr, word) || addr_is_link(&addr))
		return wrong(reader, "%s has no address: '%s' is none of IPv4 or IPv6", node->name,
			     word);
	addr_text(&addr, node->address);
	for (unsigned int i = 0; i < topology->nodes_count; i++)
		if (!strcmp(topology->nodes[i].address, node->address))
			return wrong(reader, "%s has the address of %s, %s", node->name,
				     topology->nodes[i].name, node->address);
	return WEIR_OK;
}

static int read_units(const struct reader *reader, const char *key, const char *word,
		      const struct units *units, uint64_t *number)
{
	const struct unit *unit;
	char *end, list[128];

	units_list(units, list, sizeof(list));
	if (!units_digits(word, &end, number))
		return wrong(reader, "%s takes a number with a unit, not '%s'; units are %s", key, word,
			     list);
	unit = units_find(units, end);
	if (!unit)
		return wrong(reader, "%s %s has no unit that is known; units are %s", key, word, list);
	if (!units_scale(unit, *number, number))
		return wrong(reader, "%s %s is out of range", key, word);
	return WEIR_OK;
}

static int read_number(const struct reader *reader, const char *key, const char *word,
		       uint32_t least, uint32_t most, uint32_t *number)
{
	uint64_t value;
	char *end;

	if (!units_digits(word, &end, &value) || *end || value < least || value > most)
		return wrong(reader, "%s is %u to %u, not '%s'", key, least, most, word);
	*number = (uint32_t)value;
	return WEIR_OK;
}

/* A load is "20%". */
static int read_load(const struct reader *reader, struct node *node, char *word)
{
	size_t length = strlen(word);

	if (length && word[length - 1] == '%')
		word[length - 1] = '\0';
	return read_number(reader, "load", word, 0, 100, &node->load);
}

/* One key of a line of box, switch or worker. */
static int read_node_key(const struct reader *reader, struct node *node, const char *key, char *word)
{
	if (!strcmp(key, "address") && node->kind != NODE_SWITCH)
		return read_address(reader, node, word);
	if (!strcmp(key, "memory") && node->kind == NODE_BOX)
		return read_units(reader, key, word, &size_units, &node->memory);
	if (!strcmp(key, "load") && node->kind == NODE_BOX)
		return read_load(reader, node, word);
	return wrong(reader, "%s %s does not know the word '%s'; it takes: %s", reader->words[0],
		     node->name, key, node->kind == NODE_BOX ? "address, memory, load" :
		     node->kind == NODE_WORKER ? "address" : "none");
}

static int read_node(struct reader *reader, enum node_kind kind)
{
	struct topology *topology = reader->topology;
	struct node node = { .kind = kind, .line = reader->line, .memory = UINT64_MAX, .rank = -1 };
	int status = WEIR_OK, other;

	if (reader->count < 2)
		return wrong(reader, "%s lacks its name", reader->words[0]);
	if (strlen(reader->words[1]) >= PLAN_NAME || strpbrk(reader->words[1], "\"\\'`$"))
		return wrong(reader, "'%s' is no name: it has quotes, or more than %d characters",
			     reader->words[1], PLAN_NAME - 1);
	other = find(topology, reader->words[1]);
	if (other >= 0)
		return wrong(reader, "%s is there already, in line %u", reader->words[1],
			     topology->nodes[other].line);
	if (topology->nodes_count == PLAN_NODES)
		return wrong(reader, "there are more than %d workers, boxes and switches", PLAN_NODES);
	strcpy(node.name, reader->words[1]);
	if (reader->count % 2)
		return wrong(reader, "%s: %s lacks its value", node.name,
			     reader->words[reader->count - 1]);
	for (unsigned int i = 2; i < reader->count && !status; i += 2)
		status = read_node_key(reader, &node, reader->words[i], reader->words[i + 1]);
	if (status)
		return status;
	if (kind != NODE_SWITCH && !*node.address)
		return wrong(reader, "%s lacks its address: add `address ADDRESS`", node.name);
	topology->nodes = grown(topology->nodes, topology->nodes_count, sizeof(node));
	topology->nodes[topology->nodes_count++] = node;
	return WEIR_OK;
}

static void add_end(struct topology *topology, unsigned int node, unsigned int link)
{
	struct node *end = &topology->nodes[node];

	end->links = grown(end->links, end->degree, sizeof(*end->links));
	end->links[end->degree++] = link;
}

static int read_link(struct reader *reader)
{
	struct topology *topology = reader->topology;
	struct link link = { .line = reader->line, .rate = reader->rate };
	int status = WEIR_OK, end;

	if (reader->count != 3 && reader->count != 5)
		return wrong(reader, "a link is: link NAME NAME [rate RATE]");
	for (unsigned int i = 0; i < 2; i++) {
		end = node_named(reader, reader->words[1 + i]);
		if (end < 0)
			return WEIR_USAGE;
		link.ends[i] = (unsigned int)end;
	}
	if (link.ends[0] == link.ends[1])
		return wrong(reader, "both ends of the link are %s", reader->words[1]);
	if (reader->count == 5 && strcmp(reader->words[3], "rate"))
		return wrong(reader, "link does not know the word '%s'; it takes: rate", reader->words[3]);
	if (reader->count == 5)
		status = read_units(reader, "rate", reader->words[4], &rate_units, &link.rate);
	if (status)
		return status;
	if (!link.rate)
		return wrong(reader, "the link of %s and %s has no rate: add `rate RATE`, or a line of that above",
			     reader->words[1], reader->words[2]);
	if (topology->links_count == PLAN_LINKS)
		return wrong(reader, "there are more than %d links", PLAN_LINKS);
	topology->links = grown(topology->links, topology->links_count, sizeof(link));
	topology->links[topology->links_count] = link;
	add_end(topology, link.ends[0], topology->links_count);
	add_end(topology, link.ends[1], topology->links_count);
	topology->links_count++;
	return WEIR_OK;
}

static int add_worker(struct reader *reader, unsigned int node)
{
	struct plan_job *job = &reader->topology->job;
	struct node *worker = &reader->topology->nodes[node];

	if (worker->kind != NODE_WORKER)
		return wrong(reader, "%s is no worker", worker->name);
	if (worker->rank >= 0)
		return wrong(reader, "%s is in the job twice", worker->name);
	worker->rank = (int)job->ranks;
	job->workers = grown(job->workers, job->ranks, sizeof(*job->workers));
	job->workers[job->ranks++] = node;
	return WEIR_OK;
}

/* From the word behind `workers` on, or all where there is none. */
static int read_workers(struct reader *reader, unsigned int first)
{
	const struct topology *topology = reader->topology;
	int status = WEIR_OK, node;

	for (unsigned int i = first; i < reader->count && !status; i++) {
		node = node_named(reader, reader->words[i]);
		status = node < 0 ? WEIR_USAGE : add_worker(reader, (unsigned int)node);
	}
	for (unsigned int i = 0; first > reader->count && i < topology->nodes_count && !status; i++)
		if (topology->nodes[i].kind == NODE_WORKER)
			status = add_worker(reader, i);
	if (!status && !topology->job.ranks)
		return wrong(reader, "the job has no workers");
	return status;
}

/* The keys of `job add` are checked by its own grammar, with those that each box has for itself. */
static int check_words(const struct reader *reader)
{
	const struct plan_job *job = &reader->topology->job;
	char id[16];
	char *words[PLAN_JOB_WORDS + 8] = { "job", "add", "id", id, "sources", "1", "address", "192.0.2.1" };
	struct args args;

	snprintf(id, sizeof(id), "%u", job->id);
	memcpy(words + 8, job->words, job->count * sizeof(words[0]));
	if (!args_parse(&args, (int)(8 + job->count), words))
		return WEIR_OK;
	note("that is in %s, line %u", reader->topology->file, reader->line);
	return WEIR_USAGE;
}

static int read_job_key(struct reader *reader, char *key, char *word)
{
	static const char *const own[] = { "sources", "address", "group", "source", "ranks" };
	struct plan_job *job = &reader->topology->job;
	int status = WEIR_OK;
	struct addr reducer;

	if (!strcmp(key, "id"))
		return read_number(reader, key, word, 0, 255, &job->id);
	if (!strcmp(key, "trees"))
		return read_number(reader, key, word, 1, PLAN_TREES, &job->trees);
	if (!strcmp(key, "timeout"))
		return read_units(reader, key, word, &time_units, &job->timeout);
	for (unsigned int i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(key, own[i]))
			return wrong(reader, "the job's %s follows from the plan: leave it out", key);
	if (!strcmp(key, "parent")) {
		if (!addr_parse(&reducer, word) || addr_is_link(&reducer))
			return wrong(reader, "parent is the reducer's address, not '%s'", word);
		addr_text(&reducer, job->reducer);
		return WEIR_OK;
	}
	if (!strcmp(key, "format")) {
		job->format = plan_format_named(word);
		if (!job->format)
			return wrong(reader, "there is no format '%s'", word);
	}
	if (job->count + 6 > PLAN_JOB_WORDS)
		return wrong(reader, "the job has more than %d words", PLAN_JOB_WORDS);
	if (!strcmp(key, "blocks"))
		status = read_number(reader, key, word, 1, 65536, &job->blocks);
	if (!strcmp(key, "grads"))
		status = read_number(reader, key, word, 1, 2048, &job->grads);
	if (!strcmp(key, "keys"))
		status = read_number(reader, key, word, 1, UINT32_MAX, &job->keys);
	if (!strcmp(key, "key-memory"))
		status = read_units(reader, key, word, &size_units, &job->memory);
	job->words[job->count++] = key;
	job->words[job->count++] = word;
	return status;
}

static bool has_key(const struct plan_job *job, const char *key)
{
	for (unsigned int i = 0; i < job->count; i += 2)
		if (!strcmp(job->words[i], key))
			return true;
	return false;
}

/* Refuses what boxes would refuse of a job of its format. */
static int check_format(const struct reader *reader)
{
	static const char *const of_blocks[] = { "blocks", "grads", "policy", "quorum", "order", "timers", "dead-after" };
	const struct plan_job *job = &reader->topology->job;
	const struct plan_format *format = job->format;
	unsigned int trees = format->trees;

	for (unsigned int i = 0; format->keys && i < sizeof(of_blocks) / sizeof(of_blocks[0]); i++)
		if (has_key(job, of_blocks[i]))
			return wrong(reader, "a job of format %s has keys instead of blocks: omit %s", format->word,
				     of_blocks[i]);
	if (format->keys && !has_key(job, "keys"))
		return wrong(reader, "a job of format %s needs the number of its keys: add `keys NUMBER`", format->word);
	if (format->keys && !*job->reducer)
		return wrong(reader, "a job of format %s needs its reducer: add `parent ADDRESS`", format->word);
	if (!format->keys && *job->reducer)
		return wrong(reader, "the job's parent follows from the plan: leave it out");
	if (trees == 1 && job->trees > 1)
		return wrong(reader, "a job of format %s has one tree", format->word);
	if (trees > 1 && job->id % trees + job->trees > trees)
		return wrong(reader, "trees of format %s have the ids %u times the job and those behind it: from %u on there are %u, not %u",
			     format->word, trees, job->id, trees - job->id % trees, job->trees);
	return WEIR_OK;
}

/* Blocks and gradients are said to each box, also where the file leaves them to this. */
static void say_defaults(struct plan_job *job)
{
	static char blocks[] = "8192", grads[] = "1024";

	if (job->format->keys)
		return;
	if (!job->blocks) {
		job->blocks = BLOCKS_DEFAULT;
		job->words[job->count++] = (char *)"blocks";
		job->words[job->count++] = blocks;
	}
	if (!job->grads) {
		job->grads = GRADS_DEFAULT;
		job->words[job->count++] = (char *)"grads";
		job->words[job->count++] = grads;
	}
}

static int read_job(struct reader *reader)
{
	struct plan_job *job = &reader->topology->job;
	unsigned int i = 1;
	int status = WEIR_OK;

	if (job->line)
		return wrong(reader, "there is a job already, in line %u: a plan is of one", job->line);
	job->line = reader->line;
	job->trees = 1;
	job->id = UINT32_MAX;
	job->format = plan_format_named(NULL);
	for (; i < reader->count && strcmp(reader->words[i], "workers") && !status; i += 2) {
		if (i + 1 == reader->count)
			return wrong(reader, "the job's %s lacks its value", reader->words[i]);
		status = read_job_key(reader, reader->words[i], reader->words[i + 1]);
	}
	if (status)
		return status;
	if (job->id == UINT32_MAX)
		return wrong(reader, "the job lacks its number: add `id NUMBER`");
	if (job->id + job->trees > 256)
		return wrong(reader, "trees have the job's id and those behind it: %u and %u trees are more than 255",
			     job->id, job->trees);
	status = check_format(reader);
	if (status)
		return status;
	say_defaults(job);
	return check_words(reader) ?: read_workers(reader, i + 1);
}

static int read_line(struct reader *reader)
{
	const char *word = reader->words[0];

	if (!strcmp(word, "worker"))
		return read_node(reader, NODE_WORKER);
	if (!strcmp(word, "box"))
		return read_node(reader, NODE_BOX);
	if (!strcmp(word, "switch"))
		return read_node(reader, NODE_SWITCH);
	if (!strcmp(word, "link"))
		return read_link(reader);
	if (!strcmp(word, "job"))
		return read_job(reader);
	if (!strcmp(word, "rate") && reader->count == 2)
		return read_units(reader, word, reader->words[1], &rate_units, &reader->rate);
	return wrong(reader, "a line does not begin with '%s', but with worker, box, switch, link, rate or job",
		     word);
}

/* A line that ends with a backslash goes on. Returns an exit status. */
static int read_lines(struct reader *reader, char *text)
{
	int status = WEIR_OK;
	char *next = text;

	for (unsigned int number = 1; next && *next && !status;) {
		char *line = next, *word, *rest;

		reader->line = number;
		for (;;) {
			next = strchr(next, '\n');
			if (!next)
				break;
			number++;
			if (next > line && next[-1] == '\\') {
				next[-1] = ' ';
				*next++ = ' ';
				continue;
			}
			*next++ = '\0';
			break;
		}
		line[strcspn(line, "#")] = '\0';
		reader->count = 0;
		for (word = strtok_r(line, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest)) {
			if (reader->count == PLAN_WORDS)
				return wrong(reader, "there are more than %d words", PLAN_WORDS);
			reader->words[reader->count++] = word;
		}
		if (reader->count)
			status = read_line(reader);
	}
	return status;
}

static char *read_text(const char *file)
{
	FILE *stream = strcmp(file, "-") ? fopen(file, "r") : stdin;
	size_t size = 0;
	char *text = NULL;
	ssize_t got;

	if (!stream)
		return NULL;
	got = getdelim(&text, &size, '\0', stream);
	if (got < 0 && !ferror(stream) && text)
		*text = '\0';
	if (ferror(stream)) {
		free(text);
		text = NULL;
	}
	if (stream != stdin)
		fclose(stream);
	return text;
}

int topology_read(struct topology *topology, const char *file)
{
	char *text = read_text(file);

	*topology = (struct topology) { .file = file };
	if (!text)
		return refused(errno, "%s cannot be read: %s", file, strerror(errno));
	return topology_parse(topology, file, text);
}

int topology_parse(struct topology *topology, const char *file, char *text)
{
	struct reader reader = { .topology = topology };

	*topology = (struct topology) { .file = file, .text = text };
	return read_lines(&reader, text);
}

void topology_free(struct topology *topology)
{
	for (unsigned int i = 0; i < topology->nodes_count; i++)
		free(topology->nodes[i].links);
	free(topology->nodes);
	free(topology->links);
	free(topology->job.workers);
	free(topology->text);
}

uint64_t plan_job_memory(const struct plan_job *job)
{
	if (job->format->keys)
		return job->memory ?: (uint64_t)KEY_BYTES * job->keys;
	uint64_t pages = (4 * (uint64_t)job->grads + 4095) / 4096;

	return job->blocks * (pages * 4096 + BLOCK_BYTES) + SPARE_BYTES;
}
