/* A native object as a shared one, without the system's linker: one ELF object of LLVM's, for x86-64 or AArch64, with
 * nothing in it that needs to be resolved against libraries ("System V Application Binary Interface", 4 and 5).  Calls
 * within it stay within it; what it does not define the dynamic linker finds. */
#include "emit/elf_link.h"
#include "emit/emit_internal.h"

#include <string.h>

static const size_t MOST_SEGMENTS = 7;

/* ---- reading ---- */

static bool is_supported_section(const Elf64_Shdr *header)
{
    if (header->sh_flags & (SHF_TLS | SHF_COMPRESSED))
        return false;
    switch (header->sh_type) {
    case SHT_INIT_ARRAY:
    case SHT_FINI_ARRAY:
    case SHT_PREINIT_ARRAY:
    case SHT_REL:
    case SHT_SYMTAB_SHNDX: return false;
    default: return true;
    }
}

static bool is_supported_symbol(const Elf64_Sym *symbol)
{
    const unsigned type = ELF64_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_COMMON && (symbol->st_shndx != SHN_ABS || type == STT_FILE) &&
           type != STT_GNU_IFUNC && type != STT_TLS;
}

static bool read_object(struct elf_link *link, struct bytes object)
{
    const Elf64_Ehdr *header = link->object = arena_alloc(link->arena, object.size);
    memcpy((char *)header, object.data, object.size);
    if (object.size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_type != ET_REL ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        (header->e_machine != EM_X86_64 && header->e_machine != EM_AARCH64) || !header->e_shnum)
        return false;
    link->headers = (const Elf64_Shdr *)(const void *)((const char *)header + header->e_shoff);
    for (size_t i = 1; i < header->e_shnum; i++) {
        if (!is_supported_section(&link->headers[i]))
            return false;
        if (link->headers[i].sh_type != SHT_SYMTAB)
            continue;
        link->symbols = elf_contents(link, i);
        link->symbol_count = link->headers[i].sh_size / sizeof *link->symbols;
        link->names = elf_contents(link, link->headers[i].sh_link);
    }
    for (size_t i = 1; i < link->symbol_count; i++)
        if (!is_supported_symbol(&link->symbols[i]))
            return false;
    return link->symbol_count > 0;
}

/* ---- sections ---- */

static size_t add_section(struct elf_link *link, enum elf_part part, const char *name, Elf64_Shdr header)
{
    struct elf_section section = {.name = name, .header = header, .part = part};
    if (header.sh_type != SHT_NOBITS)
        section.data = arena_alloc(link->arena, header.sh_size);
    link->sections = arena_grow(link->arena, link->sections, link->section_count, sizeof *link->sections);
    link->sections[link->section_count] = section;
    return link->section_count++;
}

static size_t add_table(struct elf_link *link, enum elf_part part, const char *name, uint32_t type, size_t count,
                        size_t size)
{
    const uint64_t flags = part == ELF_READ    ? SHF_ALLOC
                           : part == ELF_CODE  ? SHF_ALLOC | SHF_EXECINSTR
                           : part == ELF_RELRO ? SHF_ALLOC | SHF_WRITE
                                               : 0;
    const Elf64_Shdr header = {.sh_type = type, .sh_flags = flags, .sh_size = count * size,
                               .sh_entsize = type == SHT_PROGBITS || type == SHT_STRTAB ? 0 : size,
                               .sh_addralign = part == ELF_CODE ? ELF_STUB : size < 8 ? size : 8};
    return add_section(link, part, name, header);
}

static enum elf_part loaded_part(const Elf64_Shdr *header, const char *name)
{
    if (!(header->sh_flags & SHF_ALLOC))
        return ELF_UNLOADED;
    if (header->sh_flags & SHF_EXECINSTR)
        return ELF_CODE;
    if (!(header->sh_flags & SHF_WRITE))
        return ELF_READ;
    return header->sh_type == SHT_NOBITS ? ELF_ZERO : begins(name, ".data.rel.ro") ? ELF_RELRO : ELF_DATA;
}

