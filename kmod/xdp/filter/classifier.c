// SPDX-License-Identifier: GPL-2.0
/*
 * Packet classification by tuple space search: matches that compare the same bits of the same
 * fields are in one hash table, and a packet is looked up once in each. So what a packet costs
 * grows with the number of such sets, which is bounded, and not with that of the rules.
 */
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/mm.h>

#include "xdp/filter/classifier.h"
#include "xdp/filter/filter_rule.h"

/**
 * struct weir_builder - a classifier that is being made
 * @tuple: the tuples found so far
 * @tuples: how many
 * @matches: of all rules
 * @of: the tuple of each match, in the order of the rules
 * @rules: of the filter
 * @except: one of them that is to be left out, or NULL
 */
struct weir_builder {
	struct weir_tuple	*tuple;
	u32			tuples;
	u32			matches;
	u16			*of;
	struct xarray		*rules;
	const struct weir_filter_rule *except;
};

/* The tuple of a match, which is the one before more often than not. Return: its index. */
static int weir_builder_tuple(struct weir_builder *builder, const struct weir_flow_key *mask,
			      u8 ip, u32 guess)
{
	struct weir_tuple *tuple;
	u32 i;

	tuple = &builder->tuple[guess];
	if (guess < builder->tuples && tuple->ip == ip && weir_flow_key_equal(&tuple->mask, mask))
		return guess;
	for (i = 0; i < builder->tuples; i++) {
		tuple = &builder->tuple[i];
		if (tuple->ip == ip && weir_flow_key_equal(&tuple->mask, mask))
			return i;
	}
	if (builder->tuples == WEIR_XDP_FILTER_TUPLES_MAX)
		return -ENOSPC;
	builder->tuple[builder->tuples].mask = *mask;
	builder->tuple[builder->tuples].ip = ip;
	return builder->tuples++;
}

static int weir_builder_count(struct weir_builder *builder, const struct weir_filter_match *match,
			      u32 prio, u32 at)
{
	struct weir_flow_key key, mask;
	struct weir_tuple *tuple;
	int index;

	weir_filter_match_key(match, &key, &mask);
	index = weir_builder_tuple(builder, &mask, key.ip, at ? builder->of[at - 1] : 0);
	if (index < 0)
		return index;
	tuple = &builder->tuple[index];
	if (!tuple->matches++)
		tuple->first = prio;
	tuple->last = prio;
	builder->of[at] = index;
	return 0;
}

/* Rules come in the order of their prio, and so do the tuples of their first ones. */
static int weir_builder_find(struct weir_builder *builder)
{
	struct weir_filter_rule *rule;
	unsigned long prio;
	u32 i, at = 0;
	int err;

	xa_for_each(builder->rules, prio, rule) {
		for (i = 0; rule != builder->except && i < rule->matches; i++) {
			err = weir_builder_count(builder, &rule->match[i], prio, at++);
			if (err)
				return err;
		}
	}
	return 0;
}

static int weir_builder_begin(struct weir_builder *builder)
{
	builder->tuple = kvcalloc(WEIR_XDP_FILTER_TUPLES_MAX, sizeof(*builder->tuple),
				  GFP_KERNEL_ACCOUNT);
	builder->of = kvcalloc(builder->matches, sizeof(*builder->of), GFP_KERNEL_ACCOUNT);
	return builder->tuple && builder->of ? 0 : -ENOMEM;
}

static void weir_builder_end(struct weir_builder *builder)
{
	kvfree(builder->tuple);
	kvfree(builder->of);
}

/* A table is half full at most. */
static u32 weir_tuple_buckets(const struct weir_tuple *tuple)
{
	return roundup_pow_of_two(2 * tuple->matches);
}

static size_t weir_builder_size(const struct weir_builder *builder)
{
	size_t size = sizeof(struct weir_classifier);
	u32 i;

	size += builder->matches * sizeof(struct weir_classifier_node);
	size += builder->tuples * sizeof(struct weir_tuple);
	for (i = 0; i < builder->tuples; i++)
		size += weir_tuple_buckets(&builder->tuple[i]) * sizeof(u32);
	return size;
}

/* A tuple without a version is looked up for all packets. */
static void weir_classifier_list(struct weir_classifier *classifier, u32 index)
{
	u8 ip = classifier->tuple[index].ip;

	if (!ip)
		classifier->list[0][classifier->count[0]++] = index;
	if (ip != 6)
		classifier->list[1][classifier->count[1]++] = index;
	if (ip != 4)
		classifier->list[2][classifier->count[2]++] = index;
}

/* The parts lie one behind the other: nodes, tuples, buckets. */
static void weir_classifier_lay_out(struct weir_classifier *classifier,
				    const struct weir_builder *builder)
{
	u32 *bucket, i;

	classifier->node = (void *)(classifier + 1);
	classifier->tuple = (void *)(classifier->node + builder->matches);
	bucket = (void *)(classifier->tuple + builder->tuples);
	for (i = 0; i < builder->tuples; i++) {
		struct weir_tuple *tuple = &classifier->tuple[i];
		u32 buckets;

		*tuple = builder->tuple[i];
		buckets = weir_tuple_buckets(tuple);
		tuple->buckets = buckets - 1;
		tuple->bucket = bucket;
		bucket += buckets;
		weir_classifier_list(classifier, i);
	}
}

