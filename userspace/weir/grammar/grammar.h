/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The language of the command line, as one table: objects have verbs, verbs take
 * keys, keys have values. Parsing, help, completion and the netlink requests are
 * all driven by it.
 */
#ifndef WEIR_GRAMMAR_H
#define WEIR_GRAMMAR_H

#include <stdbool.h>
#include <stdint.h>

#include "grammar/names.h"

struct args;
struct nlmsghdr;
struct value;

enum value_type {
	VALUE_NUMBER,
	VALUE_TIME,	/* us, ms or s; microseconds as a number */
	VALUE_SHARE,	/* a number, or a share of all in millionths */
	VALUE_ADDRESS,
	VALUE_NAME,	/* one of a struct names */
	VALUE_DEVICE,	/* a network device's name */
	VALUE_RATE,	/* several words: see rate.h */
	VALUE_BITRATE,	/* a rate in one word; bytes a second */
	VALUE_TEXT,	/* a word of 1 to max bytes, of any form */
	VALUE_OWN,	/* as the key's syntax has it */
};

/**
 * struct words - of a key whose values are several words
 * @parse: reads the words behind the key, up to the first that belongs to another one; @used
 *	becomes their number. Returns an exit status
 * @span: for completion: how many of the words behind the key are the value's, one that is not
 *	there yet included
 * @next: for completion: calls @say with each word that may follow these, which are all the
 *	value's
 */
struct words {
	int (*parse)(struct value *value, int count, char **words, int *used);
	int (*span)(int count, char **words);
	void (*next)(int count, char **words, int (*say)(const char *word));
};

/**
 * struct syntax - of a key whose values have a form of their own
 * @parse: reads value->word; returns an exit status
 * @put: puts the value into a request; returns an exit status
 * @words: instead of @parse, where there are several
 */
struct syntax {
	int (*parse)(struct value *value);
	int (*put)(struct nlmsghdr *message, const struct value *value);
	const struct words *words;
};

/* The objects whose numbers completion looks up in the kernel. */
enum value_lookup { LOOKUP_NONE, LOOKUP_JOB, LOOKUP_SOURCE };

/**
 * struct key - a word that takes a value
 * @value: name of the value in help
 * @attr: the netlink attribute that carries it, 0 for none
 * @min: of a number, where the wire format sets the limit; limits of the module
 *	are left to the module, which states them when it refuses
 * @max: greatest number, where the wire format sets the limit; 0 for all 32 bits
 * @names: of a name, its words; of a number or a time, words for some
 * @none: a word that is taken too and stands for no address, device or number of
 *	the key's own; of a match, for all packets
 * @repeat: number of times that the key may be given, 0 for once
 * @unordered: the order of values of a key that repeats does not count
 * @syntax: of a VALUE_OWN
 */
struct key {
	const char *name;
	const char *value;
	const char *doc;
	enum value_type type;
	enum value_lookup lookup;
	uint16_t attr;
	uint32_t min;
	uint32_t max;
	const struct names *names;
	const char *none;
	unsigned int repeat;
	bool unordered;
	const struct syntax *syntax;
};

struct verb_key {
	const struct key *key;
	bool required;
};

/**
 * struct verb - an action on an object
 * @name: "" for the only verb of an object that needs none
 * @command: the netlink command that run() sends, where it is one
 * @keys: ends with an entry without a key
 * @run: returns an exit status
 * @positional: words without keys are taken by run() itself
 * @words: those words, in help
 * @host_first: run() enters the network namespace itself
 * @attributes: further keys, which scripts/keys-regen makes of attributes of the command
 */
struct verb {
	const char *name;
	const char *doc;
	uint8_t command;
	const struct verb_key *keys;
	int (*run)(const struct args *args);
	bool positional;
	bool host_first;
	const char *words;
	const struct verb_key *attributes;
};

/* @hidden: not shown in help; for programs */
struct object {
	const char *name;
	const char *doc;
	const struct verb *verbs;
	bool hidden;
};

extern const struct object grammar[];
extern const struct verb trim_verbs[];	/* grammar_trim.c */
extern const struct verb trim_default_verbs[];
extern const struct verb trim_pool_verbs[];
extern const struct verb trim_acl_verbs[];

/* attributes.c */
extern const struct verb_key job_add_attributes[], job_set_attributes[];
extern const struct verb_key source_add_attributes[], source_set_attributes[];
extern const struct verb_key trim_set_attributes[], trim_pool_set_attributes[];
extern const struct verb_key filter_add_attributes[], filter_set_attributes[];
extern const struct verb_key flow_set_attributes[], order_add_attributes[];

/* The key at a place, 0 for the first; NULL behind the last one. */
const struct verb_key *grammar_key_at(const struct verb *verb, unsigned int at);

#define for_each_key(entry, verb) \
	for (unsigned int at_ = 0; (entry = grammar_key_at(verb, at_)); at_++)

/* NULL where its values are one word. */
const struct words *key_words(const struct key *key);

const struct object *grammar_object(const char *name);

/*
 * By the name, or what it alone begins with; of a verb also by another word for it. NULL
 * where there is none: then @list has those that begin so, if any does.
 */
const struct object *grammar_object_like(const char *name, char *list, unsigned int size);
const struct verb *grammar_verb_like(const struct object *object, const char *name, char *list,
				     unsigned int size);
const struct verb *grammar_verb(const struct object *object, const char *name);
const struct verb_key *grammar_key(const struct verb *verb, const char *name);
void grammar_objects(char *buffer, unsigned int size);
void grammar_verbs(const struct object *object, char *buffer, unsigned int size);
void grammar_keys(const struct verb *verb, char *buffer, unsigned int size);

#endif