/* The linker's own tables are made anew, groups are of use to linkers alone. */
static bool is_copied(const Elf64_Shdr *header, const char *name)
{
    switch (header->sh_type) {
    case SHT_NULL:
    case SHT_SYMTAB:
    case SHT_STRTAB:
    case SHT_RELA:
    case SHT_GROUP: return false;
    default: return !(header->sh_flags & SHF_EXCLUDE) && strcmp(name, ".note.GNU-stack") != 0;
    }
}

static const char *section_name(const struct elf_link *link, size_t section)
{
    return (const char *)elf_contents(link, link->object->e_shstrndx) + link->headers[section].sh_name;
}

bool elf_part_of(const struct elf_link *link, size_t section, enum elf_part *part)
{
    *part = loaded_part(&link->headers[section], section_name(link, section));
    return is_copied(&link->headers[section], section_name(link, section));
}

/* Copies the object's sections that belong in one part. */
static void copy_sections(struct elf_link *link, enum elf_part part)
{
    enum elf_part its_part;
    for (size_t i = 1; i < link->object->e_shnum; i++) {
        Elf64_Shdr header = link->headers[i];
        if (!elf_part_of(link, i, &its_part) || its_part != part)
            continue;
        header.sh_link = header.sh_info = 0;
        header.sh_flags &= SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR | SHF_MERGE | SHF_STRINGS;
        link->placed[i] = add_section(link, part, section_name(link, i), header);
        if (header.sh_type != SHT_NOBITS)
            memcpy(link->sections[link->placed[i]].data, elf_contents(link, i), header.sh_size);
    }
}

/* ---- symbols ---- */

