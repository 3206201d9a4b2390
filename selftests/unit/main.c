// SPDX-License-Identifier: GPL-2.0
/* Runs the module's own files against a mocked kernel. */
#include <string.h>

#include "mock.h"
#include "unit.h"

int main(int argc, char **argv)
{
	static const struct {
		const struct ktap_test *tests;
		const size_t *count;
	} suites[] = {
		{ reduce_tests, &reduce_count },
		{ pool_tests, &pool_count },
		{ payload_tests, &payload_count },
		{ headers_tests, &headers_count },
		{ retention_tests, &retention_count },
		{ pair_tests, &pair_count },
		{ rate_tests, &rate_count },
		{ lateness_tests, &lateness_count },
		{ straggler_tests, &straggler_count },
		{ control_tests, &control_count },
		{ join_tests, &join_count },
		{ level_tests, &level_count },
		{ job_tests, &job_count },
		{ contribute_tests, &contribute_count },
		{ merged_tests, &merged_count },
		{ format_tests, &format_count },
		{ kv_tests, &kv_count },
		{ bands_tests, &bands_count },
		{ trim_config_tests, &trim_config_count },
		{ trim_acl_tests, &trim_acl_count },
		{ trim_pool_tests, &trim_pool_count },
		{ filter_tests, &filter_count },
		{ sources_tests, &sources_count },
		{ order_tests, &order_count },
		/* Those that take a second or more, after all others. */
		{ scan_tests, &scan_count },
		{ block_tests, &block_count },
		{ model_tests, &model_count },
		{ switchml_tests, &switchml_count },
		{ lab_tests, &lab_count },
		{ panama_tests, &panama_count },
		{ ecn_tests, &ecn_count },
		{ share_tests, &share_count },
	};
	struct ktap_test all[1024];
	size_t n = 0, i;
	int status;

	for (i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
		memcpy(all + n, suites[i].tests,
		       *suites[i].count * sizeof(all[0]));
		n += *suites[i].count;
	}
	status = ktap_main(all, n, argc > 1 ? argv[1] : NULL);
	mock_assert(!mock_memory, "memory is left");
	return status;
}
