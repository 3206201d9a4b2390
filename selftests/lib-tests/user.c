// SPDX-License-Identifier: GPL-2.0
/* A program that uses the library as installed; also valid C++. */
#include <libweir.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	struct weir_options options = {};
	struct weir_request *request = NULL;
	struct weir *comm;

	options.size = sizeof(options);
	options.address = "127.0.0.1";
	/* No ranks: it must say so. */
	if (!weir_open(&comm, &options) || !strstr(weir_error(NULL), "ranks is 0"))
		return 1;
	if (weir_wait(&request) || weir_test(&request) != 1)
		return 1;
	weir_close(comm);
	puts(weir_version());
	return 0;
}