static bool is_exported(const Elf64_Sym *symbol)
{
    const unsigned visibility = ELF64_ST_VISIBILITY(symbol->st_other);
    return ELF64_ST_BIND(symbol->st_info) != STB_LOCAL && (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

static void number_symbols(struct elf_link *link)
{
    link->dynamic_count = 1;
    for (size_t i = 1; i < link->symbol_count; i++)
        if (is_exported(&link->symbols[i]))
            link->dynamic[i] = link->dynamic_count++;
}

/* A table of symbols: with `number`, those that have one; else all but sections. */
static void write_symbols(struct elf_link *link, size_t table, size_t strings, const size_t *number)
{
    Elf64_Sym *out = (Elf64_Sym *)(void *)link->sections[table].data;
    char *text = (char *)link->sections[strings].data;
    size_t used = 1, locals = 1, count = 1;
    for (size_t i = 1; i < link->symbol_count; i++) {
        Elf64_Sym symbol = link->symbols[i];
        const char *name = link->names + symbol.st_name;
        if (number ? !number[i] : ELF64_ST_TYPE(symbol.st_info) == STT_SECTION)
            continue;
        if (elf_is_defined(link, i) && symbol.st_shndx != SHN_ABS) {
            symbol.st_value = elf_symbol_address(link, i);
            symbol.st_shndx = (Elf64_Section)link->placed[symbol.st_shndx];
        }
        symbol.st_name = (Elf64_Word)used;
        used += strlen(strcpy(text + used, name)) + 1;
        locals += ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
        out[count++] = symbol;
    }
    link->sections[table].header.sh_size = count * sizeof *out;
    link->sections[table].header.sh_link = (Elf64_Word)strings;
    link->sections[table].header.sh_info = (Elf64_Word)locals;
    link->sections[strings].header.sh_size = used;
}

/* "System V Application Binary Interface", 5, Hash Table. */
static uint32_t hash_name(const char *name)
{
    uint32_t hash = 0;
    for (; *name; name++) {
        hash = (hash << 4) + (unsigned char)*name;
        const uint32_t high = hash & 0xf0000000;
        hash = (hash ^ high >> 24) & ~high;
    }
    return hash;
}

static void write_hash(struct elf_link *link, size_t hash)
{
    uint32_t *table = (uint32_t *)(void *)link->sections[hash].data;
    const uint32_t count = (uint32_t)link->dynamic_count;
    uint32_t *buckets = table + 2, *chains = buckets + count;
    table[0] = table[1] = count;
    for (size_t i = 1; i < link->symbol_count; i++) {
        if (!link->dynamic[i])
            continue;
        uint32_t *bucket = &buckets[hash_name(link->names + link->symbols[i].st_name) % count];
        chains[link->dynamic[i]] = *bucket;
        *bucket = (uint32_t)link->dynamic[i];
    }
}

/* Returns the size of the names of all symbols, or with `number`, of those that have one. */
static size_t names_size(const struct elf_link *link, const size_t *number)
{
    size_t size = 1;
    for (size_t i = 1; i < link->symbol_count; i++)
        if (!number || number[i])
            size += strlen(link->names + link->symbols[i].st_name) + 1;
    return size;
}

/* ---- layout ---- */

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return alignment > 1 ? (value + alignment - 1) / alignment * alignment : value;
}

static uint64_t page_size(const struct elf_link *link)
{
    return link->object->e_machine == EM_AARCH64 ? 0x10000 : 0x1000;
}

/* Each segment begins on a page of its own in memory, and follows the one before it in the file. */
static void lay_out(struct elf_link *link)
{
    uint64_t offset = sizeof(Elf64_Ehdr) + MOST_SEGMENTS * sizeof(Elf64_Phdr), address = offset;
    for (size_t i = 1; i < link->section_count; i++) {
        struct elf_section *section = &link->sections[i];
        const enum elf_part before = i > 1 ? link->sections[i - 1].part : ELF_READ;
        const uint64_t alignment = section->header.sh_addralign;
        const bool is_joined = section->part == ELF_ZERO && before == ELF_DATA;
        if (section->part != before && !is_joined && section->part != ELF_UNLOADED)
            address = align_up(address, page_size(link)) + offset % page_size(link);
        if (section->part == ELF_UNLOADED) {
            offset = align_up(offset, alignment);
        } else {
            const uint64_t skipped = align_up(address, alignment) - address;
            address += skipped;
            offset += section->part == ELF_ZERO ? 0 : skipped;
            section->header.sh_addr = address;
            address += section->header.sh_size;
        }
        section->header.sh_offset = offset;
        offset += section->data ? section->header.sh_size : 0;
    }
}

/* One segment of the sections from one part to another; false if there are none. */
static bool add_segment(const struct elf_link *link, Elf64_Phdr *segment, enum elf_part first, enum elf_part last,
                        Elf64_Word flags)
{
    const struct elf_section *begin = NULL, *end = NULL, *filled = NULL;
    for (size_t i = 1; i < link->section_count; i++) {
        const struct elf_section *section = &link->sections[i];
        if (section->part < first || section->part > last)
            continue;
        begin = begin ? begin : section;
        end = section;
        filled = section->data ? section : filled;
    }
    if (!begin)
        return false;
    const bool is_first = first == ELF_READ; /* with the headers before it */
    const uint64_t offset = is_first ? 0 : begin->header.sh_offset, address = is_first ? 0 : begin->header.sh_addr;
    const uint64_t file_end = filled ? filled->header.sh_offset + filled->header.sh_size : offset;
    *segment = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = flags, .p_offset = offset, .p_vaddr = address,
                            .p_paddr = address, .p_filesz = file_end - offset,
                            .p_memsz = end->header.sh_addr + end->header.sh_size - address,
                            .p_align = page_size(link)};
    return true;
}

