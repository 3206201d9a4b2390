// SPDX-License-Identifier: GPL-2.0
/*
 * Objects of which some import a reduction of MPI, as the dynamic linker and the kernel have them in memory:
 * their entries are addresses, or as they were linked, below or above where they are loaded.
 */
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "imports.h"

/**
 * struct image - an object in memory
 * @symbols: symbol table: the null symbol, and one that is undefined
 * @names: string table with the names of the symbols
 * @hash: DT_GNU_HASH table, whose second word is the index of the first defined symbol
 * @dynamic: dynamic section, which has the addresses of these tables
 */
static struct image {
	ElfW(Sym) symbols[2];
	char names[16];
	uint32_t hash[4];
	ElfW(Dyn) dynamic[4];
} image;

static ElfW(Addr) base;

/* Stands in for the dynamic linker's function. */
int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *info, size_t size, void *data), void *data)
{
	const ElfW(Phdr) headers[] = {
		{ .p_type = PT_LOAD, .p_vaddr = (ElfW(Addr))&image - base, .p_memsz = sizeof(image) },
		{ .p_type = PT_DYNAMIC, .p_vaddr = (ElfW(Addr))image.dynamic - base },
	};
	struct dl_phdr_info info = { .dlpi_addr = base, .dlpi_name = "object", .dlpi_phdr = headers, .dlpi_phnum = 2 };

	return callback(&info, sizeof(info), data);
}

/* Make an object that imports @name, loaded @distance above where it was linked for. */
static void make(const char *name, ElfW(Addr) distance, int is_relocated)
{
	ElfW(Addr) less = is_relocated ? 0 : distance;

	memset(&image, 0, sizeof(image));
	base = distance;
	strcpy(image.names + 1, name);
	image.symbols[1].st_name = 1;
	image.hash[1] = 2;
	image.dynamic[0] = (ElfW(Dyn)) { DT_SYMTAB, { (ElfW(Addr))image.symbols - less } };
	image.dynamic[1] = (ElfW(Dyn)) { DT_STRTAB, { (ElfW(Addr))image.names - less } };
	image.dynamic[2] = (ElfW(Dyn)) { DT_GNU_HASH, { (ElfW(Addr))image.hash - less } };
}

int main(void)
{
	/* Linked for 0, for what it is loaded to, and for the upper end of addresses. */
	const ElfW(Addr) distances[] = { (ElfW(Addr))&image & ~0xfffUL, 0, ((ElfW(Addr))&image & ~0xfffUL) + 0x900000 };
	int failed = 0;

	for (unsigned int i = 0; i < sizeof(distances) / sizeof(distances[0]); i++) {
		for (int is_relocated = 0; is_relocated < 2; is_relocated++) {
			make("MPI_Allreduce", distances[i], is_relocated);
			failed += !imports_reductions();
			make("MPI_Barrier", distances[i], is_relocated);
			failed += imports_reductions();
		}
	}
	printf("%d failed\n", failed);
	return !!failed;
}
