/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_CLASSIFIER_H
#define _WEIR_CLASSIFIER_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#include "core/packet/hash.h"
#include "core/packet/key.h"

/* Tuples of a classifier at most. */
#define WEIR_CLASSIFIER_TUPLES_MAX	256

/* Tuples are listed for packets without IP, for IPv4 and for IPv6. */
#define WEIR_CLASSIFIER_KINDS		3

/**
 * struct weir_classifier_match - packets that a rule has
 * @key: values of the fields that are compared; all else is 0
 * @mask: the bits of these fields that are compared
 * @rest: the other conditions, which only the caller knows; NULL if there are none
 * @rule: the rule; several matches may have the same one
 * @prio: the rule's place
 * @unparsed: the rule has packets, too, whose headers the parser did not reach and that no other
 *	rule has
 */
struct weir_classifier_match {
	struct weir_flow_key	key;
	struct weir_flow_key	mask;
	const void		*rest;
	void			*rule;
	u32			prio;
	bool			unparsed;
};

struct weir_classifier_builder;

/**
 * struct weir_classifier_input - what a classifier is made of
 * @rules: whatever @walk knows rules by
 * @except: a rule whose matches are left out, or NULL
 * @walk: calls weir_classifier_add() for each match, in the order of their prio, until that
 *	returns an error, which it returns
 * @matches: number of matches, without those of @except
 * @tuples: maximum number of tuples, up to WEIR_CLASSIFIER_TUPLES_MAX
 */
struct weir_classifier_input {
	void		*rules;
	const void	*except;
	int		(*walk)(const struct weir_classifier_input *input,
				struct weir_classifier_builder *builder);
	u32		matches;
	u32		tuples;
};

/**
 * struct weir_classifier_node - a match in its table
 * @key: as in struct weir_classifier_match
 * @rest: as there
 * @rule: as there
 * @prio: as there
 * @next: the next node of the same bucket, whose prio is not lower: its index + 1, or 0
 *
 * 64 bytes, so that one that is looked at is one cache line.
 */
struct weir_classifier_node {
	struct weir_flow_key	key;
	const void		*rest;
	void			*rule;
	u32			prio;
	u32			next;
};

/**
 * struct weir_tuple - the matches that compare the same bits of the same fields
 * @mask: these bits
 * @first: the lowest prio of their rules
 * @last: the highest one
 * @matches: number of matches
 * @buckets: a power of two, less 1
 * @bucket: index + 1 of the first node, or 0
 * @ip: 4 or 6, or 0 for packets of either and of none
 */
struct weir_tuple {
	struct weir_flow_key	mask;
	u32			first;
	u32			last;
	u32			matches;
	u32			buckets;
	u32			*bucket;
	u8			ip;
};

/**
 * struct weir_classifier - rules, as packets look them up
 * @rcu: it is freed a grace period after another has taken its place
 * @node: of all tuples
 * @tuple: in the order of their first prio
 * @unparsed: the first rule that has unparsed packets, NULL if there is none
 * @count: of the tuples that a kind of packet is looked up in
 * @list: these tuples, in the same order
 *
 * Never changes; one allocation.
 */
struct weir_classifier {
	struct rcu_head			rcu;
	struct weir_classifier_node	*node;
	struct weir_tuple		*tuple;
	void				*unparsed;
	u32				count[WEIR_CLASSIFIER_KINDS];
	u16				list[WEIR_CLASSIFIER_KINDS][WEIR_CLASSIFIER_TUPLES_MAX];
};

struct weir_classifier *weir_classifier_build(const struct weir_classifier_input *input);
int weir_classifier_add(struct weir_classifier_builder *builder,
			const struct weir_classifier_match *match);
void weir_classifier_free(struct weir_classifier *classifier);

/* Checks the conditions of a match that are not equality of fields. */
typedef bool weir_classifier_rest(const void *rest, const void *packet);

/* The first match of a tuple with a prio above @after and below @before. */
static __always_inline const struct weir_classifier_node *
weir_tuple_find(const struct weir_classifier *classifier, const struct weir_tuple *tuple,
		const struct weir_flow_key *of, const void *packet, weir_classifier_rest *rest,
		u32 after, u32 before)
{
	const struct weir_classifier_node *node;
	struct weir_flow_key key;
	u32 i, next;

	for (i = 0; i < ARRAY_SIZE(key.word); i++)
		key.word[i] = of->word[i] & tuple->mask.word[i];
	next = tuple->bucket[weir_flow_key_hash(&key) & tuple->buckets];
	for (; next; next = node->next) {
		node = &classifier->node[next - 1];
		if (node->prio >= before)
			return NULL;
		if (node->prio > after && weir_flow_key_equal(&node->key, &key) &&
		    (!node->rest || rest(node->rest, packet)))
			return node;
	}
	return NULL;
}

/**
 * weir_classifier_find() - find the first rule that has a packet
 * @classifier: the classifier, under RCU
 * @key: the packet's fields
 * @packet: the packet, for @rest
 * @rest: checks the other conditions of a match whose fields are equal
 * @after: rules up to this prio have seen the packet; 0 for none
 *
 * Inlined into one function of each kind of rules, so that @rest is no indirect call.
 *
 * Return: the rule, or NULL.
 */
static __always_inline void *weir_classifier_find(const struct weir_classifier *classifier,
						  const struct weir_flow_key *key,
						  const void *packet, weir_classifier_rest *rest,
						  u32 after)
{
	u32 kind = key->ip == 4 ? 1 : key->ip == 6 ? 2 : 0;
	const struct weir_classifier_node *node;
	u32 i, before = U32_MAX;
	void *found = NULL;

	for (i = 0; i < classifier->count[kind]; i++) {
		const struct weir_tuple *tuple = &classifier->tuple[classifier->list[kind][i]];

		if (tuple->first >= before)
			break;
		if (tuple->last <= after)
			continue;
		node = weir_tuple_find(classifier, tuple, key, packet, rest, after, before);
		if (!node)
			continue;
		found = node->rule;
		before = node->prio;
	}
	return found;
}

#endif /* _WEIR_CLASSIFIER_H */