static size_t write_segments(const struct elf_link *link, size_t dynamic, Elf64_Phdr *segments)
{
    const Elf64_Shdr *table = &link->sections[dynamic].header;
    size_t count = 0;
    count += add_segment(link, &segments[count], ELF_READ, ELF_READ, PF_R);
    count += add_segment(link, &segments[count], ELF_CODE, ELF_CODE, PF_R | PF_X);
    count += add_segment(link, &segments[count], ELF_RELRO, ELF_RELRO, PF_R | PF_W);
    /* Pages are protected as a whole. */
    Elf64_Phdr *relro = &segments[count - 1];
    relro->p_memsz = align_up(relro->p_vaddr + relro->p_memsz, page_size(link)) - relro->p_vaddr;
    Elf64_Phdr protected = *relro;
    protected.p_type = PT_GNU_RELRO;
    protected.p_flags = PF_R;
    protected.p_align = 1;
    count += add_segment(link, &segments[count], ELF_DATA, ELF_ZERO, PF_R | PF_W);
    segments[count++] = (Elf64_Phdr){.p_type = PT_DYNAMIC, .p_flags = PF_R | PF_W, .p_offset = table->sh_offset,
                                     .p_vaddr = table->sh_addr, .p_paddr = table->sh_addr, .p_align = 8,
                                     .p_filesz = table->sh_size, .p_memsz = table->sh_size};
    segments[count++] = protected;
    segments[count++] = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
    return count;
}

/* ---- the whole ---- */

/* The sections that the dynamic linker reads, and those for debuggers. */
struct tables {
    size_t hash, symbols, strings, dynamic, all_symbols, all_strings, section_names;
};

enum { DYNAMIC_COUNT = 9 };

static void add_sections(struct elf_link *link, struct tables *tables)
{
    add_section(link, ELF_READ, "", (Elf64_Shdr){.sh_type = SHT_NULL});
    tables->hash = add_table(link, ELF_READ, ".hash", SHT_HASH, 2 * link->dynamic_count + 2, sizeof(uint32_t));
    tables->symbols = add_table(link, ELF_READ, ".dynsym", SHT_DYNSYM, link->dynamic_count, sizeof(Elf64_Sym));
    tables->strings = add_table(link, ELF_READ, ".dynstr", SHT_STRTAB, names_size(link, link->dynamic), 1);
    link->rela = add_table(link, ELF_READ, ".rela.dyn", SHT_RELA, link->relocation_count, sizeof(Elf64_Rela));
    copy_sections(link, ELF_READ);
    copy_sections(link, ELF_CODE);
    if (link->stub_count)
        link->plt = add_table(link, ELF_CODE, ".plt", SHT_PROGBITS, link->stub_count, ELF_STUB);
    copy_sections(link, ELF_RELRO);
    tables->dynamic = add_table(link, ELF_RELRO, ".dynamic", SHT_DYNAMIC, DYNAMIC_COUNT, sizeof(Elf64_Dyn));
    if (link->slot_count)
        link->got = add_table(link, ELF_RELRO, ".got", SHT_PROGBITS, link->slot_count, 8);
    copy_sections(link, ELF_DATA);
    copy_sections(link, ELF_ZERO);
    copy_sections(link, ELF_UNLOADED);
    tables->all_symbols = add_table(link, ELF_UNLOADED, ".symtab", SHT_SYMTAB, link->symbol_count, sizeof(Elf64_Sym));
    tables->all_strings = add_table(link, ELF_UNLOADED, ".strtab", SHT_STRTAB, names_size(link, NULL), 1);
    size_t names = 0;
    for (size_t i = 0; i < link->section_count; i++)
        names += strlen(link->sections[i].name) + 1;
    tables->section_names = add_table(link, ELF_UNLOADED, ".shstrtab", SHT_STRTAB, names + sizeof ".shstrtab", 1);
}

