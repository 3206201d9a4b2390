// SPDX-License-Identifier: GPL-2.0
/* The tool's refusals do not matter to a fuzzer, and do not mix with its output. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	int fd = open("/dev/null", O_WRONLY);
	FILE *quiet = fd < 0 ? NULL : fdopen(fd, "w");

	(void)argc, (void)argv;
	if (quiet)
		stderr = quiet;
	return 0;
}
