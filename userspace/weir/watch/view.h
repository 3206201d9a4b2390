/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Views of the lists of `weir top`: their order, their first row, and the filter of rows.
 *
 * Rows stay in place: a list is ordered by levels, which double, and a row's level follows its
 * number only when that has gone two levels away; rows of one level are in the order of their
 * names.
 */
#ifndef WEIR_VIEW_H
#define WEIR_VIEW_H

#include "grammar/grammar.h"
#include "watch/top.h"

/* As they stand on the page. */
enum view_list { VIEW_TRIMS, VIEW_FLOWS, VIEW_JOBS, VIEW_SOURCES, VIEW_LISTS };

#define VIEW_FILTER 32

struct view_level;

/**
 * struct view - of one run
 * @focus: the list that keys are for
 * @order: of each list, the number of its order
 * @first: of each list, rows that are scrolled over
 * @filter: text that rows have; empty for all rows
 * @typing: keys are the filter's
 * @level: of each list, the rows' levels at the last look, in the order of their names
 * @levels: of each list, the number of these levels
 */
struct view {
	enum view_list focus;
	unsigned int order[VIEW_LISTS];
	size_t first[VIEW_LISTS];
	char filter[VIEW_FILTER];
	bool typing;
	struct view_level *level[VIEW_LISTS];
	size_t levels[VIEW_LISTS];
};

/* Orders of the list of sources, by their numbers, and the filter's syntax. */
extern const struct names view_orders;
extern const struct syntax view_filter_syntax;

void view_begin(struct view *view, unsigned int order, const char *filter);

/* Another look: levels follow. */
void view_note(struct view *view, const struct sample *change);

/* The rows to be shown, in their order: a copy, for sample_free(). */
void view_page(struct view *view, const struct sample *change, struct sample *page);

/* Keys as a terminal sends them. False: it is to end. */
bool view_keys(struct view *view, const char *keys, size_t count);

/* "sources by late from 21 /10.0" */
const char *view_text(const struct view *view, char text[static 96]);
void view_end(struct view *view);

#endif