static void write_dynamic(const struct elf_link *link, const struct tables *tables)
{
    const struct elf_section *sections = link->sections;
    const Elf64_Shdr *rela = &sections[link->rela].header, *strings = &sections[tables->strings].header;
    const Elf64_Dyn entries[DYNAMIC_COUNT] = {
        {DT_HASH, {sections[tables->hash].header.sh_addr}},
        {DT_STRTAB, {strings->sh_addr}},
        {DT_SYMTAB, {sections[tables->symbols].header.sh_addr}},
        {DT_STRSZ, {strings->sh_size}},
        {DT_SYMENT, {sizeof(Elf64_Sym)}},
        {DT_RELA, {rela->sh_addr}},
        {DT_RELASZ, {rela->sh_size}},
        {DT_RELAENT, {sizeof(Elf64_Rela)}},
        {DT_NULL, {0}},
    };
    memcpy(sections[tables->dynamic].data, entries, sizeof entries);
}

static void write_tables(struct elf_link *link, const struct tables *tables)
{
    struct elf_section *sections = link->sections;
    size_t used = 0;
    write_symbols(link, tables->symbols, tables->strings, link->dynamic);
    write_symbols(link, tables->all_symbols, tables->all_strings, NULL);
    write_hash(link, tables->hash);
    write_dynamic(link, tables);
    sections[tables->hash].header.sh_link = sections[link->rela].header.sh_link = (Elf64_Word)tables->symbols;
    sections[tables->dynamic].header.sh_link = (Elf64_Word)tables->strings;
    for (size_t i = 0; i < link->section_count; i++) {
        sections[i].header.sh_name = (Elf64_Word)used;
        used += strlen(strcpy((char *)sections[tables->section_names].data + used, sections[i].name)) + 1;
    }
}

static struct bytes shared_object(const struct elf_link *link, const struct tables *tables)
{
    const Elf64_Shdr *last = &link->sections[link->section_count - 1].header;
    const uint64_t headers = align_up(last->sh_offset + last->sh_size, 8);
    const size_t size = headers + link->section_count * sizeof(Elf64_Shdr);
    char *out = arena_alloc(link->arena, size);
    Elf64_Phdr segments[MOST_SEGMENTS];
    Elf64_Ehdr file = *link->object;
    file.e_type = ET_DYN;
    file.e_phoff = sizeof file;
    file.e_phentsize = sizeof *segments;
    file.e_phnum = (Elf64_Half)write_segments(link, tables->dynamic, segments);
    file.e_shoff = headers;
    file.e_shnum = (Elf64_Half)link->section_count;
    file.e_shstrndx = (Elf64_Half)tables->section_names;
    memcpy(out, &file, sizeof file);
    memcpy(out + sizeof file, segments, file.e_phnum * sizeof *segments);
    for (size_t i = 0; i < link->section_count; i++) {
        const struct elf_section *section = &link->sections[i];
        if (section->data)
            memcpy(out + section->header.sh_offset, section->data, section->header.sh_size);
        memcpy(out + headers + i * sizeof section->header, &section->header, sizeof section->header);
    }
    return (struct bytes){out, size};
}

struct bytes elf_link(struct arena *arena, struct bytes object)
{
    struct elf_link link = {.arena = arena};
    struct tables tables;
    if (!read_object(&link, object))
        return (struct bytes){0};
    link.placed = arena_alloc(arena, link.object->e_shnum * sizeof *link.placed);
    link.dynamic = arena_alloc(arena, link.symbol_count * sizeof *link.dynamic);
    link.slots = arena_alloc(arena, link.symbol_count * sizeof *link.slots);
    link.stubs = arena_alloc(arena, link.symbol_count * sizeof *link.stubs);
    number_symbols(&link);
    if (!elf_count_relocations(&link))
        return (struct bytes){0};
    add_sections(&link, &tables);
    lay_out(&link);
    if (!elf_relocate(&link))
        return (struct bytes){0};
    write_tables(&link, &tables);
    return shared_object(&link, &tables);
}
