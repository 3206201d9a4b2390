// SPDX-License-Identifier: BSD-2-Clause
#include "threads.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "imports.h"
#include "settings.h"

/* Set if MPI was asked for a higher level of threads than the program has asked for. */
static struct {
	bool asked;
	int program;	/* the level that the program has been told */
} raised;

/* Return true if a variable of MPI's own is set, which chooses the level that MPI_Init() gives. */
static bool is_chosen(void)
{
	return getenv("OMPI_MPI_THREAD_LEVEL") || getenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL") ||
	       getenv("MPICH_DEFAULT_THREAD_LEVEL");
}

/* One-sided communication over messages, which Open MPI has until version 5, takes no threads. */
static bool windows_take_threads(void)
{
#ifdef OPEN_MPI
	char version[MPI_MAX_LIBRARY_VERSION_STRING];
	int length, major;

	PMPI_Get_library_version(version, &length);
	return sscanf(version, "Open MPI v%d", &major) == 1 && major >= 5;
#else
	return true;
#endif
}

/* Without reductions there is nothing for the library's thread to do. */
static bool is_needed(void)
{
	return imports_reductions() && (windows_take_threads() || !imports_windows());
}

static bool may_raise(int required)
{
	/* A number that is no level is MPI's to refuse. */
	return required >= MPI_THREAD_SINGLE && required < MPI_THREAD_MULTIPLE &&
	       getenv("WEIR_BOX") && settings_threads(is_needed()) && !is_chosen();
}

static int init(int *argc, char ***argv, int required, int *provided)
{
	int err = PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, provided);

	if (err != MPI_SUCCESS)
		return err;
	if (*provided > required)
		*provided = required;
	raised.asked = true;
	raised.program = *provided;
	return err;
}

int MPI_Init(int *argc, char ***argv)
{
	int provided;

	if (!may_raise(MPI_THREAD_SINGLE))
		return PMPI_Init(argc, argv);
	return init(argc, argv, MPI_THREAD_SINGLE, &provided);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	if (!may_raise(required))
		return PMPI_Init_thread(argc, argv, required, provided);
	return init(argc, argv, required, provided);
}

int MPI_Query_thread(int *provided)
{
	int err = PMPI_Query_thread(provided);

	if (err == MPI_SUCCESS && raised.asked)
		*provided = raised.program;
	return err;
}

bool threads_of_program(void)
{
	int level;

	MPI_Query_thread(&level);
	return level == MPI_THREAD_MULTIPLE;
}

bool threads_of_library(void)
{
	int level;

	PMPI_Query_thread(&level);
	return level == MPI_THREAD_MULTIPLE;
}
