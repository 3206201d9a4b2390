// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "imports.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Each in C, and as compilers for Fortran write it. */
#define NAMES(name, fortran)	name, fortran "_", fortran "_f08_"

static const char *const reductions[] = {
	NAMES("MPI_Allreduce", "mpi_allreduce"), NAMES("MPI_Reduce", "mpi_reduce"),
	NAMES("MPI_Iallreduce", "mpi_iallreduce"), NULL,
};

static const char *const iallreduce[] = {
	NAMES("MPI_Iallreduce", "mpi_iallreduce"), NULL,
};

static const char *const windows[] = {
	NAMES("MPI_Win_create", "mpi_win_create"), NAMES("MPI_Win_allocate", "mpi_win_allocate"),
	NAMES("MPI_Win_create_dynamic", "mpi_win_create_dynamic"), NULL,
};

/**
 * struct object - the dynamic symbols of an object in memory
 * @symbols: all of them; those that are not defined come first
 * @names: names of the symbols
 * @count: number of symbols to look at
 */
struct object {
	const ElfW(Sym) *symbols;
	const char *names;
	size_t count;
};

/* Return whether the object is loaded to this address. */
static bool is_loaded(const struct dl_phdr_info *info, ElfW(Addr) value)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_LOAD &&
		    value - (info->dlpi_addr + header->p_vaddr) < header->p_memsz)
			return true;
	}
	return false;
}

/*
 * The dynamic linker makes addresses of most objects' entries. Those of the kernel's vDSO stay as they were
 * linked, for whatever address that was.
 */
static const void *address(const struct dl_phdr_info *info, ElfW(Addr) value)
{
	return (const void *)(is_loaded(info, value) ? value : info->dlpi_addr + value);
}

static struct object read_object(const struct dl_phdr_info *info, const ElfW(Dyn) *entry)
{
	struct object object = { 0 };

	for (; entry->d_tag != DT_NULL; entry++) {
		const uint32_t *words = address(info, entry->d_un.d_ptr);

		switch (entry->d_tag) {
		case DT_SYMTAB:
			object.symbols = (const void *)words;
			break;
		case DT_STRTAB:
			object.names = (const void *)words;
			break;
		case DT_HASH:	/* its second word is the number of symbols */
			object.count = words[1];
			break;
		case DT_GNU_HASH:	/* and here that of the first defined symbol */
			object.count = words[1];
			break;
		}
	}
	return object;
}

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(name, *names))
		names++;
	return *names;
}

static bool imports(const struct object *object, const char *const *names)
{
	for (size_t i = 0; object->symbols && object->names && i < object->count; i++) {
		const ElfW(Sym) *symbol = &object->symbols[i];

		if (symbol->st_shndx == SHN_UNDEF &&
		    is_one_of(object->names + symbol->st_name, names))
			return true;
	}
	return false;
}

/* MPI's own libraries import all that there is. */
static bool is_of_mpi(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, "libmpi", 6);
}

static int look(struct dl_phdr_info *info, size_t size, void *names)
{
	(void)size;
	if (is_of_mpi(info->dlpi_name))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		struct object object;

		if (header->p_type != PT_DYNAMIC)
			continue;
		object = read_object(info, (const void *)(info->dlpi_addr + header->p_vaddr));
		if (imports(&object, names))
			return 1;
	}
	return 0;
}

static bool any_imports(const char *const *names)
{
	return dl_iterate_phdr(look, (void *)names);
}

bool imports_reductions(void)
{
	return any_imports(reductions);
}

bool imports_iallreduce(void)
{
	return any_imports(iallreduce);
}

bool imports_windows(void)
{
	return any_imports(windows);
}
