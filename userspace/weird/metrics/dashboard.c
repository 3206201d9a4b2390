// SPDX-License-Identifier: GPL-2.0
/* A dashboard for Grafana: a row a kind of object, a panel a metric. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "metrics/list.h"
#include "metrics/metrics.h"

#define WIDTH	8
#define HEIGHT	7
#define ACROSS	3

/**
 * struct board - what is made
 * @scope: of the row that is being filled; SCOPES before the first
 * @column: of the next panel
 */
struct board {
	struct json_object *panels;
	unsigned int scope;
	int id;
	int row;
	int column;
};

static struct json_object *text(const char *of)
{
	return json_object_new_string(of);
}

static struct json_object *place(int x, int y, int w, int h)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "x", json_object_new_int(x));
	json_object_object_add(object, "y", json_object_new_int(y));
	json_object_object_add(object, "w", json_object_new_int(w));
	json_object_object_add(object, "h", json_object_new_int(h));
	return object;
}

static struct json_object *source(void)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "type", text("prometheus"));
	json_object_object_add(object, "uid", text("${datasource}"));
	return object;
}

static struct json_object *panel(struct board *board, const char *type, const char *title)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "id", json_object_new_int(++board->id));
	json_object_object_add(object, "type", text(type));
	json_object_object_add(object, "title", text(title));
	json_object_array_add(board->panels, object);
	return object;
}

static void begin_row(struct board *board, unsigned int scope)
{
	static const char *const titles[SCOPES] = {
		[SCOPE_TOTAL] = "Totals", [SCOPE_JOB] = "Jobs", [SCOPE_SOURCE] = "Sources",
		[SCOPE_PORT] = "Ports", [SCOPE_CHAIN] = "Chains", [SCOPE_FILTER] = "Filters",
		[SCOPE_FLOW] = "Flows", [SCOPE_ORDER] = "Orders",
		[SCOPE_TRIM] = "Trimming", [SCOPE_TRIM_TOTAL] = "Trimming, all ports",
		[SCOPE_TRIM_POOL] = "Trimming, pools",
	};
	struct json_object *row;

	if (board->column)
		board->row += HEIGHT;
	board->column = 0;
	board->scope = scope;
	row = panel(board, "row", titles[scope]);
	json_object_object_add(row, "gridPos", place(0, board->row++, ACROSS * WIDTH, 1));
}

static bool is_now(const struct metric *metric)
{
	return metric->kind == METRIC_GAUGE || metric->kind == METRIC_NOW;
}

static void query(const struct metric *metric, char *expr, size_t size)
{
	if (is_now(metric))
		snprintf(expr, size, "%s", metric->name);
	else if (metric->kind == METRIC_LATENESS)
		snprintf(expr, size,
			 "histogram_quantile(0.99, rate(%s_bucket[$__rate_interval]))",
			 metric->name);
	else
		snprintf(expr, size, "rate(%s[$__rate_interval])", metric->name);
}

static struct json_object *targets(const struct metric *metric)
{
	struct json_object *list = json_object_new_array(), *target = json_object_new_object();
	char expr[2 * METRIC_NAME], legend[METRIC_NAME];

	query(metric, expr, sizeof(expr));
	snprintf(legend, sizeof(legend), "%s%s", scopes[metric->scope].labels,
		 metric->kind == METRIC_REFUSALS ? " {{reason}}" : "");
	json_object_object_add(target, "datasource", source());
	json_object_object_add(target, "expr", text(expr));
	json_object_object_add(target, "legendFormat", text(legend));
	json_object_object_add(target, "refId", text("A"));
	json_object_array_add(list, target);
	return list;
}

static const char *unit(const struct metric *metric)
{
	if (metric->kind == METRIC_LATENESS)
		return "s";
	if (strstr(metric->name, "bytes"))
		return is_now(metric) ? "bytes" : "Bps";
	return "short";
}

static struct json_object *field_config(const struct metric *metric)
{
	struct json_object *object = json_object_new_object();
	struct json_object *defaults = json_object_new_object();

	json_object_object_add(defaults, "unit", text(unit(metric)));
	json_object_object_add(object, "defaults", defaults);
	json_object_object_add(object, "overrides", json_object_new_array());
	return object;
}

static void add(const struct metric *metric, void *context)
{
	struct board *board = context;
	struct json_object *object;

	if (board->scope != metric->scope)
		begin_row(board, metric->scope);
	object = panel(board, "timeseries", metric->name);
	json_object_object_add(object, "description", text(metric->help));
	json_object_object_add(object, "datasource", source());
	json_object_object_add(object, "gridPos", place(board->column * WIDTH, board->row, WIDTH,
							HEIGHT));
	json_object_object_add(object, "fieldConfig", field_config(metric));
	json_object_object_add(object, "targets", targets(metric));
	board->column = (board->column + 1) % ACROSS;
	if (!board->column)
		board->row += HEIGHT;
}

/* Make the variable by which the reader of the dashboard chooses the Prometheus. */
static struct json_object *templating(void)
{
	struct json_object *object = json_object_new_object(), *list = json_object_new_array();
	struct json_object *variable = json_object_new_object();

	json_object_object_add(variable, "name", text("datasource"));
	json_object_object_add(variable, "type", text("datasource"));
	json_object_object_add(variable, "query", text("prometheus"));
	json_object_array_add(list, variable);
	json_object_object_add(object, "list", list);
	return object;
}

int metrics_dashboard(void)
{
	struct board board = { .panels = json_object_new_array(), .scope = SCOPES };
	struct json_object *object = json_object_new_object();

	metrics_each(add, &board);
	json_object_object_add(object, "title", text("weir"));
	json_object_object_add(object, "uid", text("weir"));
	json_object_object_add(object, "schemaVersion", json_object_new_int(39));
	json_object_object_add(object, "refresh", text("10s"));
	json_object_object_add(object, "templating", templating());
	json_object_object_add(object, "panels", board.panels);
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	return fflush(stdout) ? 1 : 0;
}