static void weir_classifier_fill(struct weir_classifier *classifier,
				 const struct weir_builder *builder)
{
	struct weir_classifier_node *node = classifier->node;
	struct weir_filter_rule *rule;
	struct weir_flow_key mask;
	unsigned long prio;
	u32 i;

	xa_for_each(builder->rules, prio, rule) {
		for (i = 0; rule != builder->except && i < rule->matches; i++, node++) {
			const struct weir_filter_match *match = &rule->match[i];

			weir_filter_match_key(match, &node->key, &mask);
			node->rest = weir_filter_match_has_rest(match) ? match : NULL;
			node->rule = rule;
			node->prio = prio;
			if (!classifier->blind &&
			    rule->config.action == WEIR_XDP_FILTER_ACTION_DROP &&
			    weir_filter_match_asks_ports(match))
				classifier->blind = rule;
		}
	}
}

/* From the last node to the first one, so that a bucket has them by their prio. */
static void weir_classifier_link(struct weir_classifier *classifier,
				 const struct weir_builder *builder)
{
	u32 i;

	for (i = builder->matches; i; i--) {
		struct weir_classifier_node *node = &classifier->node[i - 1];
		struct weir_tuple *tuple = &classifier->tuple[builder->of[i - 1]];
		u32 *bucket = &tuple->bucket[weir_flow_key_hash(&node->key) & tuple->buckets];

		node->next = *bucket;
		*bucket = i;
	}
}

/**
 * weir_classifier_build() - make the classifier of a filter
 * @rules: struct weir_filter_rule by prio; they stay until it is freed
 * @except: one of them that is left out, or NULL
 * @matches: of all the others
 *
 * Sleeps. Return: it, or an ERR_PTR: -ENOMEM; -ENOSPC where there are more than
 * WEIR_XDP_FILTER_TUPLES_MAX tuples.
 */
struct weir_classifier *weir_classifier_build(struct xarray *rules,
					      const struct weir_filter_rule *except, u32 matches)
{
	struct weir_builder builder = { .rules = rules, .except = except, .matches = matches };
	struct weir_classifier *classifier = NULL;
	int err;

	err = weir_builder_begin(&builder);
	err = err ?: weir_builder_find(&builder);
	if (!err) {
		classifier = kvzalloc(weir_builder_size(&builder), GFP_KERNEL_ACCOUNT);
		err = classifier ? 0 : -ENOMEM;
	}
	if (!err) {
		weir_classifier_lay_out(classifier, &builder);
		weir_classifier_fill(classifier, &builder);
		weir_classifier_link(classifier, &builder);
	}
	weir_builder_end(&builder);
	return err ? ERR_PTR(err) : classifier;
}

static void weir_classifier_free_rcu(struct rcu_head *rcu)
{
	kvfree(container_of(rcu, struct weir_classifier, rcu));
}

/**
 * weir_classifier_free() - free a classifier that packets may still see
 * @classifier: it, or NULL
 */
void weir_classifier_free(struct weir_classifier *classifier)
{
	if (classifier)
		call_rcu(&classifier->rcu, weir_classifier_free_rcu);
}

/* The first match of a tuple with a prio above @after and below @before. */
static __always_inline const struct weir_classifier_node *
weir_tuple_find(const struct weir_classifier *classifier, const struct weir_tuple *tuple,
		const struct weir_headers *headers, u32 after, u32 before)
{
	const struct weir_classifier_node *node;
	struct weir_flow_key key;
	u32 i, next;

	for (i = 0; i < ARRAY_SIZE(key.word); i++)
		key.word[i] = headers->key.word[i] & tuple->mask.word[i];
	next = tuple->bucket[weir_flow_key_hash(&key) & tuple->buckets];
	for (; next; next = node->next) {
		node = &classifier->node[next - 1];
		if (node->prio >= before)
			return NULL;
		if (node->prio > after && weir_flow_key_equal(&node->key, &key) &&
		    (!node->rest || weir_filter_match_rest(node->rest, headers)))
			return node;
	}
	return NULL;
}

/**
 * weir_classifier_find() - the first rule that has a packet
 * @classifier: the classifier, under RCU
 * @headers: of the packet
 * @after: rules up to this prio have seen it; 0 for none
 *
 * Return: the rule, or NULL.
 */
struct weir_filter_rule *weir_classifier_find(const struct weir_classifier *classifier,
					      const struct weir_headers *headers, u32 after)
{
	u32 kind = headers->key.ip == 4 ? 1 : headers->key.ip == 6 ? 2 : 0;
	const struct weir_classifier_node *node;
	struct weir_filter_rule *found = NULL;
	u32 i, before = U32_MAX;

	for (i = 0; i < classifier->count[kind]; i++) {
		const struct weir_tuple *tuple = &classifier->tuple[classifier->list[kind][i]];

		if (tuple->first >= before)
			break;
		if (tuple->last <= after)
			continue;
		node = weir_tuple_find(classifier, tuple, headers, after, before);
		if (!node)
			continue;
		found = node->rule;
		before = node->prio;
	}
	return found;
}
