// SPDX-License-Identifier: GPL-2.0
/*
 * Packet classification by tuple space search: matches that compare the same bits of the same
 * fields are in one hash table, and a packet is looked up once in each. So what a packet costs
 * grows with the number of such sets, which is bounded, and not with that of the rules.
 */
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "core/packet/classifier.h"

/**
 * struct weir_classifier_builder - a classifier that is being made
 * @take: function for the next match: the first walk counts them, the second stores them
 * @input: the rules
 * @tuple: the tuples found so far
 * @tuples: number of tuples
 * @of: the tuple of each match, in their order
 * @at: index of the next match
 * @classifier: that one, once its size is known
 */
struct weir_classifier_builder {
	int	(*take)(struct weir_classifier_builder *builder,
			const struct weir_classifier_match *match);
	const struct weir_classifier_input *input;
	struct weir_tuple	*tuple;
	u32			tuples;
	u16			*of;
	u32			at;
	struct weir_classifier	*classifier;
};

/**
 * weir_classifier_add() - add a match to a classifier that is being made
 * @builder: the builder that struct weir_classifier_input's walk was called with
 * @match: the match; its @rest and @rule stay until the classifier is freed
 *
 * Return: 0, or -ENOSPC if there are too many tuples.
 */
int weir_classifier_add(struct weir_classifier_builder *builder,
			const struct weir_classifier_match *match)
{
	return match->rule == builder->input->except ? 0 : builder->take(builder, match);
}
EXPORT_SYMBOL_NS_GPL(weir_classifier_add, "WEIR");

/* The tuple of a match, which is the one before more often than not. Return: its index. */
static int weir_builder_tuple(struct weir_classifier_builder *builder,
			      const struct weir_flow_key *mask, u8 ip, u32 guess)
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
	if (builder->tuples == builder->input->tuples)
		return -ENOSPC;
	builder->tuple[builder->tuples].mask = *mask;
	builder->tuple[builder->tuples].ip = ip;
	return builder->tuples++;
}

/* Matches come in the order of their prio, and so do the tuples of their first ones. */
static int weir_builder_count(struct weir_classifier_builder *builder,
			      const struct weir_classifier_match *match)
{
	u32 at = builder->at++;
	struct weir_tuple *tuple;
	int index;

	index = weir_builder_tuple(builder, &match->mask, match->key.ip,
				   at ? builder->of[at - 1] : 0);
	if (index < 0)
		return index;
	tuple = &builder->tuple[index];
	if (!tuple->matches++)
		tuple->first = match->prio;
	tuple->last = match->prio;
	builder->of[at] = index;
	return 0;
}

static int weir_builder_store(struct weir_classifier_builder *builder,
			      const struct weir_classifier_match *match)
{
	struct weir_classifier *classifier = builder->classifier;

	classifier->node[builder->at++] = (struct weir_classifier_node) {
		.key	= match->key,
		.rest	= match->rest,
		.rule	= match->rule,
		.prio	= match->prio,
	};
	if (match->unparsed && !classifier->unparsed)
		classifier->unparsed = match->rule;
	return 0;
}

static int weir_builder_walk(struct weir_classifier_builder *builder,
			     int (*take)(struct weir_classifier_builder *builder,
					 const struct weir_classifier_match *match))
{
	builder->take = take;
	builder->at = 0;
	return builder->input->walk(builder->input, builder);
}

static int weir_builder_begin(struct weir_classifier_builder *builder)
{
	builder->tuple = kvcalloc(builder->input->tuples, sizeof(*builder->tuple),
				  GFP_KERNEL_ACCOUNT);
	builder->of = kvcalloc(builder->input->matches, sizeof(*builder->of), GFP_KERNEL_ACCOUNT);
	return builder->tuple && builder->of ? 0 : -ENOMEM;
}

static void weir_builder_end(struct weir_classifier_builder *builder)
{
	kvfree(builder->tuple);
	kvfree(builder->of);
}

/* A table is half full at most. */
static u32 weir_tuple_buckets(const struct weir_tuple *tuple)
{
	return roundup_pow_of_two(2 * tuple->matches);
}

static size_t weir_builder_size(const struct weir_classifier_builder *builder)
{
	size_t size = sizeof(struct weir_classifier);
	u32 i;

	size += builder->input->matches * sizeof(struct weir_classifier_node);
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
				    const struct weir_classifier_builder *builder)
{
	u32 *bucket, i;

	classifier->node = (void *)(classifier + 1);
	classifier->tuple = (void *)(classifier->node + builder->input->matches);
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

/* From the last node to the first one, so that a bucket has them by their prio. */
static void weir_classifier_link(struct weir_classifier *classifier,
				 const struct weir_classifier_builder *builder)
{
	u32 i;

	for (i = builder->input->matches; i; i--) {
		struct weir_classifier_node *node = &classifier->node[i - 1];
		struct weir_tuple *tuple = &classifier->tuple[builder->of[i - 1]];
		u32 *bucket = &tuple->bucket[weir_flow_key_hash(&node->key) & tuple->buckets];

		node->next = *bucket;
		*bucket = i;
	}
}

/**
 * weir_classifier_build() - make a classifier
 * @input: its rules, which do not change meanwhile
 *
 * Sleeps. Return: it, or an ERR_PTR: -ENOMEM; -ENOSPC if there are too many tuples.
 */
struct weir_classifier *weir_classifier_build(const struct weir_classifier_input *input)
{
	struct weir_classifier_builder builder = { .input = input };
	int err;

	err = weir_builder_begin(&builder);
	err = err ?: weir_builder_walk(&builder, weir_builder_count);
	if (!err) {
		builder.classifier = kvzalloc(weir_builder_size(&builder), GFP_KERNEL_ACCOUNT);
		err = builder.classifier ? 0 : -ENOMEM;
	}
	if (!err) {
		weir_classifier_lay_out(builder.classifier, &builder);
		weir_builder_walk(&builder, weir_builder_store);
		weir_classifier_link(builder.classifier, &builder);
	}
	weir_builder_end(&builder);
	return err ? ERR_PTR(err) : builder.classifier;
}
EXPORT_SYMBOL_NS_GPL(weir_classifier_build, "WEIR");

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
EXPORT_SYMBOL_NS_GPL(weir_classifier_free, "WEIR");
