// SPDX-License-Identifier: GPL-2.0
/* The classifier of a filter's rules. */
#include <uapi/weir_xdp_nl.h>

#include "core/packet/rule_key.h"
#include "xdp/filter/classify.h"
#include "xdp/filter/filter_rule.h"

static_assert(WEIR_XDP_FILTER_TUPLES_MAX == WEIR_CLASSIFIER_TUPLES_MAX);

/*
 * A rule that drops packets by ports or flags of TCP has unparsed packets that no rule decides
 * about, too, as they may have these ports.
 */
static int weir_filter_classifier_rule(struct weir_classifier_builder *builder,
				       struct weir_filter_rule *rule, u32 prio)
{
	bool drops = rule->config.action == WEIR_XDP_FILTER_ACTION_DROP;
	struct weir_classifier_match match = { .rule = rule, .prio = prio };
	int err = 0;
	u32 i;

	for (i = 0; !err && i < rule->matches; i++) {
		const struct weir_filter_match *of = &rule->match[i];

		weir_rule_key(&of->rule, &match.key, &match.mask);
		match.rest = weir_filter_match_has_rest(of) ? of : NULL;
		match.unparsed = drops && weir_filter_match_asks_ports(of);
		err = weir_classifier_add(builder, &match);
	}
	return err;
}

static int weir_filter_classifier_walk(const struct weir_classifier_input *input,
				       struct weir_classifier_builder *builder)
{
	struct xarray *rules = input->rules;
	struct weir_filter_rule *rule;
	unsigned long prio;
	int err;

	xa_for_each(rules, prio, rule) {
		err = weir_filter_classifier_rule(builder, rule, prio);
		if (err)
			return err;
	}
	return 0;
}

/**
 * weir_filter_classifier() - make the classifier of a filter
 * @rules: struct weir_filter_rule by prio; they stay until it is freed
 * @except: one of them that is left out, or NULL
 * @matches: of all the others
 *
 * Sleeps. Return: as weir_classifier_build().
 */
struct weir_classifier *weir_filter_classifier(struct xarray *rules,
					       const struct weir_filter_rule *except, u32 matches)
{
	const struct weir_classifier_input input = {
		.rules		= rules,
		.except		= except,
		.walk		= weir_filter_classifier_walk,
		.matches	= matches,
		.tuples		= WEIR_XDP_FILTER_TUPLES_MAX,
	};

	return weir_classifier_build(&input);
}

static bool weir_filter_classify_rest(const void *rest, const void *packet)
{
	return weir_filter_match_rest(rest, packet);
}

/**
 * weir_filter_classify() - find the first rule that has a packet
 * @classifier: the filter's, under RCU
 * @headers: of the packet
 * @after: rules up to this prio have seen it; 0 for none
 *
 * Return: the rule, or NULL.
 */
struct weir_filter_rule *weir_filter_classify(const struct weir_classifier *classifier,
					      const struct weir_headers *headers, u32 after)
{
	return weir_classifier_find(classifier, &headers->key, headers, weir_filter_classify_rest,
				    after);
}
