/* Data of linking a shared object: elf_link.c lays it out, elf_relocate.c fills in addresses. */
#ifndef GPUCC_ELF_LINK_H
#define GPUCC_ELF_LINK_H

#include "base/base.h"

#include <elf.h>

/* The segments, in the order of the file, and what is in none. */
enum elf_part { ELF_READ, ELF_CODE, ELF_RELRO, ELF_DATA, ELF_ZERO, ELF_UNLOADED };

/* A section of the shared object. */
struct elf_section {
    const char *name;
    Elf64_Shdr header;
    unsigned char *data; /* header.sh_size bytes; null: zeros that are not in the file */
    enum elf_part part;
};

struct elf_link {
    struct arena *arena;
    const Elf64_Ehdr *object; /* … and what is in it, aligned to 8 bytes: */
    const Elf64_Shdr *headers;
    const Elf64_Sym *symbols;
    size_t symbol_count;
    const char *names; /* of symbols */
    struct elf_section *sections;
    size_t section_count;
    size_t *placed; /* the section that a section of the object became; 0: none */
    /* By symbol of the object; 0: none.  A slot of .got holds a symbol's address, a stub of .plt jumps there. */
    size_t *dynamic, *slots, *stubs;
    size_t dynamic_count, slot_count, stub_count; /* dynamic: with the empty symbol at 0 */
    size_t relocation_count; /* of .rela.dyn */
    size_t got, plt, rela;   /* sections */
    Elf64_Rela *relocation;  /* the next one of .rela.dyn to write */
};

/* Counts slots, stubs and .rela.dyn; false if there is a relocation that this linker does not know. */
bool elf_count_relocations(struct elf_link *link);
/* Writes the sections' relocations, the slots and the stubs, after all sections have an address; false if a distance
 * is too large for its field. */
bool elf_relocate(struct elf_link *link);
/* The address that the symbol, which the object defines, has in the shared object. */
uint64_t elf_symbol_address(const struct elf_link *link, size_t symbol);
bool elf_is_defined(const struct elf_link *link, size_t symbol);

/* The section of that number in the object. */
static inline const void *elf_contents(const struct elf_link *link, size_t section)
{
    return (const char *)link->object + link->headers[section].sh_offset;
}

/* Stores the part that the object's section belongs to; returns false if the shared object has no use for it. */
bool elf_part_of(const struct elf_link *link, size_t section, enum elf_part *part);

/* How many bytes a stub has. */
enum { ELF_STUB = 16 };

#endif
