// SPDX-License-Identifier: BSD-2-Clause
#include "members.h"

#include "say.h"
#include "threads.h"
#include "world.h"

static struct {
	int key;	/* of the attribute that known communicators have */
	bool has_key;
	MPI_Comm owner;
} members = { .owner = MPI_COMM_NULL };

/* Values of the attribute. */
static char member, stranger;

/* MPI_Comm_free() or MPI_Finalize(). */
static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)key;
	(void)value;
	(void)extra;
	world_lock();
	if (comm == members.owner)
		members.owner = MPI_COMM_NULL;
	world_unlock();
	return MPI_SUCCESS;
}

/* Return the reason for which the communicator is left to MPI, or NULL. */
static const char *objection(MPI_Comm comm)
{
	int result = MPI_UNEQUAL;

	PMPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
	if (result != MPI_IDENT && threads_of_program())
		return "the program's threads may call MPI at once, so only MPI_COMM_WORLD has jobs";
	if (result != MPI_IDENT && result != MPI_CONGRUENT)
		return "its ranks are not those of MPI_COMM_WORLD in the same order";
	/* The attributes of this one end the jobs. */
	return comm == MPI_COMM_SELF ? "it is MPI_COMM_SELF" : NULL;
}

const char *members_name(MPI_Comm comm)
{
	static char name[MPI_MAX_OBJECT_NAME];
	int length = 0;

	PMPI_Comm_get_name(comm, name, &length);
	return length ? name : "without a name";
}

static void *classify(MPI_Comm comm)
{
	const char *reason = objection(comm);
	int rank;

	if (!reason)
		return &member;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	say_debug(rank, "MPI does the reductions of communicator %s: %s", members_name(comm), reason);
	return &stranger;
}

bool members_have(MPI_Comm comm)
{
	void *value = NULL;
	int flag = 0;

	if (!members.has_key) {
		PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &members.key, NULL);
		members.has_key = true;
	}
	PMPI_Comm_get_attr(comm, members.key, &value, &flag);
	if (!flag) {
		value = classify(comm);
		PMPI_Comm_set_attr(comm, members.key, value);
	}
	return value == &member;
}

MPI_Comm members_owner(void)
{
	return members.owner;
}

void members_set_owner(MPI_Comm comm)
{
	members.owner = comm;
}
